"""Histories and inspections in a terminal: what happened, in words, whatever the width and the language."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rich.cells import cell_len

from mneme.records import Citation, Mention
from queries.browsing.responses import (
    History,
    HistoryFact,
    HistoryForesight,
    HistoryLine,
    HistoryRelationship,
    InspectedCase,
    InspectedEntity,
    InspectedEpisode,
    InspectedMessage,
    InspectedRelationship,
    InspectedStatement,
    Inspection,
    Link,
)
from serving.terminal.history_view import history_view
from serving.terminal.inspection_view import inspection_view
from tests.serving.test_documents_view import listed
from tests.serving.test_rendering import printed

NOON = datetime(2025, 3, 14, 12, 1, tzinfo=UTC)


def days(number: int) -> timedelta:
    return timedelta(days=number)


def told(kind: type, text: str, **fields: Any) -> Any:
    statement = {
        "id": text,
        "text": text,
        "said_at": NOON,
        "conversation_id": "c",
        "document_id": None,
        "message_ids": ("m1",),
        "times_said": 1,
        "valid_from": None,
        "valid_to": None,
    }
    own = (
        {"topic_name": "t", "event_at": None, "event_until": None}
        if kind is HistoryFact
        else {"start": None, "end": None, "expired": False, "told_as_fact": False}
    )
    return kind(**(statement | own | fields))


def history(**lists: Any) -> History:
    empty: dict[str, Any] = dict.fromkeys(("facts", "foresights", "relationships", "profile"), ())
    who = {"asked": "ann", "name": "Ann Miller", "names": ("Ann Miller", "Annie"), "type": "person", "summary": "Ann sails."}
    return History(**(who | empty | lists))


class TestHistory:
    def test_it_begins_with_who_it_is(self) -> None:
        text = printed(history_view(history(others=("Ann Stone",), facts=(told(HistoryFact, "x"),))))
        assert "Ann Miller · person · also Annie" in text
        assert "may also mean: Ann Stone" in text
        assert "Ann sails." in text

    def test_what_stands_in_a_document_cites_file_and_page(self) -> None:
        citation = Citation(document_id="offer", name="offer.pdf", place="page 2")
        text = printed(history_view(history(facts=(told(HistoryFact, "a desk", document_id="offer", citation=citation),))))
        assert "offer.pdf · page 2" in text

    def test_what_became_of_a_fact_is_told_with_the_words_of_the_other(self) -> None:
        news = Link(id="n", text="Ann is at Stripe", said_at=NOON + days(9))
        old = Link(id="o", text="Ann was at school", said_at=NOON - days(9))
        fact = told(
            HistoryFact, "Ann is at Google", valid_to=NOON + days(9), superseded_by=news, supersedes=(old,), times_said=3
        )
        lines = [line.strip() for line in printed(history_view(history(facts=(fact,)))).splitlines()]
        assert "said 3 times" in lines
        assert "no longer so since 2025-03-23: Ann is at Stripe" in lines
        assert "instead of: Ann was at school (2025-03-05)" in lines

    def test_a_fact_with_nothing_to_add_is_one_line(self) -> None:
        lines = printed(history_view(history(facts=(told(HistoryFact, "Ann sails"),)))).splitlines()
        at = next(number for number, line in enumerate(lines) if "2025-03-14   Ann sails" in line)
        assert lines[at + 1].strip() == "1 fact"

    def test_when_it_was_said_is_told_where_it_happened_on_another_day(self) -> None:
        text = printed(history_view(history(facts=(told(HistoryFact, "Ann sailed", event_at=NOON - days(2)),))))
        assert "2025-03-12   Ann sailed" in text
        assert "said 2025-03-14" in text

    def test_what_lay_ahead_stands_where_it_was_said(self) -> None:
        fact = told(HistoryFact, "Ann sails in May", event_at=NOON + days(60))
        lines = [line.strip() for line in printed(history_view(history(facts=(fact,)))).splitlines()]
        assert "2025-03-14   Ann sails in May" in lines
        assert "for 2025-05-13" in lines

    def test_of_several_conversations_each_is_named(self) -> None:
        facts = (told(HistoryFact, "Ann sails"), told(HistoryFact, "Ann rows", conversation_id="d"))
        lines = [line.strip() for line in printed(history_view(history(facts=facts))).splitlines()]
        assert {"c", "d"} <= set(lines)

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"start": NOON + days(3)}, "expected, for 2025-03-17"),
            ({"start": NOON + days(3), "expired": True}, "expected, for 2025-03-17, over"),
            ({"start": NOON.replace(hour=0, minute=0), "end": NOON.replace(hour=0, minute=0) + days(1)}, "expected"),
            ({}, "expected, with no date"),
            ({"valid_to": NOON + days(1), "expired": True}, "no longer so since 2025-03-15"),
        ],
    )
    def test_what_is_expected_says_so(self, fields: dict[str, Any], words: str) -> None:
        lines = printed(history_view(history(foresights=(told(HistoryForesight, "Ann will sail", **fields),)))).splitlines()
        assert words in {line.strip() for line in lines}

    def test_edges_and_lines_say_how_often_they_were_shown(self) -> None:
        shown = tuple(Mention(episode_id="e", text="x", at=NOON, message_ids=(f"m{number}",)) for number in range(5))
        edge = HistoryRelationship(
            id="r",
            source="Ann",
            relation="works_at",
            target="Google",
            date=NOON - days(400),
            valid_to=NOON,
            mentions=shown[:1],
        )
        line = HistoryLine(
            about="Ann", statement="Ann likes wind", category="preference", implicit=True, holds=False, evidence=shown
        )
        text = printed(history_view(history(relationships=(edge,), profile=(line,))), 140)
        assert "2024-02-08   Ann — works at — Google" in text
        assert "relationship · said 1 time · no longer so since 2025-03-14" in text
        assert (
            "portrait · preference · shown rather than said · shown 5 times: m0, m1, m2 and 2 more · not in the portrait now"
            in text
        )

    def test_counts_and_notes_come_last(self) -> None:
        text = printed(history_view(history(facts=(told(HistoryFact, "x"), told(HistoryFact, "y")), notes=("only some",))))
        assert [line.rstrip() for line in text.splitlines()[-2:]] == ["2 facts", "note: only some"]

    def test_nobody_spoken_of_has_nothing(self) -> None:
        assert "nothing is remembered of it" in printed(history_view(history()))


def spoken(number: int, text: str, **fields: Any) -> InspectedMessage:
    at = NOON + timedelta(minutes=number)
    return InspectedMessage(
        message_id=f"m{number}", sender_name="林晓雨", role="user", sent_at=at, timezone="Asia/Shanghai", text=text, **fields
    )


def episode(**fields: Any) -> InspectedEpisode:
    stretch: dict[str, Any] = {
        "id": "e1",
        "subject": "项目时间表",
        "summary": "我们决定把发布改到八月八号。" * 6,
        "started_at": NOON,
        "ended_at": NOON + timedelta(minutes=5),
        "timezone": "Asia/Shanghai",
        "begins_because": (),
        "closed_by": "boundary",
        "provisional": False,
        "extractor": "local",
        "messages": (spoken(0, "发布改到八月八号。" * 12), spoken(1, "好。")),
    }
    return InspectedEpisode(**(stretch | fields))


def inspection(*episodes: InspectedEpisode, **fields: Any) -> Inspection:
    return Inspection(
        **({"conversation_id": "c", "document_id": None, "owner": "default/user/xiaoyu"} | fields), episodes=episodes
    )


class TestInspection:
    def test_the_cut_between_two_episodes_says_why(self) -> None:
        text = printed(inspection_view(inspection(episode(), episode(begins_because=("a long pause (0.93)",)))))
        assert text.index("1 · 项目时间表") < text.index("cut: a long pause (0.93)") < text.index("2 · 项目时间表")
        assert text.startswith("c · default/user/xiaoyu · 4 messages · 2 episodes · 0 open")

    def test_the_clock_is_that_of_its_speakers(self) -> None:
        text = printed(inspection_view(inspection(episode())))
        assert "2025-03-14 20:01–20:06 · 2 messages · closed by boundary · extracted by local" in text
        assert "20:02" in text

    def test_what_is_provisional_or_open_says_so(self) -> None:
        text = printed(inspection_view(inspection(episode(provisional=True), open=(spoken(7, "还没完"),))))
        assert "still open, shown as it stands" in text
        assert text.index("open: in no episode yet") < text.index("还没完")

    def test_edited_and_deleted_messages_are_marked(self) -> None:
        messages = (spoken(0, "改过", edited=True), spoken(1, "", deleted=True, edited=True))
        lines = [line.rstrip() for line in printed(inspection_view(inspection(episode(messages=messages)))).splitlines()]
        assert any(line.endswith("改过 (edited)") for line in lines)
        assert any(line.endswith("林晓雨 deleted") for line in lines)

    def test_the_tools_that_an_agent_called_are_named(self) -> None:
        text = printed(inspection_view(inspection(episode(messages=(spoken(0, "Looking", tools=("search", "open")),)))))
        assert "Looking [search, open]" in text

    def test_what_became_of_statements_is_told_in_words(self) -> None:
        def statement(text: str, **fields: Any) -> InspectedStatement:
            return InspectedStatement(id=text, text=text, message_ids=("m1",), said_at=NOON, **fields)

        facts = (
            statement("At Google", state="superseded", valid_to=NOON, superseded_by="At Stripe"),
            statement("At Stripe", times_said=2),
            statement("Still at Stripe", state="merged", merged_into="At Stripe"),
            statement("At sea", state="superseded", valid_to=NOON, superseded_by="default/other/1/f/0"),
        )
        foresights = (statement("Sails", state="expired", start=NOON),)
        text = printed(inspection_view(inspection(episode(facts=facts, foresights=foresights))))
        assert "At Google · no longer so since 2025-03-14: At Stripe" in text
        assert "At Stripe · said 2 times" in text
        assert "Still at Stripe · says again: At Stripe" in text
        assert "At sea · no longer so since 2025-03-14: default/other/1/f/0" in text
        assert "Sails [2025-03-14] · over" in text

    def test_everything_that_was_made_is_shown_under_its_kind(self) -> None:
        about = {"id": "x", "message_ids": ("m1",), "said_at": NOON}
        made = episode(
            subject="Sailing",
            facts=(InspectedStatement(**about, text="Ann sails on Friday."),),
            foresights=(InspectedStatement(**about, text="Ann sails", start=NOON),),
            entities=(InspectedEntity(name="Ann", type="person", text="Ann sails."),),
            relationships=(InspectedRelationship(source="Ann", relation="member_of", target="a crew", date=None, ended=True),),
            profile=(HistoryLine(about="Ann", statement="Ann likes wind", category="preference", implicit=True),),
            case=InspectedCase(task_intent="Sail", approach="Wait for wind", quality_score=0.5, key_insight="Wind matters"),
        )
        text = printed(inspection_view(inspection(made)), 140)
        shown = [
            "subject    Sailing",
            "facts      Ann sails on Friday.",
            "expected   Ann sails [2025-03-14]",
            "entities   Ann (person)",
            "relations  Ann — member of — a crew (over)",
            "portrait   Ann likes wind (Ann, preference, shown)",
            "case       Sail · quality 0.50",
        ]
        assert [each for each in shown if each not in text] == []

    def test_a_document_shows_its_pages_and_what_of_it_was_not_read(self) -> None:
        citation = Citation(document_id="offer", name="offer.pdf", place="page 2")
        parts = (episode(section="Prices", document_id="offer", citation=citation, messages=()),)
        found = inspection(*parts, conversation_id=None, document_id="offer", documents=(listed(unread=("page 3: no text",)),))
        text = printed(inspection_view(found))
        assert "offer.pdf · pdf · 3 pages · 2 chunks · 2026-03-02 · partly read" in text
        assert "not read: page 3: no text" in text
        assert "offer.pdf · page 2 · closed by" in text

    def test_a_document_shows_its_sections_and_no_messages(self) -> None:
        found = inspection(
            episode(section="Hotels", document_id="handbook.md", messages=()), conversation_id=None, document_id="handbook.md"
        )
        text = printed(inspection_view(found))
        assert text.startswith("handbook.md · default/user/xiaoyu · 1 episode")
        assert "1 · Hotels" in text
        assert "messages" not in text

    @pytest.mark.parametrize("width", [80, 120])
    def test_chinese_keeps_to_the_width(self, width: int) -> None:
        lines = printed(inspection_view(inspection(episode(), notes=("x",))), width).splitlines()
        assert max(cell_len(line) for line in lines) <= width
