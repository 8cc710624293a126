"""A view shows an owner's records as if all writes had arrived."""

from flows.consistency.view import View
from mneme.ports import Put
from mneme.rows import Collection
from tests.contracts.rows import ALICE, EMBEDDER, axis, fact
from tests.memory_index_reference import ReferenceIndex


def index_with(*rows):  # type: ignore[no-untyped-def]
    index = ReferenceIndex()
    index.prepare(EMBEDDER)
    index.write([Put(row) for row in rows])
    return index


def test_what_was_written_lately_stands_over_the_index() -> None:
    old, newer, gone = fact("f", "old"), fact("f", "newer", version=2), fact("g")
    view = View(ALICE, index_with(old, gone), {newer.key: newer, gone.key: None})
    assert view.row(old.key) is newer
    assert view.row(gone.key) is None


def test_a_vector_is_there_when_it_is_asked_for_after_the_row_was_read_without() -> None:
    row = fact("f", vector=axis(0))
    view = View(ALICE, index_with(row), {})
    assert view.row(row.key) is not None
    assert view.rows([row.key], with_vectors=True)[row.key].vector is not None


def test_what_is_put_and_removed_is_seen_at_once_and_listed_as_changes() -> None:
    kept, other = fact("f", "kept"), fact("g")
    view = View(ALICE, index_with(other), {})
    view.put(kept)
    view.remove(other.key)
    assert view.row(kept.key) is kept
    assert view.changes() == {kept.key: kept, other.key: None}
    assert view.lately(Collection.FACTS) == [kept]


def test_removing_what_is_not_there_changes_nothing() -> None:
    view = View(ALICE, index_with(), {})
    view.remove(fact("f").key)
    assert view.changes() == {}


def test_a_row_with_the_same_content_is_not_written_again() -> None:
    row = fact("f", "same")
    view = View(ALICE, index_with(row), {})
    view.put_if_changed(fact("f", "same", version=7))
    assert view.changes() == {}
    view.put_if_changed(fact("f", "other", version=7))
    assert set(view.changes()) == {row.key}


def test_the_record_of_a_row_that_was_just_written_is_not_parsed_again() -> None:
    row = fact("f", version=2)
    written = row.record()
    view = View(ALICE, index_with(row), {row.key: row}, {row.key: written})
    assert view.record(row) is written


def test_the_record_of_another_version_is_not_taken_for_that_of_a_row() -> None:
    older, newer = fact("f", "older"), fact("f", "newer", version=2)
    view = View(ALICE, index_with(newer), {}, {older.key: older.record()})
    assert view.record(newer) == newer.record()


def test_the_records_of_what_is_to_be_written_are_listed_where_they_are_at_hand() -> None:
    kept, other, gone = fact("f"), fact("g"), fact("h")
    record = kept.record()
    view = View(ALICE, index_with(gone), {})
    view.put(kept, record)
    view.put(other)
    view.remove(gone.key)
    assert view.changed_records() == {kept.key: record}
