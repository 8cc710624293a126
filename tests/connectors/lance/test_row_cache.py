"""What is kept of owners in memory: never older than the index, never more than it may be."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from connectors.lance.row_cache import RowCache
from connectors.lance.table import LanceTable
from mneme.records import Owner
from mneme.rows import Row
from tests.connectors.owner_rows_help import TableInMemory
from tests.contracts.rows import ALICE, axis, fact, of

BOB = Owner(tenant_id="acme", type="user", id="bob")
CARL = Owner(tenant_id="acme", type="user", id="carl")
PLENTY = 10_000_000


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def table() -> TableInMemory:
    return TableInMemory()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def some(count: int, owner: Owner = ALICE, **fields: Any) -> list[Row]:
    return [fact(f"{owner.id}{number:02d}", "green tea", vector=axis(0), owner=owner, **fields) for number in range(count)]


def found(cache: RowCache, table: TableInMemory, *owners: Owner) -> list[tuple[str, int]]:
    """The ids and versions of all rows of the owners."""
    asked = owners or (ALICE,)
    search = cache.search(cast(LanceTable, table), tuple(owner.key for owner in asked))
    scored = [each for owner in asked for each in search.score(of(owner), (), None, 1000)]
    return sorted((each.row.id, each.row.version) for each in scored)


def size_of(count: int, owner: Owner = ALICE) -> int:
    """How many bytes so many rows of an owner take."""
    cache, table = RowCache(PLENTY), TableInMemory()
    table.put(*some(count, owner))
    found(cache, table, owner)
    return cache.size


# --- never older than the index --------------------------------------------------------------------------------------


def test_what_did_not_change_is_read_once(table):
    cache = RowCache(PLENTY)
    table.put(*some(5))
    assert found(cache, table) == found(cache, table)
    assert len(table.read) == 5


def test_what_was_written_changed_or_removed_is_seen_at_the_next_search(table):
    cache = RowCache(PLENTY)
    table.put(*some(12))
    assert len(found(cache, table)) == 12
    table.put(fact("new"))
    table.put(fact("alice03", version=2))
    table.remove("alice05")
    shown = dict(found(cache, table))
    assert ("new" in shown, shown["alice03"], "alice05" in shown) == (True, 2, False)
    assert len(shown) == 12


def test_a_row_that_is_written_again_at_its_version_is_seen(table):
    cache = RowCache(PLENTY)
    table.put(*some(5))
    found(cache, table)
    table.put(fact("alice03", "black coffee"))
    search = cache.search(cast(LanceTable, table), (ALICE.key,))
    assert [hit.row.id for hit in search.match(of(), ("coffe",), 9)] == ["alice03"]
    assert "alice03" not in [hit.row.id for hit in search.match(of(), ("tea",), 9)]


def test_only_what_is_new_is_read_when_little_changed(table):
    cache = RowCache(PLENTY)
    table.put(*some(20))
    found(cache, table)
    table.read.clear()
    table.put(fact("new"))
    table.put(*some(3, BOB))
    assert len(found(cache, table)) == 21
    assert table.read == ["new"]


def test_after_many_small_changes_all_is_in_one_part_again(table):
    cache = RowCache(PLENTY)
    table.put(*some(40))
    for number in range(30):
        table.put(fact(f"new{number:02d}"))
        assert len(found(cache, table)) == 41 + number
    (entry,) = cache._entries.values()
    assert len(entry.parts) <= 8


def test_rows_that_were_moved_are_the_same(table):
    cache = RowCache(PLENTY)
    table.put(*some(5))
    before = found(cache, table)
    table.move()
    assert found(cache, table) == before


def test_rows_that_move_while_they_are_read_are_all_there(table):
    cache = RowCache(PLENTY)
    table.put(*some(20))
    found(cache, table)
    table.put(fact("new"))
    table.on_addresses = lambda: (setattr(table, "on_addresses", lambda: None), table.move())
    assert len(found(cache, table)) == 21


def test_an_owner_of_whom_all_was_removed_has_nothing(table):
    cache = RowCache(PLENTY)
    table.put(*some(3))
    found(cache, table)
    table.remove(*(row.id for row in some(3)))
    assert found(cache, table) == []


def test_another_table_in_the_same_place_is_read_anew(table):
    cache, other = RowCache(PLENTY), TableInMemory()
    table.put(*some(3))
    other.put(*some(2))
    assert len(found(cache, table)) == 3
    assert len(found(cache, other)) == 2


def test_whoever_searches_after_a_write_sees_it_in_every_thread(table):
    cache = RowCache(PLENTY)
    table.put(*some(10))

    def search(_: int) -> bool:
        written = [number for number in range(40) if any(row.id == f"new{number}" for row in list(table.rows.values()))]
        return {f"new{number}" for number in written} <= {id for id, _ in found(cache, table)}

    with ThreadPoolExecutor(4) as pool:
        searches = []
        for number in range(40):
            table.put(fact(f"new{number}"))
            searches += [pool.submit(search, number) for _ in range(3)]
        assert all(each.result() for each in searches)


# --- never more than it may be ---------------------------------------------------------------------------------------


def test_who_was_not_asked_for_longest_makes_room(table, clock):
    cache = RowCache(int(2.5 * size_of(10)), clock)
    table.put(*some(10), *some(10, BOB), *some(10, CARL))
    for owner in (ALICE, BOB, ALICE, CARL):
        clock.now += 60
        assert len(found(cache, table, owner)) == 10
        assert cache.size <= 2.5 * size_of(10)
    table.read.clear()
    found(cache, table, ALICE)
    assert table.read == []
    found(cache, table, BOB)
    assert table.read == [row.id for row in some(10, BOB)]


def test_an_owner_with_more_than_there_is_room_for_is_read_for_each_search(table, caplog):
    cache = RowCache(size_of(10))
    table.put(*some(50), *some(5, BOB))
    found(cache, table, BOB)
    assert len(found(cache, table)) == len(found(cache, table)) == 50
    assert table.read.count("alice07") == 2
    assert cache.size == size_of(5, BOB), "it pushes nobody out"
    assert caplog.text.count("MNEME_INDEX__CACHE_MEGABYTES") == 1


def test_owners_who_are_searched_together_and_have_no_room_together_are_found(table):
    cache = RowCache(int(1.5 * size_of(10)))
    table.put(*some(10), *some(10, BOB))
    assert len(found(cache, table, ALICE, BOB)) == 20
    assert cache.size <= 1.5 * size_of(10)


def test_an_owner_who_outgrows_the_room_is_let_go(table):
    cache = RowCache(size_of(30))
    table.put(*some(25))
    assert len(found(cache, table)) == 25
    table.put(*(fact(f"new{number}") for number in range(20)))
    assert len(found(cache, table)) == 45
    assert cache.size == 0


def test_what_nobody_asks_for_any_more_is_let_go_when_something_else_is_read(table, clock):
    """It may have been erased."""
    cache = RowCache(PLENTY, clock)
    table.put(*some(10), *some(3, BOB))
    found(cache, table, ALICE)
    clock.now += 3600
    table.remove(*(row.id for row in some(10)))
    found(cache, table, BOB)
    assert cache.size == size_of(3, BOB)


def test_without_room_nothing_is_kept(table, caplog):
    cache = RowCache(0)
    table.put(*some(3))
    assert len(found(cache, table)) == len(found(cache, table)) == 3
    assert (len(table.read), cache.size, caplog.text) == (6, 0, "")


def test_what_is_cleared_is_gone(table):
    cache = RowCache(PLENTY)
    table.put(*some(3))
    found(cache, table)
    cache.clear()
    assert cache.size == 0
    assert len(found(cache, table)) == 3
