"""Where contributions are kept: `TRAINWRIGHT_HOME`, or the platform's user data folder."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

VARIABLE = "TRAINWRIGHT_HOME"


def home_folder() -> Path:
    """Return the folder of what users add; it need not exist yet."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else user_data_path("trainwright", False)
