"""``mneme-flink-python``: the Python that a job names, whose workers begin in a moment. This file imports little.

Flink starts a Python process for each slot, and all of them anew after each failure. To import everything and to make the rules
ready costs each 6 s of processor. So the first one of a TaskManager starts a template, which does that once; a worker is a copy
of it (``fork``), as with ``forkserver`` of Python itself.

    TaskManager ── shell ── mneme-flink-python -m pyflink...beam_boot ── (socket) ── template ── worker

Template and workers end with their TaskManager. Killed, it cannot end them, and nothing they still do would count.
"""

import gc
import hashlib
import json
import os
import runpy
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

WORKERS_PYTHON = "mneme-flink-python"  # beside the interpreter (pyproject.toml)
_WORKER = "pyflink.fn_execution.beam.beam_boot"
_PREPARED = ("pyflink.fn_execution.beam.beam_sdk_worker_main", "flows.engines.flink")
_TEXTS = (("en", "Ann lives in Lisbon."), ("zh", "周玲住在里斯本。"))
_HOME, _ROOMS = Path(__file__).parents[2], ("mneme", "connectors", "flows")
_IDLE_SECONDS = 60.0
_PATIENCE_SECONDS = 60.0  # for a template on a busy machine; a worker that gets none begins on its own
_GLANCE_SECONDS = 0.02
_PARENT_SECONDS = 0.2  # between looks whether the TaskManager lives
_MOST_BYTES = 65_536  # of a message at once


def main() -> None:
    """Start a worker if the arguments say so; else what Python would start."""
    words = sys.argv[1:]
    if words[:2] != ["-m", _WORKER]:
        os.execv(sys.executable, [sys.executable, *words])
    taskmanager = _parent_of(os.getppid())
    template = _connected() if taskmanager is not None else None
    if template is None or not _begun(template, words[2:], taskmanager):
        _work(words[2:], os.environ.copy(), os.getcwd(), taskmanager)
    template.recv(1)  # the end of the worker


def serve(modules: Sequence[str] = _PREPARED, idle_seconds: float = _IDLE_SECONDS) -> None:
    """Be the template until no worker was at work for a while. At once at an end where there is one already."""
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.bind(_address())
        except OSError:
            return
        server.listen()
        _prepare(modules)
        gc.freeze()  # a collection would write to all pages, and so copy them
        server.settimeout(idle_seconds)
        while True:
            try:
                connection, _ = server.accept()
            except TimeoutError:
                if _is_without_children():
                    return
                continue
            if os.fork() == 0:
                server.close()
                _copied(connection)
            connection.close()
            _is_without_children()


def _is_without_children() -> bool:
    """Return whether no worker is at work, and let those go that are not."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return False
    return True


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
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    if user != os.getuid():  # the socket has no file, and so no rights
        os._exit(1)
    request, descriptors, *_ = socket.recv_fds(connection, _MOST_BYTES, 2)
    while part := connection.recv(_MOST_BYTES):
        request += part
    connection.sendall(b"1")
    for number, descriptor in enumerate(descriptors, start=1):
        os.dup2(descriptor, number)
        os.close(descriptor)
    words, environment, folder, taskmanager = json.loads(request)
    _work(words, environment, folder, taskmanager)


def _work(words: list[str], environment: Mapping[str, str], folder: str, taskmanager: int | None) -> NoReturn:
    """Be the worker."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [_WORKER, *words]
    end_with(taskmanager)
    code = 1
    try:
        runpy.run_module(_WORKER, run_name="__main__", alter_sys=True)
        code = 0
    except BaseException:  # noqa: BLE001  the process ends with it, and nobody else would tell
        traceback.print_exc()
    os._exit(code)


def _begun(template: socket.socket, words: list[str], taskmanager: int | None) -> bool:
    """Ask for a worker; False where the template ended before it began one."""
    request = json.dumps([words, dict(os.environ), os.getcwd(), taskmanager]).encode()
    try:
        sent = socket.send_fds(template, [request], [1, 2])
        template.sendall(request[sent:])
        template.shutdown(socket.SHUT_WR)
        return bool(template.recv(1))
    except OSError:
        return False


def _connected() -> socket.socket | None:
    """A connection to the template, which is started where there is none; None where it fails."""
    started: subprocess.Popen[bytes] | None = None
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        template = socket.socket(socket.AF_UNIX)
        try:
            template.connect(_address())
            return template
        except ConnectionRefusedError:
            template.close()
        if started is None:
            command = [sys.executable, "-m", "flows.engines.flink_start"]
            quiet = subprocess.DEVNULL
            started = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
        elif started.poll():
            return None
        time.sleep(_GLANCE_SECONDS)
    return None


def _address() -> str:
    """The socket of the template of one user, interpreter and state of the program, which may be exchanged meanwhile."""
    changed = max(file.stat().st_mtime_ns for room in _ROOMS for file in (_HOME / room).rglob("*.py"))
    of = f"{os.getuid()} {sys.executable} {os.environ.get('PYTHONPATH')} {_HOME} {changed}"
    return f"\0mneme-{hashlib.sha256(of.encode()).hexdigest()}"


def end_with(process: int | None) -> None:
    """End this process when another one is gone. None: there is no such process."""
    if process is None:
        return

    def watch() -> None:
        while _is_alive(process):
            time.sleep(_PARENT_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="taskmanager", daemon=True).start()


def _is_alive(process: int) -> bool:
    """Return whether a process runs. One that was killed stays in the list until its parent asks for it, if that ever does."""
    return _status(process)[:1] not in ([], ["Z"])


def _parent_of(process: int) -> int | None:
    """The TaskManager starts a shell, and the shell this process. None where that cannot be told."""
    _, parent, *_ = (*_status(process), "0", "0")
    return int(parent) if int(parent) > 1 else None


def _status(process: int) -> list[str]:
    """The fields of /proc behind the name: state, parent and more; empty where there is no such process."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return []


if __name__ == "__main__":
    serve()
