"""Metrics, against values computed by hand."""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics import (
    Result,
    distinct_messages,
    hit_at,
    ndcg_at,
    ranked_results,
    recall_at,
    recall_within_tokens,
    reciprocal_rank,
    session_hit_at,
    tokens_for_messages,
)
from queries.responses import FoundEpisode, FoundFact, FoundMessage, Metrics, QueryEcho, SearchResponse

RANKED = ["m1", "m2", "m3", "m4", "m5"]


def result(*messages: str, tokens: int = 10, covered: set[str] | None = None) -> Result:
    return Result(messages, frozenset(messages if covered is None else covered), tokens)


def test_messages_count_once_where_they_first_appear():
    assert distinct_messages([result("a", "b"), result("b", "c"), result(), result("a")]) == ["a", "b", "c"]


def test_recall_is_the_share_of_the_evidence_among_the_first_k():
    assert recall_at(RANKED, {"m2", "m5", "elsewhere"}, 4) == pytest.approx(1 / 3)
    assert recall_at(RANKED, {"m2", "m5", "elsewhere"}, 5) == pytest.approx(2 / 3)
    assert recall_at([], {"m1"}, 5) == 0.0


def test_a_hit_is_any_evidence_among_the_first_k():
    assert [hit_at(RANKED, {"m3", "m4"}, k) for k in (2, 3)] == [0.0, 1.0]


def test_a_session_is_hit_when_any_of_its_messages_stands_for_it_among_the_first_k_sessions():
    ranked = ["S1:4", "S1:2", "S7:0", "S3:9"]
    assert [session_hit_at(ranked, {"S3:1", "S8:0"}, k) for k in (2, 3)] == [0.0, 1.0]


def test_the_reciprocal_rank_is_that_of_the_first_evidence():
    assert reciprocal_rank(RANKED, {"m4", "m5"}) == 0.25
    assert reciprocal_rank(RANKED, {"elsewhere"}) == 0.0


def test_ndcg_discounts_by_the_logarithm_of_the_place():
    gain = 1 / math.log2(3) + 1 / math.log2(5)
    ideal = 1 + 1 / math.log2(3)
    assert ndcg_at(RANKED, {"m2", "m4"}, 5) == pytest.approx(gain / ideal)
    assert ndcg_at(RANKED, {"m2", "m4"}, 3) == pytest.approx((1 / math.log2(3)) / ideal)


def test_the_ideal_of_ndcg_holds_no_more_than_k():
    assert ndcg_at(["a", "b"], {"a", "b", "c"}, 2) == 1.0


@given(st.permutations([*"abcdefgh"]), st.sets(st.sampled_from("abcdefgh"), min_size=1), st.integers(1, 10))
def test_evidence_in_front_is_perfect_and_nothing_is_better(messages, evidence, k):
    in_front = sorted(messages, key=lambda message: message not in evidence)
    assert ndcg_at(in_front, evidence, k) == pytest.approx(1.0)
    assert 0.0 <= ndcg_at(messages, evidence, k) <= 1.0 + 1e-9


def test_a_token_budget_takes_texts_by_rank_and_skips_what_does_not_fit():
    results = [result("a", tokens=300), result("b", tokens=400), result("c", tokens=300)]
    assert recall_within_tokens(results, {"a", "b", "c"}, 600) == pytest.approx(2 / 3)


def test_a_narrative_covers_messages_that_its_facts_do_not_name():
    assert recall_within_tokens([result("a", covered={"a", "b"})], {"b"}, 10) == 1.0


def test_the_tokens_of_the_first_messages_stop_at_the_last_that_is_needed():
    results = [result("a", "b", tokens=5), result("b", tokens=7), result("c", tokens=11), result("d", tokens=13)]
    assert tokens_for_messages(results, 3) == 23
    assert tokens_for_messages(results, 2) == 5
    assert tokens_for_messages(results, 99) == 36


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def fact(id: str, rank: int | None, *messages: str) -> FoundFact:
    return FoundFact(
        id=id,
        score=0.5,
        rank=rank,
        atomic_fact="two words",
        topic_name="",
        parent_episode_id="e",
        message_ids=messages,
        said_at=NOON,
    )


def episode(rank: int | None, *facts: FoundFact, messages: tuple[str, ...] = ()) -> FoundEpisode:
    return FoundEpisode(
        id="e",
        score=0.5,
        rank=rank,
        subject="",
        summary="",
        episode="a narrative of five words",
        conversation_id="c",
        document_id=None,
        section=None,
        started_at=NOON,
        ended_at=NOON,
        participants=(),
        message_ids=messages,
        atomic_facts=facts,
    )


def response(**lists) -> SearchResponse:
    """A response whose facts with a rank stand by themselves too, as a hybrid search gives them."""
    lists["facts"] = [each for one in lists.get("episodes", ()) for each in one.atomic_facts if each.rank is not None]
    query = QueryEcho(text="?", method="hybrid", filters_applied={}, type="general", top_k=10)
    return SearchResponse(**lists, query=query, metrics=Metrics(milliseconds=1, round_trips=1, candidates={}, scoring=""))


def words(text: str) -> int:
    return len(text.split())


def test_a_fact_stands_for_every_message_that_says_it_its_own_first():
    repeated = fact("f1", 1, "m1").model_copy(update={"repeated_by": ("f7",), "also_said_in": ("m7", "m1")})
    (result,) = ranked_results(response(episodes=(episode(None, repeated),)), words)
    assert (result.messages, result.covered) == (("m1", "m7"), frozenset(("m1", "m7")))


def test_results_are_in_order_of_rank_over_all_types():
    found = response(
        episodes=(
            episode(None, fact("f1", 3, "m3"), fact("f2", 1, "m1"), fact("f3", None, "m9")),
            episode(2, fact("f4", None, "m5", "m4"), fact("f5", None, "m6"), messages=("m4", "m5", "m6", "m7")),
        ),
        raw_messages=(
            FoundMessage(
                id="m",
                score=0.1,
                rank=4,
                message_id="m8",
                conversation_id="c",
                sender_id="s",
                sender_name="S",
                text="just three words",
                sent_at=NOON,
            ),
        ),
    )
    results = ranked_results(found, words)
    assert [result.messages for result in results] == [("m1",), ("m5", "m4", "m6"), ("m3",), ("m8",)]
    assert [result.tokens for result in results] == [2, 5, 2, 3]
    assert distinct_messages(results) == ["m1", "m5", "m4", "m6", "m3", "m8"]


def test_the_text_of_an_episode_covers_all_its_messages():
    (result,) = ranked_results(response(episodes=(episode(1, messages=("m1", "m2")),)), words)
    assert result.messages == ()
    assert result.covered == {"m1", "m2"}
