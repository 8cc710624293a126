"""A search as of a time in the past finds what was known then, and nothing that was said or changed later."""

from datetime import timedelta

import pytest

from mneme.records import Mention, Validity
from mneme.rows import Embedding, Row, row_of
from tests.queries.world import (
    MAYA,
    OBSERVATORY,
    SHIPYARD,
    START,
    WEEK,
    career,
    conversation,
    edge,
    entity,
    filled,
    foresight,
    line,
    memories,
    mention,
    messages,
    portrait,
    vector_of,
    with_validity,
)

METHODS = ("keyword", "vector", "hybrid")


def as_of(day: float, **others: object) -> dict[str, object]:
    return {"user_id": "maya", "as_of": START + timedelta(days=day), "knowledge": False} | others


class TestFacts:
    @pytest.mark.parametrize("method", METHODS)
    def test_what_was_said_later_is_not_found(self, method):
        found = memories(filled(*career())).search("Does Jonas work at the shipyard?", method, as_of(WEEK + 1), 40)
        conversations = {each.conversation_id for each in found.episodes}
        assert "pier" in conversations
        assert "call" not in conversations

    def test_nothing_is_known_of_what_ended_it_later(self):
        found = memories(filled(*career())).search("Does Jonas work at the shipyard?", filters=as_of(WEEK + 1))
        fact = next(fact for fact in found.facts if "shipyard" in fact.atomic_fact)
        assert (fact.valid_to, fact.superseded_by) == (None, None)

    def test_repetitions_are_not_told(self):
        found = memories(filled(*career())).search("Does Jonas work at the shipyard?", filters=as_of(SHIPYARD + 1))
        fact = next(fact for fact in found.facts if "shipyard" in fact.atomic_fact)
        assert (fact.times_said, fact.said_in) == (1, fact.message_ids)
        assert found.metrics.round_trips <= 3

    def test_what_held_no_more_then_is_left_out(self):
        found = memories(filled(*career())).search("Does Jonas work at the shipyard?", filters=as_of(OBSERVATORY + 1), top_k=40)
        assert not any("shipyard now" in fact.atomic_fact for fact in found.facts)
        assert any("observatory" in fact.atomic_fact for fact in found.facts)

    @pytest.mark.parametrize("method", METHODS)
    def test_an_episode_that_went_on_then_is_known_by_its_messages_only(self, method):
        lines = [("Jonas", "the lighthouse lamp flickers"), ("Jonas", "the lighthouse lamp burns again")]
        rows = filled(*conversation(MAYA, "lamp", "Lighthouse lamp", lines, day=60, first=200))
        between = (60 * 24 * 60 + 200.5) / (24 * 60)
        found = memories(rows).search("lighthouse lamp", method, as_of(between), 5)
        assert [each.text for each in found.raw_messages] == ["the lighthouse lamp flickers"]
        assert "lamp" not in {each.conversation_id for each in found.episodes}

    def test_the_earlier_of_before_and_as_of_counts(self):
        filters = as_of(OBSERVATORY + 1, before=START + timedelta(days=SHIPYARD))
        found = memories(filled(*career())).search("Jonas shipyard observatory", filters=filters, top_k=40)
        assert not {"pier", "pub", "call"} & {each.conversation_id for each in found.episodes}

    def test_the_response_repeats_it(self):
        query = memories(filled()).search("boat", filters=as_of(1)).query
        assert query.filters_applied["as_of"] == "2026-03-03T09:00:00Z"


class TestForesights:
    QUESTION = "When will Ravi repaint the lighthouse?"

    def found(self, row: Row, **filters: object) -> list[str]:
        response = memories(filled(row)).search(self.QUESTION, filters={"user_id": "maya"} | filters, top_k=40)
        return [each.statement for each in response.foresights if "Ravi" in each.statement]

    @pytest.mark.parametrize(
        ("fields", "open_until"),
        [
            ({"start": START + timedelta(days=20), "end": START + timedelta(days=25)}, 25),
            ({"end": START + timedelta(days=25)}, 25),
            ({"start": START + timedelta(days=20)}, 21),
            ({}, 10 + 180),
        ],
    )
    def test_it_is_expected_until_it_is_over(self, fields, open_until):
        row = foresight("Ravi will repaint the lighthouse", day=10, **fields)
        assert self.found(row, as_of=START + timedelta(days=open_until, minutes=-1))
        assert not self.found(row, as_of=START + timedelta(days=open_until))

    def test_what_is_over_now_is_found_only_when_it_is_asked_for(self):
        row = foresight("Ravi will repaint the lighthouse", end=START + timedelta(days=5))
        assert self.found(row) == []
        assert self.found(row, expired=True) == ["Ravi will repaint the lighthouse"]
        response = memories(filled(row)).search(self.QUESTION, filters={"user_id": "maya", "expired": True}, top_k=40)
        assert [each.expired for each in response.foresights if "Ravi" in each.statement] == [True]

    def test_how_long_an_open_plan_is_expected_is_a_setting(self):
        row = foresight("Ravi will repaint the lighthouse", day=100)
        search = memories(filled(row), open_foresight_days=10).search
        assert not any("Ravi" in each.statement for each in search(self.QUESTION, filters={"user_id": "maya"}).foresights)

    def test_what_was_cancelled_is_no_longer_expected_from_then_on(self):
        row = foresight("Ravi will repaint the lighthouse", end=START + timedelta(days=300))
        row = with_validity(row, valid_to=START + timedelta(days=30), superseded_by="default/x/1/f/0")
        assert self.found(row) == []
        assert self.found(row, expired=True)
        assert self.found(row, as_of=START + timedelta(days=29))
        assert self.found(row, as_of=START + timedelta(days=31)) == []
        assert self.found(row, as_of=START + timedelta(days=31), expired=True)

    def test_what_was_not_said_yet_was_not_expected(self):
        row = foresight("Ravi will repaint the lighthouse", day=10)
        assert self.found(row, as_of=START + timedelta(days=9)) == []
        assert self.found(row, as_of=START + timedelta(days=9), expired=True) == []


def on(text: str, day: int) -> Mention:
    return mention(f"e{day}", f"m{day}", text=text, day=day)


class TestAggregates:
    def test_an_entity_is_told_from_what_was_said_by_then(self):
        said = (on("Ravi paints.", 5), on("Ravi sails.", 50))
        search = memories(filled(row_of(entity("Ravi", summary="Ravi paints and sails.", mentions=said)))).search
        assert search("Who is Ravi?", filters={"user_id": "maya"}).graph.entities[0].summary == "Ravi paints and sails."
        (then,) = search("Who is Ravi?", filters=as_of(10)).graph.entities
        assert (then.summary, then.mentions) == ("Ravi paints.", 1)
        assert search("Who is Ravi?", filters=as_of(4)).graph.entities == ()

    def test_a_relationship_that_ended_later_held_then(self):
        end = START + timedelta(days=50)
        home = edge("Ravi", "lives_in", "Ghent", on("Ravi lives in Ghent", 5), validity=Validity(valid_to=end))
        search = memories(filled(row_of(entity("Ravi", mentions=[on("Ravi paints.", 5)])), row_of(home))).search
        assert [each.valid_to for each in search("Where is Ravi?", filters=as_of(10)).graph.relationships] == [None]
        assert search("Where is Ravi?", filters=as_of(51)).graph.relationships == ()
        now = search("Where is Ravi?", filters={"user_id": "maya"}).graph.relationships
        assert [each.valid_to for each in now] == [end]

    def test_a_portrait_has_the_lines_that_were_shown_by_then(self):
        again, late = line("Maya likes kites", on("a", 5), on("c", 50)), line("Maya likes drums", on("b", 50))
        profile = portrait(again, late, evidence=(again, late))
        search = memories(filled(row_of(profile, Embedding(vector_of("Maya likes kites and drums"))))).search
        (then,) = search("What does Maya like, kites?", "vector", as_of(10), 40).profiles
        assert [(each.statement, len(each.evidence)) for each in then.explicit] == [("Maya likes kites", 1)]
        assert search("What does Maya like, kites?", "vector", as_of(4), 40).profiles == ()


def test_a_message_of_then_is_found_and_a_later_one_not():
    rows = messages(MAYA, "attic", [("Jonas", "the attic smells of apples"), ("Jonas", "the attic is empty")], 70, first=1)
    found = memories(filled(*rows)).search("attic", filters=as_of((70 * 24 * 60 + 1.5) / (24 * 60)))
    assert [each.text for each in found.raw_messages] == ["the attic smells of apples"]
