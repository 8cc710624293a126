"""A unit of work shows an owner's records as if all writes had arrived."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from flows.consistency.unit_of_work import UnitOfWork, in_own_words
from flows.items import NewRecord
from mneme.ports import Put
from mneme.records import AtomicFact, Claim, Entity, Validity
from mneme.rows import Embedding, Row, key_of
from tests.contracts.rows import ALICE, EMBEDDER, NOON, axis, fact
from tests.memory_index_reference import ReferenceIndex

ANN = Entity(
    id=f"{ALICE.key}/e/ann", owner=ALICE, created_at=NOON, version=0, name="Ann", type="person", summary="", mentions=()
)


def index_with(*rows: Row) -> ReferenceIndex:
    index = ReferenceIndex()
    index.prepare(EMBEDDER)
    index.write([Put(row) for row in rows])
    return index


def record_of(row: Row) -> AtomicFact:
    record = row.record()
    assert isinstance(record, AtomicFact)
    return record


def test_an_unrefreshed_write_stands_over_the_index() -> None:
    old, newer, gone = fact("f", "old"), fact("f", "newer", version=2), fact("g")
    work = UnitOfWork(ALICE, index_with(old, gone), {newer.key: newer, gone.key: None})
    assert work.get([old.key, gone.key]) == {old.key: newer.record()}


def test_a_vector_is_there_when_it_is_asked_for_after_the_record_was_read_without() -> None:
    row = fact("f", vector=axis(0))
    work = UnitOfWork(ALICE, index_with(row), {})
    assert work.get([row.key])
    assert work.known_vectors() == {}
    assert np.array_equal(work.vectors([row.key])[row.key], axis(0))


def test_what_was_removed_stays_removed_where_vectors_are_asked_for() -> None:
    row = fact("f", vector=axis(0))
    work = UnitOfWork(ALICE, index_with(row), {})
    work.remove(row.key)
    assert work.vectors([row.key]) == {}
    assert work.known_vectors() == {}


def test_what_is_put_and_removed_is_seen_at_once_and_listed_as_changes() -> None:
    other = fact("g")
    work = UnitOfWork(ALICE, index_with(other), {})
    work.put(ANN)
    work.remove(other.key)
    assert work.get([key_of(ANN), other.key]) == {key_of(ANN): ANN}
    changes = work.changes()
    assert list(changes) == [key_of(ANN), other.key]
    assert changes[other.key] is None


def test_removing_what_is_not_there_changes_nothing() -> None:
    work = UnitOfWork(ALICE, index_with(), {})
    work.remove(fact("f").key)
    assert work.changes() == {}


def test_a_record_with_the_same_content_is_known_whatever_its_version() -> None:
    row = fact("f", "same")
    work = UnitOfWork(ALICE, index_with(row), {})
    assert work.holds(record_of(fact("f", "same", version=7)))
    assert not work.holds(record_of(fact("f", "other")))
    assert not work.holds(record_of(fact("g", "same")))


def test_a_new_record_becomes_a_row_with_its_embedding_and_the_words_around_it() -> None:
    work, record = UnitOfWork(ALICE, index_with(), {}), record_of(fact("f", "Ann bakes"))
    work.put_new(NewRecord(record, "Ann bakes", Embedding(axis(1)), "what does Bob do?"))
    work.put(record.model_copy(update={"validity": Validity(valid_from=NOON)}))
    row = work.changes()[key_of(record)]
    assert row is not None
    assert row.vector is not None
    assert np.array_equal(row.vector, axis(1))
    assert {"bake", "bob"} <= set(row.tokens.split())
    assert record_of(row).validity.valid_from == NOON


def test_a_statement_that_changes_keeps_all_that_is_searched_in_it() -> None:
    stored = replace(fact("f", "Ann bakes", vector=axis(2)), tokens="bake and the words around")
    work = UnitOfWork(ALICE, index_with(stored), {})
    (record,) = work.get([stored.key]).values()
    work.put(record.model_copy(update={"validity": Validity(valid_to=NOON)}))
    row = work.changes()[stored.key]
    assert row is not None
    assert row.vector is not None
    assert (row.tokens, row.valid_to, row.vector.tobytes()) == (stored.tokens, NOON, axis(2).tobytes())


@pytest.mark.parametrize(("day", "repeats"), [(NOON, True), (None, False)])
def test_an_end_that_is_told_again_is_news_unless_it_has_a_day(day: datetime | None, repeats: bool) -> None:
    moved = Claim(subject="Sam", attribute="home", value="", ends=True)
    assert in_own_words(record_of(fact("f", "Sam moved", claims=(moved,), event_at=day))).repeats is repeats
