"""The executor's ends of the process that holds the graph and of the workers that it forks."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from kg.errors import BrokenData, GraphError
from kg.worker import COMMAND, FORK, WAIT

# Seconds after which a query is likely a heavy one: it goes on with less of the processor, so
# that short queries meanwhile are as quick as ever.
SHORT = 0.25
ROOT = Path(__file__).resolve().parent.parent
_MAIN = "import sys; from kg.worker import main; main(int(sys.argv[1]), sys.argv[2:])"


class WorkerDied(Exception):
    """A worker ended before it answered; the status is minus the signal if one ended it."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


class KeeperDied(GraphError):
    """The process that holds the graph has ended."""

    def __init__(self) -> None:
        super().__init__("the process that holds the graph has ended")


class Worker:
    """The executor's end of one worker."""

    def __init__(self, keeper: Keeper, pid: int, connection: Connection) -> None:
        self.keeper = keeper
        self.pid = pid
        self.connection = connection
        self.status: int | None = None
        self._lock = threading.Lock()

    def ask(self, task: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Return the head and the body of the answer.

        Raises:
            WorkerDied: If it ended before, or had to be ended.
        """
        seconds: float = task["seconds"]
        try:
            self.connection.send_bytes(json.dumps(task).encode())
            done = self.connection.poll(min(SHORT, seconds))
            if not done and seconds > SHORT:
                with contextlib.suppress(OSError):
                    os.setpriority(os.PRIO_PROCESS, self.pid, 15)
                done = self.connection.poll(seconds - SHORT)
            if not done:
                self.kill()
            return json.loads(self.connection.recv_bytes()), self.connection.recv_bytes()
        except (EOFError, OSError):
            raise WorkerDied(self.reap()) from None

    def kill(self) -> None:
        """End it at once. Until it is reaped its number cannot be another process's."""
        with self._lock:
            if self.status is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)

    def reap(self) -> int:
        """Return its exit status once it has ended."""
        with self._lock:
            status = self.keeper.wait(self.pid) if self.status is None else self.status
            self.status = status
            return status

    def stop(self) -> None:
        """End it and forget it."""
        self.kill()
        self.reap()
        self.connection.close()
        self.keeper.lost_one()


class Keeper:
    """The executor's end of the process that holds the graph and forks workers."""

    def __init__(self, places: Sequence[Path]) -> None:
        self.places = list(places)
        ours, theirs = socket.socketpair()
        self._control = ours
        # -P: no module of the folder it happens to be started in.
        command = [sys.executable, "-P", "-c", _MAIN, str(theirs.fileno())]
        command += map(str, self.places)
        environment = dict(os.environ)
        paths = [str(ROOT), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        with theirs:
            # In a session of its own, Ctrl-C in the terminal reaches only the caller.
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], start_new_session=True, env=environment
            )
        self._lock = threading.RLock()
        self._triples: int | None = None
        self._broken: BrokenData | None = None
        self._workers = 0
        self._retired = False

    def ready(self) -> int:
        """Wait until the graph is loaded and return its number of triples.

        Raises:
            BrokenData: If a place does not exist, or a file is not valid.
        """
        with self._lock:
            if self._triples is None and self._broken is None:
                self._hear()
            if self._broken is not None:
                raise self._broken
            assert self._triples is not None
            return self._triples

    def worker(self) -> Worker:
        """Fork a worker."""
        self.ready()
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                socket.send_fds(self._control, [COMMAND.pack(FORK, 0)], [theirs.fileno()])
                _, pid = COMMAND.unpack(self._receive())
            except OSError as error:
                ours.close()
                raise KeeperDied from error
            self._workers += 1
        return Worker(self, pid, Connection(ours.detach()))

    def wait(self, pid: int) -> int:
        """Return a worker's exit status once it has ended."""
        with self._lock:
            try:
                self._control.sendall(COMMAND.pack(WAIT, pid))
                return int(COMMAND.unpack(self._receive())[1])
            except OSError:
                return -signal.SIGKILL  # the keeper has ended, and its workers with it

    def lost_one(self) -> None:
        """Count one worker less; a retired keeper goes with its last."""
        with self._lock:
            self._workers -= 1
            if self._retired and self._workers == 0:
                self.close()

    def retire(self) -> None:
        """Close as soon as the last worker has ended."""
        with self._lock:
            self._retired = True
            if self._workers == 0:
                self.close()

    def close(self) -> None:
        """End it, and with it its idle workers."""
        self._control.close()
        self._process.kill()
        self._process.wait()

    def _hear(self) -> None:
        """Take the first message: the number of triples, or what is broken."""
        message = self._control.recv(65536)
        silent = {"path": "kg.worker", "problem": "did not start"}
        head: dict[str, Any] = json.loads(message) if message else silent
        if "triples" in head:
            self._triples = head["triples"]
        else:
            self._broken = BrokenData(head["path"], head["problem"])

    def _receive(self) -> bytes:
        message = b""
        while len(message) < COMMAND.size:
            part = self._control.recv(COMMAND.size - len(message))
            if not part:
                raise ConnectionError("it closed the connection")
            message += part
        return message
