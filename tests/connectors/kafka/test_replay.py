"""What of a dead letter goes back on the stream."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from connectors.kafka.replay import event_to_replay
from mneme.errors import InputError
from mneme.events import Flush, Message, parse_event
from mneme.ports import DeadLetter
from mneme.records import Position
from mneme.times import utc_now

AT = datetime(2026, 3, 1, 9, 30, 0, 123456, tzinfo=UTC)
HELLO = {"conversation_id": "talk", "user_id": "ana", "content": "hello"}


def letter(content: object, stage: str = "decode", topic: str = "mneme.messages", at: datetime = AT) -> DeadLetter:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return DeadLetter(stage, "because", raw, Position(topic=topic, partition=0, offset=7), at)


def test_the_bytes_of_an_event_go_as_they_came():
    raw = b'{ "conversation_id":"talk","user_id" : "ana","content":"hello","sent_at":"2026-03-01T09:00:00Z","new field": 1}'
    assert event_to_replay(letter(raw)) == ("default/talk", raw)


def test_a_message_without_a_time_keeps_the_one_it_would_have_had_and_with_it_its_identity():
    key, raw = event_to_replay(letter(HELLO))
    first = parse_event(json.dumps(HELLO).encode(), AT, offset=7)
    again = parse_event(raw, AT + timedelta(days=30))
    assert isinstance(first, Message)
    assert isinstance(again, Message)
    assert key == first.key
    assert (again.message_id, again.sent_at, again.timezone) == (first.message_id, first.sent_at, first.timezone)


def test_a_document_without_a_date_keeps_the_day_it_came():
    _, raw = event_to_replay(letter({"event": "document", "document_id": "d", "name": "d.md", "content": "text"}))
    assert json.loads(raw)["dated_at"] == AT.isoformat()


@pytest.mark.parametrize("stage", ["embed", "read"])
def test_an_edit_that_met_no_message_can_be_sent_again(stage: str):
    edit = {"event": "edit", "conversation_id": "talk", "message_id": "m", "content": "x"}
    assert event_to_replay(letter(edit, stage)) == ("default/talk", json.dumps(edit).encode())


def test_a_document_that_could_not_be_fetched_can_be_sent_again():
    lease = {"event": "document", "document_id": "lease", "name": "lease.pdf", "uri": "s3://dockside/lease.pdf"}
    key, raw = event_to_replay(letter(lease, "read", topic="mneme.documents"))
    assert (key, json.loads(raw)) == ("default/lease", {**lease, "dated_at": AT.isoformat()})


def test_what_came_from_the_future_can_be_sent_again_when_its_time_has_come():
    ahead = {**HELLO, "sent_at": (AT + timedelta(days=2)).isoformat()}
    assert event_to_replay(letter(ahead))[0] == "default/talk"
    with pytest.raises(InputError, match=r"sent_at: .* more than a day after"):
        event_to_replay(letter({**HELLO, "sent_at": (utc_now() + timedelta(days=2)).isoformat()}))


def test_a_conversation_in_quarantine_is_asked_for_by_a_flush():
    about = {"is": "conversation", "lane": "default/talk", "owner": ["default", "user", "ana"], "conversation": "talk"}
    key, raw = event_to_replay(DeadLetter("segment", "KeyError", json.dumps(about).encode(), None, AT))
    flush = parse_event(raw, AT)
    assert isinstance(flush, Flush)
    assert (key, flush.tenant_id, flush.conversation_id) == ("default/talk", "default", "talk")


@pytest.mark.parametrize(
    ("dead", "reason"),
    [
        (letter(b'{"conversation_id": "\xff"}'), "UTF-8"),
        (letter({**HELLO, "sent_at": None}), "sent_at"),
        (letter({**HELLO, "content": 7}), "content"),
        (letter(HELLO, topic="file:0123456789abcdef"), "sent_at: missing"),
        (letter({"is": "cut"}, "extract"), "mneme admin rebuild"),
        (letter({"is": "retraction"}, "reconcile"), "mneme admin rebuild"),
        (letter({"kind": "fact"}, "write"), "mneme admin rebuild"),
        (letter({"is": "conversation"}, "segment"), "mneme flush"),
        (letter(HELLO, "unknown"), "no event of this stream"),
        (DeadLetter("decode", "", json.dumps(HELLO).encode(), None, AT), "where the event came from"),
    ],
)
def test_what_cannot_be_replayed_says_why(dead: DeadLetter, reason: str):
    with pytest.raises(InputError, match=reason):
        event_to_replay(dead)
