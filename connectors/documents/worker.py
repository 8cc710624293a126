"""The process that a pool parses documents in: ``python -m connectors.documents.worker MODULE:PARSER`` (see ``pool.py``).

It reads bytes of strangers with libraries written in C. So it may not open connections, may not grow, ends with its parent, and
takes everything with it that it started.
"""

import ctypes
import os
import resource
import select
import shutil
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import IO, Any, NoReturn

import psutil
from pydantic import TypeAdapter

from mneme.errors import InputError
from mneme.ports import DocumentParser, ParsedDocument
from mneme.settings import Documents

LENGTH = 8  # bytes in front of a frame, big-endian
FOLDER_PREFIX = "mneme-documents-"  # of the folder for temporary files that a worker has for itself


@dataclass(frozen=True, slots=True)
class Request:
    """A document to parse; its ``size`` bytes follow the frame as they are."""

    name: str
    media_type: str | None
    size: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A document, or why it cannot be read; the first of a worker has neither and says that it is ready.

    ``resident`` is the memory of the worker in bytes once it is done.
    """

    document: ParsedDocument | None = None
    error: str | None = None
    resident: int = 0


REQUESTS, ANSWERS = TypeAdapter(Request), TypeAdapter(Answer)


def framed(body: bytes) -> bytes:
    """A frame: JSON with its length in front. Never pickle: answers of a process that reads bytes of strangers are checked."""
    return len(body).to_bytes(LENGTH, "big") + body


_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of <linux/prctl.h>: whose parent ended becomes a child of this process
_NICE = 10  # conversations come first
_HEADROOM = 512_000_000  # bytes that libraries reserve and never touch; what is touched, the pool watches
_LARGEST_FILE = 2_000_000_000  # bytes of a temporary file
_KILL_SECONDS = 5.0  # in which what was started is gone
_REFUSED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg")

_ending = threading.Lock()


def main() -> None:
    """Answer requests until standard input ends."""
    requests, answers = _pipes()
    first_frame = _frame(requests)
    if not first_frame:  # the pool is gone already
        _end()
    settings = Documents.from_json(first_frame)
    _restrict(settings)
    module, _, factory = sys.argv[1].partition(":")
    parser: DocumentParser = getattr(import_module(module), factory)(settings)
    threading.Thread(target=_end_with_parent, args=(requests.fileno(),), daemon=True).start()
    with suppress(BrokenPipeError):  # nobody is left who would read the answer
        _send(answers, Answer(resident=_resident()))
        while frame := _frame(requests):
            request = REQUESTS.validate_json(frame)
            content = requests.read(request.size)
            _allow_processor_time(settings.seconds)
            _send(answers, _answer(parser, content, request.name, request.media_type))
            del content
    _end()


def _answer(parser: DocumentParser, content: bytes, name: str, media_type: str | None) -> Answer:
    try:
        document = parser.parse(content, name, media_type)
    except InputError as error:
        return Answer(error=str(error), resident=_resident())
    finally:
        _end_children()
    return Answer(document=document, resident=_resident())


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes of requests and answers. Standard input and output of libraries and programs lead nowhere."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    return requests, answers


def _frame(requests: IO[bytes]) -> bytes:
    """The next frame; empty at the end."""
    head = requests.read(LENGTH)
    return requests.read(int.from_bytes(head, "big")) if len(head) == LENGTH else b""


def _send(answers: IO[bytes], answer: Answer) -> None:
    answers.write(framed(ANSWERS.dump_json(answer)))
    answers.flush()


def _restrict(settings: Documents) -> None:
    """Nothing here is ever lifted again; children inherit the limits."""
    os.nice(_NICE)
    most = settings.megabytes * 1_000_000 + _HEADROOM
    for limit, value in ((resource.RLIMIT_DATA, most), (resource.RLIMIT_FSIZE, _LARGEST_FILE), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):  # lower already, or not known to this system
            resource.setrlimit(limit, (value, value))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    for told in (signal.SIGINT, signal.SIGTERM):  # a terminal and a service manager tell all: it is for the parent to end this
        signal.signal(told, signal.SIG_IGN)
    sys.addaudithook(_no_connections)


def _no_connections(event: str, _: tuple[Any, ...]) -> None:
    if event in _REFUSED:
        raise PermissionError("a parser opens no connections")


def _allow_processor_time(seconds: float) -> None:
    """A little more than the time of the clock: it ends whom nobody watches any more."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    with suppress(ValueError, OSError):
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime + 1.2 * seconds) + 10, hard))


def _end_with_parent(requests: int) -> None:
    """End this process and its children when the other end of the pipe is closed, whatever the parser is doing."""
    poll = select.poll()
    poll.register(requests, 0)  # only that it was hung up is told, at all times
    poll.poll()
    _end()


def _end() -> NoReturn:
    """End this process, what it started, and its files; the pool that would is gone. Whichever thread comes second waits."""
    _ending.acquire()
    _kill_children()  # those with a session of their own are in no group of this process
    folder = os.environ.get("TMPDIR", "")
    if os.path.basename(folder).startswith(FOLDER_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)  # started by hand: the group is another's


def _end_children() -> None:
    """End what a parser started and left behind. Without children this costs one call of the system."""
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if ended:
            continue
        _kill_children()
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)


def _kill_children() -> None:
    """Kill all that was started here; what a killed one had started is a child of this process, and killed too."""
    end = time.monotonic() + _KILL_SECONDS
    while time.monotonic() < end:
        running = False
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                if child.status() != psutil.STATUS_ZOMBIE:
                    running = True
                    child.kill()
        if not running:
            return
        time.sleep(0.01)


def _resident() -> int:
    """Bytes of memory of this process."""
    return int(psutil.Process().memory_info().rss)


if __name__ == "__main__":
    main()
