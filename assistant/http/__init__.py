"""The graph and the assistant over HTTP."""

from __future__ import annotations

from assistant.http.application import application, serve_forever
from assistant.http.settings import Settings

__all__ = ["Settings", "application", "serve_forever"]
