"""The history of a person or a thing: everything that was said of it, and what became of it."""

from datetime import timedelta
from typing import Any

import pytest

from mneme.errors import InputError
from mneme.records import Mention, Validity
from mneme.rows import Row, row_of
from queries.browsing import history as reading
from queries.browsing.responses import History
from tests.queries.world import (
    MAYA,
    OBSERVATORY,
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
    portrait,
    with_validity,
)

MINE = {"user_id": "maya"}


def told(asked: str, *rows: Row, **filters: Any) -> History:
    return memories(filled(*rows)).history(asked, MINE | filters)


def texts(history: History) -> list[str]:
    return [fact.text for fact in history.facts]


def on(day: int) -> Any:
    return START + timedelta(days=day)


def said(text: str, day: int) -> Mention:
    return mention(f"e{day}", text=text, day=day)


class TestFacts:
    def test_what_superseded_what_and_when_is_told_from_both_sides(self):
        history = told("Jonas", *career())
        work = next(fact for fact in history.facts if "work at the shipyard" in fact.text)
        news = next(fact for fact in history.facts if "observatory" in fact.text)
        assert work.valid_to == news.said_at
        assert work.superseded_by is not None
        assert (work.superseded_by.id, work.superseded_by.text, work.superseded_by.said_at) == (
            news.id,
            news.text,
            news.said_at,
        )
        assert [older.id for older in news.supersedes] == [work.id]

    def test_repetitions_are_counted_and_not_listed(self):
        history = told("Jonas", *career())
        work = [fact for fact in history.facts if "shipyard" in fact.text]
        assert [(fact.times_said, fact.message_ids) for fact in work] == [(2, ("m110", "m120"))]

    def test_they_are_in_the_order_in_which_it_happened(self):
        rows = career()
        plan = conversation(MAYA, "plan", "Youth", [("Ines", "Jonas sailed to Bergen as a boy")], day=60)
        record = plan[-1].record().model_copy(update={"event_at": on(-9000)})
        history = told("Jonas", *rows, *plan[:-1], row_of(record, plan[-1].embedding))
        assert "Bergen" in history.facts[0].text
        assert [fact.at for fact in history.facts] == sorted(fact.at for fact in history.facts)

    def test_what_superseded_is_told_although_it_names_somebody_else(self):
        older, newer = (conversation(MAYA, f"c{day}", "x", [("Ines", text)], day=day)[-1] for day, text in ((1, "a"), (2, "b")))
        older = row_of(older.record().model_copy(update={"atomic_fact": "Oskar leads the choir"}), older.embedding)
        newer = row_of(newer.record().model_copy(update={"atomic_fact": "Ines leads the choir"}), newer.embedding)
        (fact,) = told("Oskar", newer, with_validity(older, valid_to=newer.at, superseded_by=newer.id)).facts
        assert fact.superseded_by is not None
        assert fact.superseded_by.text == "Ines leads the choir"

    def test_a_name_is_no_part_of_another_word(self):
        rows = conversation(MAYA, "garden", "Garden", [("Ines", "the tomato grows"), ("Ines", "Tom waters it")], day=9)
        assert texts(told("Tom", *rows)) == ["Ines said that Tom waters it"]

    def test_all_its_names_are_looked_for(self):
        rows = conversation(MAYA, "row", "Row", [("Ines", "Annie rows"), ("Ines", "Ann Miller sails")], day=9)
        history = told("annie", *rows, row_of(entity("Ann Miller", "Annie", summary="She rows.")))
        assert texts(history) == ["Ines said that Annie rows", "Ines said that Ann Miller sails"]
        assert (history.name, history.names, history.summary) == ("Ann Miller", ("Ann Miller", "Annie"), "She rows.")

    def test_a_name_that_is_a_stop_word_is_found_too(self):
        rows = conversation(MAYA, "will", "Will", [("Ines", "we gave Will the keys"), ("Ines", "we will see")], day=9)
        assert texts(told("Will", *rows, row_of(entity("Will")))) == ["Ines said that we gave Will the keys"]

    def test_chinese_names_are_found(self):
        rows = conversation(MAYA, "tea", "茶馆", [("小雨", "林晓雨开了一家茶馆"), ("小雨", "今天下雨了")], day=9)
        assert len(told("晓雨", *rows, row_of(entity("林晓雨"))).facts) == 1

    def test_nobody_sees_the_memory_of_another_owner(self):
        found = memories(filled(*career())).history("Jonas", {"group_id": "team"})
        assert found.timeline() == ()

    def test_filters_choose_what_was_said(self):
        assert {fact.conversation_id for fact in told("Jonas", *career(), conversation_id="pier").facts} == {"pier"}

    def test_what_is_too_much_is_said(self, monkeypatch):
        monkeypatch.setattr(reading, "MOST_STATEMENTS", 2)
        assert told("Jonas", *career()).notes == ("there is more: only 2 facts were looked at",)

    def test_a_name_without_a_word_is_refused(self):
        with pytest.raises(InputError, match="entity: there is no word in it"):
            told("?!")


class TestAsOf:
    def test_the_history_ends_then(self):
        history = told("Jonas", *career(), as_of=on(WEEK))
        work = next(fact for fact in history.facts if "shipyard" in fact.text)
        assert (work.valid_to, work.superseded_by, work.times_said, work.message_ids) == (None, None, 1, ("m110",))
        assert not any("observatory" in text for text in texts(history))

    def test_what_had_ended_by_then_is_part_of_it(self):
        work = next(fact for fact in told("Jonas", *career(), as_of=on(OBSERVATORY + 1)).facts if "shipyard" in fact.text)
        assert work.superseded_by is not None


class TestOtherKinds:
    def test_expectations_are_told_with_what_became_of_them(self):
        over = foresight("Oskar sings on Friday", day=1, start=on(4), end=on(5))
        cancelled = with_validity(
            foresight("Oskar sings in June", day=2), valid_to=on(20), superseded_by=foresight("No choir", 3).id
        )
        ahead = foresight("Oskar sings at Christmas", day=3, start=on(290), end=on(291))
        history = told("Oskar", over, cancelled, ahead, foresight("No choir", 3))
        told_of = [(each.text, each.expired, each.valid_to) for each in history.foresights]
        assert told_of == [
            ("Oskar sings on Friday", True, None),
            ("Oskar sings in June", True, on(20)),
            ("Oskar sings at Christmas", False, None),
        ]
        assert history.foresights[1].superseded_by is not None
        assert history.foresights[1].superseded_by.text == "No choir"

    def test_an_expectation_that_a_fact_tells_too_is_not_in_the_timeline_twice(self):
        rows = conversation(MAYA, "plans", "Choir", [("Oskar", "Oskar sings on Friday")], day=1)
        fact = rows[-1]
        same = foresight("Oskar sings on Friday", day=1, parent_episode_id=fact.parent_id, message_ids=fact.message_ids)
        history = told("Oskar", *rows, same)
        assert [each.told_as_fact for each in history.foresights] == [True]
        assert len(history.timeline()) == 1

    def test_relationships_are_told_with_their_dates_and_ends(self):
        left = {"date": on(-400), "validity": Validity(valid_to=on(9))}
        works = edge("Oskar", "works_at", "Opera", said("Oskar works at the Opera", 1), said("Oskar left it", 9), **left)
        for name in ("Oskar", "opera"):
            (told_of,) = told(name, *map(row_of, (works, entity("Oskar"), entity("Opera")))).relationships
            ends = (told_of.source, told_of.relation, told_of.target)
            assert (ends, told_of.date, told_of.valid_to) == (("Oskar", "works_at", "Opera"), on(-400), on(9))

    def test_a_relationship_that_was_told_by_two_names_is_told_once(self):
        edges = [edge(name, "works_at", "Opera", said("At the Opera", at)) for at, name in enumerate(("Oskar", "Oskar Lind"))]
        (told_of,) = told("Oskar", *map(row_of, (*edges, entity("Oskar Lind", "Oskar"), entity("Opera")))).relationships
        assert (told_of.source, told_of.target, len(told_of.mentions)) == ("Oskar Lind", "Opera", 2)

    def test_lines_of_the_portrait_come_with_their_evidence(self):
        likes, gone = line("Oskar likes choirs", said("a", 1), said("b", 5)), line("Oskar likes drums", said("c", 2))
        history = told("Oskar", row_of(portrait(likes, evidence=(likes, gone))))
        assert [(each.statement, each.holds, len(each.evidence)) for each in history.profile] == [
            ("Oskar likes choirs", True, 2),
            ("Oskar likes drums", False, 1),
        ]

    def test_what_began_later_is_not_in_the_time_that_is_asked_for(self):
        profile = row_of(portrait(line("Oskar likes choirs", said("a", 5))))
        assert told("Oskar", profile, before=on(3)).profile == ()
        assert len(told("Oskar", profile, before=on(9)).profile) == 1
        assert told("Oskar", profile, conversation_id="pier").profile == ()

    @pytest.mark.parametrize("filters", [{"since": on(1)}, {"conversation_id": "pier"}, {"participants": ["Oskar"]}])
    def test_what_is_made_from_everything_refuses_to_leave_some_out(self, filters):
        asked = memories(filled(*career()))
        with pytest.raises(InputError, match=f"filters: {next(iter(filters))} are for a search; a portrait is made"):
            asked.portrait({"user_id": "maya", **filters})
        with pytest.raises(InputError, match="the graph is made from everything of an owner"):
            asked.graph("Oskar", {"user_id": "maya", **filters})

    def test_all_kinds_stand_in_one_timeline(self):
        rows = [*career(), foresight("Jonas comes home", day=12, start=on(15), end=on(16))]
        timeline = told("Jonas", *rows).timeline()
        assert [each.at for each in timeline] == sorted(each.at for each in timeline)
        assert {type(each).__name__ for each in timeline} == {"HistoryFact", "HistoryForesight", "HistoryRelationship"}


def test_an_entity_nobody_spoke_of_has_no_history():
    history = told("Nobody")
    assert history.timeline() == ()
    assert (history.name, history.type) == ("Nobody", "")


def test_what_says_a_line_of_the_portrait_in_other_words_is_part_of_it():
    first, again = said("Oskar likes choirs", 1), said("Oskar loves choirs", 5)
    evidence = tuple(line(each.text, each) for each in (first, again))
    profile = row_of(portrait(line(again.text, first, again), evidence=evidence))
    assert [(each.statement, len(each.evidence)) for each in told("Oskar", profile).profile] == [("Oskar loves choirs", 2)]
