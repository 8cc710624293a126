"""``mneme-flink-python``: the Python that a job names, whose workers begin in a moment. This file imports little.

Flink starts a Python process for each slot, and all of them anew after each failure. Imports and rules cost each process 6 s of
processor. So the first one of a machine starts a template, which imports everything once. Each worker is a copy of it
(``fork``), as with ``forkserver`` of Python itself.

    TaskManager ── shell ── mneme-flink-python -m pyflink...beam_boot ── (socket) ── template ── worker

A worker ends itself when its TaskManager is gone, because a killed TaskManager cannot end it. The template waits a minute for
another TaskManager, and then ends.
"""

import gc
import hashlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import psutil

WORKERS_PYTHON = "mneme-flink-python"  # beside the interpreter (pyproject.toml)
_WORKER = "pyflink.fn_execution.beam.beam_boot"
_PREPARED = ("pyflink.fn_execution.beam.beam_sdk_worker_main", "flows.engines.flink", "connectors.opensearch.index", "openai")
_TEXTS = (("en", "Ann lives in Lisbon."), ("zh", "周玲住在里斯本。"))
_HOME, _ROOMS = Path(__file__).parents[2], ("mneme", "connectors", "flows")
_IDLE_SECONDS = 60.0
_GLANCE_SECONDS = 0.02


def main() -> None:
    """Start a worker if the arguments say so; else what Python would start."""
    words = sys.argv[1:]
    if words[:2] != ["-m", _WORKER] or sys.platform != "linux":
        os.execv(sys.executable, [sys.executable, *words])
    taskmanager = psutil.Process().parents()[1].pid  # it starts a shell, and the shell this process
    template = _connected()
    if template is not None:
        with suppress(OSError):  # the template ended just now
            socket.send_fds(template, [b"1"], [1, 2])
            template.sendall(json.dumps([words[2:], dict(os.environ), os.getcwd(), taskmanager]).encode())
            template.shutdown(socket.SHUT_WR)
            if template.recv(1):
                template.recv(1)  # the end of the worker
                return
    _work(words[2:], os.environ.copy(), os.getcwd(), taskmanager)  # which tells why there is no template


def serve(modules: Sequence[str] = _PREPARED, idle_seconds: float = _IDLE_SECONDS) -> None:
    """Be the template until no worker was at work for a while. Return at once if a template is already running."""
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.bind(_address())
        except OSError:
            return
        server.listen()
        _prepare(modules)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a worker ended
        gc.freeze()  # a collection would write to all pages, and so copy them
        server.settimeout(idle_seconds)
        while True:
            try:
                connection, _ = server.accept()
            except TimeoutError:
                with suppress(ChildProcessError):  # it says that no worker is left
                    os.waitpid(-1, os.WNOHANG)
                    continue
                return
            if os.fork() == 0:
                server.close()
                _copied(connection)
            connection.close()


def _prepare(modules: Sequence[str]) -> None:
    for module in modules:
        import_module(module)
    from mneme.languages import languages_of
    from mneme.relations import claims_in

    for language, text in _TEXTS:
        languages_of([text])
        claims_in(text, language)


def _copied(connection: socket.socket) -> NoReturn:
    """Begin what is asked for, in a copy of the template; the connection ends with it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    if user != os.getuid():  # the socket has no file, and so no rights
        os._exit(1)
    _, descriptors, *_ = socket.recv_fds(connection, 1, 2)
    words, environment, folder, taskmanager = json.loads(connection.makefile("rb").read())
    connection.sendall(b"1")
    for number, descriptor in enumerate(descriptors, start=1):
        os.dup2(descriptor, number)
    _work(words, environment, folder, taskmanager)


def _work(words: list[str], environment: Mapping[str, str], folder: str, taskmanager: int) -> NoReturn:
    """Be the worker."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [_WORKER, *words]
    threading.Thread(target=_end_with, args=(taskmanager,), name="taskmanager", daemon=True).start()
    code = 1
    try:
        runpy.run_module(_WORKER, run_name="__main__", alter_sys=True)
        code = 0
    except BaseException:  # noqa: BLE001  the process ends with it, and nobody else would tell
        traceback.print_exc()
    os._exit(code)


def _connected() -> socket.socket | None:
    """A connection to the template, which is started where there is none; None where it cannot start."""
    started: subprocess.Popen[bytes] | None = None
    while True:
        template = socket.socket(socket.AF_UNIX)
        try:
            template.connect(_address())
        except ConnectionRefusedError:
            template.close()
        else:
            return template
        if started is None or started.poll() == 0:  # it found another one, which has ended since
            command, quiet = [sys.executable, "-m", "flows.engines.flink_start"], subprocess.DEVNULL
            started = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
        elif started.poll():
            return None
        time.sleep(_GLANCE_SECONDS)


def _address() -> str:
    """The socket of the template of one user, interpreter and state of the program, which may be exchanged meanwhile."""
    changed = max(file.stat().st_mtime_ns for room in _ROOMS for file in (_HOME / room).rglob("*.py"))
    of = f"{os.getuid()} {sys.executable} {os.environ.get('PYTHONPATH')} {_HOME} {changed}"
    return f"\0mneme-{hashlib.sha256(of.encode()).hexdigest()}"


def _end_with(process: int) -> NoReturn:
    """End this process when another one is gone, also where its parent has not reaped it yet."""
    with suppress(ProcessLookupError):
        select.select([os.pidfd_open(process)], [], [])  # readable at its end
    os._exit(1)


if __name__ == "__main__":
    serve()
