"""An inspection shows a conversation as it was cut, and everything that was made from each episode."""

from datetime import timedelta
from typing import Any

import pytest

from mneme import ids
from mneme.errors import InputError
from mneme.records import AgentCase, Position, Validity
from mneme.rows import Row, revised, row_of
from queries.browsing.responses import Inspection
from tests.queries.world import (
    MAYA,
    OF_MAYA,
    START,
    TENANT,
    career,
    conversation,
    document,
    edge,
    entity,
    filled,
    foresight,
    line,
    memories,
    mention,
    messages,
    portrait,
    section,
    with_validity,
)

MINE = {"user_id": "maya"}
LINES = [("Maya", "the choir sings on Friday"), ("Oskar", "I sing there too")]


def shown(place: str, *rows: Row, **filters: Any) -> Inspection:
    found = memories(filled(*rows)).inspect(place, MINE | filters)
    assert found is not None
    return found


def choir(**episode: object) -> list[Row]:
    """A conversation of one episode with a foresight, a case, and aggregates that speak of it."""
    *rows, row, first, second = conversation(MAYA, "choir", "Choir", LINES, day=30)
    of = {"conversation_id": "choir", "parent_episode_id": row.id, "message_ids": ("m1",)}
    sings, shy = (
        mention(row.id, "m2", text=text, day=30, name="Oskar", type="person") for text in ("Oskar sings", "Oskar is shy")
    )
    elsewhere = mention("another", "m2", text="Oskar sings", day=30, name="Ossi", type="person")
    known = entity("Oskar Lind", mentions=[elsewhere])
    alias = entity("Oskar", mentions=[sings, elsewhere], merged_into=known.id)
    singing = edge("Oskar", "sings_in", "choir", sings, validity=Validity(valid_to=START + timedelta(days=40)))
    shown, gone, old = line("Oskar sings", sings), line("Oskar is shy", shy), line("Maya paints", elsewhere)
    profile = portrait(shown, old, evidence=(shown, shown, gone, old))  # one sentence, two claims
    plan = foresight(
        "The choir sings on Friday",
        said_at=row.at,
        start=row.at + timedelta(days=2),
        end=row.at + timedelta(days=3),
        **of | {"id": ids.foresight_id(row.id, 0)},
    )
    case = AgentCase(
        id=ids.case_id(row.id),
        agent_id="planner",
        task_intent="Book the hall",
        approach="Call",
        quality_score=0.9,
        key_insight="Call early",
        at=row.at,
        **OF_MAYA | of,
    )
    made = {"aggregate_ids": (alias.id, singing.id, profile.id), "begins_because": ("a long pause (0.93)",)}
    return [
        *rows,
        revised(row, row.record().model_copy(update=made | episode)),
        first,
        second,
        plan,
        *map(row_of, (case, alias, known, singing, profile)),
    ]


class TestEpisodes:
    def test_they_come_in_order_with_their_messages_and_why_they_begin(self):
        more = conversation(MAYA, "choir", "Later", [("Maya", "the hall is booked")], day=31, first=3)
        inspection = shown("choir", *more, *choir())
        assert [episode.subject for episode in inspection.episodes] == ["Choir", "Later"]
        assert [[message.text for message in episode.messages] for episode in inspection.episodes] == [
            [text for _, text in LINES],
            ["the hall is booked"],
        ]
        assert inspection.episodes[0].begins_because == ("a long pause (0.93)",)
        assert (inspection.conversation_id, inspection.document_id, inspection.owner) == ("choir", None, MAYA.key)

    def test_what_was_made_of_it_is_there_of_every_kind(self):
        (episode,) = shown("choir", *choir()).episodes
        assert [fact.text for fact in episode.facts] == [
            "Maya said that the choir sings on Friday",
            "Oskar said that I sing there too",
        ]
        assert [(each.text, each.state) for each in episode.foresights] == [("The choir sings on Friday", "expired")]
        assert [(each.name, each.same_as) for each in episode.entities] == [("Oskar", "Oskar Lind")]
        assert [(each.relation, each.valid_to is not None) for each in episode.relationships] == [("sings_in", True)]
        assert [(each.statement, each.holds) for each in episode.profile] == [("Oskar sings", True), ("Oskar is shy", False)]
        assert episode.case is not None
        assert (episode.case.task_intent, episode.case.quality_score) == ("Book the hall", 0.9)

    def test_what_became_of_facts_is_shown(self):
        rows = career()
        states = {}
        for place in ("pier", "pub", "call"):
            ((fact,),) = (episode.facts for episode in shown(place, *rows).episodes)
            states[place] = fact
        assert {place: fact.state for place, fact in states.items()} == {"pier": "superseded", "pub": "merged", "call": "holds"}
        assert states["pier"].superseded_by == states["call"].id
        assert states["pub"].merged_into == states["pier"].id
        assert states["pier"].times_said == 2

    def test_a_cancelled_expectation_is_superseded(self):
        rows = [
            with_validity(row, valid_to=row.at, superseded_by="x/f/0") if row.kind == "foresight" else row for row in choir()
        ]
        assert [each.state for each in shown("choir", *rows).episodes[0].foresights] == ["superseded"]


class TestMessages:
    def test_those_in_no_episode_are_open(self):
        inspection = shown("choir", *choir(), *messages(MAYA, "choir", [("Oskar", "see you")], day=31, first=3))
        assert [message.text for message in inspection.open] == ["see you"]

    def test_a_conversation_without_an_episode_is_open(self):
        inspection = shown("fresh", *messages(MAYA, "fresh", [("Oskar", "see you")]))
        assert inspection.episodes == ()
        assert len(inspection.open) == 1

    def test_an_edited_one_is_marked(self):
        later = Position(topic="mneme.messages", partition=0, offset=99)
        rows = [changed(row, edited_by=later) if row.id.endswith("choir/m1") else row for row in choir()]
        (episode,) = shown("choir", *rows).episodes
        assert [message.edited for message in episode.messages] == [True, False]

    def test_what_was_read_in_an_attachment_is_no_edit(self):
        rows = [changed(row, edited_by=row.record().position) if row.id.endswith("choir/m1") else row for row in choir()]
        (episode,) = shown("choir", *rows).episodes
        assert [message.edited for message in episode.messages] == [False, False]

    def test_a_deleted_one_stands_where_it_stood(self):
        rows = choir(message_ids=("m1",))
        rows = [changed(row, text="", deleted=True) if row.id.endswith("choir/m2") else row for row in rows]
        inspection = shown("choir", *rows)
        assert [(message.text, message.deleted) for message in inspection.episodes[0].messages] == [
            (LINES[0][1], False),
            ("", True),
        ]
        assert inspection.open == ()


def changed(row: Row, **changes: object) -> Row:
    return row_of(row.record().model_copy(update=changes), row.embedding)


def test_a_document_is_shown_by_its_sections():
    inspection = shown("handbook")
    assert (inspection.conversation_id, inspection.document_id) == (None, "handbook")
    assert [(episode.section, len(episode.facts)) for episode in inspection.episodes] == [("Expenses", 1)]


def test_the_chunks_of_a_document_stand_in_its_order_with_their_pages():
    chunks = [section("offer", "Prices", f"A desk of size {size} costs {size}0 euros", f"page {size}") for size in range(1, 8)]
    inspection = shown("offer", *(row for rows in chunks for row in rows), document("offer", *(rows[0] for rows in chunks)))
    assert [episode.citation.place for episode in inspection.episodes] == [f"page {size}" for size in range(1, 8)]
    assert {episode.document_id for episode in inspection.episodes} == {"offer"}
    assert [(each.name, each.chunks) for each in inspection.documents] == [("offer.pdf", 7)]


def test_a_document_of_which_nothing_is_searchable_yet_is_there():
    inspection = shown("offer", document("offer", status="reading"))
    assert (inspection.document_id, inspection.episodes, inspection.owner) == ("offer", (), TENANT.key)
    assert inspection.documents[0].status == "reading"


def test_a_document_may_be_named_by_its_file():
    rows = section("offer", "Prices", "A desk costs 120 euros", "page 1")
    assert shown("offer.pdf", *rows, document("offer", *rows)).document_id == "offer"


def test_several_documents_of_one_name_are_asked_about():
    with pytest.raises(InputError, match="the name of 2 documents; give the id of one: a/offer, b/offer"):
        shown("offer.pdf", document("a/offer", name="offer.pdf"), document("b/offer", name="offer.pdf"))


def test_a_document_that_is_speech_is_the_conversation_that_it_became():
    inspection = shown("talk", *choir(), document("talk", owner=MAYA, conversation_id="choir"))
    assert (inspection.conversation_id, len(inspection.episodes)) == ("choir", 1)
    assert [each.document_id for each in inspection.documents] == ["talk"]


def test_what_is_attached_to_messages_follows_the_talk():
    chunks = section("offer", "Prices", "A desk costs 120 euros", "page 1", MAYA, "choir")
    attached = document("offer", chunks[0], owner=MAYA, conversation_id="choir", message_id="m1")
    inspection = shown("choir", *chunks, *choir(), attached)
    assert [episode.document_id for episode in inspection.episodes] == [None, "offer"]
    assert [message.message_id for message in inspection.episodes[0].messages] == ["m1", "m2"]
    assert [each.message_id for each in inspection.documents] == ["m1"]


def test_what_another_owner_has_is_not_there():
    assert memories(filled(*choir())).inspect("choir", {"group_id": "team"}) is None
    assert memories().inspect("nowhere", MINE) is None


def test_it_is_of_now():
    with pytest.raises(InputError, match="as_of is for search and history"):
        shown("choir", *choir(), as_of="2026-03-01")
