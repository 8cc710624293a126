"""Phase 5: a reranker orders the places anew, and no search fails because of one."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.endpoints.rerank import RerankEndpoint
from mneme.errors import ModelError, ModelMalformed, ModelRateLimited, ModelRefused, ModelTimeout, SettingsError
from mneme.settings import load_settings
from queries import Memories
from queries.compete import Standing
from queries.records import LONGEST, passage
from queries.rerank import ModelReranker, open_reranker, rerank
from queries.responses import SearchResponse
from tests.queries import world
from tests.queries.world import MAYA, NOW, OBSERVATORY, WordEmbedder, career, filled
from tests.servers.models import Fault, ModelServer

METHODS = ("keyword", "vector", "hybrid")
MINE = {"user_id": "maya"}
BOAT = "Who paid for the boat?"
Scores = list[float | None]


STANDINGS = [Standing(str(number), 1.0 - number / 10) for number in range(6)]


class Judge:
    """A reranker that scores by a rule; ``shown`` has what it was asked about."""

    def __init__(self, judge: Callable[[Sequence[str]], Scores]) -> None:
        self.judge, self.shown, self.is_closed = judge, [], False

    def rerank(self, query: str, texts: Sequence[str]) -> Scores:
        self.shown.append((query, list(texts)))
        return self.judge(texts)

    def close(self) -> None:
        self.is_closed = True


def raising(error: ModelError) -> Judge:
    def judge(texts: Sequence[str]) -> Scores:
        raise error

    return Judge(judge)


def backwards(texts: Sequence[str]) -> Scores:
    """The last is the best."""
    return [place / len(texts) for place in range(len(texts))]


def searching(judge: Judge | None, *rows: Any, **settings: Any) -> Memories:
    return Memories(filled(*rows), WordEmbedder(), load_settings({}, **settings), clock=lambda: NOW, reranker=judge)


def order(found: SearchResponse) -> list[str]:
    return [item.id for item in found.ranked()]


class TestTheStep:
    def run(self, scores: Scores, top_n: int = 30) -> list[tuple[str, float]]:
        reranked = rerank("q", STANDINGS, lambda each: each.id, Judge(lambda texts: scores), top_n)
        return [(each.id, each.score) for each in reranked.standings]

    def test_the_best_score_comes_first_and_ties_stay_in_order(self):
        assert [each for each, _ in self.run([0.1, 0.5, 0.9, 0.5, 0.1, 0.5])] == ["2", "1", "3", "5", "0", "4"]

    def test_what_was_left_out_follows_in_the_order_of_before(self):
        assert self.run([None, None, 0.4, None, 0.7, None]) == [
            ("4", 0.7),
            ("2", 0.4),
            ("0", 0.4),
            ("1", 0.4),
            ("3", 0.4),
            ("5", 0.4),
        ]

    def test_places_behind_the_first_are_not_shown_and_stay_behind(self):
        judge = Judge(backwards)
        reranked = rerank("q", STANDINGS, lambda each: each.id, judge, 3)
        assert judge.shown == [("q", ["0", "1", "2"])]
        assert [each.id for each in reranked.standings] == ["2", "1", "0", "3", "4", "5"]
        assert reranked.judged == 3

    def test_one_place_has_no_order_and_costs_no_call(self):
        judge = Judge(backwards)
        assert rerank("q", STANDINGS[:1], lambda each: each.id, judge, 30).standings == STANDINGS[:1]
        assert rerank("q", [], lambda each: each.id, judge, 30).notes == ()
        assert judge.shown == []

    @given(st.lists(st.none() | st.floats(-100, 100), min_size=6, max_size=6), st.integers(2, 8))
    def test_nothing_is_lost_nothing_is_twice_and_scores_fall(self, scores, top_n):
        reranked = rerank("q", STANDINGS, lambda each: each.id, Judge(lambda texts: scores[: len(texts)]), top_n)
        assert sorted(each.id for each in reranked.standings) == [each.id for each in STANDINGS]
        found = [each.score for each in reranked.standings]
        assert found == sorted(found, reverse=True)
        assert bool(reranked.notes) == (reranked.judged == 0)


class TestASearch:
    @pytest.mark.parametrize("method", METHODS)
    def test_its_places_come_in_the_reranker_s_order(self, method):
        before = searching(None).search(BOAT, method, MINE, 5)
        judge = Judge(backwards)
        found = searching(judge).search(BOAT, method, MINE, 5)
        places = len(before.ranked())
        assert places > 1
        assert order(found) == order(before)[::-1]
        assert [item.rank for item in found.ranked()] == [place + 1 for place in range(places)]
        assert [item.score for item in found.ranked()] == pytest.approx([place / places for place in reversed(range(places))])
        assert found.metrics.reranked == places
        assert judge.shown[0][0] == BOAT

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(
        "error",
        [ModelTimeout("late"), ModelRateLimited("429"), ModelMalformed("prose"), ModelRefused("401"), ModelError("down")],
    )
    def test_a_reranker_that_fails_leaves_the_order_as_it_was_and_a_note(self, method, error):
        before = searching(None).search(BOAT, method, MINE)
        found = searching(raising(error)).search(BOAT, method, MINE, explain=True)
        assert [(item.id, item.score, item.rank) for item in found.ranked()] == [
            (item.id, item.score, item.rank) for item in before.ranked()
        ]
        assert found.query.notes == (*before.query.notes, f"rerank off: the reranker did not answer ({error})")
        assert found.metrics.reranked == 0
        assert "rerank" not in {step.stage for step in found.trace}

    def test_a_reranker_that_scores_nothing_leaves_a_note(self):
        found = searching(Judge(lambda texts: [None] * len(texts))).search(BOAT, "hybrid", MINE)
        assert found.query.notes[-1] == "rerank off: the reranker scored nothing"

    def test_the_trace_tells_of_every_place_that_was_judged(self):
        before = searching(None).search(BOAT, "hybrid", MINE, 3)
        found = searching(Judge(backwards)).search(BOAT, "hybrid", MINE, 3, explain=True)
        steps = [step for step in found.trace if step.stage == "rerank"]
        assert [step.id for step in steps] == order(before)[::-1]
        assert [step.reason for step in steps] == ["place 1, before 3", "place 2, before 2", "place 3, before 1"]
        assert [step.score for step in steps] == pytest.approx([2 / 3, 1 / 3, 0.0])

    def test_what_came_before_is_told_as_it_was(self):
        before = searching(None).search(BOAT, "hybrid", MINE, 3, explain=True)
        found = searching(Judge(backwards)).search(BOAT, "hybrid", MINE, 3, explain=True)
        assert tuple(step for step in found.trace if step.stage != "rerank") == before.trace

    def test_only_the_first_places_are_judged(self):
        judge = Judge(backwards)
        found = searching(judge, rerank={"top_n": 2}).search(BOAT, "hybrid", MINE, 6)
        before = order(searching(None).search(BOAT, "hybrid", MINE, 6))
        assert len(judge.shown[0][1]) == 2
        assert order(found) == [before[1], before[0], *before[2:]]

    @pytest.mark.parametrize("method", METHODS)
    def test_what_superseded_another_still_stands_before_it(self, method):
        judge = Judge(lambda texts: [1.0 if "shipyard" in text else 0.1 for text in texts])
        found = searching(judge, *career()).search("Where does Jonas work?", method, MINE)
        texts = [item.text for item in found.ranked()]
        now = next(place for place, text in enumerate(texts) if "observatory" in text or "News" in text)
        then = next(place for place, text in enumerate(texts) if "shipyard" in text or "Summer work" in text)
        assert now < then

    def test_nobody_s_memory_is_shown_but_the_owner_s(self):
        judge = Judge(backwards)
        searching(judge).search("harbour boat oven release", "hybrid", {"group_id": "team", "knowledge": False}, 50)
        assert not any("Maya" in text for _, texts in judge.shown for text in texts)

    def test_nothing_is_judged_by_default(self):
        found = searching(None).search(BOAT, "hybrid", MINE)
        assert (found.metrics.reranked, found.metrics.rerank_milliseconds) == (0, 0.0)

    def test_closing_the_memories_closes_the_reranker(self):
        judge = Judge(backwards)
        searching(judge).close()
        assert judge.is_closed


class TestPassages:
    def test_a_statement_has_its_day_and_until_when_it_held(self):
        first, now = [row for row in career() if row.kind == "fact"]
        assert passage(first) == (f"{first.at:%Y-%m-%d}: Jonas said that I work at the shipyard now (until {now.at:%Y-%m-%d})")
        assert passage(now) == f"{now.at:%Y-%m-%d}: Jonas said that I have signed at the observatory"
        assert (now.at - world.START).days == OBSERVATORY

    def test_every_kind_that_can_hold_a_place_is_one_line(self):
        rows = [
            *world.conversation(MAYA, "harbour", "Rowing\nclub", [("Maya", "two\r\nlines\u2028three\x85four")]),
            *[row for row in world.others() if row.kind in ("profile", "foresight")],
            world.skill(),
        ]
        assert {row.kind for row in rows} == {"message", "episode", "fact", "profile", "foresight", "skill"}
        for row in rows:
            assert len(passage(row).splitlines()) == 1

    def test_a_long_text_is_cut(self):
        [said] = world.messages(MAYA, "long", [("Maya", "word " * 10_000)])
        assert len(passage(said)) == LONGEST


class TestTheSettings:
    def test_it_is_off_by_default(self):
        assert open_reranker(load_settings({})) is None

    def test_an_endpoint_reranks_a_search(self, model_server: ModelServer):
        settings = load_settings({}, rerank={"provider": "endpoint", "base_url": model_server.url, "style": "tei"})
        reranker = open_reranker(settings)
        assert isinstance(reranker, RerankEndpoint)
        with Memories(filled(), WordEmbedder(), settings, clock=lambda: NOW, reranker=reranker) as memories:
            found = memories.search("Who paid four hundred euros for the boat shed?", "hybrid", MINE)
            assert "four hundred euros" in found.ranked()[0].text
            assert found.metrics.reranked > 2
            assert found.metrics.rerank_milliseconds > 0
            model_server.script(*[Fault("error")] * 5)
            assert memories.search(BOAT, "hybrid", MINE).metrics.reranked == 0

    def test_a_model_reranks_a_search(self, model_server: ModelServer):
        model_server.answer = lambda schema, user: {"ratings": [{"index": 1, "score": 9}]}
        models = {"provider": "openai", "base_url": model_server.url}
        reranker = open_reranker(load_settings({}, rerank={"provider": "model"}, models=models))
        assert isinstance(reranker, ModelReranker)
        before = order(searching(None).search(BOAT, "hybrid", MINE))
        with Memories(filled(), WordEmbedder(), load_settings({}), clock=lambda: NOW, reranker=reranker) as memories:
            found = memories.search(BOAT, "hybrid", MINE)
        assert order(found) == [before[1], before[0], *before[2:]]
        assert found.ranked()[0].score == 0.9

    def test_a_provider_without_what_it_needs_is_refused_by_the_name_of_the_setting(self):
        with pytest.raises(SettingsError, match="MNEME_RERANK__BASE_URL"):
            open_reranker(load_settings({}, rerank={"provider": "endpoint"}))
        with pytest.raises(SettingsError, match="MNEME_MODELS__PROVIDER"):
            open_reranker(load_settings({}, rerank={"provider": "model"}))
