"""Pools of places for requests: so many of a kind at a time, and a part of them for one key.

Every request that takes a thread is of one kind, so that none of them takes the threads of another: ``searches``, ``waits``
(for a flush, an erasure or an export, which take long and cost little), ``uploads``, ``health``, and ``others``. Of each
kind one key never takes the last quarter (mneme/fair_shares.py). The rest waits until a turn comes; whoever would wait to wait
is told to come back.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeVar

from mneme import problems
from mneme.fair_shares import FairShares, current_caller
from serving.rest.problems import ProblemRaised

PoolKind = Literal["searches", "waits", "uploads", "others", "health"]
Kind = PoolKind | Literal["none"]
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

_WAITS = 64
_UPLOADS = 4  # each of up to MNEME_DOCUMENTS__LARGEST_BYTES, in memory as it is handed on
_OTHERS = 24
_HEALTH = 8  # probes have no key, and must not wait for those who have one
_LARGE_BODIES = 4  # of over LARGE_BODY_BYTES, in memory
_FRAMEWORK_THREADS = 16  # for parts of forms and pieces of files, a moment each
LARGE_BODY_BYTES = 262_144
_RETRY_SECONDS = 1

_kinds: dict[Callable[..., Any], Kind] = {}


def uses_pool(kind: Kind) -> Callable[[Endpoint], Endpoint]:
    """Say of which kind the requests of a route are; without it they are ``others``. ``none``: the route sees to it."""

    def mark(endpoint: Endpoint) -> Endpoint:
        _kinds[endpoint] = kind
        return endpoint

    return mark


def kind_of(endpoint: Callable[..., Any]) -> Kind:
    """The kind of a route's requests."""
    return _kinds.get(endpoint, "others")


class RequestPools:
    """The pools of a service.

    Args:
        searches: at a time.
        has_several: whether there are several keys.
    """

    def __init__(self, searches: int, has_several: bool = True) -> None:
        self.has_several = has_several
        self.searches = Pool(searches, has_several)
        self.waits = Pool(_WAITS, has_several)
        self._pools: dict[PoolKind, Pool] = {
            "searches": self.searches,
            "waits": self.waits,
            "uploads": Pool(_UPLOADS, has_several),
            "others": Pool(_OTHERS, has_several),
            "health": Pool(_HEALTH),
        }
        self.large_bodies = Pool(_LARGE_BODIES, has_several)

    @property
    def threads(self) -> int:
        """Threads that all pools may take together."""
        return sum(each.shares.places for each in self._pools.values()) + _FRAMEWORK_THREADS

    @asynccontextmanager
    async def admit(self, kind: Kind, caller: str) -> AsyncIterator[None]:
        """A turn for a request of a kind.

        Raises:
            ProblemRaised: it would wait, and the key has as many waits as it may.
        """
        if kind == "none":
            yield
            return
        if kind == "waits" and not self.waits.shares.may(caller):
            raise ProblemRaised(
                problems.RATE_LIMITED,
                "this key waits for as many flushes, erasures and exports as it may at a time; ask again in a moment",
                {"Retry-After": str(_RETRY_SECONDS)},
            )
        async with self._pools[kind].place(caller):
            yield

    @asynccontextmanager
    async def turn(self, kind: PoolKind, caller: str) -> AsyncIterator[None]:
        """A place of a kind, and the caller's name for what is done in it: a thread works in the context of who starts it."""
        token = current_caller.set(caller if self.has_several else "")
        try:
            async with self._pools[kind].place(caller):
                yield
        finally:
            current_caller.reset(token)


class Pool:
    """Places that are waited for; each goes to the first of those who may have it. For the tasks of one event loop.

    Args:
        places: in all.
        has_several: see ``FairShares``.
    """

    def __init__(self, places: int, has_several: bool = True) -> None:
        self.shares = FairShares(places, has_several)
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def place(self, caller: str) -> AsyncIterator[None]:
        """Hold a place, as soon as there is one."""
        # Whoever waits already may not have one, else they had it: so nobody is overtaken by one who may.
        if not self.shares.take(caller):
            await self._wait(caller)
        try:
            yield
        finally:
            self._give_back(caller)

    async def _wait(self, caller: str) -> None:
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = caller, given
        self._waiting.append(entry)
        try:
            await given
        except asyncio.CancelledError:
            if given.done() and not given.cancelled():
                self._give_back(caller)
            else:
                self._waiting.remove(entry)
            raise

    def _give_back(self, caller: str) -> None:
        self.shares.give_back(caller)
        for entry in list(self._waiting):
            if not self.shares.free:
                return
            name, given = entry
            if not given.done() and self.shares.take(name):
                self._waiting.remove(entry)
                given.set_result(None)
