"""Cuts for the tests of extraction, from short lines."""

from datetime import UTC, datetime, timedelta

from flows.cuts import Cut, Utterance
from mneme.records import Citation, Owner, Position, StoredMessage, ToolCall

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def message(name, text, number=0, role="user", sent_at=MONDAY, timezone="UTC", tool_calls=(), agent_id=None):
    return StoredMessage(
        id=f"t/c/{number}",
        owner=Owner(tenant_id="t", type="user", id="u"),
        conversation_id="c",
        created_at=sent_at,
        version=1,
        message_id=f"m{number}",
        sender_id=name.lower(),
        sender_name=name,
        role=role,
        sent_at=sent_at + timedelta(minutes=number),
        timezone=timezone,
        text=text,
        tool_calls=tool_calls,
        agent_id=agent_id,
        tokens=1,
        position=Position(topic="test", partition=0, offset=number),
    )


def cut_of(messages, **fields):
    fields = {"conversation_id": "c", "document_id": None, **fields}
    owner = messages[0].owner
    return Cut("t/c/e", owner, utterances=tuple(Utterance(one, None) for one in messages), closed_by="end", **fields)


def talk(*lines, **fields):
    """A cut of ``"Ann: text"`` lines; a speaker called assistant has that role."""
    messages = []
    for number, line in enumerate(lines):
        name, _, text = line.partition(": ")
        messages.append(message(name, text, number, "assistant" if name == "assistant" else "user", **fields))
    return cut_of(messages)


def document(text, section="Holidays", name="handbook.md", sent_at=MONDAY, place=""):
    """A chunk of a document."""
    citation = Citation(document_id="d", name=name, section=section or "", place=place)
    fields = {"conversation_id": None, "document_id": "d", "role": "system", "citation": citation}
    chunk = message(name, text, sent_at=sent_at).model_copy(update=fields)
    return cut_of([chunk], conversation_id=None, document_id="d")


def call(name, arguments="", result=None):
    return ToolCall(name=name, arguments=arguments, result=result)
