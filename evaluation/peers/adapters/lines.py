"""Requests and answers in lines of JSON, for the scripts beside this one; runs without Mneme.

What a library prints goes to the standard error output, so that it is taken for no answer.
"""

import asyncio
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

Request = dict[str, Any]


def serve(handlers: dict[str, Callable[[Request], Any]]) -> None:
    """Answer requests until there are no more; ``do`` names the handler, which may be a coroutine."""
    loop = asyncio.new_event_loop()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = handlers[request["do"]](request)
                if asyncio.iscoroutine(answer):
                    answer = loop.run_until_complete(answer)
            except Exception as error:  # noqa: BLE001
                traceback.print_exc()
                answer = {"error": f"{type(error).__name__}: {error}"}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
