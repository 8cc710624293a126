"""Requests and answers through a pipe, for the scripts beside this one; runs without Mneme."""

import asyncio
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

Request = dict[str, Any]


def serve(**handlers: Callable[[Request], Any]) -> None:
    """Answer requests until the process is killed; ``do`` names the handler, which may be a coroutine."""
    loop, asked = asyncio.new_event_loop(), Connection(int(sys.argv[1]))
    while True:
        request = asked.recv()
        try:
            answer = handlers[request["do"]](request)
            answer = loop.run_until_complete(answer) if asyncio.iscoroutine(answer) else answer
        except Exception as error:  # noqa: BLE001
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        asked.send(answer or {})
