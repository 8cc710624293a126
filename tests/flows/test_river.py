"""The steps together: what must hold whatever arrives, in whatever order, and whenever the process dies."""

from dataclasses import replace
from datetime import timedelta

import pytest

from flows.cuts import Verdict
from flows.items import Pause
from mneme.errors import ModelTimeout
from mneme.records import Episode
from mneme.rows import Collection, Key, flush_marker
from tests.flows.river import START, CutOnWord, OneFactEach, River, at_once, embed, episodes, message
from tests.memory_index_reference import ReferenceIndex

PAUSE = Pause("default/talk", "flush", tenant_id="default")


def river(**settings: object) -> River:
    return River(ReferenceIndex(), **settings)  # type: ignore[arg-type]


def test_a_message_is_in_the_index_the_moment_it_arrives() -> None:
    never: list[object] = []
    flow = River(ReferenceIndex(), submit=lambda call: _Never(never, call))  # type: ignore[arg-type, return-value]
    flow.feed(message(0, "hello"))
    stored = flow.index.get([Key(Collection.MESSAGES, "default/user/ann", "default/talk/m000")], with_vectors=True)
    assert [row.vector for row in stored.values()] == [None]


def test_what_is_on_its_way_when_the_process_dies_is_read_again_from_the_index() -> None:
    index = ReferenceIndex()
    flow = River(index, submit=lambda call: _Never([], call))  # type: ignore[arg-type, return-value]
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
    marker = flush_marker("default", "f1", START).key
    assert marker in flow.index.get([marker])
    assert episodes(flow.index) == [("m000",)]


def test_a_flush_of_an_unknown_conversation_is_answered_too() -> None:
    flow = river()
    flow.feed(Pause("default/nobody", "flush", tenant_id="default", flush_id="f2"))
    marker = flush_marker("default", "f2", START).key
    assert marker in flow.index.get([marker])


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


def test_a_conversation_keeps_the_owner_of_its_first_message() -> None:
    flow = river()
    flow.feed(message(0, "mine"), message(1, "yours?", user_id="eve"))
    flow.epoch()
    flow.crash()
    flow.feed(message(2, "still mine", user_id="eve"))
    flow.end()
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"ann"}


def test_an_episode_survives_a_model_that_fails_and_leaves_a_dead_letter() -> None:
    class Failing(OneFactEach):
        name = "gpt"
        calls_a_model = True

        def extract(self, cut):  # type: ignore[no-untyped-def]
            raise ModelTimeout("no answer within 60 s")

    flow = river(extractor=Failing())
    flow.feed(message(0, "coffee"))
    flow.end()
    [row] = flow.index.scan(Collection.EPISODES)
    episode = row.record()
    assert isinstance(episode, Episode)
    assert (episode.extractor, len(episode.fact_ids)) == ("test", 1)
    assert [(letter.stage, letter.reason) for letter in flow.letters.letters] == [
        ("extract", "ModelTimeout: no answer within 60 s")
    ]


def test_a_defect_in_an_extractor_costs_one_episode_its_depth_and_nothing_else() -> None:
    class Defective(OneFactEach):
        def extract(self, cut):  # type: ignore[no-untyped-def]
            raise ZeroDivisionError("oops")

    flow = river(extractor=Defective())
    flow.feed(message(0, "coffee", conversation="a"), message(1, "tea", conversation="b"))
    flow.end()
    assert len(episodes(flow.index)) == 2
    assert all("ZeroDivisionError" in letter.reason for letter in flow.letters.letters)


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


def test_an_episode_shown_in_a_pause_is_taken_back_when_it_turns_out_not_to_begin_there() -> None:
    class OnlyIfFollowedBy(CutOnWord):
        """A boundary only if the next message does not take it back: without look-ahead it seems to be one."""

        def judge(self, context, judged, ahead):  # type: ignore[no-untyped-def]
            if ahead and "never mind" in ahead[0].message.text:
                return Verdict()
            return super().judge(context, judged, ahead)

    flow = River(ReferenceIndex(), detector=OnlyIfFollowedBy())
    flow.feed(message(0, "coffee"), message(1, "NEW things"), PAUSE)
    assert episodes(flow.index) == [("m000",), ("m001",)]
    flow.feed(message(2, "never mind"))
    flow.end()
    assert episodes(flow.index) == [("m000", "m001", "m002")]
    assert flow.index.count(Collection.FACTS) == 3


def test_a_late_message_is_kept_in_the_open_episode() -> None:
    flow = river()
    flow.feed(message(0, "coffee"), message(1, "tea"), message(2, "NEW"), message(3, "rain"), message(4, "sun"))
    flow.feed(message(9, "late", after=30))
    flow.end()
    assert sorted(identity for episode in episodes(flow.index) for identity in episode) == [
        "m000",
        "m001",
        "m002",
        "m003",
        "m004",
        "m009",
    ]


def test_time_alone_releases_what_is_held_back() -> None:
    flow = river(hold_back_seconds=60.0)
    flow.feed(message(0, "coffee"), message(1, "tea", after=1), message(2, "NEW", after=2), message(3, "sun", after=3))
    assert episodes(flow.index) == []
    flow.wait(61)
    assert episodes(flow.index) == [("m000", "m001")]
    assert flow.now - START >= timedelta(seconds=60)


class _Never:
    """A future that is never done."""

    def __init__(self, kept: list[object], call: object) -> None:
        kept.append(call)

    def done(self) -> bool:
        return False
