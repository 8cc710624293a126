"""A cache of two generations."""

from datetime import UTC, datetime

from connectors.aging_cache import AgingCache, Derived
from mneme.records import Owner
from mneme.rows import Row, control_row

OWNER, AT = Owner(tenant_id="acme", type="tenant", id="acme"), datetime(2026, 3, 2, tzinfo=UTC)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_was_kept_is_found():
    cache: AgingCache[str, int] = AgingCache(10, 60.0)
    cache.put("a", 1)
    assert (cache.get("a"), cache.get("b")) == (1, None)


def test_memory_is_bounded():
    cache: AgingCache[int, int] = AgingCache(10, 60.0)
    for number in range(25):
        cache.put(number, number)
    assert 10 <= sum(cache.get(number) is not None for number in range(25)) <= 20
    assert cache.get(0) is None
    assert cache.get(24) == 24


def test_what_is_asked_for_stays():
    cache: AgingCache[int, int] = AgingCache(10, 60.0)
    for number in range(100):
        cache.put(number, number)
        assert cache.get(0) == 0


def test_what_nobody_asks_for_leaves():
    clock = Clock()
    cache: AgingCache[str, int] = AgingCache(10, 60.0, clock)
    cache.put("erased", 1)
    for _ in range(2):
        clock.now += 60.0
        cache.put("other", 2)
    assert (cache.get("erased"), cache.get("other")) == (None, 2)


def test_after_a_long_rest_nothing_old_is_left():
    clock = Clock()
    cache: AgingCache[str, int] = AgingCache(10, 60.0, clock)
    cache.put("old", 1)
    clock.now += 120.0
    cache.put("new", 2)
    assert (cache.get("old"), cache.get("new")) == (None, 2)


def test_what_is_asked_for_again_and_again_stays():
    cache: AgingCache[int, int] = AgingCache(10, 60.0)
    for number in range(100):
        cache.put(number, number)
        assert [cache.get(0), cache.get(number), cache.get(-1)] == [0, number, None]


def test_what_is_made_of_a_row_is_made_once_and_of_another_row_anew():
    made: list[Row] = []

    def length(row: Row) -> int:
        made.append(row)
        return len(row.id)

    derived = Derived(length, 10, 60.0)
    one, equal = control_row(OWNER, "flush", "abc", 1, AT, {}), control_row(OWNER, "flush", "abc", 1, AT, {})
    assert [derived(one), derived(one), derived(equal)] == [3, 3, 3]
    assert [each is one for each in made] == [True, False]
