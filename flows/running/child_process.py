"""Mneme's own processes: how one is started and begins, reports to the process that started it, and ends.

A report is a line of JSON on a descriptor, and then an exit status. None of this is for a library in somebody else's program.
"""

import gc
import json
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn

from connectors.folders import private_process

# Python's own is 700 or 2,000: a message and a search make more than that, nearly all of which goes by itself. The flow spent
# a sixth of its time on the rest, and a start a tenth.
_OBJECTS_BETWEEN_COLLECTIONS = 50_000


def start(module: str, order: object, inherited: tuple[int, ...], stdout: int | None = None) -> "subprocess.Popen[bytes]":
    """Start ``python -m module`` with its order on standard input, pickled.

    It finds modules where this process does, and gets no signals of the terminal.

    Args:
        module: what runs.
        order: what it reads first.
        inherited: descriptors that it has as well.
        stdout: the descriptor that its standard output goes to; None: that of this process.

    Raises:
        OSError: the machine has no room for another process.
    """
    from connectors.telemetry.exposition import child_environment  # the program begins without it

    process = subprocess.Popen(
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=stdout,
        bufsize=0,
        pass_fds=inherited,
        env=os.environ | child_environment() | {"PYTHONPATH": os.pathsep.join(sys.path)},
        process_group=0,
    )
    assert process.stdin is not None, "it is a pipe"
    with suppress(BrokenPipeError):  # it is gone already, which is noticed like any other end
        process.stdin.write(pickle.dumps(order))
    return process


def begin() -> None:
    """Give the files of this process no rights for others, and raise its threshold of garbage collection."""
    private_process()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])


def report(descriptor: int, what: Mapping[str, object]) -> None:
    """Write one line to the descriptor."""
    os.write(descriptor, json.dumps(what).encode() + b"\n")


def end(status: int) -> NoReturn:
    """End without waiting for threads that wait for a server."""
    logging.shutdown()
    os._exit(status)
