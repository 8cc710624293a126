"""The steps together: what must hold whatever arrives, in whatever order, and whenever the process dies."""

from dataclasses import replace
from datetime import timedelta

import pytest

from evaluation.pools import at_once
from flows.items import Pause
from mneme.errors import ModelTimeout
from mneme.records import Episode
from mneme.rows import Collection, Key
from tests.flows.river import START, CutOnWord, Never, OneFactEach, River, embed, episodes, message
from tests.memory_index_reference import ReferenceIndex

PAUSE = Pause("default/talk", "flush", tenant_id="default")


def river(**settings: object) -> River:
    return River(ReferenceIndex(), **settings)  # type: ignore[arg-type]


def test_a_message_is_in_the_index_the_moment_it_arrives() -> None:
    flow = river(submit=Never)
    flow.feed(message(0, "hello"))
    stored = flow.index.get([Key(Collection.MESSAGES, "default/user/ann", "default/talk/m000")], with_vectors=True)
    assert [row.vector for row in stored.values()] == [None]


def test_what_is_on_its_way_when_the_process_dies_is_read_again_from_the_index() -> None:
    index = ReferenceIndex()
    flow = River(index, submit=Never)  # type: ignore[arg-type]
    flow.feed(message(0, "hello"), message(1, "world"))
    flow.epoch()
    assert flow.unfinished == 2
    flow._submit = at_once
    flow.crash()
    flow.end()
    assert episodes(index) == [("m000", "m001")]


def test_a_conversation_that_goes_idle_is_searchable_and_goes_on_under_its_id() -> None:
    flow = river(idle_seconds=300.0)
    flow.feed(message(0, "coffee"), message(1, "with Bob"))
    assert episodes(flow.index) == []
    flow.wait(301)
    assert episodes(flow.index) == [("m000", "m001")]
    [before] = flow.index.scan(Collection.EPISODES)
    flow.epoch()
    flow.crash()
    flow.feed(message(2, "and rain"), message(3, "NEW things"), message(4, "more"))
    [first] = [row for row in flow.index.scan(Collection.EPISODES) if row.id == before.id]
    assert first.body["message_ids"] == ["m000", "m001", "m002"]


def test_a_flush_is_answered_after_everything_before_it_is_searchable() -> None:
    flow = river(hold_back_seconds=60.0)
    flow.feed(message(0, "coffee"))
    flow.feed(Pause("default/talk", "flush", tenant_id="default", flush_id="f1"))
    assert flow.is_flushed("f1")
    assert episodes(flow.index) == [("m000",)]


def test_a_revision_replaces_the_facts_of_the_one_before() -> None:
    class FewerLater(OneFactEach):
        def extract(self, cut):  # type: ignore[no-untyped-def]
            extraction = super().extract(cut)
            kept = 2 if len(cut.utterances) < 3 else 1
            return replace(extraction, facts=extraction.facts[:kept], entities=extraction.entities[:kept])

    flow = river(extractor=FewerLater())
    flow.feed(message(0, "coffee with Bob"), message(1, "Paris calls"), PAUSE)
    assert flow.index.count(Collection.FACTS) == 2
    assert {row.body["name"] for row in flow.index.scan(Collection.GRAPH)} == {"Bob", "Paris"}
    flow.feed(message(2, "rain"))
    flow.end()
    assert flow.index.count(Collection.FACTS) == 1
    assert {row.body["name"] for row in flow.index.scan(Collection.GRAPH)} == {"Bob"}


def test_an_entity_gathers_what_several_conversations_of_one_owner_say() -> None:
    flow = river()
    flow.feed(message(0, "Bob bakes", conversation="a"), message(1, "Bob sings", conversation="b"))
    flow.feed(message(2, "Bob runs", conversation="c", user_id="eve"))
    flow.end()
    summaries = {(row.owner_id, row.body["summary"]) for row in flow.index.scan(Collection.GRAPH)}
    assert summaries == {("ann", "Bob in Bob bakes Bob in Bob sings"), ("eve", "Bob in Bob runs")}


@pytest.mark.parametrize("error", [ModelTimeout("no answer within 60 s"), ZeroDivisionError("a defect")], ids=str)
def test_an_episode_survives_an_extractor_that_fails_and_leaves_a_dead_letter(error: Exception) -> None:
    class Failing(OneFactEach):
        name = "gpt"
        calls_a_model = isinstance(error, ModelTimeout)

        def extract(self, cut):  # type: ignore[no-untyped-def]
            raise error

    flow = river(extractor=Failing())
    flow.feed(message(0, "coffee"))
    flow.end()
    [row] = flow.index.scan(Collection.EPISODES)
    episode = row.record()
    assert isinstance(episode, Episode)
    assert (episode.extractor, len(episode.fact_ids)) == ("test", 1)
    [letter] = flow.letters.letters
    assert (letter.stage, letter.reason.strip().splitlines()[-1]) == ("extract", f"{type(error).__name__}: {error}")


@pytest.mark.parametrize("sources", [(), (99,), (-1,)])
def test_a_fact_that_cites_no_message_costs_one_episode_its_depth_and_nothing_else(sources: tuple[int, ...]) -> None:
    class Citing(OneFactEach):
        def extract(self, cut):  # type: ignore[no-untyped-def]
            extraction = super().extract(cut)
            return replace(extraction, facts=(replace(extraction.facts[0], sources=sources, same_as_source=False),))

    flow = river(extractor=Citing())
    flow.feed(message(0, "coffee"))
    flow.end()
    assert episodes(flow.index) == [("m000",)]
    [letter] = flow.letters.letters
    assert "cites" in letter.reason


def test_a_defect_in_a_detector_that_calls_a_model_is_cut_without_it() -> None:
    class Defective(CutOnWord):
        window = 4
        calls_a_model = True

        def judge(self, context, judged, ahead):  # type: ignore[no-untyped-def]
            raise KeyError("lines")

    flow = river(detector=Defective())
    flow.feed(message(0, "coffee"), message(1, "NEW things"))
    flow.end()
    assert episodes(flow.index) == [("m000",), ("m001",)]


def test_a_model_that_is_down_is_waited_for() -> None:
    calls = iter([ModelTimeout("down"), ModelTimeout("down"), None])

    def embedding(texts: list[str]):  # type: ignore[no-untyped-def]
        error = next(calls, None)
        if error is not None:
            raise error
        return embed(texts)

    flow = River(ReferenceIndex(), embedding=embedding)
    flow.feed(message(0, "coffee"))
    assert flow.unfinished == 1
    flow.wait(30)
    assert flow.unfinished == 0
    flow.end()
    assert episodes(flow.index) == [("m000",)]


def test_an_episode_is_cut_by_tokens_before_it_grows_too_large() -> None:
    flow = river(max_tokens=40)
    flow.feed(*(message(number, "word " * 15) for number in range(5)))
    flow.end()
    assert [len(episode) for episode in episodes(flow.index)] == [2, 2, 1]


def test_time_alone_releases_what_is_held_back() -> None:
    flow = river(hold_back_seconds=60.0)
    flow.feed(message(0, "coffee"), message(1, "tea", after=1), message(2, "NEW", after=2), message(3, "sun", after=3))
    assert episodes(flow.index) == []
    flow.wait(61)
    assert episodes(flow.index) == [("m000", "m001")]
    assert flow.now - START >= timedelta(seconds=60)
