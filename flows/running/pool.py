"""Threads for slow work, which a stop does not wait for."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")

log = logging.getLogger(__name__)


class Pool:
    """Runs callables in threads of its own.

    Unlike that of ``concurrent.futures`` it can be left while calls run: one that waits for a model or a server that does
    not answer would hold up the end of the process for as long. Nothing is lost with it, since whoever submitted it
    keeps what it was about in its state.

    Args:
        threads: the most calls at a time.
        name: how the threads are called.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._name = name
        self._most = threads
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = threading.Semaphore(0)
        self._closed = False
        self._starting = threading.Lock()

    def submit(self, call: Callable[[], Result], /) -> "Future[Result]":
        """The future of the call's result.

        Raises:
            RuntimeError: the pool is closed.
        """
        future: Future[Result] = Future()
        with self._starting:
            if self._closed:
                raise RuntimeError(f"the pool {self._name} is closed")
            self._calls.put((call, future))
            if not self._idle.acquire(blocking=False) and len(self._threads) < self._most:
                name = f"{self._name}-{len(self._threads)}"
                self._threads.append(threading.Thread(target=self._work, name=name, daemon=True))
                self._threads[-1].start()
        return future

    def close(self, grace_seconds: float | None = None) -> None:
        """Cancel what has not begun, give the rest some time (None: all it needs), and leave what then still runs.

        Safe to repeat.
        """
        with self._starting:
            self._closed = True
        while True:
            try:
                entry = self._calls.get_nowait()
            except queue.Empty:
                break
            if entry is not None:
                entry[1].cancel()
        for _ in self._threads:
            self._calls.put(None)
        deadline = None if grace_seconds is None else time.monotonic() + grace_seconds
        for thread in self._threads:
            thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        if running := sum(thread.is_alive() for thread in self._threads):
            log.info("%d calls of %s are left unanswered; they are made again at the next start", running, self._name)

    def _work(self) -> None:
        while (entry := self._calls.get()) is not None:
            call, future = entry
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001  whatever it is, those who wait must hear of it
                    future.set_exception(error)
            del call, future, entry
            self._idle.release()
