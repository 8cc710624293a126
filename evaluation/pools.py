"""A pool without threads, for measurements and tests."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def at_once(call: Callable[[], Result], /) -> "Future[Result]":
    """Do the work at the moment of its submission."""
    future: Future[Result] = Future()
    try:
        future.set_result(call())
    except Exception as error:  # noqa: BLE001  as a pool does
        future.set_exception(error)
    return future
