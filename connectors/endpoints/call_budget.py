"""Limits on model calls under way at once and on those of a minute: in one client, and in the whole process.

Ingestion and queries have shares of their own, so that a search never queues behind a backfill. A call passes these
steps, first come, first served: 1. a place among the calls of its client; 2. a place among those of the process;
3. for each of its attempts, requests and tokens of the minute. No key of the service takes all of the places
(mneme/fair_shares.py). Tokens are an estimate, corrected by what the answer says that it used.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Self

from connectors.telemetry.metrics import WAIT_SECONDS
from mneme.errors import ModelTimeout
from mneme.fair_shares import FairShares, current_caller
from mneme.ports import Role
from mneme.settings import Models

MINUTE_SECONDS = 60.0
_BURST_SHARE = 0.1
_ROUNDING = 1e-6  # of a level after many refills


class RateLimit:
    """A token bucket for a limit by the minute. Not locked: its owner does that.

    Times are seconds of any clock that never goes back.
    """

    def __init__(self, per_minute: int) -> None:
        """A full bucket.

        Args:
            per_minute: the limit; 0 for none.
        """
        self._unlimited = per_minute == 0
        self._capacity = max(1.0, math.floor(per_minute * _BURST_SHARE))
        # What is taken the moment a minute begins and what is refilled until its end: together the limit.
        self._per_second = (per_minute - self._capacity + 1) / MINUTE_SECONDS if per_minute else 0.0
        self._level = self._capacity
        self._at: float | None = None

    def wait(self, amount: float, now: float) -> float:
        """Seconds until the amount may go out, if nothing else does; 0 when it may now."""
        if self._unlimited:
            return 0.0
        self._refill(now)
        lacking = min(amount, self._capacity) - self._level  # more than the bucket holds goes out when it is full
        return lacking / self._per_second if lacking > _ROUNDING else 0.0

    def take(self, amount: float, now: float) -> None:
        """It goes out: also more than there is, which those who come later wait for."""
        self._refill(now)
        self._level -= 0.0 if self._unlimited else amount

    def give_back(self, amount: float, now: float) -> None:
        """Less went out than was taken; more, where the amount is negative."""
        self._refill(now)
        self._level = min(self._capacity, self._level + amount)

    def _refill(self, now: float) -> None:
        if self._at is not None and now > self._at:
            self._level = min(self._capacity, self._level + (now - self._at) * self._per_second)
        self._at = now if self._at is None else max(self._at, now)


class Purpose(StrEnum):
    """The purpose of a call."""

    INGESTION = "ingestion"
    QUERIES = "queries"


INGESTION_ROLES = frozenset({Role.BOUNDARY, Role.EXTRACTION, Role.RECONCILE, Role.VISION})


def purpose_of(role: Role) -> Purpose:
    """The purpose of a role."""
    return Purpose.INGESTION if role in INGESTION_ROLES else Purpose.QUERIES


def share_of(purpose: Purpose, whole: int) -> int:
    """The share of a purpose in a limit of the process: queries a quarter, ingestion the rest, each at least one; 0 stays 0."""
    for_queries = max(1, whole // 4)
    return min(whole, for_queries if purpose is Purpose.QUERIES else max(1, whole - for_queries))


class CallBudget:
    """For each purpose at most ``in_client`` calls of this client; in the process, of all clients, its share of the rest.

    Args:
        in_client: calls of this client at a time, for each purpose.
        in_process: calls of the process at a time.
        requests_per_minute: of the process; 0 for no limit.
        tokens_per_minute: of the process; 0 for no limit.
    """

    def __init__(self, in_client: int, in_process: int, requests_per_minute: int = 0, tokens_per_minute: int = 0) -> None:
        self._own = {purpose: _Places(in_client) for purpose in Purpose}
        self._shared = {purpose: _shared(purpose, in_process, requests_per_minute, tokens_per_minute) for purpose in Purpose}

    @classmethod
    def of(cls, limits: Models) -> Self:
        """The budget of a client under the limits of the settings."""
        minute = limits.requests_per_minute, limits.tokens_per_minute
        return cls(limits.calls_in_flight, limits.calls_in_flight_process, *minute)

    @contextmanager
    def call(self, purpose: Purpose, tokens: int, patience_seconds: float) -> "Iterator[Call]":
        """Hold a place for one call, whose first attempt may go out.

        Args:
            purpose: whom it serves.
            tokens: how many it will use, asked and answered, by estimate.
            patience_seconds: how long each of the steps is waited for.

        Raises:
            ModelTimeout: no place became free, or the limits of the minute did not allow it, in ``patience_seconds``.
        """
        places, pace = self._shared[purpose]
        began = time.monotonic()
        with self._own[purpose].place(purpose, patience_seconds), places.place(purpose, patience_seconds):
            pace.admit(purpose, tokens, patience_seconds)
            WAIT_SECONDS.labels(purpose).observe(time.monotonic() - began)
            yield Call(pace, purpose, tokens)


class Call:
    """A call that has its place."""

    def __init__(self, pace: "_Pace", purpose: Purpose, tokens: int) -> None:
        self._pace, self._purpose, self._tokens = pace, purpose, tokens
        self._admitted = True

    def attempt(self, patience_seconds: float) -> None:
        """Before each request that goes out: wait until the limits of the minute allow it. The first may go at once.

        Raises:
            ModelTimeout: they did not in ``patience_seconds``.
        """
        if not self._admitted:
            self._pace.admit(self._purpose, self._tokens, patience_seconds)
        self._admitted = False

    def used(self, tokens: int) -> None:
        """The last request used so many tokens."""
        self._pace.correct(self._tokens - tokens)


class _Places:
    """So many calls at a time; a place goes to the first of those who may have it."""

    def __init__(self, count: int) -> None:
        self._shares = FairShares(count)
        self._lock = threading.Lock()
        self._waiting: list[tuple[str, threading.Event]] = []

    @contextmanager
    def place(self, purpose: Purpose, patience_seconds: float) -> Iterator[None]:
        caller = current_caller.get()
        if not self._wait(caller, patience_seconds):
            raise ModelTimeout(
                f"{purpose}: no call ended within {patience_seconds:g} s; raise MNEME_MODELS__CALLS_IN_FLIGHT "
                "or check the endpoint"
            )
        try:
            yield
        finally:
            with self._lock:
                self._shares.give_back(caller)
                self._hand_out()

    def _wait(self, caller: str, patience_seconds: float) -> bool:
        given = threading.Event()
        with self._lock:
            if self._shares.take(caller):  # whoever waits already may not have it
                return True
            self._waiting.append((caller, given))
        try:
            given.wait(patience_seconds)
        finally:
            with self._lock:
                if not given.is_set():
                    self._waiting.remove((caller, given))
        return given.is_set()

    def _hand_out(self) -> None:
        for entry in list(self._waiting):
            if self._shares.take(entry[0]):
                self._waiting.remove(entry)
                entry[1].set()


class _Pace:
    """So many requests and tokens in a minute. Only whoever waits longest looks whether its call may go out."""

    def __init__(self, requests: int, tokens: int) -> None:
        self._requests, self._tokens = RateLimit(requests), RateLimit(tokens)
        self._changed = threading.Condition()
        self._waiting: deque[object] = deque()

    def admit(self, purpose: Purpose, tokens: int, patience_seconds: float) -> None:
        """Wait for one's turn, then until a request of so many tokens may go out."""
        ends = time.monotonic() + patience_seconds
        turn = object()
        with self._changed:
            self._waiting.append(turn)
            try:
                while lasts := self._lasts(turn, tokens):
                    if (left := ends - time.monotonic()) <= 0:
                        raise ModelTimeout(
                            f"{purpose}: the limits of the minute let no call out within {patience_seconds:g} s; raise "
                            "MNEME_MODELS__REQUESTS_PER_MINUTE or MNEME_MODELS__TOKENS_PER_MINUTE if the provider allows it, "
                            "or make fewer calls at a time (MNEME_MODELS__CALLS_IN_FLIGHT)"
                        )
                    self._changed.wait(min(lasts, left))
                self._requests.take(1, time.monotonic())
                self._tokens.take(tokens, time.monotonic())
            finally:
                self._waiting.remove(turn)
                self._changed.notify_all()

    def _lasts(self, turn: object, tokens: int) -> float:
        now = time.monotonic()
        return max(self._requests.wait(1, now), self._tokens.wait(tokens, now)) if self._waiting[0] is turn else math.inf

    def correct(self, unused: int) -> None:
        with self._changed:
            self._tokens.give_back(unused, time.monotonic())
            self._changed.notify_all()


_process: dict[tuple[Purpose, int, int, int], tuple[_Places, _Pace]] = {}
_sharing = threading.Lock()


def _shared(purpose: Purpose, in_process: int, requests: int, tokens: int) -> tuple[_Places, _Pace]:
    """The process's one set of limits: settings are read once, so that all clients of a process ask for the same."""
    with _sharing:
        limits = _process.get((purpose, in_process, requests, tokens))
        if limits is None:
            places = _Places(max(1, share_of(purpose, in_process)))
            limits = places, _Pace(share_of(purpose, requests), share_of(purpose, tokens))
            _process[purpose, in_process, requests, tokens] = limits
        return limits
