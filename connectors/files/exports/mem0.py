"""mem0: what ``Memory.get_all`` gives, and the lists of its platform (v1 and v2: a list, v3: pages).

    {"results": [{id, memory, hash, metadata, created_at, updated_at, user_id, agent_id, run_id, actor_id, role}]}
    [{id, memory, metadata, categories, created_at, updated_at, user_id, session_id}]

A memory is a statement, made out of a talk that is not in the export. It becomes a message that says it, dated by its last
change: its text is as old as that. Those of one owner and run are one conversation, in the order of their dates.
"""

from collections.abc import Iterator
from typing import Any

from connectors.files.chat_events import Clock, Event, Given, message, metadata_of, role_of
from connectors.files.exports.shape import Shape, first, listed

_OWNERS = ("user_id", "agent_id")
_RUNS = ("run_id", "session_id")  # the platform's lists say session_id where its searches say run_id
_SAID = {"id", "memory", "hash", "score", "metadata", "created_at", "updated_at", "role", "actor_id", *_OWNERS, *_RUNS}
_DERIVED = {"structured_attributes"}  # what a calendar says of created_at


def _memories(data: Any) -> list[Any]:
    """The memories of one answer, or of several pages."""
    return [memory for page in listed(data) for memory in page.get("results", [page])]


def _fits(data: Any) -> bool:
    page = first(data)
    one = first(page.get("results", page)) if isinstance(page, dict) else None
    return isinstance(one, dict) and {"id", "memory"} <= one.keys()


def _read(data: Any, given: Given) -> Iterator[Event]:
    memories = _memories(data)
    for memory in sorted(
        memories, key=lambda memory: (_conversation(memory, given), _changed_at(memory, given), str(memory["id"]))
    ):
        owner = given.owner or {name: str(memory[name]) for name in _OWNERS if memory.get(name)} or given.owner_or_refuse()
        changed_at = _changed_at(memory, given)
        created_at = Clock(memory.get("created_at"), given.modified_at).time(memory.get("created_at"))
        about = {name: value for name, value in memory.items() if name not in _SAID | _DERIVED}
        yield from message(
            given,
            conversation_id=_conversation(memory, given),
            owner=owner,
            message_id=memory["id"],
            sender=str(memory.get("actor_id") or ""),
            role=role_of(memory.get("role") or ("user" if "user_id" in owner or "group_id" in owner else "assistant")),
            sent_at=changed_at,
            content=str(memory.get("memory") or ""),
            metadata=metadata_of(
                memory.get("metadata"), about, None if created_at == changed_at else {"created_at": created_at}
            ),
        )


def _conversation(memory: Event, given: Given) -> str:
    """One for each owner and run: a conversation has one owner."""
    owner = given.owner or {name: str(memory[name]) for name in _OWNERS if memory.get(name)}
    run = next((str(memory[name]) for name in _RUNS if memory.get(name)), None)
    scope = [part for name, value in owner.items() for part in (name.removesuffix("_id"), value)]
    return given.conversation_id or "/".join(["mem0", *scope, *([run] if run else [])])


def _changed_at(memory: Event, given: Given) -> str:
    return Clock(None, given.modified_at).time(memory.get("updated_at") or memory.get("created_at"))


MEM0 = Shape("mem0", _fits, _read)
