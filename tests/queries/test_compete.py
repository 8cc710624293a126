"""The competition, against a walk that is told what holds a place by the places alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.compete import Standing, best_first, compete, compete_beside_documents

scores = st.floats(0, 1).map(lambda score: round(score, 2))  # few digits, so that ties happen


@st.composite
def candidates(draw: st.DrawFn) -> list[Standing]:
    found = []
    for number in range(draw(st.integers(0, 8))):
        found.append(Standing(f"e{number}", draw(scores)))
        inside = draw(st.lists(scores, max_size=5))
        found += [Standing(f"e{number}/f/{index}", score, f"e{number}") for index, score in enumerate(inside)]
    return draw(st.permutations(found))


def trip(*facts: float, score: float = 0.8) -> list[Standing]:
    inside = [Standing(f"trip/f/{index}", fact, "trip") for index, fact in enumerate(facts)]
    return [Standing("trip", score), *inside]


def ids(found: list[Standing], top_k: int) -> list[str]:
    return [each.id for each in compete(best_first(found), top_k).standings]


@given(candidates(), st.integers(1, 12))
def test_the_best_hold_all_places_and_no_episode_one_beside_its_own_fact(found, top_k):
    outcome = compete(best_first(found), top_k)
    held, facts, by_id = outcome.standings, {each.parent for each in found}, {each.id: each for each in found}
    assert len(held) == min(top_k, sum(each.parent is not None or each.id not in facts for each in found))
    assert list(held) == sorted(held, key=lambda each: (-each.score, each.id))
    assert not {each.id for each in held} & {each.parent for each in held}
    for each in found:  # who has no place is worse than all who have, or is represented by its fact
        if each.id not in {each.id for each in held} | {each.parent for each in held}:
            assert len(held) == top_k
            assert all((-one.score, one.id) < (-each.score, each.id) for one in held)
    assert all(by_id[fact].parent == episode.id for fact, episode in outcome.replaced.items())
    assert len({each.id for each in outcome.replaced.values()}) == len(outcome.replaced)


@pytest.mark.parametrize(
    ("found", "top_k", "expected"),
    [
        ([*trip(0.9), Standing("work", 0.6)], 2, ["trip/f/0", "work"]),
        ([*trip(0.9, 0.7), Standing("work", 0.6)], 2, ["trip/f/0", "trip/f/1"]),
        ([*trip(0.1), Standing("work", 0.6), Standing("work/f/0", 0.2, "work")], 2, ["trip", "work"]),
        ([*trip(0.1), Standing("work", 0.6)], 3, ["work", "trip/f/0"]),
        (trip(0.5, 0.5, score=0.5), 2, ["trip/f/0", "trip/f/1"]),
        ([], 5, []),
    ],
    ids=[
        "a fact takes its episode's place",
        "a second fact takes another",
        "a weak fact takes none",
        "while there is room",
        "equal scores stand by id",
        "nothing",
    ],
)
def test_who_holds_the_places(found, top_k, expected):
    assert ids(found, top_k) == expected


@pytest.mark.parametrize("score", [0.9, 0.7])
def test_the_best_fact_of_an_episode_stands_in_its_place(score):
    assert compete(best_first(trip(score, 0.1)), 2).replaced == {"trip/f/0": Standing("trip", 0.8)}


class TestTheTenantsDocuments:
    OWN = tuple(Standing(f"said-{place}", 0.1 - place / 1000) for place in range(20))

    def held(self, *documents: Standing, own: tuple[Standing, ...] = OWN, top_k: int = 9) -> list[str]:
        names = {each.id for each in documents}
        return [each.id for each in compete_beside_documents((*own, *documents), top_k, names).standings]

    def test_hold_a_third_of_the_places_where_what_was_said_fits_best(self) -> None:
        best = Standing("said-best", 0.9)
        handbook = [Standing(f"section-{place}", 0.5 - place / 100) for place in range(20)]
        held = self.held(*handbook, own=(best, *self.OWN))
        assert held == ["said-best", "section-0", "section-1", "section-2", *(f"said-{place}" for place in range(5))]
        assert self.held(*handbook, own=(best,)) == ["said-best", *(f"section-{place}" for place in range(8))]

    def test_compete_freely_where_one_of_them_fits_best(self) -> None:
        handbook = [Standing(f"section-{place}", 0.5 - place / 100) for place in range(20)]
        assert self.held(*handbook) == [f"section-{place}" for place in range(9)]

    def test_get_no_place_that_they_would_not_get_anyway(self) -> None:
        assert self.held(Standing("section", 0.01)) == [f"said-{place}" for place in range(9)]
