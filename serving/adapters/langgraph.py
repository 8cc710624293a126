"""LangGraph: a store whose values come back exactly, and are found by what they mean.

store = MnemeStore(memories, publisher, user_at=1)       # ("memories", "mira"): the memory of user mira
graph = builder.compile(store=store)
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    validate_op_namespace,
)

from mneme.errors import InputError
from mneme.records import Owner, Scalar
from queries.questions.understand import as_question
from serving.adapters import memory
from serving.adapters.memory import MessageStore, StoredItem
from serving.clients import conversation_name, one_owner

if TYPE_CHECKING:
    from connectors import Publisher
    from queries import Memories

Namespace = tuple[str, ...]

_NAMESPACE, _KEY, _ID, _CREATED = "langgraph_namespace", "langgraph_key", "langgraph_id", "langgraph_created"
_UNINDEXED = "langgraph_unindexed"  # a label of values that no query finds
_LONGEST_NAME = 500  # characters of a namespace or a key: what can be filtered on
_WORDS_OF_A_NAME = 2  # "Mira Lang" means nothing without the name of its field, "likes tea a lot" does


class MnemeStore(BaseStore):
    """Values under namespace and key, kept in Mneme.

    ``get`` gives what was put, exactly (as JSON); ``put`` under the same key takes the place of what was there, ``delete``
    takes it away, with all that was learnt from it. ``search`` with a query goes by meaning and words, over the texts of the
    values; without, and with ``filter``, it goes through all values under the prefix. What a store writes it reads at once; a
    query finds it when the index shows it, within a second or two.

    Each namespace is a conversation, each value a message. Whose memory they are: that of one owner, or of the user that a
    label of the namespace names (``user_at``).

    Limits: a namespace and a key have at most 500 characters, a value 200,000 as JSON. Of two processes that put under one
    key at the same moment the later wins. No ``ttl``. With ``user_at`` a search needs a prefix that names the user: nothing is
    searched over several people's memories. No query finds a value that was put with ``index=False``.

    Args:
        memories: where values are read.
        publisher: where they are written.
        user_id, group_id, agent_id: whose memory all namespaces are; or
        user_at: the place of the label that names the user, from 0.
        tenant_id: isolation boundary.
        fields: the paths of what is remembered of a value, as in LangGraph's ``index``; None: all texts in it.

    >>> store = MnemeStore(memories, publisher, user_at=1)
    >>> store.put(("memories", "mira"), "food", {"text": "Mira likes dumplings.", "stars": 5})
    >>> store.get(("memories", "mira"), "food").value
    {'text': 'Mira likes dumplings.', 'stars': 5}
    >>> [item.key for item in store.search(("memories", "mira"), query="what does she like to eat?")]
    ['food']

    Raises:
        InputError: not exactly one of user_id, group_id, agent_id and user_at.
    """

    __slots__ = ("_fields", "_memories", "_messages", "_owner", "_publisher", "_tenant_id", "_user_at")

    def __init__(
        self,
        memories: "Memories",
        publisher: "Publisher",
        *,
        user_id: str | None = None,
        group_id: str | None = None,
        agent_id: str | None = None,
        user_at: int | None = None,
        tenant_id: str = "default",
        fields: Sequence[str] | None = None,
    ) -> None:
        if user_at is not None and (user_id or group_id or agent_id):
            raise InputError("user_at: the namespace names the user; leave user_id, group_id and agent_id out")
        self._owner = None if user_at is not None else one_owner(user_id, group_id, agent_id, tenant_id)
        self._user_at = user_at
        self._tenant_id = tenant_id
        self._fields = fields
        self._memories = memories
        self._publisher = publisher
        self._messages: dict[Owner, MessageStore] = {}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several operations; those that read see what was there before those that write.

        Raises:
            InputError: a value is no JSON, too large, or a namespace does not say whose memory it is.
            StoreError: the index or the way in cannot serve.
        """
        operations = list(ops)
        for op in operations:
            validate_op_namespace(op)
        results: list[Result] = [None if isinstance(op, PutOp) else self._read(op) for op in operations]
        puts = {(op.namespace, op.key): op for op in operations if isinstance(op, PutOp)}  # the last of each key
        for op in puts.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    # --- reading --------------------------------------------------------------------------------------------------------

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                return next(map(_item, self._versions(op.namespace, op.key)), None)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
            case _:
                raise InputError(f"{type(op).__name__}: is no operation of a store; use get, search, put or list_namespaces")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        current = self._ranked(op) if as_question(op.query or "") else self._current(op.namespace_prefix)
        passing = (item for item in current if _passes(item.value, op.filter or {}))
        return list(islice(passing, op.offset, op.offset + op.limit))

    def _current(
        self, prefix: Namespace, wanted: Callable[[Mapping[str, Scalar]], bool] = lambda labels: True
    ) -> Iterator[SearchItem]:
        """Every value under a prefix with wanted labels, the latest put first."""
        seen: set[tuple[Scalar, Scalar]] = set()
        for found in self._under(self._of(prefix), prefix):
            place = (found.labels[_NAMESPACE], found.labels[_KEY])
            if place not in seen:
                seen.add(place)
                if wanted(found.labels):
                    yield _item(found)

    def _ranked(self, op: SearchOp) -> Iterator[SearchItem]:
        """The values under a prefix, those that answer a query best first; then, as LangGraph's own store does, the others.

        A value that was put with ``index=False`` is not among them, as in LangGraph's store on Postgres.

        What was put a moment ago may have no vector yet, and be among the others.
        """
        labels = {_NAMESPACE: _range(op.namespace_prefix), _UNINDEXED: {"exists": False}}
        ranked = self._of(op.namespace_prefix).ranked(op.query or "", _ID, labels, op.offset + op.limit)
        start = _label(op.namespace_prefix)
        answering = [_item(each, score) for each, score in ranked if str(each.labels.get(_NAMESPACE, "")).startswith(start)]
        yield from answering
        places = {(item.namespace, item.key) for item in answering}
        indexed = self._current(op.namespace_prefix, lambda labels: _UNINDEXED not in labels)
        yield from (item for item in indexed if (item.namespace, item.key) not in places)

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        depth = op.max_depth
        found = {
            _namespace(each)[:depth]
            for messages in self._all(conditions)
            for each in self._under(messages, ())
            if all(_matches(condition, _namespace(each)) for condition in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    def _versions(self, namespace: Namespace, key: str) -> Iterator[StoredItem]:
        """Versions under a key that are not removed yet, the latest first."""
        labels = {_NAMESPACE: _label(namespace), _KEY: key}
        yield from self._of(namespace).newest_first({"metadata": labels}, lambda has: labels.items() <= has.items())

    def _under(self, messages: MessageStore, prefix: Namespace) -> Iterator[StoredItem]:
        start = _label(prefix)
        yield from messages.newest_first(
            {"metadata": {_NAMESPACE: _range(prefix)}}, lambda labels: str(labels.get(_NAMESPACE, "")).startswith(start)
        )

    # --- writing --------------------------------------------------------------------------------------------------------

    def _put(self, op: PutOp) -> None:
        messages = self._of(op.namespace)
        before = list(self._versions(op.namespace, op.key))
        if op.value is not None:
            conversation = conversation_name("langgraph", messages.owner, *op.namespace)
            created = before[0].labels.get(_CREATED, before[0].at.isoformat()) if before else ""
            messages.add(conversation, [self._message(op, op.value, created)])
        messages.remove(before)

    def _message(self, op: PutOp, value: Mapping[str, Any], created: Scalar) -> memory.Item:
        for what, name in (("namespace", _label(op.namespace)), ("key", op.key)):
            if len(name) > _LONGEST_NAME:
                raise InputError(f"{what}: has {len(name)} characters; at most {_LONGEST_NAME} are taken")
        words = op.key if op.index is False else _words(value, op.index or self._fields) or op.key
        identity = uuid4().hex
        labels = {_NAMESPACE: _label(op.namespace), _KEY: op.key, _ID: identity} | ({_CREATED: created} if created else {})
        labels |= {_UNINDEXED: True} if op.index is False else {}
        return memory.Item(dict(value), words, labels=labels, message_id=identity)

    # --- whose memory ---------------------------------------------------------------------------------------------------

    def _of(self, namespace: Namespace) -> MessageStore:
        """The messages of the owner of a namespace.

        Raises:
            InputError: the namespace does not name the user.
        """
        if self._user_at is None:
            assert self._owner is not None, "checked when the store was made"
            return self._messages_of(self._owner)
        if len(namespace) <= self._user_at:
            raise InputError(
                f"namespace: {namespace} does not name the user at place {self._user_at}; give a longer one, for nothing is"
                " searched over several people's memories"
            )
        return self._messages_of(Owner(tenant_id=self._tenant_id, type="user", id=namespace[self._user_at]))

    def _messages_of(self, owner: Owner) -> MessageStore:
        if owner not in self._messages:
            self._messages.setdefault(owner, MessageStore(self._memories, self._publisher, owner))
        return self._messages[owner]

    def _all(self, conditions: Iterable[MatchCondition]) -> Iterator[MessageStore]:
        """The messages of all owners that a list of namespaces may be about."""
        if self._user_at is None:
            yield self._of(())
            return
        for condition in conditions:
            named = condition.path[self._user_at : self._user_at + 1]
            if condition.match_type == "prefix" and named and named != ("*",):
                yield self._of(tuple(condition.path))
                return
        there = {each.id for each in self._memories.owners(self._tenant_id) if each.type == "user"}
        for identity in sorted(there | {owner.id for owner in self._messages}):
            yield self._messages_of(Owner(tenant_id=self._tenant_id, type="user", id=identity))


def _item(found: StoredItem, score: float | None = None) -> SearchItem:
    return SearchItem(
        namespace=_namespace(found),
        key=str(found.labels[_KEY]),
        value=found.value,
        created_at=datetime.fromisoformat(str(found.labels.get(_CREATED, found.at.isoformat()))),
        updated_at=found.at,
        score=score,
    )


# A namespace as a label: "/memories.mira." Labels of a namespace hold no period, so that a text that begins with this is one
# under it; and no text that begins with a slash is taken for a date.


def _label(namespace: Namespace) -> str:
    return "/" + "".join(f"{label}." for label in namespace)


def _range(prefix: Namespace) -> dict[str, str]:
    """The labels of all namespaces under a prefix."""
    start = _label(prefix)
    return {"gte": start, "lt": start[:-1] + chr(ord(start[-1]) + 1)}


def _namespace(found: StoredItem) -> Namespace:
    return tuple(str(found.labels[_NAMESPACE])[1:-1].split("."))


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(asked in ("*", label) for asked, label in zip(path, part, strict=True))


# --- what a value says, and whether it passes a filter -------------------------------------------------------------------


def _words(value: Mapping[str, Any], fields: Sequence[str] | None) -> str:
    """The texts of a value, or of some of its fields: sentences as they are, what is shorter with its name in front."""
    if fields is not None:
        return "\n".join(text for path in fields for text in get_text_at_path(dict(value), path))
    return "\n".join(_lines("", value))


def _lines(name: str, value: Any) -> Iterator[str]:
    match value:
        case Mapping():
            for key, each in value.items():
                yield from _lines(key, each)
        case list() | tuple():
            for each in value:
                yield from _lines(name, each)
        case str() if len(value.split()) > _WORDS_OF_A_NAME:
            yield value
        case str() | int() | float() if value != "" and not isinstance(value, bool):
            yield f"{name}: {value}"
        case _:
            pass


def _passes(value: Any, filter: Mapping[str, Any]) -> bool:
    """Tell whether a value passes a filter: values, or ``{"$gt": 4}``."""
    return all(_compares(value.get(key), asked) for key, asked in filter.items())


def _compares(value: Any, asked: Any) -> bool:
    match asked:
        case Mapping() if any(str(key).startswith("$") for key in asked):
            return all(_holds(value, operator, operand) for operator, operand in asked.items())
        case Mapping():
            return isinstance(value, Mapping) and _passes(value, asked)
        case list() | tuple():
            return (
                isinstance(value, list)
                and len(value) == len(asked)
                and all(_compares(mine, theirs) for mine, theirs in zip(value, asked, strict=True))
            )
        case _:
            return bool(value == asked)


def _holds(value: Any, operator: str, operand: Any) -> bool:
    if operator not in _OPERATORS:
        raise InputError(f"filter: {operator} is not known; accepted are {', '.join(_OPERATORS)}")
    try:
        return bool(_OPERATORS[operator](value, operand))
    except TypeError:  # a text is neither more nor less than a number
        return False


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {"$eq": eq, "$ne": ne, "$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
