"""read: documents and attachments become text; everything else goes straight on.

A document, in the pool (flows/reading/): fetched, parsed and cut into chunks. Then, on the worker:
1. Its record is written: what it is made of now, and still of the edition before. The same edition again changes nothing.
2. Its new chunks go on as messages, a few at a time, so that conversations pass them.
3. Chunks that it no longer has are withdrawn, and its ``flush_id`` goes on behind it all.
4. When all that is in the recovery store its record says that it was read: what says so is never lost half.

A message with attachments is there already: when they are read, it is amended, as by an edit at its own place in the source,
so that a later edit stands. An edit with attachments goes on when they are read. A message that is edited or deleted loses the
attachments it had. One of which words are corrected or retracted keeps them; while they are read, that change waits for them.

What is at work waits in the index (flows/lanes/parked_events.py); after a restart it is read again, and goes on where it was.
What belongs to one document or conversation is read one after the other, since each sees what the one before left; a pause
waits for what came before it. What cannot be read is a dead letter; what the document was before stays.
"""

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from flows.decode import amendment_of
from flows.items import Amendment, Arrived, Embedded, Erasure, Pause, Read, SinkItem, Unread, WriteBatch
from flows.lanes.erasures import Said, Tombstones
from flows.lanes.owners import tenant_of
from flows.lanes.parked_events import unread_in, unread_of, unread_row
from flows.lanes.scheduling import KeyedJobs, end_of_traceback, is_defect, next_poll
from flows.lanes.services import Services
from flows.lanes.state import RecentKeys, decode_state, encode_state
from flows.reading.attachments import Attached, attachments_of_message, read_attachments
from flows.reading.documents import ReadDocument, UnreadableDocument, known_document, read_document
from flows.reading.release import (
    AwaitingSnapshot,
    Outcome,
    ReadJob,
    Release,
    decode_job,
    encode_job,
    withdrawals,
)
from mneme.errors import InputError, ModelError
from mneme.events import Correct, Document, Edit, Retract
from mneme.ports import DeadLetter, Incoming, Put, Remove
from mneme.records import StoredDocument
from mneme.rows import row_of

STATE_VERSION = 1
# Chunks of all documents on their way, so that conversations pass them; half of the calls in flight where a model extracts.
# Measured with 50 pages beside a talk of the same owner: 8 are no faster than 2 (45 to 47 s), and the talk's flushes wait 2.2 s
# longer with 8 (p95), 1.6 s with 4, 0.4 s with 2.
_IN_FLIGHT = 2
_EPOCHS = 2  # after which everything that went on before the first is in the recovery store

log = logging.getLogger(__name__)


class ReadLane:
    """The read step of one bucket of conversations and documents."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._jobs: KeyedJobs[ReadJob, Outcome] = KeyedJobs(self._submit, services.clock)
        half_of_calls = services.settings.models.calls_in_flight // 2 if services.extractor.calls_a_model else 0
        self._most_in_flight = max(_IN_FLIGHT, half_of_calls) * services.processes
        self._queues: dict[str, deque[ReadJob]] = {}  # by lane; the first is in the pump, or has ended
        self._awaiting_snapshot: list[AwaitingSnapshot] = []
        self._ends: list[Pause] = []
        self._documents: RecentKeys[str, StoredDocument] = RecentKeys()
        self._erased = Tombstones()
        if state is not None:
            for entry in decode_state(state, STATE_VERSION):
                self._restore(entry)

    def on_batch(self, items: Sequence[Unread | Arrived | Amendment | Embedded | Pause | Erasure]) -> Iterator[Read | SinkItem]:
        """Pass on what needs no reading, and begin with the rest."""
        for item in items:
            if isinstance(item, Unread):
                if item.received_at is None and isinstance(item.event, Document):  # of a file: it comes now
                    item = replace(item, received_at=self._services.clock())
                yield from self._park(item)
            elif isinstance(item, Pause) and self._holds_up(item):
                if item.lane:
                    self._add(ReadJob(item.lane, pause=item))
                else:
                    self._ends.append(item)
            elif isinstance(item, Amendment) and item.words and self._is_read(item):
                yield from self._park(unread_of(item))
            elif isinstance(item, Erasure):
                self._erase(item)
                if item.document_id is not None:
                    self._add(ReadJob(item.lane, erasure=item))
                else:
                    yield item
            else:
                yield item
                if isinstance(item, Amendment) and not item.words and self._services.reading is not None:
                    self._add(ReadJob(item.lane, message=(item.tenant_id, item.conversation_id, item.message_id)))
        yield from self.poll()

    def poll(self) -> Iterator[Read | SinkItem]:
        """Let go on what has been read."""
        while True:
            for work, outcome in self._jobs.finished():
                work.has_ended, work.outcome = True, outcome
            done = 0
            for lane, queue in list(self._queues.items()):
                if queue[0].has_ended and (yield from self._go_on(queue[0])):
                    done += 1
                    yield from self._next(lane)
            if not done:
                break
        yield from self._confirm_read()
        if self._ends and not self._queues:
            yield from self._ends
            self._ends = []
        if (reading := self._services.reading) is not None:
            reading.at_work.jobs(str(id(self)), self.unfinished)

    def wake_at(self) -> datetime | None:
        """The time of the next poll."""
        return next_poll(self._services.clock()) if self._queues or self._awaiting_snapshot else None

    @property
    def unfinished(self) -> int:
        """Events that are read or on their way, and pauses behind them."""
        return sum(map(len, self._queues.values())) + len(self._ends) + self.awaiting

    @property
    def awaiting(self) -> int:
        """Events of which everything went on, and that only wait for the end of an epoch."""
        return len(self._awaiting_snapshot)

    def snapshot(self) -> bytes:
        """References to what is at work, in order within each lane."""
        works = [awaiting.work for awaiting in self._awaiting_snapshot]
        works += [work for queue in self._queues.values() for work in queue]
        return encode_state(
            STATE_VERSION, [*map(encode_job, works), *(encode_job(ReadJob("", pause=pause)) for pause in self._ends)]
        )

    def epoch_done(self) -> None:
        """Forget what the index tells by now; what went on before some epochs is in the recovery store."""
        self._documents.epoch_done()
        for awaiting in self._awaiting_snapshot:
            awaiting.epochs += 1

    # --- work --------------------------------------------------------------------------------------------------------

    def _holds_up(self, pause: Pause) -> bool:
        """Return whether a pause must wait: for its conversation, and at the end of a source for everything."""
        return pause.lane in self._queues if pause.lane else bool(self._queues)

    def _is_read(self, change: Amendment) -> bool:
        """Return whether attachments of its message are read, or an earlier change waits for them; after a restart perhaps."""
        waiting = (work for work in self._queues.get(change.lane, ()) if work.key is not None and work.releases is None)
        return any(work.unread is None or work.unread.message_id == change.message_id for work in waiting)

    def _park(self, unread: Unread) -> Iterator[WriteBatch]:
        row = unread_row(unread, self._services.versions.next())
        yield WriteBatch((Put(row),))
        self._add(ReadJob(unread.lane, row.key, unread=unread))

    def _submit(self, call: Callable[[], Outcome]) -> "Future[Outcome]":
        reading = self._services.reading
        return (reading.submit if reading is not None else self._services.submit)(call)

    def _add(self, work: ReadJob) -> None:
        queue = self._queues.setdefault(work.lane, deque())
        queue.append(work)
        if len(queue) == 1:
            self._begin_to_read(work)

    def _begin_to_read(self, work: ReadJob) -> None:
        self._jobs.add(work.lane, work, partial(self._read, work, dict(self._documents)))

    def _next(self, lane: str) -> Iterator[Pause]:
        """The first of a lane is done: the pauses behind it go on, and the next begins."""
        queue = self._queues[lane]
        queue.popleft()
        while queue and (pause := queue[0].pause) is not None:
            yield pause
            queue.popleft()
        if queue:
            self._begin_to_read(queue[0])
        else:
            del self._queues[lane]

    def _read(self, work: ReadJob, recent: Mapping[str, StoredDocument]) -> Outcome:
        """Do the job. Blocks: for the pool."""
        if work.message is not None:
            return attachments_of_message(*work.message, recent, self._services)
        if work.erasure is not None:
            return known_document(work.erasure, recent.get(work.lane), self._services)
        if work.unread is None:
            assert work.key is not None, "an event waits under its key"
            row = self._services.index.get([work.key]).get(work.key)
            if row is None:  # erased
                return None
            work.unread = unread_in(row)
        if self._is_erased(work):
            return None
        if isinstance(work.unread.event, Document):
            return read_document(work.unread, recent.get(work.lane), self._erased, self._services)
        if isinstance(work.unread.event, Correct | Retract):  # it is its turn
            return Attached(None)
        return read_attachments(work.unread, recent, self._erased, self._services)

    def _erase(self, erasure: Erasure) -> None:
        """Read nothing older any more, and forget what is known here of the erased."""
        self._erased.add(erasure, ())
        self._outdate(
            {
                release.record.id
                for awaiting in self._awaiting_snapshot
                for release in awaiting.releases
                if self._erased.cover(Said.of(release.record))
            }
        )
        for lane, record in list(self._documents.items()):
            if erasure.concerns(lane, record.owner) and erasure.document_id is None:  # one is first asked for its speech
                del self._documents[lane]

    def _restore(self, entry: dict[str, Any]) -> None:
        work = decode_job(entry)
        if work.erasure is not None:
            self._erased.add(work.erasure, ())
        if work.lane:
            self._add(work)
        else:
            assert work.pause is not None, "only the end of a source belongs to no lane"
            self._ends.append(work.pause)

    # --- going on ----------------------------------------------------------------------------------------------------

    def _go_on(self, work: ReadJob) -> Generator[Read | SinkItem, None, bool]:
        """Let go on what a job has brought; whether that was all of it."""
        outcome = work.outcome
        if self._is_erased(work):
            yield from self._drop(work)
        elif isinstance(outcome, BaseException):
            yield from self._refuse(work, outcome)
        elif work.erasure is not None:
            yield from self._pass_on(work.erasure, outcome)
        elif outcome is None:
            yield from self._drop(work)
        else:
            assert not isinstance(outcome, StoredDocument), "that is the outcome of an erasure"
            return (yield from self._release(work, outcome))
        return True

    def _pass_on(self, erasure: Erasure, known: object) -> Iterator[Erasure]:
        """A document goes with the conversations that its speech is."""
        self._documents.pop(erasure.lane, None)
        of_document = (known.speech, known.replaced_speech) if isinstance(known, StoredDocument) else ()
        speech = tuple(each for each in of_document if each is not None)
        for bucket in range(len(speech) + 1):
            yield replace(erasure, speech=speech, bucket=bucket, tokens=len(speech) + 1)

    def _release(self, work: ReadJob, outcome: ReadDocument | Attached) -> Generator[Read | SinkItem, None, bool]:
        """Let messages of what was read go on, as many as may; whether that was all."""
        versions = self._services.versions
        if work.releases is None:
            work.releases = self._begin(work, outcome)
            self._outdate({release.record.id for release in work.releases})
            records = [release.begun(versions.next()) for release in work.releases if release.has_changed]
            if records:
                yield WriteBatch(tuple(map(Put, records)))
            if isinstance(outcome, Attached) and (amendment := _amendment(work, outcome)) is not None:
                yield amendment
        skipped = work.released
        for release in work.releases:
            for message in release.messages[skipped:]:
                if release.is_new(message):
                    if not self._may_go_on(message.document_id is not None):
                        return False
                    yield Arrived(message)
                work.released += 1
            skipped = max(0, skipped - len(release.messages))
        for release in work.releases:
            yield from release.obsolete(versions.next())
        now = {release.record.id for release in work.releases}
        gone = [] if isinstance(outcome, ReadDocument) else [record for record in outcome.before if record.id not in now]
        for record in gone:
            yield from withdrawals(record, (*record.chunk_ids, *record.replaced_ids))
        if gone:
            self._outdate({record.id for record in gone})
            yield WriteBatch(tuple(Remove(row_of(record).key, versions.next()) for record in gone))
        for release in work.releases:
            self._services.tally["documents"] += release.has_changed
            yield from release.ends()
        changed = [release for release in work.releases if release.has_changed]
        if changed or (work.key is not None and isinstance(outcome, Attached)):  # of one an amendment went on
            self._awaiting_snapshot.append(AwaitingSnapshot(work, changed))
        elif work.key is not None:
            yield WriteBatch((Remove(work.key, versions.next()),))
        yield from _flush(work)
        return True

    def _confirm_read(self) -> Iterator[WriteBatch]:
        """Tell of what is in the recovery store that it was read."""
        versions = self._services.versions
        for awaiting in [each for each in self._awaiting_snapshot if each.epochs >= _EPOCHS]:
            self._awaiting_snapshot.remove(awaiting)
            records = [Put(release.done(versions.next())) for release in awaiting.releases]
            own = [Remove(awaiting.work.key, versions.next())] if awaiting.work.key is not None else []
            if records or own:
                yield WriteBatch((*records, *own))

    def _outdate(self, documents: Set[str]) -> None:
        """Something newer of these documents goes on: no older record may be written over it, nor be read again."""
        for awaiting in self._awaiting_snapshot:
            before = awaiting.releases
            awaiting.releases = [release for release in before if release.record.id not in documents]
            if before and not awaiting.releases:
                awaiting.epochs = _EPOCHS

    def _begin(self, work: ReadJob, outcome: ReadDocument | Attached) -> list[Release]:
        if isinstance(outcome, ReadDocument):
            editions = [outcome.edition] if outcome.edition is not None else []
            before = {work.lane: outcome.before}
        else:
            editions = list(outcome.editions)
            before = {record.id: record for record in outcome.before}
        self._services.tally["duplicate"] += isinstance(outcome, ReadDocument) and not editions
        releases = []
        for edition in editions:
            identity = edition.document.id
            releases.append(Release(edition, self._documents.get(identity, before.get(identity))))
        for release in releases:
            self._documents[release.record.id] = release.record
        return releases

    def _may_go_on(self, is_chunk: bool) -> bool:
        """Return whether another message of a document may go on now: chunks are counted out of the steps behind this one."""
        reading = self._services.reading
        if not is_chunk or reading is None:
            return True
        if reading.in_flight.total >= self._most_in_flight:
            return False
        reading.in_flight.enter()
        return True

    def _is_erased(self, work: ReadJob) -> bool:
        if work.unread is None:
            return False
        event, position = work.unread.event, work.unread.position
        owner = tenant_of(event.tenant_id) if isinstance(event, Edit | Retract) else event.owner
        conversation_id = None if isinstance(event, Document) else event.conversation_id
        document_id = event.document_id if isinstance(event, Document) else None
        arrived_at = work.unread.received_at or self._services.clock()
        return self._erased.cover(Said(owner, conversation_id, document_id, position, arrived_at))

    def _drop(self, work: ReadJob) -> Iterator[Read | SinkItem]:
        if work.key is not None:
            yield WriteBatch((Remove(work.key, self._services.versions.next()),))
        yield from _flush(work)

    def _refuse(self, work: ReadJob, error: BaseException) -> Iterator[Read | SinkItem]:
        if not isinstance(error, InputError | ModelError) and not is_defect(error):
            raise error
        reason = str(error) if isinstance(error, InputError | ModelError) else end_of_traceback(error)
        if work.unread is None:
            log.error("attachments of %s are not looked after: %s", work.lane, type(error).__name__)
            return
        if isinstance(error, UnreadableDocument):
            yield WriteBatch((Put(row_of(error.record.model_copy(update={"version": self._services.versions.next()}))),))
        yield DeadLetter("read", reason, work.unread.raw, work.unread.position, self._services.clock())
        yield from self._drop(work)


def _amendment(work: ReadJob, attached: Attached) -> Amendment | None:
    """The message with what was read of its attachments, as an edit at the place of the event itself; or what waited for it."""
    if work.unread is None:
        return None
    event = work.unread.event
    if isinstance(event, Correct | Retract):
        return amendment_of(event, Incoming(work.unread.raw, work.unread.position, work.unread.received_at))
    if attached.text is None:
        return None
    assert not isinstance(event, Document)
    edit = Edit(
        tenant_id=event.tenant_id, conversation_id=event.conversation_id, message_id=event.message_id, content=attached.text
    )
    return amendment_of(edit, Incoming(edit.to_bytes(), work.unread.position, work.unread.received_at))


def _flush(work: ReadJob) -> Iterator[Pause]:
    """The marker that was asked for behind a document."""
    if work.unread is not None and isinstance(event := work.unread.event, Document) and event.flush_id:
        yield Pause(work.lane, "flush", tenant_id=event.tenant_id, flush_id=event.flush_id, owner_key=event.owner.key)
