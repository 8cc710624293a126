"""The writer: refused rows become letters, changes are told once acknowledged, an index that is down is waited for."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from connectors.documents.claims import ErasedClaims
from flows.decode import amendment_of
from flows.items import Erased, Erasure, FlushDone, Unread, WriteBatch
from flows.lanes.owners import conversation_row
from flows.lanes.parked_events import amendment_row, unread_row
from flows.reading.documents import about_event
from flows.reading.editions import record_of
from flows.write import Stopped, Writer
from mneme.errors import StoreUnavailable
from mneme.events import Delete, Document
from mneme.ids import cluster_id
from mneme.ports import Change, Create, DeadLetter, Incoming, Outcome, ParsedDocument, Put, Remove, Write, WriteResult
from mneme.receipts import erasure_receipt, flush_marker
from mneme.records import Cluster, Owner, Position
from mneme.rows import Collection, Key, Row, row_of
from tests.flows.river import IDENTITY, Letters, message
from tests.memory_index_reference import ReferenceIndex

NOW = datetime(2026, 3, 2, tzinfo=UTC)


class Index(ReferenceIndex):
    """Refuses rows that say so, and is down for a while."""

    def __init__(self, down: int = 0, refresh_fails: int = 0) -> None:
        super().__init__()
        self.prepare(IDENTITY)
        self.down = down
        self.refresh_fails = refresh_fails
        self.refused: set[str] = set()

    def refresh(self) -> None:
        if self.refresh_fails:
            self.refresh_fails -= 1
            raise StoreUnavailable("no node answers")

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        if self.down:
            self.down -= 1
            raise StoreUnavailable("no node answers")
        results = super().write(writes)
        return [
            WriteResult(Outcome.REJECTED, "mapping: field too long") if self._is_refused(write) else result
            for write, result in zip(writes, results, strict=True)
        ]

    def _is_refused(self, write: Write) -> bool:
        if isinstance(write, Remove):
            return False
        return write.row.id in self.refused or "refuse" in write.row.body.get("text", "")


class Feed:
    def __init__(self) -> None:
        self.changes: list[tuple[Change, str]] = []

    def send(self, changes: Sequence[tuple[Change, Key, Row | None]]) -> None:
        self.changes += [(change, key.id) for change, key, _ in changes]

    def close(self) -> None:
        pass


def writer(index: Index, stopping: threading.Event | None = None) -> tuple[Writer, Letters, Feed]:
    letters, feed = Letters(), Feed()
    return Writer(index, letters, feed, lambda: NOW, stopping or threading.Event()), letters, feed


def put(number: int, text: str = "hello", version: int = 5) -> Put:
    return Put(row_of(message(number, text).message.model_copy(update={"version": version})))


def test_what_the_index_refuses_becomes_a_letter_with_the_row_and_the_rest_is_written() -> None:
    index = Index()
    write, letters, feed = writer(index)
    write.write([WriteBatch((put(0), put(1, "refuse this"), put(2)))])
    [letter] = letters.letters
    assert (letter.stage, letter.reason) == ("write", "mapping: field too long")
    assert b"refuse this" in letter.raw
    assert feed.changes == [(Change.WRITTEN, "default/talk/m000"), (Change.WRITTEN, "default/talk/m002")]


def test_a_row_that_is_refused_again_is_one_letter_and_with_other_content_another() -> None:
    write, letters, _ = writer(Index())
    write.write([WriteBatch((Create(put(1, "refuse this", version=1).row),))])
    write.write([WriteBatch((put(1, "refuse this", version=7),))])
    assert len(letters.letters) == 1
    write.write([WriteBatch((put(1, "refuse that too", version=8),))])
    assert len(letters.letters) == 2


def test_a_write_that_lost_to_a_newer_one_is_neither_told_nor_a_letter() -> None:
    index = Index()
    write, letters, feed = writer(index)
    write.write([WriteBatch((put(0, version=9),))])
    write.write([WriteBatch((put(0, "older", version=3),))])
    assert len(feed.changes) == 1
    assert letters.letters == []


def test_removals_are_told_as_erased() -> None:
    index = Index()
    write, _, feed = writer(index)
    row = put(0).row
    write.write([WriteBatch((Put(row), Remove(row.key, 6)))])
    assert feed.changes[-1] == (Change.ERASED, row.id)
    assert index.count(Collection.MESSAGES) == 0


def test_the_feed_tells_of_documents_and_not_of_what_the_flow_keeps_for_itself() -> None:
    write, _, feed = writer(Index())
    event = Document(document_id="export", name="export.txt", user_id="ann", content='"said"')
    position = Position(topic="t", partition=0, offset=9)
    parked = unread_row(Unread(event, position, NOW, event.to_bytes()), 1)
    about = about_event(event, position, NOW)
    document = row_of(record_of(about, ParsedDocument("", ()), "e", is_read=True))
    cluster = row_of(Cluster(id=cluster_id("a", "b"), owner=event.owner, created_at=NOW, version=1, about="b"))
    owner_of_talk = conversation_row(message(0, "hello").message)
    rows = (parked, document, cluster, owner_of_talk)
    write.write([WriteBatch(tuple(Put(row) for row in rows))])
    write.write([WriteBatch(tuple(Remove(row.key, 9) for row in rows))])
    assert feed.changes == [(Change.WRITTEN, document.id), (Change.ERASED, document.id)]


@pytest.mark.parametrize("stage", ["read", "embed"])
def test_a_parked_event_that_the_index_refuses_is_a_letter_with_its_own_bytes(stage: str) -> None:
    position = Position(topic="t", partition=0, offset=9)
    document = Document(document_id="export", name="export.txt", user_id="ann", content='"said"')
    delete = Delete(conversation_id="talk", message_id="m1")
    rows = {
        "read": unread_row(Unread(document, position, NOW, document.to_bytes()), 1),
        "embed": amendment_row(amendment_of(delete, Incoming(delete.to_bytes(), position, NOW)), 1),
    }
    index = Index()
    index.refused.add(rows[stage].id)
    write, letters, _ = writer(index)
    write.write([WriteBatch((Put(rows[stage]),))])
    raw = {"read": document, "embed": delete}[stage].to_bytes()
    assert letters.letters == [DeadLetter(stage, "mapping: field too long", raw, position, NOW)]


def test_an_index_that_is_down_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index(down=3)
    stopping = threading.Event()
    monkeypatch.setattr(stopping, "wait", lambda seconds: False)
    write, _, _ = writer(index, stopping)
    write.write([WriteBatch((put(0),))])
    assert index.count(Collection.MESSAGES) == 1


def test_a_flush_waits_for_an_index_that_cannot_refresh(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index(refresh_fails=2)
    stopping = threading.Event()
    monkeypatch.setattr(stopping, "wait", lambda seconds: False)
    write, _, _ = writer(index, stopping)
    write.write([FlushDone("default", "f1")])
    key = flush_marker("default", "f1", NOW).key
    assert key in index.get([key])


def test_markers_of_flushes_go_after_a_week_and_a_flow_that_goes_on_finds_those_from_before_it() -> None:
    index, now = Index(), NOW
    before = [
        flush_marker("default", "of today", NOW),
        *(flush_marker("default", f"old {number}", NOW - timedelta(days=8)) for number in range(2_500)),
    ]
    other = flush_marker("acme", "another tenant's", NOW - timedelta(days=8))
    receipt = erasure_receipt("default", "old", NOW - timedelta(days=8), {})
    index.write([Put(row) for row in (*before, other, receipt)])
    write = Writer(index, Letters(), None, lambda: now, threading.Event())
    write.write([FlushDone("default", "first")])
    assert all(row.key in index.get([row.key]) for row in before)
    now += timedelta(hours=2)
    write.write([FlushDone("default", "old 1")])  # an id that is used again has its own marker
    left = {row.id for row in index.scan(Collection.CONTROL)}
    named = [flush_marker("default", name, now) for name in ("of today", "first", "old 1")]
    assert left == {row.id for row in (*named, other, receipt)}


def erasure(**fields: Any) -> Erased:
    owner = Owner(tenant_id="default", type="user", id="ann")
    position = Position(topic="t", partition=0, offset=9)
    return Erased(Erasure("default", None, owner, "gone", NOW, position, **fields), {"documents": 1}, ())


def receipt(index: Index) -> dict[str, int]:
    key = erasure_receipt("default", "gone", NOW, {}).key
    return dict(index.get([key])[key].body["removed"])


def test_claim_checks_of_what_is_erased_go_before_the_receipt_and_a_store_that_is_down_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index, stopping, asked = Index(), threading.Event(), []

    def erase_claims(erasure: Erasure) -> ErasedClaims:
        asked.append((erasure.document_id, receipt_is_there(index)))
        if len(asked) < 3:
            raise StoreUnavailable("the store does not answer")
        return ErasedClaims(erased=2)

    monkeypatch.setattr(stopping, "wait", lambda seconds: False)
    write = Writer(index, Letters(), None, lambda: NOW, stopping, erase_claims=erase_claims)
    write.write([erasure(document_id="paper")])
    assert asked == [("paper", False)] * 3
    assert receipt(index) == {"documents": 1, "answers": 0, "claims": 2, "dead_letters": 0}


def receipt_is_there(index: Index) -> bool:
    key = erasure_receipt("default", "gone", NOW, {}).key
    return key in index.get([key])


def test_a_receipt_says_that_a_store_kept_claim_checks() -> None:
    index = Index()
    kept = ErasedClaims(erased=1, refused=3)
    write = Writer(index, Letters(), None, lambda: NOW, threading.Event(), erase_claims=lambda erasure: kept)
    write.write([erasure()])
    assert receipt(index) == {"documents": 1, "answers": 0, "claims": 1, "dead_letters": 0, "claims_refused": 3}


def test_the_first_receipt_under_an_id_stays() -> None:
    index = Index()
    write, _, _ = writer(index)
    write.write([erasure()])
    first = receipt(index)
    write.write([replace(erasure(), removed={})])
    assert receipt(index) == first


def test_an_erasure_that_nobody_asked_for_has_no_receipt() -> None:
    index = Index()
    write, _, _ = writer(index)
    write.write([erasure(has_receipt=False)])
    assert not receipt_is_there(index)


def test_a_broker_that_is_down_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = threading.Event()
    monkeypatch.setattr(stopping, "wait", lambda seconds: False)
    write, letters, feed = writer(Index(), stopping)
    failures = [StoreUnavailable("no broker"), StoreUnavailable("no broker")]

    def flaky(send: Callable[[Any], None]) -> Callable[[Any], None]:
        def sent(batch: Any) -> None:
            if failures:
                raise failures.pop()
            send(batch)

        return sent

    monkeypatch.setattr(letters, "send", flaky(letters.send))
    monkeypatch.setattr(feed, "send", flaky(feed.send))
    write.write([WriteBatch((put(0),)), DeadLetter("decode", "nonsense", b"{", None, NOW)])
    assert (len(letters.letters), len(feed.changes)) == (1, 1)


def test_a_row_that_is_refused_for_its_characters_is_a_letter_like_any_other() -> None:
    index = Index()
    write, letters, _ = writer(index)
    row = put(0, "refuse this").row
    write.write([WriteBatch((Put(replace(row, body={**row.body, "metadata": {"a": "\ud800"}})),))])
    assert b"ud800" in letters.letters[0].raw


def test_waiting_ends_when_the_flow_is_told_to_stop() -> None:
    stopping = threading.Event()
    stopping.set()
    write, _, _ = writer(Index(down=3), stopping)
    with pytest.raises(Stopped):
        write.write([WriteBatch((put(0),))])


def test_the_marker_of_a_flush_is_written_after_everything_before_it() -> None:
    index = Index()
    write, _, _ = writer(index)
    write.write([FlushDone("default", "f1"), WriteBatch((put(0),))])
    key = flush_marker("default", "f1", NOW).key
    assert key in index.get([key])
    assert index.count(Collection.MESSAGES) == 1


def test_letters_of_other_steps_are_passed_on() -> None:
    write, letters, _ = writer(Index())
    letter = DeadLetter("decode", "json: nonsense", b"{", None, NOW)
    write.write([letter])
    assert letters.letters == [letter]
