"""A dry run looks like an inspection, although no index has seen it."""

from datetime import UTC, datetime, timedelta

from flows.cuts import (
    Cut,
    ExtractedCase,
    ExtractedEntity,
    ExtractedFact,
    ExtractedForesight,
    ExtractedProfileItem,
    ExtractedRelationship,
    Extraction,
    Utterance,
)
from mneme.records import Owner, Position, StoredMessage
from serving.terminal.inspection_view import inspections

MIRA = Owner(tenant_id="default", type="user", id="mira")
FRIDAY = datetime(2026, 3, 6, tzinfo=UTC)
SAID = ("I sail on Friday.", "Take a coat.")


def message(number: int, conversation: str) -> StoredMessage:
    return StoredMessage(
        id=f"default/{conversation}/m{number}",
        owner=MIRA,
        conversation_id=conversation,
        created_at=FRIDAY,
        version=1,
        message_id=f"m{number}",
        sender_id="ann",
        sender_name="Ann",
        role="user",
        sent_at=FRIDAY - timedelta(days=2, minutes=-number),
        timezone="UTC",
        text=SAID[number],
        tokens=4,
        position=Position(topic="file:x", partition=0, offset=number),
    )


def would_be(conversation: str = "standup") -> tuple[Cut, Extraction]:
    """A cut with one thing of every kind."""
    cut = Cut(
        id=f"default/{conversation}/1",
        owner=MIRA,
        conversation_id=conversation,
        document_id=None,
        utterances=tuple(Utterance(message(number, conversation), None) for number in range(2)),
        closed_by="end",
        begins_because=("a long pause (0.93)",),
    )
    extraction = Extraction(
        subject="Sailing",
        summary="Ann sails.",
        narrative="Ann sails.",
        facts=(ExtractedFact("Ann sails on Friday.", "Sailing", (0,), event_at=FRIDAY),),
        entities=(ExtractedEntity("Ann", "person", "Ann sails.", (0,)),),
        relationships=(ExtractedRelationship("Ann", "member_of", "the crew", None, (0,), ended=True),),
        foresights=(ExtractedForesight("Ann sails", "on Friday", (0,), FRIDAY, FRIDAY + timedelta(days=1)),),
        profile=(ExtractedProfileItem("Ann", "Ann likes wind", "preference", True, (1,)),),
        case=ExtractedCase("Sail", "Wait for wind", 0.5, "Wind matters"),
        dropped=2,
    )
    return cut, extraction


def test_everything_that_would_be_made_is_there() -> None:
    (inspection,) = inspections([would_be()], "local")
    assert (inspection.conversation_id, inspection.document_id, inspection.owner) == ("standup", None, "default/user/mira")
    (episode,) = inspection.episodes
    assert (episode.subject, episode.extractor, episode.dropped) == ("Sailing", "local", 2)
    assert episode.begins_because == ("a long pause (0.93)",)
    assert [each.text for each in episode.messages] == list(SAID)
    assert [(each.text, each.message_ids, each.event_at) for each in episode.facts] == [
        ("Ann sails on Friday.", ("m0",), FRIDAY)
    ]
    assert [(each.text, each.start, each.state) for each in episode.foresights] == [("Ann sails", FRIDAY, "holds")]
    assert [(each.name, each.type) for each in episode.entities] == [("Ann", "person")]
    assert [(each.relation, each.ended) for each in episode.relationships] == [("member_of", True)]
    assert [(each.statement, each.implicit) for each in episode.profile] == [("Ann likes wind", True)]
    assert episode.case is not None
    assert episode.case.key_insight == "Wind matters"


def test_conversations_come_one_after_the_other() -> None:
    found = inspections([would_be("standup"), would_be("standup"), would_be("retro")], "local")
    assert [(each.conversation_id, len(each.episodes)) for each in found] == [("standup", 2), ("retro", 1)]
