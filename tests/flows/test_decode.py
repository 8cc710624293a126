"""decode: what is wrong becomes a dead letter with its reason and its bytes, and nothing else stops."""

import json
from datetime import UTC, datetime

import pytest

from flows.decode import decode
from flows.items import Amendment, Arrived, Erasure, Pause, Unread
from mneme.ports import DeadLetter, Incoming
from mneme.records import Position
from mneme.times import time_of_record

ARRIVED = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
GOOD = {"conversation_id": "talk", "user_id": "ann", "content": "hello", "sent_at": "2026-03-02T08:59:00Z"}


def decoded(raw: bytes | dict[str, object]) -> list[object]:
    data = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
    return list(decode(Incoming(data, Position(topic="t", partition=1, offset=7), ARRIVED), buckets=4))


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("a number of 5,000 digits", json.dumps(GOOD)[:-1].encode() + b', "metadata": {"n": ' + b"9" * 5000 + b"}}"),
        ("a time before all times", {**GOOD, "sent_at": "0001-01-01T00:00:00+14:00"}),
        ("a local time before all times", {**GOOD, "sent_at": "0001-01-01T00:00:00", "timezone": "Asia/Tokyo"}),
        ("half a surrogate pair in metadata", {**GOOD, "metadata": {"a": "\ud800"}}),
        ("half a surrogate pair in a tool call", {**GOOD, "tool_calls": [{"name": "a", "arguments": "\udc00"}]}),
        ("half a surrogate pair in a name", {**GOOD, "sender_name": "\ud800"}),
        (
            "a document before all times",
            {"event": "document", "document_id": "d", "name": "n", "content": "x", "dated_at": "0001-01-01T00:00:00+14:00"},
        ),
        (
            "a document after all times",
            {"event": "document", "document_id": "d", "name": "n", "content": "x", "dated_at": "9999-12-31T23:00:00-14:00"},
        ),
    ],
)
def test_an_event_that_no_index_could_keep_is_a_dead_letter(name: str, event: bytes | dict[str, object]) -> None:
    [letter] = decoded(event)
    assert isinstance(letter, DeadLetter), name
    assert letter.reason
    letter.reason.encode()


def test_a_surrogate_pair_is_a_character() -> None:
    [item] = decoded(json.dumps({**GOOD, "content": "tea \U0001f375"}).encode())
    assert isinstance(item, Arrived)
    assert item.message.text == "tea \U0001f375"


def test_a_defect_costs_one_event(monkeypatch: pytest.MonkeyPatch) -> None:
    def defective(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("flows.decode.parse_event", defective)
    [letter] = decoded(GOOD)
    assert isinstance(letter, DeadLetter)
    assert letter.reason == "ZeroDivisionError: oops"


def test_a_message_arrives_with_its_position_and_zone() -> None:
    [item] = decoded({**GOOD, "sent_at": "2026-03-02T08:59:00+08:00"})
    assert isinstance(item, Arrived)
    assert item.message.sent_at == datetime(2026, 3, 2, 0, 59, tzinfo=UTC)
    assert (item.message.timezone, item.message.created_at) == ("+08:00", ARRIVED)
    assert str(item.message.position) == "t/1/7"


def test_a_message_without_a_time_gets_that_of_its_transport() -> None:
    [item] = decoded({key: value for key, value in GOOD.items() if key != "sent_at"})
    assert isinstance(item, Arrived)
    assert item.message.sent_at == time_of_record(ARRIVED, item.message.position.offset), "events of one time stay in order"


def test_a_message_of_a_file_must_tell_its_time() -> None:
    raw = json.dumps({key: value for key, value in GOOD.items() if key != "sent_at"}).encode()
    [letter] = decode(Incoming(raw, Position(topic="file:x", partition=0, offset=0), None), buckets=1)
    assert isinstance(letter, DeadLetter)
    assert "sent_at: missing" in letter.reason


@pytest.mark.parametrize("when", [{}, {"requested_at": "2026-03-02T09:00:00+00:00"}])
def test_only_a_file_dates_an_erasure_and_one_that_arrived_counts_from_its_arrival(when: dict[str, str]) -> None:
    raw = json.dumps({"event": "erase", "user_id": "ann", **when}).encode()
    [in_a_file] = decode(Incoming(raw, Position(topic="file:x", partition=0, offset=0), None), buckets=1)
    [arrived] = decode(Incoming(raw, Position(topic="t", partition=0, offset=0), ARRIVED), buckets=1)
    assert isinstance(in_a_file, Erasure)
    assert isinstance(arrived, Erasure)
    assert (in_a_file.is_dated, arrived.is_dated, arrived.arrived_at) == (bool(when), False, ARRIVED)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"content": ', "json"),
        (b"[1, 2]", "a list is no event"),
        (b"", "json"),
        ({**GOOD, "content": 3}, "content"),
        ({key: value for key, value in GOOD.items() if key != "conversation_id"}, "conversation_id"),
        ({key: value for key, value in GOOD.items() if key != "user_id"}, "whose memory"),
        ({**GOOD, "sent_at": "2031-01-01T00:00:00Z"}, "sent_at"),
        ({**GOOD, "sent_at": "2026-03-02T09:00:00"}, "no offset"),
        ({**GOOD, "content": "  "}, "empty"),
        ({**GOOD, "event": "explode"}, "event"),
        ({**GOOD, "schema": "2.0"}, "version '2.0'"),
        ({"event": "forget"}, "conversation_id"),
        ({"event": "erase"}, "whose memory"),
        ({"event": "erase", "user_id": "ann", "requested_at": "2026-03-02T09:00:00"}, "requested_at"),
        ({"event": "edit", "conversation_id": "talk", "message_id": "m", "content": " "}, "content is empty; to take the"),
        ({"event": "edit", "conversation_id": "talk", "message_id": "m", "content": "x" * 200_001}, "send it as a document"),
        ({"event": "edit", "conversation_id": "talk", "message_id": "m"}, "content"),
        ({"event": "delete", "conversation_id": "talk"}, "message_id"),
        (b"[" * 100_000, "json"),
    ],
)
def test_what_is_wrong_becomes_a_dead_letter_that_names_it(raw: bytes | dict[str, object], reason: str) -> None:
    [letter] = decoded(raw)
    assert isinstance(letter, DeadLetter)
    assert reason in letter.reason
    assert letter.raw == (raw if isinstance(raw, bytes) else json.dumps(raw).encode())
    assert (letter.stage, str(letter.position)) == ("decode", "t/1/7")


def test_a_dead_letter_does_not_repeat_what_was_in_the_field() -> None:
    [letter] = decoded({**GOOD, "role": "sk-secret"})
    assert isinstance(letter, DeadLetter)
    assert "sk-secret" not in letter.reason


def test_fields_of_a_later_minor_version_are_ignored() -> None:
    [item] = decoded({**GOOD, "schema": "1.7", "mood": "cheerful"})
    assert isinstance(item, Arrived)


def test_a_flush_becomes_a_pause_of_its_conversation() -> None:
    [item] = decoded({"event": "flush", "conversation_id": "talk", "flush_id": "f1"})
    assert item == Pause("default/talk", "flush", tenant_id="default", flush_id="f1")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"event": "edit", "content": "new words"}, "new words"),
        (
            {"event": "edit", "content": [{"type": "text", "text": "see"}, {"type": "image", "name": "a.png"}]},
            "see\n[image: a.png]",
        ),
        ({"event": "delete"}, None),
    ],
)
def test_an_edit_and_a_delete_become_amendments_of_their_message(fields: dict[str, object], text: str | None) -> None:
    raw = json.dumps({"conversation_id": "talk", "message_id": "m1", **fields}).encode()
    [item] = decoded(raw)
    assert isinstance(item, Amendment)
    assert (item.text, item.raw, item.lane, item.stored_id) == (text, raw, "default/talk", "default/talk/m1")
    assert str(item.position) == "t/1/7"


def test_a_document_is_to_be_read_in_its_own_lane() -> None:
    [item] = decoded({"event": "document", "document_id": "policy", "name": "policy.md", "content": "# Policy"})
    assert isinstance(item, Unread)
    assert item.lane == "default/tenant/default/d/policy"


def test_a_message_with_attachments_arrives_and_is_to_be_read() -> None:
    parts = [{"type": "text", "text": "See"}, {"type": "image", "name": "board.png", "data": "aGVsbG8="}]
    arrived, unread = decoded({**GOOD, "content": parts})
    assert isinstance(arrived, Arrived)
    assert arrived.message.text == "See\n[image: board.png]"
    assert isinstance(unread, Unread)
    assert unread.lane == arrived.lane


def test_an_edit_with_attachments_is_to_be_read_first() -> None:
    parts = [{"type": "file", "name": "offer.pdf", "uri": "file:///offer.pdf"}]
    [item] = decoded({"event": "edit", "conversation_id": "talk", "message_id": "m1", "content": parts})
    assert isinstance(item, Unread)


def test_a_document_is_forgotten_in_its_own_lane() -> None:
    [item] = decoded({"event": "forget_document", "document_id": "policy", "user_id": "ann", "erasure_id": "gone"})
    assert isinstance(item, Erasure)
    assert item.lane == "default/user/ann/d/policy"
    assert not item.is_of_an_owner


@pytest.mark.parametrize("event", [{"event": "forget", "conversation_id": "talk"}, {"event": "erase", "user_id": "ann"}])
def test_an_erasure_without_an_id_is_another_one_in_a_topic_that_was_made_anew(event: dict[str, object]) -> None:
    places = [Position(topic="t", partition=1, offset=7, topic_id=topic_id) for topic_id in ("before", "anew")]
    made = [next(iter(decode(Incoming(json.dumps(event).encode(), place, ARRIVED), buckets=4))) for place in places]
    assert len({item.erasure_id for item in made if isinstance(item, Erasure)}) == 2


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "exactly one of content, data and uri"),
        ({"content": "x", "data": "eA=="}, "exactly one of content, data and uri"),
        ({"data": "not base64!"}, "data: is not base64"),
        ({"content": "x", "sha256": "0" * 64}, "sha256 is of what uri names"),
    ],
)
def test_a_document_names_its_content_once(fields: dict[str, str], reason: str) -> None:
    [letter] = decoded({"event": "document", "document_id": "policy", "name": "policy.md", **fields})
    assert isinstance(letter, DeadLetter)
    assert reason in letter.reason
