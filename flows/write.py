"""write: the end of the river. Blocks its worker, which is what makes an epoch end only after its writes.

For everything that one activation brings:
1. Write all rows in one bulk, in order.
2. What the index refuses becomes a dead letter with the row; the stream goes on.
3. Send dead letters, then tell the change feed what was written, except in rows that only the flow reads.
4. For flushes: refresh, remove markers that nobody waits for any more, then write theirs, for which their senders wait.
5. For erasures, whose rows are gone by now: erase what else tells of them (cached answers of models, claim checks, dead
   letters), take it off the disk, then write their receipts.
6. Take away the dead letters of episodes of which nothing is missing any more.

While the index or the broker is out of reach, each of these waits and tries again.
"""

import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import TypeVar

from connectors.documents.claims import ErasedClaims
from connectors.telemetry.meters import count_bulk, count_dead_letters
from connectors.telemetry.metrics import STORE_WAITS
from flows.items import Erased, Erasure, FlushDone, Recovered, SinkItem, WriteBatch
from flows.lanes.owners import tenant_of
from flows.lanes.parked_events import PARKED, UNREAD, incoming_in
from mneme.errors import StoreUnavailable
from mneme.ids import content_hash, document_key
from mneme.ports import (
    Change,
    ChangeFeed,
    Create,
    DeadLetter,
    DeadLetters,
    Filter,
    MemoryIndex,
    Outcome,
    Put,
    Remove,
    Scope,
    Write,
    WriteResult,
)
from mneme.receipts import CLAIMS_REFUSED, FLUSH_MARKER, erasure_receipt, flush_marker
from mneme.rows import Collection, Key, Row

_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 30.0
_MARKERS_STAY = timedelta(days=7)  # their senders wait for minutes
_TIDIED_EVERY = timedelta(hours=1)  # and not at once: what goes on where a flow stopped may wait for a marker from before
_MOST_AT_ONCE = 1_000  # markers that are removed in one bulk
_MOST_REFUSED = 1024  # rows; the second write of a message follows its first soon, and few are refused

Result = TypeVar("Result")

log = logging.getLogger(__name__)


class Stopped(Exception):
    """The flow was told to stop while a store was out of reach: nothing is acknowledged, the epoch is repeated."""


class Writer:
    """Writes what the steps hand over.

    Args:
        index: where memories go.
        dead_letters: where refused events and rows go.
        changes: what tells the outside; None for nobody.
        clock: the present, aware.
        stopping: set when the flow is to end; waiting ends then too.
        wrote: called with kind and id of each row that was written, for reports; the kind of one that was removed is empty.
        erase_answers: erases what models answered about a scope (``tenant/owner``, or with ``/conversation``); how many.
        erase_claims: erases what was left as claim check of a document, or of all of an owner.
    """

    def __init__(
        self,
        index: MemoryIndex,
        dead_letters: DeadLetters,
        changes: ChangeFeed | None,
        clock: Callable[[], datetime],
        stopping: threading.Event,
        wrote: Callable[[str, str], None] = lambda kind, identity: None,
        erase_answers: Callable[[Erased], int] = lambda erased: 0,
        erase_claims: Callable[[Erasure], ErasedClaims] = lambda erasure: ErasedClaims(),
    ) -> None:
        self._index = index
        self._dead_letters = dead_letters
        self._changes = changes
        self._clock = clock
        self._stopping = stopping
        self._wrote = wrote
        self._erase_answers = erase_answers
        self._erase_claims = erase_claims
        self._began_at = clock()
        self._tidied_at: dict[str, datetime] = {}  # by tenant
        self._recently_refused: OrderedDict[tuple[Key, str], None] = OrderedDict()

    def write(self, items: Sequence[SinkItem]) -> None:
        """Durable on return: rows in the index, letters and changes with the broker."""
        # Step 1. All rows in one bulk.
        writes = [write for item in items if isinstance(item, WriteBatch) for write in item.writes]
        began = time.perf_counter_ns()
        results = self._patiently(lambda: self._index.write(writes)) if writes else []
        if writes:
            count_bulk(writes, results, began, self._clock())
        # Step 2. What the index refuses is kept as a dead letter.
        letters = [item for item in items if isinstance(item, DeadLetter)]
        for write, result in zip(writes, results, strict=True):
            if result.outcome is Outcome.REJECTED and self._is_news(write):
                letters.append(self._refused(write, result))
        # Step 3. Letters, then changes.
        if letters:
            self._patiently(lambda: self._dead_letters.send(letters))
            count_dead_letters(letters)
            for letter in letters:
                self._wrote("dead_letter", f"{letter.stage} {letter.position} {content_hash(letter.raw)}")
        done = [write for write, result in zip(writes, results, strict=True) if result.outcome is Outcome.DONE]
        for write in done:
            self._wrote(*(("", write.key.id) if isinstance(write, Remove) else (write.row.kind, write.row.id)))
        changes = [change for write in done if _is_told((change := _change(write))[1])]
        if (feed := self._changes) is not None and changes:
            self._patiently(lambda: feed.send(changes))
        # Step 4. Markers of flushes.
        flushes = [item for item in items if isinstance(item, FlushDone)]
        if flushes:
            self._patiently(self._index.refresh)
            for tenant_id in dict.fromkeys(flush.tenant_id for flush in flushes):
                self._patiently(partial(self._remove_old_markers, tenant_id))
            markers = [Put(flush_marker(flush.tenant_id, flush.flush_id, self._clock(), flush.attempt)) for flush in flushes]
            self._patiently(lambda: self._index.write(markers))
        # Step 5. The traces of what was erased.
        for item in items:
            if isinstance(item, Erased):
                self._erase_traces(item)
        # Step 6. Dead letters of what has been made up for.
        if recovered := {item.reference["id"] for item in items if isinstance(item, Recovered)}:
            self._patiently(lambda: self._dead_letters.remove(lambda letter: _episode_of(letter) in recovered))

    def _remove_old_markers(self, tenant_id: str) -> None:
        now = self._clock()
        if now - self._tidied_at.get(tenant_id, self._began_at) < _TIDIED_EVERY:
            return
        filter = Filter(tenant_id, (tenant_of(tenant_id).key,), kinds=(FLUSH_MARKER,), before=now - _MARKERS_STAY)
        old = self._index.scan(Collection.CONTROL, filter)
        while some := list(islice(old, _MOST_AT_ONCE)):
            self._index.write([Remove(row.key, row.version) for row in some])
        self._tidied_at[tenant_id] = now

    def _erase_traces(self, erased: Erased) -> None:
        erasure = erased.erasure
        owner = erasure.owner if erasure.conversation_id is None else None
        scope = Scope(erasure.tenant_id, erased.conversation_ids, owner, erasure.document_id)
        answers = self._patiently(lambda: self._erase_answers(erased))
        claims = self._patiently(lambda: self._erase_claims(erasure))
        letters = self._patiently(lambda: self._dead_letters.erase(scope))
        self._patiently(self._index.purge)
        if not erasure.has_receipt:
            return
        removed = {**erased.removed, "answers": answers, "claims": claims.erased, "dead_letters": letters}
        if claims.refused:
            removed[CLAIMS_REFUSED] = claims.refused
        receipt = erasure_receipt(erasure.tenant_id, erasure.erasure_id, self._clock(), removed, erasure.subject)
        self._patiently(lambda: self._index.write([Create(receipt)]))  # an id counts once

    def _patiently(self, act: Callable[[], Result]) -> Result:
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                return act()
            except StoreUnavailable as error:
                STORE_WAITS.inc()
                log.warning("out of reach, next attempt in %.0f s: %s", pause, error)
                if self._stopping.wait(pause):
                    raise Stopped(str(error)) from error
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def _is_news(self, write: Write) -> bool:
        """Return whether this content of a row was not refused before: a message comes on arrival, and with its vector."""
        body = {} if isinstance(write, Remove) else {name: value for name, value in write.row.body.items() if name != "version"}
        refused = (write.key if isinstance(write, Remove) else write.row.key), content_hash(repr(body).encode(errors="replace"))
        if is_news := refused not in self._recently_refused:
            self._recently_refused[refused] = None
            if len(self._recently_refused) > _MOST_REFUSED:
                self._recently_refused.popitem(last=False)
        return is_news

    def _refused(self, write: Write, result: WriteResult) -> DeadLetter:
        if not isinstance(write, Remove) and write.row.kind in PARKED:
            incoming = incoming_in(write.row)
            stage = "read" if write.row.kind == UNREAD else "embed"  # which parked it
            return DeadLetter(stage, result.reason, incoming.raw, incoming.position, self._clock())
        content = write.key.id if isinstance(write, Remove) else json.dumps(write.row.body, ensure_ascii=False)
        raw = content.encode(errors="backslashreplace")  # half a surrogate pair, for which it may have been refused
        return DeadLetter("write", result.reason, raw, None, self._clock())


def _episode_of(letter: DeadLetter) -> object:
    """The id of the episode that a letter of extraction is about; None for any other letter."""
    if letter.stage != "extract":
        return None
    try:
        reference = json.loads(letter.raw)
    except ValueError:
        return None
    return reference.get("id") if isinstance(reference, dict) else None


def _change(write: Write) -> tuple[Change, Key, Row | None]:
    if isinstance(write, Remove):
        return Change.ERASED, write.key, None
    return Change.WRITTEN, write.row.key, write.row


def _is_told(key: Key) -> bool:
    """Tell whether the change feed tells of a row: of ``control`` only documents, since the rest is how the flow works.

    A parked event is the largest of rows: told, it would be an event with all its quotes escaped.
    """
    return key.collection is not Collection.CONTROL or key.id.startswith(document_key(key.owner_key, ""))
