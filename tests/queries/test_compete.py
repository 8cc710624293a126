"""The competition, against a reference that sees all candidates at once."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.compete import Entrant, Move, Standing, compete

FOREVER = 1_000_000

scores = st.floats(0, 1).map(lambda score: round(score, 2))  # few digits, so that ties happen


@st.composite
def memories(draw: st.DrawFn) -> tuple[list[Entrant], dict[str, list[tuple[str, float]]]]:
    entrants, facts = [], {}
    for number in range(draw(st.integers(0, 8))):
        priority = draw(st.one_of(st.none(), st.floats(0, 1)))
        entrants.append(Entrant(f"e{number}", draw(scores), priority))
        inside = draw(st.lists(scores, max_size=5)) if priority is not None else []
        facts[f"e{number}"] = [(f"e{number}/f/{index}", score) for index, score in enumerate(inside)]
    return entrants, facts


def expander(facts: Mapping[str, Sequence[tuple[str, float]]]):
    return lambda parents: {parent: facts[parent] for parent in parents if parent in facts}


def reference(entrants, facts, top_k: int, alpha: float) -> list[Standing]:
    """Walk down all candidates by final score until all places are taken."""
    candidates = [Standing(each.id, each.score) for each in entrants]
    for each in entrants:
        candidates += [Standing(id, alpha * score + (1 - alpha) * each.score, each.id) for id, score in facts[each.id]]
    places: dict[str, Standing] = {}
    for candidate in sorted(candidates, key=lambda each: (-each.score, each.id)):
        if len(places) == top_k:
            break
        if candidate.parent is None and any(each.parent == candidate.id for each in places.values()):
            continue
        if candidate.parent is not None:
            places.pop(candidate.parent, None)
        places[candidate.id] = candidate
    return sorted(places.values(), key=lambda each: (-each.score, each.id))


def run(entrants, facts, top_k=5, alpha=0.5, batch=2, patience=FOREVER):
    return compete(entrants, expander(facts), top_k=top_k, alpha=alpha, batch=batch, patience=patience)


class TestAgainstAllCandidatesAtOnce:
    @given(memories(), st.integers(1, 12), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.integers(1, 4))
    def test_the_heaps_find_what_a_full_sort_finds(self, memory, top_k, alpha, batch):
        entrants, facts = memory
        outcome = run(entrants, facts, top_k, alpha, batch)
        assert list(outcome.standings) == reference(entrants, facts, top_k, alpha)

    @given(memories(), st.integers(1, 12), st.integers(1, 3))
    def test_all_places_are_filled_when_there_are_enough_candidates(self, memory, top_k, patience):
        entrants, facts = memory
        outcome = run(entrants, facts, top_k)
        possible = sum(max(1, len(facts[each.id])) for each in entrants)
        assert len(outcome.standings) == min(top_k, possible)
        hasty = run(entrants, facts, top_k, patience=patience)
        assert len(hasty.standings) >= min(top_k, len(entrants))
        assert len(hasty.standings) <= top_k

    @given(memories(), st.integers(1, 12))
    def test_no_episode_holds_a_place_beside_its_own_fact(self, memory, top_k):
        entrants, facts = memory
        held = run(entrants, facts, top_k).standings
        assert not {each.id for each in held} & {each.parent for each in held}

    @given(memories(), st.integers(1, 12))
    def test_who_has_no_place_is_worse_than_all_who_have_or_is_told_by_its_fact(self, memory, top_k):
        entrants, facts = memory
        held = run(entrants, facts, top_k).standings
        parents = {each.parent for each in held}
        for entrant in entrants:
            if entrant.id not in {each.id for each in held} | parents:
                assert len(held) == top_k
                assert all(entrant.score <= each.score for each in held)

    @given(memories(), st.integers(1, 12))
    def test_a_place_is_never_lost_on_the_way(self, memory, top_k):
        entrants, facts = memory
        held = least = min(top_k, len(entrants))
        for step in run(entrants, facts, top_k).trace:
            if step.move is Move.EXPANDED:  # all moves of the episode before are done
                assert least <= held <= top_k
                least = held
            held += {Move.ENTERED: 1, Move.RETURNED: 1, Move.REPLACED: -1, Move.EVICTED: -1, Move.EXPANDED: 0}[step.move]
        assert least <= held <= top_k


def test_a_fact_takes_the_place_of_its_parent_and_nobody_else_leaves():
    entrants = [Entrant("trip", 0.8, 1.0), Entrant("work", 0.6, 0.5)]
    outcome = run(entrants, {"trip": [("trip/f/0", 0.9)], "work": []}, top_k=2)
    assert [each.id for each in outcome.standings] == ["trip/f/0", "work"]
    assert [step.move for step in outcome.trace if step.move is not Move.EXPANDED] == [Move.REPLACED, Move.ENTERED]


def test_a_second_fact_evicts_the_worst_when_all_places_are_taken():
    entrants = [Entrant("trip", 0.8, 1.0), Entrant("work", 0.6, 0.5)]
    outcome = run(entrants, {"trip": [("trip/f/0", 0.9), ("trip/f/1", 0.7)], "work": []}, top_k=2)
    assert [each.id for each in outcome.standings] == ["trip/f/0", "trip/f/1"]
    assert [step.id for step in outcome.trace if step.move is Move.EVICTED] == ["work"]


def test_a_weak_fact_does_not_take_the_place_of_a_better_episode():
    entrants = [Entrant("trip", 0.9, 1.0), Entrant("work", 0.6, 0.5)]
    outcome = run(entrants, {"trip": [("trip/f/0", 0.1)], "work": [("work/f/0", 0.2)]}, top_k=2)
    assert [each.id for each in outcome.standings] == ["trip", "work"]


def test_an_episode_returns_when_its_last_fact_was_evicted():
    entrants = [Entrant("trip", 0.9, 1.0), Entrant("food", 0.7, 0.2)]
    facts = {"trip": [("trip/f/0", 0.1)], "food": [("food/f/0", 0.6), ("food/f/1", 0.5)]}
    outcome = run(entrants, facts, top_k=3, batch=1)
    assert [each.id for each in outcome.standings] == ["trip", "food/f/0", "food/f/1"]
    moves = [(step.move, step.id) for step in outcome.trace]
    assert (
        moves.index((Move.ENTERED, "trip/f/0")) < moves.index((Move.EVICTED, "trip/f/0")) < moves.index((Move.RETURNED, "trip"))
    )


@pytest.mark.parametrize(("alpha", "expected"), [(1.0, 0.9), (0.5, 0.7), (0.0, 0.5)])
def test_alpha_weighs_a_fact_against_its_episode(alpha, expected):
    outcome = run([Entrant("trip", 0.5, 1.0)], {"trip": [("trip/f/0", 0.9)]}, top_k=1, alpha=alpha)
    best = {each.id: each.score for each in outcome.standings}
    assert best["trip/f/0" if alpha else "trip"] == pytest.approx(expected)


def test_facts_of_equal_final_score_enter_by_id_whatever_their_own_score():
    facts = {"trip": [("trip/f/0", 0.1), ("trip/f/1", 0.9), ("trip/f/2", 0.8)]}
    outcome = run([Entrant("trip", 0.5, 1.0)], facts, top_k=2, alpha=0.0)
    assert [each.id for each in outcome.standings] == ["trip/f/0", "trip/f/1"]


def test_it_converges_after_patience_rounds_without_a_change():
    entrants = [Entrant("best", 1.0, 1.0), *(Entrant(f"e{number}", 0.1, 0.5 - number / 100) for number in range(20))]
    facts = {each.id: [(f"{each.id}/f/0", 0.0)] for each in entrants if each.id != "best"}
    asked: list[str] = []

    def expand(parents):
        asked.extend(parents)
        return {parent: facts[parent] for parent in parents if parent in facts}

    outcome = compete(entrants, expand, top_k=5, alpha=0.5, batch=2, patience=3)
    assert outcome.converged_early
    assert outcome.rounds == 3
    assert len(asked) == 6


def test_episodes_are_expanded_by_priority_in_batches():
    batches: list[list[str]] = []

    def expand(parents):
        batches.append(list(parents))
        return {}

    entrants = [Entrant("low", 0.9, 0.1), Entrant("high", 0.1, 0.9), Entrant("middle", 0.5, 0.5), Entrant("alone", 0.5)]
    compete(entrants, expand, top_k=5, batch=2, patience=FOREVER)
    assert batches == [["high", "middle"], ["low"]]


def test_nothing_competes_for_nothing():
    assert run([], {}).standings == ()
