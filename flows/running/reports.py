"""How a process of the flow tells of itself to whoever started it: lines of JSON on a descriptor, and then an exit status."""

import json
import logging
import os
from collections.abc import Mapping
from typing import NoReturn


def tell(report: int, what: Mapping[str, object]) -> None:
    """Write one line to the descriptor."""
    os.write(report, json.dumps(what).encode() + b"\n")


def end(status: int) -> NoReturn:
    """End without waiting for threads that wait for a server."""
    logging.shutdown()
    os._exit(status)
