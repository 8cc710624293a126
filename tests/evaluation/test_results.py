"""Which messages a response stands for."""

from datetime import UTC, datetime

from evaluation.metrics import distinct_messages
from evaluation.results import ranked_results
from queries.responses import FoundEpisode, FoundFact, FoundMessage, Metrics, QueryEcho, SearchResponse

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
