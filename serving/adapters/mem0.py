"""mem0: its ``Memory`` on Mneme, with the same calls and shapes, so that a program changes one import.

from serving.adapters.mem0 import Memory        # was: from mem0 import Memory

A memory is a message: the facts in it as soon as there are any, with ``infer=False`` its words. What differs: docs/agents.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import md5
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, unquote
from uuid import uuid4

from mneme.labels import is_value
from mneme.records import Owner, OwnerType
from mneme.times import utc_now
from serving.adapters.mem0_filters import NAMES, InvalidCall, labels_of, passes, scope_of
from serving.adapters.memory import Item, MessageStore, Role, StoredItem, passages
from serving.clients import await_index, conversation_name, iterate_memories

if TYPE_CHECKING:
    from connectors import Publisher
    from queries import Memories

WAIT_SECONDS = 10.0  # two or three pass until what is added is searchable
_START_SECONDS = 60.0
_ID, _MESSAGE = "mem0_id", "mem0_message"  # labels by which memories are found again, beside the caller's own metadata
_OURS = {_ID: {"exists": True}}
_TYPES: tuple[OwnerType, ...] = ("user", "agent", "group")  # of the owner that each of NAMES is, if it is given first
_ROLES: Mapping[str, Role] = {"assistant": "assistant", "tool": "tool", "function": "tool"}
_PLACES_EACH, _MOST_PLACES = 4, 1000  # of a search: several facts may come from one message

Results = dict[str, list[dict[str, Any]]]


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

    Raises:
        StoreUnavailable, StoreRejected, SettingsError: index or flow cannot be opened.
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
        self._stores: dict[Owner, MessageStore] = {}

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

        Raises:
            InvalidCall: nobody is named, or the messages are none.
            StoreUnavailable, StoreRejected: they could not be kept.
        """
        scope = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
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
            found = {kept.value["id"]: text for kept, text in self._kept(store, {_ID: [each["id"] for each in values]})}
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
        """The memories that answer a question, best first; ``user_id``, ``limit`` and others may stand beside, as in mem0 1.

        Raises:
            InvalidCall: nobody is named, or a filter is not known.
            StoreUnavailable, StoreRejected: the index cannot answer.
        """
        most = named.pop("limit", top_k)
        asked = {**(filters or {}), **scope_of({**(filters or {}), **named}, named)}
        store = self._store(asked)
        store.wait_until_stored()
        labels = {"metadata": {**_OURS, **labels_of(asked)}, "kinds": ["fact", "message"]}
        places = min(_PLACES_EACH * most, _MOST_PLACES)
        scores: dict[str, float] = {}
        for passage in passages(self._memories.search(query, filters=store.filters | labels, top_k=places)):
            for identity in passage.metadata["message_ids"]:  # those that say the same again among them
                scores.setdefault(identity, passage.score)
        found = self._kept(store, {_MESSAGE: list(scores)}, asked) if scores else ()
        shown = {
            kept.message_id: _shown(kept, text) | {"score": scores[kept.message_id]}
            for kept, text in found
            if kept.message_id in scores
        }
        best = [shown[name] for name in scores if name in shown]
        return {"results": [each for each in best if threshold is None or each["score"] >= threshold][:most]}

    def get_all(self, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, **named: Any) -> Results:
        """The memories of somebody, the newest first.

        Raises:
            InvalidCall: nobody is named, or a filter is not known.
            StoreUnavailable, StoreRejected: the index cannot answer.
        """
        most = named.pop("limit", top_k)
        asked = {**(filters or {}), **scope_of({**(filters or {}), **named}, named)}
        found = islice(self._kept(self._store(asked), labels_of(asked), asked), most)
        shown = [_shown(kept, text) for kept, text in found]
        return {"results": [{name: each[name] for name in each if name != "score"} for each in shown]}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """A memory; None where there is none of this id.

        Raises:
            StoreUnavailable, StoreRejected: the index cannot answer.
        """
        found = self._found(memory_id)
        return None if found is None else _shown(*found[1:])

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """The changes of a memory, oldest first; none of one that was deleted.

        Raises:
            StoreUnavailable, StoreRejected: the index cannot answer.
        """
        found = self._found(memory_id)
        return [] if found is None else list(found[1].value["history"])

    def update(
        self, memory_id: str, text: str | None = None, metadata: Mapping[str, Any] | None = None, *, data: str | None = None
    ) -> dict[str, str]:
        """Let a memory say something else under the same id; what was made of the old text goes. ``data`` is ``text`` of old.

        Raises:
            InvalidCall: there is no such memory, or nothing is to change.
            StoreUnavailable, StoreRejected: it could not be kept.
        """
        if text is None and data is None and metadata is None:
            raise InvalidCall("text: give a text or metadata to update")
        store, kept, before = self._one(memory_id)
        new = next((each for each in (text, data) if each is not None), before)
        value = {**kept.value, "text": new, "updated_at": utc_now().isoformat(), "infer": False}
        value["metadata"] = {**kept.value["metadata"], **(metadata or {})}
        value["history"] = [*kept.value["history"], _change(value, before, "UPDATE")]
        store.add(kept.conversation_id, [_item(value)])
        store.remove([kept])
        self._flush(kept.conversation_id)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Take a memory away, with all that was learnt from it.

        Raises:
            InvalidCall: there is no such memory.
            StoreUnavailable, StoreRejected: it could not be ordered.
        """
        store, kept, _ = self._one(memory_id)
        store.remove([kept])
        self._flush(kept.conversation_id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: object = None, agent_id: object = None, run_id: object = None) -> dict[str, str]:
        """Take all memories of a user, an agent or a run away.

        Raises:
            InvalidCall: nobody is named.
            StoreUnavailable, StoreRejected: it could not be ordered.
        """
        scope = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        store = self._store(scope)
        gone = [each for each in self._items(store, labels_of(scope)) if passes(each.value, scope)]
        store.remove(gone)
        for conversation in {each.conversation_id for each in gone}:
            self._flush(conversation)
        return {"message": "Memories deleted successfully!"}

    def close(self) -> None:
        """Release what was opened here."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _opened(self) -> "tuple[Memories, Publisher]":
        from connectors import Publisher
        from mneme.settings import load_settings
        from queries import Memories
        from serving.service.service import Service

        settings = load_settings()
        if settings.service.url:
            memories = self._stack.enter_context(Memories.connect(settings))
            return memories, self._stack.enter_context(Publisher.connect(settings))
        service = self._stack.enter_context(Service(settings))
        await_index(service.memories, _START_SECONDS)
        return service.memories, service.publisher

    def _store(self, scope: Mapping[str, Any]) -> MessageStore:
        owner = next((kind, scope[name]) for kind, name in zip(_TYPES, NAMES, strict=True) if name in scope)
        return self._store_of(*owner)

    def _store_of(self, kind: OwnerType, identity: str) -> MessageStore:
        owner = Owner(tenant_id=self._tenant_id, type=kind, id=identity)
        return self._stores.setdefault(owner, MessageStore(self._memories, self._publisher, owner))

    def _flush(self, conversation_id: str) -> bool:
        """Wait until what was sent to a conversation is searchable; whether it is."""
        if not self._wait:
            return False
        flush_id = self._publisher.flush_conversation(self._tenant_id, conversation_id)
        return self._memories.wait_for_flush(flush_id, self._tenant_id, self._wait)

    def _items(self, store: MessageStore, labels: Mapping[str, Any]) -> Iterator[StoredItem]:
        found = store.newest_first({"metadata": {**_OURS, **labels}}, lambda known: _ID in known)
        return (each for each in found if each.value)

    def _kept(
        self, store: MessageStore, labels: Mapping[str, Any], asked: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[StoredItem, str]]:
        """The memories that pass filters, the newest first, each with its text: its facts, else its words."""
        found = [each for each in self._items(store, labels) if passes(each.value, asked or {})]
        stated: dict[str, list[str]] = {}
        if any(each.value["infer"] for each in found):
            filters = {**store.filters, "metadata": {**_OURS, **labels}}
            for fact in iterate_memories(self._memories, "fact", filters):
                words = (fact.body.get("quote") or {}).get("words") or fact.text
                stated.setdefault(fact.message_ids[0], []).insert(0, words)
        for each in found:
            facts = stated.get(each.message_id, ()) if each.value["infer"] else ()
            yield each, " ".join(facts) or each.value["text"]

    def _found(self, memory_id: str) -> tuple[MessageStore, StoredItem, str] | None:
        kind, _, rest = memory_id.partition(":")
        if kind not in _TYPES or ":" not in rest:
            return None
        store = self._store_of(kind, unquote(rest.partition(":")[0]))
        for each in self._items(store, {_ID: memory_id}):
            if each.labels[_ID] == memory_id:
                return next((store, *known) for known in self._kept(store, {_ID: memory_id}) if known[0].id == each.id)
        return None

    def _one(self, memory_id: str) -> tuple[MessageStore, StoredItem, str]:
        if (found := self._found(memory_id)) is None:
            raise InvalidCall(f"memory_id: there is no memory {memory_id!r}; take an id from add, search or get_all")
        return found


def _shown(kept: StoredItem, text: str) -> dict[str, Any]:
    """The memory as mem0 shows it."""
    value: dict[str, Any] = kept.value
    told = {"id": value["id"], "memory": text, "hash": md5(text.encode(), usedforsecurity=False).hexdigest()}
    told |= {"metadata": value["metadata"] or None, "score": None}
    told |= {name: value[name] for name in ("created_at", "updated_at")}
    return told | {name: value[name] for name in (*NAMES, "actor_id", "role") if value.get(name)}


def _messages(given: Any) -> Iterator[tuple[Role, str, str | None]]:
    """Role, text and name of each message that says something; a system's are left out, as mem0 does.

    Raises:
        InvalidCall: they are none.
    """
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
    own = {key: label for key, label in value["metadata"].items() if is_value(label)}
    named = {f"mem0_{name}": value[name] for name in NAMES if name in value}
    labels = {**own, **named, _ID: value["id"], _MESSAGE: identity}
    return Item(dict(value), value["text"], value["role"], value["actor_id"] or "", labels=labels, message_id=identity)


def _change(value: Mapping[str, Any], old: str | None, event: str) -> dict[str, Any]:
    """One entry of a history."""
    told = {name: value[name] for name in ("created_at", "updated_at", "actor_id", "role")}
    texts = {"old_memory": old, "new_memory": value["text"]}
    return {"id": uuid4().hex, "memory_id": value["id"], **texts, "event": event, "is_deleted": False, **told}
