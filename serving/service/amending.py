"""A fact or foresight as the events that correct or retract it: some words of the messages that say it."""

from flows.words import says
from mneme.errors import InputError
from mneme.events import Correct, Retract, input_errors
from mneme.ids import message_id
from mneme.records import Owner
from queries import Memories
from queries.browsing.responses import Memory

KINDS = ("fact", "foresight")  # memories that can be corrected and retracted


@input_errors()
def correction_of(memories: Memories, memory: Memory, content: str) -> Correct:
    """The event that puts a fact or foresight right: its speaker says ``content`` instead.

    Raises:
        InputError: it cannot be corrected; the message says what can be done.
        StoreError: the index cannot answer.
    """
    [message, *_] = _messages(memories, memory)
    said = message.body
    return Correct(
        **{"agent_id": said["agent_id"], **_owner_ids(memory)},  # in that agent's track, as what it corrects
        conversation_id=message.conversation_id or "",
        sender_id=said["sender_id"],
        sender_name=said["sender_name"],
        role=said["role"],
        timezone=said["timezone"],
        content=content,
        corrects=said["message_id"],
        words=_words(memory, message),
    )


@input_errors()
def retractions_of(memories: Memories, memory: Memory) -> list[Retract]:
    """The events that take a fact or foresight away: one for each message that says it, those of its repetitions among them.

    Raises:
        InputError: it cannot be retracted; the message says what can be done.
        StoreError: the index cannot answer.
    """
    whose = _owner_ids(memory)
    repeated = (memories.get(each, whose) for each in memory.body["validity"]["repeated_by"])
    said = [memory, *(each for each in repeated if each is not None and each.document_id is None)]
    events = {
        message.id: Retract(
            tenant_id=whose["tenant_id"],
            conversation_id=message.conversation_id or "",
            message_id=message.body["message_id"],
            words=_words(each, message),
        )
        for each in said
        for message in _messages(memories, each)
    }
    return list(events.values())


def _owner_ids(memory: Memory) -> dict[str, str]:
    return Owner.model_validate(memory.body["owner"]).ids


def _messages(memories: Memories, memory: Memory) -> list[Memory]:
    """The messages that say it: of a quote the first, of what a model wrote all that it cites.

    Raises:
        InputError: it is of a document, or there is none.
    """
    if memory.kind not in KINDS:
        raise InputError(f"id: a {memory.kind} is made from facts and messages; correct or take away those")
    if memory.document_id is not None or memory.conversation_id is None:
        raise InputError(f"id: it is of document {memory.document_id}; send that again, or erase it")
    whose, ids = _owner_ids(memory), memory.body["message_ids"][: 1 if memory.body.get("quote") else None]
    said_in = (memories.get(message_id(whose["tenant_id"], memory.conversation_id, each), whose) for each in ids)
    if not (found := [message for message in said_in if message is not None]):
        raise InputError(f"id: the messages that {memory.id} comes from are gone; it goes too in a moment")
    return found


def _words(memory: Memory, message: Memory) -> str:
    """The words of the message, else those that a model wrote."""
    body = memory.body
    quote = body.get("quote") or {"words": body.get("evidence", "")}
    is_said = says(message.body["text"], quote["words"])
    return str(quote["words"] if is_said else body.get("atomic_fact") or body["statement"])
