"""mem0: its ``Memory`` on Mneme, with the same calls and shapes, so that a program changes one import.

from serving.adapters.mem0 import Memory        # was: from mem0 import Memory

A memory is a message: the facts in it as soon as there are any, with ``infer=False`` its words. What differs: docs/agents.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import md5
from itertools import islice
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, unquote
from uuid import uuid4

from mneme.errors import InputError
from mneme.labels import can_filter_value
from mneme.records import Owner, OwnerType
from mneme.times import utc_now
from serving.adapters.memory import Item, MessageStore, Role, StoredItem
from serving.clients import await_index, conversation_name, iterate_memories

if TYPE_CHECKING:
    from connectors import Publisher
    from queries import Memories

WAIT_SECONDS = 10.0  # two or three pass until what is added is searchable
_START_SECONDS = 60.0
_ID, _MESSAGE = "mem0_id", "mem0_message"  # labels by which memories are found again, beside the caller's own metadata
_OURS = {_ID: {"exists": True}}
_OWNERS: Mapping[str, OwnerType] = {"user_id": "user", "agent_id": "agent", "run_id": "group"}  # the first that is given
_ANY: Mapping[str, Any] = {}
_ROLES: Mapping[str, Role] = {"assistant": "assistant", "tool": "tool", "function": "tool"}

Labels = Mapping[str, Any]
Results = dict[str, list[dict[str, Any]]]


class InvalidCall(InputError, ValueError):
    """A call is wrong; mem0 raises ValueError there."""


class Memory:
    """mem0's ``Memory``: add, search, get, get_all, update, delete, delete_all, history. A context manager.

    ``Memory()`` opens what the settings name: a running service (``MNEME_SERVICE__URL``), or index and flow of this machine,
    which it starts if none runs. The memory of ``user_id`` belongs to that user, else to ``agent_id``, else to ``run_id`` as a
    group; the other two are labels.

    Args:
        config: mem0's, which is not used: models and stores are Mneme's settings.
        memories: where memories are read; None opens them.
        publisher: where they are written; None opens it.
        tenant_id: isolation boundary.
        wait: the longest, in seconds, that ``add``, ``update`` and ``delete`` wait until what they did is searchable; 0: not.

    >>> memory = Memory(memories=memories, publisher=publisher)
    >>> memory.add("Ines plays the cello.", user_id="ines")["results"][0]["memory"]
    'Ines plays the cello.'
    >>> memory.search("what does Ines play?", filters={"user_id": "ines"})["results"][0]["memory"]
    'Ines plays the cello.'

    Raises, here and in every call:
        InvalidCall: nobody is named, there is no such memory, or an argument is wrong.
        StoreUnavailable, StoreRejected: index or flow cannot be opened, or do not answer.
        SettingsError: a setting is wrong.
    """

    def __init__(
        self,
        config: object = None,
        *,
        memories: "Memories | None" = None,
        publisher: "Publisher | None" = None,
        tenant_id: str = "default",
        wait: float = WAIT_SECONDS,
    ) -> None:
        self._stack = ExitStack()
        if memories is None or publisher is None:
            memories, publisher = self._opened()
        self._memories, self._publisher = memories, publisher
        self._tenant_id = tenant_id
        self._wait = wait

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """The same; of mem0's configuration nothing is used."""
        return cls(config_dict)

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: object = None,
        agent_id: object = None,
        run_id: object = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
    ) -> Results:
        """Keep messages, durably on return; ``results`` are the memories that they became.

        With ``infer`` each is given as the facts that it states, where these are there within ``wait``.
        """
        scope = _scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        store, now = self._store(scope), utc_now().isoformat()
        values: list[dict[str, Any]] = []
        for role, text, name in _messages(messages):
            # Read by it alone, it names its owner.
            identity = f"{store.owner.type}:{quote(store.owner.id, safe='')}:{uuid4().hex}"
            value: dict[str, Any] = {**scope, "id": identity, "text": text, "role": role, "actor_id": name, "infer": infer}
            value |= {"metadata": dict(metadata or {}), "created_at": now, "updated_at": now}
            values.append({**value, "history": [_change(value, None, "ADD")]})
        conversation = conversation_name("mem0", store.owner, scope.get("run_id") or now[:10])
        store.add(conversation, [_item(each) for each in values])
        if self._flush(conversation) and infer and values:
            labels = {_ID: [each["id"] for each in values]}
            found = {kept.value["id"]: text for kept, text in self._told(store, list(self._kept(store, labels)), labels)}
            values = [{**each, "text": found.get(each["id"], each["text"])} for each in values]
        told = () if infer else ("actor_id", "role")
        values = [{**each, "memory": each["text"], "event": "ADD"} for each in values]
        return {"results": [{name: each[name] for name in ("id", "memory", "event", *told)} for each in values]}

    def search(
        self,
        query: str,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        threshold: float | None = None,
        **named: Any,
    ) -> Results:
        """The memories that answer a question, best first; ``user_id``, ``limit`` and others may stand beside, as in mem0 1."""
        most = named.pop("limit", top_k)
        asked = _asked(filters, named)
        store = self._store(asked)
        ranked = store.ranked(query, _MESSAGE, {**_OURS, **_labels(asked)}, most)
        ranked = [(kept, score) for kept, score in ranked if _passes(kept.value, asked)]
        told = self._told(store, [kept for kept, _ in ranked], {_MESSAGE: [kept.message_id for kept, _ in ranked]})
        shown = [_shown(kept, text, score=score) for (kept, text), (_, score) in zip(told, ranked, strict=True)]
        return {"results": [each for each in shown if threshold is None or each["score"] >= threshold][:most]}

    def get_all(self, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, **named: Any) -> Results:
        """The memories of somebody, the newest first."""
        most = named.pop("limit", top_k)
        asked = _asked(filters, named)
        store, labels = self._store(asked), _labels(asked)
        kept = list(islice(self._kept(store, labels, asked), most))
        return {"results": [_shown(*each) for each in self._told(store, kept, {**_OURS, **labels})]}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """A memory; None where there is none of this id."""
        found = self._found(memory_id)
        return None if found is None else _shown(*found[1:], score=None)

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """The changes of a memory, oldest first; none of one that was deleted."""
        found = self._found(memory_id)
        return [] if found is None else list(found[1].value["history"])

    def update(
        self, memory_id: str, text: str | None = None, metadata: Mapping[str, Any] | None = None, *, data: str | None = None
    ) -> dict[str, str]:
        """Let a memory say something else under the same id; what was made of the old text goes. ``data`` was once ``text``."""
        if text is None and data is None and metadata is None:
            raise InvalidCall("text: give a text or metadata to update")
        store, kept, before = self._one(memory_id)
        new = next((each for each in (text, data) if each is not None), before)
        value = {**kept.value, "text": new, "updated_at": utc_now().isoformat(), "infer": False}
        value["metadata"] = {**kept.value["metadata"], **(metadata or {})}
        value["history"] = [*kept.value["history"], _change(value, before, "UPDATE")]
        store.add(kept.conversation_id, [_item(value)])
        self._remove(store, [kept])
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Take a memory away, with all that was learnt from it."""
        store, kept, _ = self._one(memory_id)
        self._remove(store, [kept])
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: object = None, agent_id: object = None, run_id: object = None) -> dict[str, str]:
        """Take all memories of a user, an agent or a run away."""
        scope = _scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        store = self._store(scope)
        self._remove(store, list(self._kept(store, _labels(scope), scope)))
        return {"message": "Memories deleted successfully!"}

    def close(self) -> None:
        """Release what was opened here."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _opened(self) -> "tuple[Memories, Publisher]":
        from mneme.settings import load_settings
        from serving.service.remote import RemoteService, open_service

        service = open_service(load_settings())
        self._stack.enter_context(service)
        if not isinstance(service, RemoteService):
            await_index(service.memories, _START_SECONDS)
        return service.memories, service.publisher

    def _store(self, scope: Mapping[str, Any]) -> MessageStore:
        kind, identity = next((kind, scope[name]) for name, kind in _OWNERS.items() if name in scope)
        return MessageStore(self._memories, self._publisher, Owner(tenant_id=self._tenant_id, type=kind, id=identity))

    def _flush(self, conversation_id: str) -> bool:
        """Wait until what was sent to a conversation is searchable; whether it is."""
        if not self._wait:
            return False
        flush_id = self._publisher.flush_conversation(self._tenant_id, conversation_id)
        return self._memories.wait_for_flush(flush_id, self._tenant_id, self._wait)

    def _remove(self, store: MessageStore, gone: Sequence[StoredItem]) -> None:
        store.remove(gone)
        for conversation in {each.conversation_id for each in gone}:
            self._flush(conversation)

    def _kept(self, store: MessageStore, labels: Labels, asked: Mapping[str, Any] = _ANY) -> Iterator[StoredItem]:
        """The memories that have labels and pass filters, the newest first."""
        found = store.newest_first({"metadata": {**_OURS, **labels}}, lambda known: _ID in known)
        return (each for each in found if each.value and _passes(each.value, asked))

    def _told(self, store: MessageStore, kept: Sequence[StoredItem], labels: Labels) -> list[tuple[StoredItem, str]]:
        """Memories with their texts: the facts in them, which are found by labels, else their words."""
        stated: dict[str, list[str]] = {}
        if any(each.value["infer"] for each in kept):
            for fact in iterate_memories(self._memories, "fact", {**store.filters, "metadata": labels}):
                words = (fact.body.get("quote") or {}).get("words") or fact.text
                stated.setdefault(fact.message_ids[0], []).insert(0, words)
        facts = [stated.get(each.message_id, ()) if each.value["infer"] else () for each in kept]
        return [(each, " ".join(words) or each.value["text"]) for each, words in zip(kept, facts, strict=True)]

    def _found(self, memory_id: str) -> tuple[MessageStore, StoredItem, str] | None:
        kind, _, rest = memory_id.partition(":")
        scope = {name: unquote(rest.partition(":")[0]) for name, its in _OWNERS.items() if its == kind}
        if not scope or ":" not in rest:
            return None
        store, labels = self._store(scope), {_ID: memory_id}
        kept = [each for each in self._kept(store, labels) if each.value["id"] == memory_id]
        return next(((store, *each) for each in self._told(store, kept, labels)), None)

    def _one(self, memory_id: str) -> tuple[MessageStore, StoredItem, str]:
        if (found := self._found(memory_id)) is None:
            raise InvalidCall(f"memory_id: there is no memory {memory_id!r}; take an id from add, search or get_all")
        return found


def _shown(kept: StoredItem, text: str, **score: float | None) -> dict[str, Any]:
    """The memory as mem0 shows it."""
    value: dict[str, Any] = kept.value
    told = {"id": value["id"], "memory": text, "hash": md5(text.encode(), usedforsecurity=False).hexdigest()}
    told |= {"metadata": value["metadata"] or None, **score}
    told |= {name: value[name] for name in ("created_at", "updated_at")}
    return told | {name: value[name] for name in (*_OWNERS, "actor_id", "role") if value.get(name)}


def _messages(given: Any) -> Iterator[tuple[Role, str, str | None]]:
    """Role, text and name of each message that says something; a system's are left out, as mem0 does."""
    given = {"content": given} if isinstance(given, str) else given
    listed = [given] if isinstance(given, Mapping) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(each, Mapping) and "content" in each for each in listed):
        raise InvalidCall("messages: give a text, a message, or a list of messages ({'role': ..., 'content': ...})")
    for each in listed:
        parts = [{"text": each["content"]}] if isinstance(each["content"], str) else each["content"] or ()
        text = "\n".join(str(part.get("text") or "") for part in parts)
        if text.strip() and each.get("role") != "system":
            yield _ROLES.get(str(each.get("role")), "user"), text, each.get("name")


def _item(value: Mapping[str, Any]) -> Item:
    identity = uuid4().hex
    own = {key: label for key, label in value["metadata"].items() if can_filter_value(label)}
    named = {f"mem0_{name}": value[name] for name in _OWNERS if name in value}
    labels = {**own, **named, _ID: value["id"], _MESSAGE: identity}
    return Item(dict(value), value["text"], value["role"], value["actor_id"] or "", labels=labels, message_id=identity)


def _change(value: Mapping[str, Any], old: str | None, event: str) -> dict[str, Any]:
    """One entry of a history."""
    told = {name: value[name] for name in ("created_at", "updated_at", "actor_id", "role")}
    texts = {"old_memory": old, "new_memory": value["text"]}
    return {"id": uuid4().hex, "memory_id": value["id"], **texts, "event": event, "is_deleted": False, **told}


# --- filters as mem0 writes them: ids and metadata, operators, AND, OR and NOT -------------------------------------------


def _scope(given: Mapping[str, Any]) -> dict[str, str]:
    """The ids that are given, as texts."""
    scope = {name: str(given[name]).strip() for name in _OWNERS if given.get(name) is not None}
    if not scope or not all(scope.values()):
        raise InvalidCall(f"filters: must contain at least one of {', '.join(_OWNERS)}, not blank")
    return scope


def _asked(filters: Mapping[str, Any] | None, named: Mapping[str, Any]) -> dict[str, Any]:
    """Filters, with the ids that stood beside them."""
    if unknown := sorted(set(named) - set(_OWNERS)):
        raise InvalidCall(f"{', '.join(unknown)}: not known here; accepted are filters, top_k, limit, threshold")
    return {**(filters or {}), **_scope({**(filters or {}), **named})}


def _labels(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a filter that the index answers itself: a value of a key."""
    own = {key: value for key, value in asked.items() if key not in (*_OWNERS, *_LOGIC, *_FIELDS)}
    own = {key: value for key, value in own.items() if can_filter_value(value) and value != "*"}
    return {f"mem0_{name}": asked[name] for name in _OWNERS if asked.get(name, "*") != "*"} | own


def _passes(value: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Tell whether a memory passes a filter."""
    return all(_holds(value, key, held) for key, held in asked.items())


def _holds(value: Mapping[str, Any], key: str, asked: Any) -> bool:
    if key in _LOGIC:
        return _LOGIC[key]([_passes(value, each) for each in asked])
    mine = value.get(key) if key in (*_OWNERS, *_FIELDS) else value["metadata"].get(key)
    if not isinstance(asked, Mapping):
        return mine is not None if asked == "*" else bool(mine == asked)
    if unknown := sorted(set(asked) - set(_OPERATORS)):
        raise InvalidCall(f"filters: {', '.join(unknown)} not known; accepted are {', '.join(_OPERATORS)}")
    try:
        return all(_OPERATORS[operator](mine, operand) for operator, operand in asked.items())
    except (TypeError, AttributeError):  # a text is neither more nor less than a number, and nothing holds no text
        return False


_FIELDS = ("actor_id", "role", "created_at", "updated_at")  # of a memory, beside its metadata
_LOGIC: Mapping[str, Callable[[Iterable[bool]], bool]] = {"AND": all, "OR": any, "NOT": lambda held: not any(held)}
_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    **{"eq": eq, "ne": ne, "gt": gt, "gte": ge, "lt": lt, "lte": le},
    "in": lambda mine, operand: mine in operand,
    "nin": lambda mine, operand: mine not in operand,
    "contains": lambda mine, operand: operand in mine,
    "icontains": lambda mine, operand: operand.lower() in mine.lower(),
}
