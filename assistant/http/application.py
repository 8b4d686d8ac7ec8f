"""The web application: `/sparql`, `/ask`, `/health`, and `/docs` about them."""

from __future__ import annotations

import asyncio
import hmac
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

import anyio
import anyio.to_thread
import uvicorn
from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse
from fastapi_offline import FastAPIOffline
from pydantic import BaseModel, Field
from starlette.middleware.cors import CORSMiddleware

from assistant.http.callers import Callers, NoTurn, TooManyRequests
from assistant.http.negotiation import GRAPHS, ROWS, chosen, media_type
from assistant.http.protocol import BadRequest, Operation, operation, service_description
from assistant.http.settings import Settings
from kg import (
    Document,
    Executor,
    ExecutorBusy,
    GraphError,
    QueryCancelled,
    QueryFailed,
    QueryRefused,
    QueryTimeout,
    QueryTooLarge,
    RunningQuery,
    StoreUnavailable,
    open_executor,
)
from kg.executor import stricter

# Status and word for each error of the graph; the first class that fits.
STATUSES: list[tuple[type[GraphError], int, str]] = [
    (QueryFailed, 400, "failed"),
    (QueryRefused, 403, "refused"),
    (QueryTimeout, 408, "timeout"),
    (QueryTooLarge, 413, "too_large"),
    (ExecutorBusy, 503, "busy"),
    (QueryCancelled, 503, "cancelled"),
    (StoreUnavailable, 503, "store"),
    (GraphError, 500, "broken"),
]
DESCRIPTION = (
    "SPARQL 1.1 Protocol on a read-only graph, and questions in Chinese and English with cited "
    "answers. Errors are JSON: error, message, and line and column where a query is at fault."
)
RESULTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Rows, a truth value or triples; without a query the service description.",
        "content": {kind: {} for kind in [*ROWS, *GRAPHS]},
    },
    400: {"description": "Not a request of the protocol or not a query, with line and column."},
    401: {"description": "The token is missing or wrong."},
    403: {"description": "An update, SERVICE, or a graph that is not here."},
    406: {"description": "None of the accepted formats fits this kind of result."},
    408: {"description": "The query was stopped at its time limit."},
    413: {"description": "The request, or what the query needs to run, is too large."},
    429: {"description": "This caller has too many requests open."},
    503: {"description": "All workers are busy."},
}
QUERY_BODY = {
    "requestBody": {
        "content": {
            "application/sparql-query": {"schema": {"type": "string"}},
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                }
            },
        }
    }
}


class Question(BaseModel):
    """A question, and the one before it if this is a follow-up."""

    question: str = Field(max_length=10_000)
    context: str | None = Field(default=None, max_length=10_000)
    id: str | int | None = None


class _Questions:
    """The assistant, loaded beside the server; it answers one question at a time."""

    def __init__(self, wanted: bool) -> None:
        self.state = "loading" if wanted else "off"
        self.problem = "questions are not answered here"
        self._assistant: Any = None
        self._loaded = threading.Event()
        self._one = threading.Lock()
        if wanted:
            threading.Thread(target=self._load, daemon=True).start()

    def _load(self) -> None:
        try:
            from assistant import Assistant

            self._assistant = Assistant.load()
            self.state = "ready"
        except Exception as error:  # whatever it is, SPARQL goes on
            self.problem = f"the assistant did not load: {error}"
            self.state = "failed"
        finally:
            self._loaded.set()

    def answer(self, question: Question) -> dict[str, Any] | None:
        """Return the answer as JSON; None if there is no assistant."""
        if self.state == "loading":
            self._loaded.wait()
        if self._assistant is None:
            return None
        with self._one:
            answer = self._assistant.ask(question.question, question.context)
        return dict(answer.as_dict()) | {"id": question.id}


def application(settings: Settings) -> FastAPI:
    """Return the application; the graph is loaded when it starts."""
    callers = Callers(max(1, settings.workers - 1), settings.max_waiting, settings.patience)
    running: dict[str, Any] = {}

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        executor = open_executor(
            settings.places, settings.limits, settings.workers, settings.patience
        )
        with executor:
            running["triples"] = await anyio.to_thread.run_sync(executor.ready)
            running["executor"] = executor
            running["questions"] = _Questions(settings.questions)
            running["threads"] = anyio.CapacityLimiter(settings.workers * 8)
            running["asking"] = anyio.CapacityLimiter(2)
            yield

    def authorised(request: Request) -> None:
        if settings.token is None:
            return
        sent = request.headers.get("authorization", "").encode()
        if not hmac.compare_digest(sent, f"Bearer {settings.token}".encode()):
            raise BadRequest(401, "send the token as: Authorization: Bearer TOKEN")

    app = FastAPIOffline(
        title="Trainwright", description=DESCRIPTION, lifespan=lifespan, version="1"
    )
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["*"],
            expose_headers=["X-Trainwright-Cut", "X-Trainwright-Milliseconds"],
        )
    _add_errors(app)

    async def sparql(request: Request) -> Response:
        body = await _body(request, settings.max_request)
        asked = operation(request.method, request.url.query, request.headers, body)
        accept = request.headers.get("accept")
        endpoint = str(request.url.replace(query="", fragment=""))
        if asked.query is None:
            form = chosen(accept, asked.format, GRAPHS) or "turtle"
            found = service_description(endpoint, running["triples"], form)
            return Response(found, media_type=media_type(form))
        rows = chosen(accept, asked.format, ROWS)
        graph = chosen(accept, asked.format, GRAPHS)
        if rows is None and graph is None:
            raise BadRequest(406, f"none of these formats is offered: {accept}")
        async with callers.turn(_name(request)):
            query = _submit(
                running["executor"], asked, (rows or "json", graph or "turtle"), endpoint
            )
            document = await _run(request, query, running["threads"])
        if (graph if document.kind in ("construct", "describe") else rows) is None:
            raise BadRequest(406, f"a result of {document.kind} is not offered as {accept}")
        return _response(document)

    get: Callable[..., Awaitable[Response]] = _documented(sparql)
    for path in ("/sparql", "/sparql/"):
        shown = path == "/sparql"
        common: dict[str, Any] = {"include_in_schema": shown, "responses": RESULTS}
        common |= {"dependencies": [Depends(authorised)], "response_class": Response}
        app.get(path, summary="Run a query", **common)(get)
        app.post(path, summary="Run a query", openapi_extra=QUERY_BODY, **common)(sparql)

    async def answer(request: Request, question: Question) -> Response:
        async with callers.turn(f"ask {_name(request)}"):
            found = await anyio.to_thread.run_sync(
                running["questions"].answer, question, limiter=running["asking"]
            )
        if found is None:
            return _error(503, "no_assistant", running["questions"].problem)
        return JSONResponse(found)

    @app.post("/ask", summary="Answer a question", dependencies=[Depends(authorised)])
    async def ask(request: Request, question: Question) -> Response:
        """Return the answer with its citations, steps and query."""
        return await answer(request, question)

    @app.get("/ask", summary="Answer a question", dependencies=[Depends(authorised)])
    async def ask_get(
        request: Request,
        question: Annotated[str, Query(max_length=10_000)],
        context: Annotated[str | None, Query(max_length=10_000)] = None,
    ) -> Response:
        """Return the answer with its citations, steps and query."""
        return await answer(request, Question(question=question, context=context))

    @app.get("/health", summary="Say whether it works")
    async def health() -> dict[str, Any]:
        """Return the number of triples, and whether questions can be asked."""
        return {
            "status": "ok",
            "triples": running["triples"],
            "questions": running["questions"].state,
        }

    return app


def serve_forever(settings: Settings) -> None:
    """Serve until interrupted, and print the address first.

    Raises:
        BrokenData: If the graph cannot be loaded.
        OSError: If the address cannot be listened on.
    """
    with open_executor(settings.places, workers=1) as executor:
        executor.ready()  # else the server would only say that it did not start
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.create_server((settings.host, settings.port), family=family) as listening:
        host = f"[{settings.host}]" if family == socket.AF_INET6 else settings.host
        address = f"http://{host}:{listening.getsockname()[1]}"
        print(
            f"Trainwright: {address}/sparql, {address}/docs (Ctrl-C stops it)",
            file=sys.stderr,
            flush=True,
        )
        config = uvicorn.Config(
            application(settings), log_level="warning", access_log=False, server_header=False
        )
        uvicorn.Server(config).run(sockets=[listening])


def _documented(sparql: Callable[[Request], Awaitable[Response]]) -> Callable[..., Any]:
    """Return the GET operation with its parameters, for the API page; it reads them itself."""

    async def get(
        request: Request,
        query: Annotated[
            str | None, Query(description="The query; none: the service description.")
        ] = None,
        default_graph: Annotated[
            list[str] | None, Query(alias="default-graph-uri", description="Graphs to ask.")
        ] = None,
        named_graph: Annotated[
            list[str] | None, Query(alias="named-graph-uri", description="Graphs for GRAPH.")
        ] = None,
        format: Annotated[
            str | None, Query(description="json, xml, csv, tsv; turtle, jsonld, nt, rdfxml.")
        ] = None,
        timeout: Annotated[str | None, Query(description="Seconds, if fewer than usual.")] = None,
        limit: Annotated[str | None, Query(description="Rows, if fewer than usual.")] = None,
    ) -> Response:
        """Run a SPARQL query by the SPARQL 1.1 Protocol."""
        return await sparql(request)

    return get


def _submit(
    executor: Executor, asked: Operation, formats: tuple[str, str], base: str
) -> RunningQuery:
    limits = stricter(executor.limits, seconds=asked.timeout, rows=asked.limit)
    return executor.submit(
        asked.query or "", limits, formats=formats, base=base, dataset=asked.dataset
    )


async def _run(request: Request, query: RunningQuery, threads: anyio.CapacityLimiter) -> Document:
    """Return the result of a query; a caller that hangs up stops it."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        query.cancel()

    watching = asyncio.create_task(watch())
    try:
        return await anyio.to_thread.run_sync(query.document, limiter=threads)
    finally:
        watching.cancel()


async def _body(request: Request, most: int) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise BadRequest(413, f"a request may have {most:,} bytes")
    return body


def _response(document: Document) -> Response:
    headers = {"X-Trainwright-Milliseconds": f"{document.elapsed_ms:.1f}", "Vary": "Accept"}
    if document.cut:
        headers["X-Trainwright-Cut"] = f"{document.cut} at {document.length}"
    return Response(document.body, media_type=media_type(document.format), headers=headers)


def _name(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(GraphError)
    async def graph_error(_: Request, error: GraphError) -> Response:
        status, word = next((s, w) for kind, s, w in STATUSES if isinstance(error, kind))
        line, column = getattr(error, "line", None), getattr(error, "column", None)
        return _error(status, word, str(error), line, column)

    @app.exception_handler(BadRequest)
    async def bad_request(_: Request, error: BadRequest) -> Response:
        word = {401: "unauthorised", 406: "format", 413: "too_large"}.get(error.status, "request")
        return _error(error.status, word, str(error))

    @app.exception_handler(TooManyRequests)
    async def too_many(_: Request, __: TooManyRequests) -> Response:
        return _error(429, "too_many", "this caller has too many requests open")

    @app.exception_handler(NoTurn)
    async def no_turn(_: Request, __: NoTurn) -> Response:
        return _error(503, "busy", "this caller's other requests took too long")

    @app.exception_handler(Exception)
    async def unexpected(_: Request, error: Exception) -> Response:
        return _error(500, "internal", f"something unexpected happened: {type(error).__name__}")


def _error(
    status: int, word: str, message: str, line: int | None = None, column: int | None = None
) -> Response:
    content: dict[str, Any] = {"error": word, "message": message}
    if line is not None:
        content |= {"line": line, "column": column}
    headers = {401: {"WWW-Authenticate": "Bearer"}, 408: {"Connection": "close"}}.get(status, {})
    if status in (429, 503):
        headers = {"Retry-After": "1"}
    return JSONResponse(content, status, headers)
