"""The examples are what the demo shows and what a newcomer copies: each line is an event, each story is in there."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mneme.events import Message, parse_event

EXAMPLES = Path(__file__).parents[2] / "examples"
RECEIVED = datetime(2025, 6, 1, tzinfo=UTC)
CONVERSATIONS = ["friends", "team", "agent", "chinese"]
FILES = [*CONVERSATIONS, "acme"]


def messages(name: str) -> list[Message]:
    lines = (EXAMPLES / f"{name}.jsonl").read_bytes().splitlines()
    events = [parse_event(line, RECEIVED) for line in lines]
    assert all(isinstance(event, Message) for event in events)
    return [event for event in events if isinstance(event, Message)]


def days(conversation: list[Message]) -> set[str]:
    return {message.sent_at.date().isoformat() for message in conversation}


@pytest.mark.parametrize("name", FILES)
def test_every_line_is_a_message_in_order_of_time(name: str) -> None:
    conversation = messages(name)
    times = [message.sent_at for message in conversation]
    assert times == sorted(times)
    assert max(times) < RECEIVED


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_has_one_owner_and_one_id(name: str) -> None:
    conversation = messages(name)
    assert len({message.owner.key for message in conversation}) == 1
    assert len({message.conversation_id for message in conversation}) == 1


def test_message_ids_are_explicit_and_unique() -> None:
    ids = [message.message_id for name in FILES for message in messages(name)]
    assert len(set(ids)) == len(ids)
    assert all("-" in message_id and message_id.rsplit("-")[-1].isdigit() for message_id in ids)


def test_friends_talk_for_two_months_in_ten_sessions() -> None:
    conversation = messages("friends")
    assert len(conversation) >= 140
    assert len(days(conversation)) == 10
    assert conversation[-1].sent_at - conversation[0].sent_at > timedelta(weeks=8)
    assert {message.sender_name for message in conversation} == {"Jason", "Mira"}


@pytest.mark.parametrize(
    "told",
    [
        "14 May",  # when Jason's birthday is
        "Pegelwerk",  # what he has been working on
        "What are you planning this week?",
        "the kind of person you are",
        "Lofoten is cancelled",  # a change of mind
    ],
)
def test_friends_tell_what_the_demo_asks(told: str) -> None:
    assert any(told in message.text for message in messages("friends"))


def test_the_team_takes_a_decision_and_reverses_it() -> None:
    conversation = messages("team")
    assert conversation[0].owner.type == "group"
    assert {message.sender_name for message in conversation} == {"Sofia", "Priya", "Tomasz", "Leila", "Ben"}
    decided = next(i for i, message in enumerate(conversation) if "we give up the Q2 deadline" in message.text)
    reversed_ = next(i for i, message in enumerate(conversation) if "we reverse the decision" in message.text)
    assert decided < reversed_


def test_the_agent_calls_tools_and_repeats_a_task_after_a_failure() -> None:
    conversation = messages("agent")
    assert conversation[0].owner.type == "agent"
    assert {message.role for message in conversation} == {"user", "assistant", "tool"}
    assert sum(len(message.tool_calls) for message in conversation) >= 10
    tasks = [message.text for message in conversation if message.role == "user" and "deploy" in message.text]
    assert len(tasks) >= 2
    assert any("lock timeout" in message.text for message in conversation if message.role == "tool")


def test_the_chinese_conversation_is_chinese_for_two_weeks() -> None:
    conversation = messages("chinese")
    assert len(conversation) >= 50
    assert all(any("\u4e00" <= character <= "\u9fff" for character in message.text) for message in conversation)
    assert conversation[-1].sent_at - conversation[0].sent_at > timedelta(weeks=2)


def test_the_way_from_acme_leads_through_three_conversations_of_one_user() -> None:
    told = ["Clara Novak is the new CEO of Acme", "Clara is married to Anton Reyes", "Anton works at Lumen Robotics now"]
    where = [{message.conversation_id for message in messages("acme") if fact in message.text} for fact in told]
    assert where == [{"nadia-and-ruben"}, {"nadia-and-isla"}, {"nadia-and-marek"}]
    assert {message.owner.id for message in messages("acme")} == {"nadia"}


def test_the_handbook_is_a_document_with_sections() -> None:
    handbook = (EXAMPLES / "handbook.md").read_text(encoding="utf-8")
    assert len(handbook.split()) > 1500
    assert sum(line.startswith("## ") for line in handbook.splitlines()) >= 10
