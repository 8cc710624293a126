"""Events at the edge: what is filled in, and what two clients that write the same mean by it."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mneme import Correct, Document, Flush, InputError, Message, Owner
from mneme.events import parse_event
from mneme.ids import short_hash
from mneme.records import Position

SENT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def talk(**fields: object) -> Message:
    return Message(**{"conversation_id": "talk", "user_id": "ann", "content": "hello", "sent_at": SENT, **fields})  # type: ignore[arg-type]


@given(content=st.text(min_size=1).filter(str.strip), name=st.text(min_size=1, max_size=40))
def test_an_event_comes_back_from_the_wire_as_it_was(content: str, name: str) -> None:
    event = talk(content=content, sender_name=name)
    assert parse_event(event.to_bytes(), SENT) == event


@pytest.mark.parametrize("field", ["tenant_id", "conversation_id", "user_id", "group_id", "agent_id"])
@pytest.mark.parametrize("blank", [" ", "\n\t", "\u3000"])
def test_a_blank_name_is_refused_since_nobody_could_ask_for_what_is_under_it(field: str, blank: str) -> None:
    with pytest.raises(ValidationError, match=f"{field}\n.*is blank"):
        talk(**{field: blank})


def test_a_retry_of_a_message_without_an_id_is_recognised() -> None:
    assert talk().message_id == talk().message_id
    assert talk().message_id != talk(content="hello again").message_id
    assert talk().message_id != talk(conversation_id="other").message_id


@pytest.mark.parametrize(
    ("fields", "owner"),
    [
        ({}, ("user", "ann")),
        ({"group_id": "team"}, ("group", "team")),
        ({"agent_id": "bot"}, ("user", "ann")),
        ({"user_id": None, "agent_id": "bot"}, ("agent", "bot")),
    ],
)
def test_whose_memory_a_message_is(fields: dict[str, object], owner: tuple[str, str]) -> None:
    assert (talk(**fields).owner.type, talk(**fields).owner.id) == owner


def test_events_of_one_time_stay_in_order_and_apart() -> None:
    said = ["Friday?", "At noon.", "Where?", "ok", "ok"]
    raw = [json.dumps({"conversation_id": "c", "user_id": "u", "content": text}).encode() for text in said]
    first, again = ([parse_event(each, SENT, offset) for offset, each in enumerate(raw, 41)] for _ in range(2))
    assert first == again, "whenever they are read"
    in_order = sorted((each for each in first if isinstance(each, Message)), key=lambda each: (each.sent_at, each.message_id))
    assert [each.text for each in in_order] == said
    assert len({each.message_id for each in in_order}) == len(said)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"content": "", "tool_calls": [{"name": "search", "arguments": "1"}]},
            {"content": "", "tool_calls": [{"name": "search", "arguments": "2"}]},
        ),
        ({"content": [{"type": "image", "data": "aGVsbG8="}]}, {"content": [{"type": "image", "data": "d29ybGQ="}]}),
        (
            {"content": [{"type": "image", "uri": "s3://b/1", "name": "scan"}]},
            {"content": [{"type": "image", "uri": "s3://b/2", "name": "scan"}]},
        ),
    ],
)
def test_what_is_beside_the_text_tells_messages_of_one_time_apart(one: dict[str, object], other: dict[str, object]) -> None:
    ids = [
        Message.model_validate({"conversation_id": "c", "user_id": "u", "sent_at": SENT, **said}).message_id
        for said in (one, other, one)
    ]
    assert ids[0] == ids[2] != ids[1]


def test_a_nul_in_a_message_makes_no_two_of_them_one() -> None:
    at = {"conversation_id": "c", "user_id": "u", "sent_at": "2026-03-02T09:00:00Z"}
    said = [("a\0b", "c"), ("a", "b\0c"), ("a\1\2b", "c"), ("a\1", "\2b\0c")]
    ids = {Message.model_validate({**at, "sender_id": sender, "content": text}).message_id for sender, text in said}
    assert len(ids) == len(said)


def test_the_id_of_a_text_stays_as_it_was() -> None:
    message = Message(conversation_id="c", user_id="u", sent_at=datetime(2026, 3, 1, 9, tzinfo=UTC), content="Good morning")
    assert message.message_id == short_hash("default/c\x002026-03-01T09:00:00+00:00\0u\0Good morning")


def test_who_speaks_is_filled_in_from_the_role() -> None:
    assert talk().sender_id == "ann"
    assert talk(role="assistant", agent_id="bot").sender_id == "bot"
    assert talk(role="assistant").sender_name == "assistant"


def test_parts_that_are_no_text_stand_as_mentions() -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "image", "name": "cat.png", "uri": "s3://pets/cat.png"}]
    assert talk(content=parts).text == "look\n[image: cat.png]"


def test_a_naive_time_is_read_in_the_zone_that_is_given() -> None:
    event = talk(sent_at=datetime(2026, 7, 1, 9, 0), timezone="Europe/Paris")
    record = event.stored(event.owner, Position(topic="t", partition=0, offset=0), SENT, 1)
    assert record.sent_at == datetime(2026, 7, 1, 7, 0, tzinfo=UTC)
    assert record.timezone == "Europe/Paris"


def test_a_document_without_an_owner_is_the_tenants_knowledge() -> None:
    document = Document(document_id="d", name="d.md", content="text")
    assert document.owner == Owner(tenant_id="default", type="tenant", id="default")


@pytest.mark.parametrize("fields", [{}, {"content": "a", "uri": "file:///a"}])
def test_a_document_has_its_content_or_says_where_it_is(fields: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="exactly one"):
        Document(document_id="d", name="d.md", **fields)  # type: ignore[arg-type]


def test_events_of_one_conversation_have_one_key() -> None:
    assert talk().key == Flush(conversation_id="talk", flush_id="f").key == "default/talk"


def test_a_correction_is_a_message_that_names_what_it_corrects() -> None:
    named = {"conversation_id": "c", "user_id": "ann", "corrects": "m1", "words": "Rome."}
    asked = json.dumps({"event": "correct", "content": "Milan.", **named}).encode()
    event = parse_event(asked, SENT)
    assert isinstance(event, Correct)
    assert event.message_id == parse_event(asked, SENT).message_id, "it counts once"  # type: ignore[union-attr]
    record = event.stored(event.owner, Position(topic="t", partition=0, offset=0), SENT, 1)
    assert (record.text, record.corrects, record.sent_at) == ("Milan.", "m1", SENT)


@pytest.mark.parametrize(
    ("event", "field"),
    [
        ({"event": "correct", "user_id": "ann", "content": "Milan.", "words": "Rome."}, "corrects"),
        ({"event": "correct", "user_id": "ann", "content": "Milan.", "corrects": "m1", "words": " "}, "words"),
        ({"event": "correct", "user_id": "ann", "content": [], "corrects": "m1", "words": "Rome."}, "content"),
        ({"event": "retract", "message_id": "m1"}, "words"),
        ({"event": "retract", "words": "Rome."}, "message_id"),
    ],
)
def test_what_changes_a_fact_names_its_message_and_its_words(event: dict[str, object], field: str) -> None:
    with pytest.raises(InputError, match=f"^{field}: "):
        parse_event(json.dumps({"conversation_id": "c", **event}).encode(), SENT)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"content": 5}, "content: Input should be a valid string or a valid list"),
        ({"content": [{"type": "text", "data": "!!"}]}, "content.0"),
        (
            {"content": "x", "metadata": {"a": {"b": 1}}},
            "metadata.a: Input should be a valid string, a valid integer, a valid number or a valid boolean",
        ),
    ],
)
def test_a_complaint_names_the_field_alone(fields: dict[str, object], complaint: str) -> None:
    event = {"conversation_id": "c", "user_id": "u", "sent_at": "2026-03-02T09:00:00Z", **fields}
    with pytest.raises(InputError) as raised:
        parse_event(json.dumps(event).encode(), SENT)
    assert str(raised.value).startswith(complaint)
