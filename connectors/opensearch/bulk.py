"""Writes to OpenSearch in bulk, answered item by item.

The steps of ``BulkWriter.write``:

1. A write that the server would refuse a whole request for (its id is too long, say) is rejected here, alone.
2. The first write of each row goes in the first wave, the second write of a row in the second, and so on: within a
   wave no row occurs twice, so that an item that has to wait is never overtaken by a later write of its row.
3. A wave is cut into requests of at most ``bulk_bytes``.
4. A request is sent until each of its items has an outcome: the items that may pass later, and only they, are sent
   again, after a pause that doubles. When ``retry_seconds`` are over, ``StoreUnavailable`` is raised.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, assert_never

from connectors.clients import encoded
from connectors.opensearch.client import Refusal, may_pass, reason_of, refusal
from connectors.opensearch.mapping import alias_of, document_id_of, document_of
from connectors.telemetry.metrics import BULK_RETRIES
from mneme import settings as mneme_settings
from mneme.errors import StoreUnavailable
from mneme.ports import Create, Outcome, Put, Remove, Write, WriteResult
from mneme.rows import Collection, Key

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 30.0
_LONGEST_ID = 512  # bytes; a longer one fails the whole request
_LONGEST_VERSION = 2**63 - 1

_DONE = WriteResult(Outcome.DONE)
_NEWER_EXISTS = WriteResult(Outcome.NEWER_EXISTS)
_NOT_OF_THE_ROW = ("security_exception", "index_not_found_exception")  # every row would be refused: no row's fault


@dataclass(frozen=True, slots=True)
class _Item:
    """One write as the lines of a request; ``number`` is its place among the results."""

    number: int
    lines: bytes


class BulkWriter:
    """Applies writes and waits out what the server asks to wait out."""

    def __init__(
        self,
        send: Callable[[bytes], Mapping[str, Any]],
        settings: mneme_settings.OpenSearch,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        index_of: Callable[[Collection], str] | None = None,
    ) -> None:
        self._send = send
        self._index_of = index_of or partial(alias_of, settings.index_prefix)
        self._settings = settings
        self._sleep = sleep
        self._clock = clock

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """The outcome of each write, in order.

        A ``Create`` whose answer was lost on the way is sent again and then finds itself: ``NEWER_EXISTS``.

        Raises:
            StoreUnavailable: ``opensearch.retry_seconds`` are over.
            StoreRejected: the server refuses all of it (credentials, no such index).
        """
        results: dict[int, WriteResult] = {}
        waves: defaultdict[int, list[_Item]] = defaultdict(list)
        seen: dict[Key, int] = {}
        for number, write in enumerate(writes):
            # Step 1.
            key = write.key if isinstance(write, Remove) else write.row.key
            fault, lines = _encode(write, key, self._index_of)
            if fault:
                results[number] = WriteResult(Outcome.REJECTED, fault)
                continue
            # Step 2.
            seen[key] = nth = seen.get(key, 0) + 1
            waves[nth].append(_Item(number, lines))
        for wave in sorted(waves):
            # Step 3.
            for request in _requests(waves[wave], self._settings.bulk_bytes):
                # Step 4.
                self._send_until_done(request, results)
        return [results[number] for number in range(len(writes))]

    def _send_until_done(self, items: list[_Item], results: dict[int, WriteResult]) -> None:
        """Send items until each has a result."""
        pause, deadline = FIRST_PAUSE_SECONDS, self._clock() + self._settings.retry_seconds
        while True:
            try:
                items, refused = self._attempt(items, results)
            except StoreUnavailable as error:
                refused = error
            except Refusal as error:
                if error.status not in (400, 413):
                    raise
                self._narrow(items, str(error), results)
                return
            if not items:
                return
            left = deadline - self._clock()
            if left <= 0:
                raise StoreUnavailable(f"{len(items)} writes were refused for {self._settings.retry_seconds:g} s: {refused}")
            BULK_RETRIES.inc()
            # Half of the pause is by chance, so that several writers do not come back all at once.
            self._sleep(min(left, pause * random.uniform(0.5, 1.0)))
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _attempt(self, items: list[_Item], results: dict[int, WriteResult]) -> tuple[list[_Item], Exception | None]:
        """Send items once; what may pass later, and why it did not now."""
        answer = self._send(b"".join(item.lines for item in items))
        waiting: list[_Item] = []
        refused: Exception | None = None
        for item, one in zip(items, answer["items"], strict=True):
            ((action, outcome),) = one.items()
            status, error = outcome["status"], outcome.get("error")
            if error is None:
                results[item.number] = _DONE  # also a delete that found nothing (404)
                continue
            type, reason = reason_of(error)
            if status == 409:
                results[item.number] = _NEWER_EXISTS
            elif may_pass(status, type, reason):
                waiting.append(item)
                refused = refusal(status, type, reason, self._settings.url)
            elif type in _NOT_OF_THE_ROW:
                raise refusal(status, type, reason, self._settings.url)
            else:
                results[item.number] = WriteResult(Outcome.REJECTED, f"{action} refused: {type}: {reason}")
        return waiting, refused

    def _narrow(self, items: list[_Item], reason: str, results: dict[int, WriteResult]) -> None:
        """The server refused a request whole, as too large or malformed: find the item that is to blame."""
        if len(items) == 1:
            results[items[0].number] = WriteResult(Outcome.REJECTED, reason)
            return
        middle = len(items) // 2
        self._send_until_done(items[:middle], results)
        self._send_until_done(items[middle:], results)


def _encode(write: Write, key: Key, index_of: Callable[[Collection], str]) -> tuple[str, bytes]:
    """The fault of a write, or an empty text and its lines."""
    version = write.version if isinstance(write, Remove) else write.row.version
    try:
        identity = document_id_of(key)
        size = len(identity.encode())
        if not 0 < size <= _LONGEST_ID:
            return f"id: has {size} bytes; OpenSearch takes 1 to {_LONGEST_ID} (mneme/ids.py makes such ids)", b""
        if not key.owner_key:
            return "owner_key: is empty; every row belongs to an owner", b""
        if not 0 <= version <= _LONGEST_VERSION:
            return f"version: {version} is not from 0 to {_LONGEST_VERSION}", b""
        target: dict[str, Any] = {"_index": index_of(key.collection), "_id": identity, "routing": key.owner_key}
        if isinstance(write, Create):  # the server takes no version here, and counts on from a removal
            return "", _lines({"create": target}, document_of(write.row))
        target["version"], target["version_type"] = version, "external_gte"
        if isinstance(write, Put):
            return "", _lines({"index": target}, document_of(write.row))
        if isinstance(write, Remove):
            return "", _lines({"delete": target})
        assert_never(write)
    except UnicodeEncodeError as error:
        return f"text: holds half of a surrogate pair ({error.reason}); send well-formed Unicode", b""


def _lines(action: Mapping[str, Any], document: bytes = b"") -> bytes:
    return b"%b\n%b\n" % (encoded(action), document) if document else encoded(action) + b"\n"


def _requests(items: Sequence[_Item], limit: int) -> Iterator[list[_Item]]:
    """Items in requests of at most ``limit`` bytes, or of one item that is larger."""
    request: list[_Item] = []
    size = 0
    for item in items:
        if request and size + len(item.lines) > limit:
            yield request
            request, size = [], 0
        request.append(item)
        size += len(item.lines)
    if request:
        yield request
