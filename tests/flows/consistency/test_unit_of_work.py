"""A unit of work shows an owner's records as if all writes had arrived."""

from dataclasses import replace

from flows.consistency.unit_of_work import UnitOfWork
from mneme.ports import Put
from mneme.rows import Collection
from tests.contracts.rows import ALICE, EMBEDDER, axis, fact
from tests.memory_index_reference import ReferenceIndex


def index_with(*rows):  # type: ignore[no-untyped-def]
    index = ReferenceIndex()
    index.prepare(EMBEDDER)
    index.write([Put(row) for row in rows])
    return index


def test_an_unrefreshed_write_stands_over_the_index() -> None:
    old, newer, gone = fact("f", "old"), fact("f", "newer", version=2), fact("g")
    work = UnitOfWork(ALICE, index_with(old, gone), {newer.key: newer, gone.key: None})
    assert work.row(old.key) is newer
    assert work.row(gone.key) is None


def test_a_vector_is_there_when_it_is_asked_for_after_the_row_was_read_without() -> None:
    row = fact("f", vector=axis(0))
    work = UnitOfWork(ALICE, index_with(row), {})
    assert work.row(row.key) is not None
    assert work.rows([row.key], with_vectors=True)[row.key].vector is not None


def test_what_was_removed_stays_removed_where_vectors_are_asked_for() -> None:
    row = fact("f", vector=axis(0))
    work = UnitOfWork(ALICE, index_with(row), {})
    work.remove(row.key)
    assert work.rows([row.key], with_vectors=True) == {}


def test_what_is_put_and_removed_is_seen_at_once_and_listed_as_changes() -> None:
    kept, other = fact("f", "kept"), fact("g")
    work = UnitOfWork(ALICE, index_with(other), {})
    work.put(kept)
    work.remove(other.key)
    assert work.row(kept.key) is kept
    assert work.changes() == {kept.key: kept, other.key: None}
    assert work.known_rows(Collection.FACTS) == [kept]


def test_removing_what_is_not_there_changes_nothing() -> None:
    work = UnitOfWork(ALICE, index_with(), {})
    work.remove(fact("f").key)
    assert work.changes() == {}


def test_a_row_with_the_same_content_is_not_written_again() -> None:
    row = fact("f", "same")
    work = UnitOfWork(ALICE, index_with(row), {})
    work.put_if_changed(fact("f", "same", version=7))
    assert work.changes() == {}
    work.put_if_changed(fact("f", "other", version=7))
    assert set(work.changes()) == {row.key}


def test_the_record_of_a_row_is_parsed_once_and_that_of_another_row_is_its_own() -> None:
    read, newer = replace(fact("f", "older")), fact("f", "newer", version=2)
    work = UnitOfWork(ALICE, index_with(read), {})
    assert work.record(read) is work.record(read)
    assert work.record(newer) == newer.record()
