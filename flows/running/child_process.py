"""Common parts of Mneme's own processes: begin, report to the process that started it, and end.

A report is a line of JSON on a descriptor, and then an exit status. None of this is for a library in somebody else's program.
"""

import gc
import json
import logging
import os
from collections.abc import Mapping
from typing import NoReturn

from connectors.folders import private_process

# Python's own is 700 or 2,000: a message and a search make more than that, nearly all of which goes by itself. The flow spent
# a sixth of its time on the rest, and a start a tenth.
_OBJECTS_BETWEEN_COLLECTIONS = 50_000


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
