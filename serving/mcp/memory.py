"""Tools of the MCP server on the memory of one owner, of our own service or a remote one: ``Memories`` and ``Publisher``."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ValidationError

from connectors import Publisher
from mneme.errors import InputError
from mneme.events import Delete, Message, Retract, describe
from mneme.ids import lasting_name, make_id, message_id
from mneme.records import Owner, OwnerType
from mneme.times import utc_now
from queries import Memories
from serving.clients import await_index, conversation_name, iterate_memories
from serving.mcp.results import (
    AskResult,
    ContextResult,
    Event,
    ForgetResult,
    Line,
    ProfileResult,
    RememberResult,
    SearchResult,
    TimelineResult,
    cited,
    event,
    event_lines,
    lines,
    memories_of,
    relations_of,
    with_notes,
)
from serving.service.amending import retractions_of
from serving.service.service import Service

_NAMES = ("user_id", "group_id", "agent_id")


@dataclass(frozen=True, slots=True)
class OwnerScope:
    """The owner: a group, else a user, else an agent. ``agent_id`` beside one of the others is the agent that speaks."""

    tenant_id: str = "default"
    user_id: str | None = None
    group_id: str | None = None
    agent_id: str | None = None

    @classmethod
    def parse(cls, given: Mapping[str, str], tenant_id: str) -> "OwnerScope":
        """The owner that the query parameters of a URL name: ``/mcp?user_id=mira``.

        Raises:
            InputError: nobody is named, two are, a name is blank, or there is an unknown parameter.
        """
        unknown = sorted(set(given) - {*_NAMES, "tenant_id"})
        if unknown:
            raise InputError(
                f"{', '.join(unknown)}: not known here; the URL of the MCP server takes {', '.join(_NAMES)}, tenant_id"
            )
        blank = sorted(name for name, value in given.items() if not value.strip())
        if blank:
            raise InputError(f"{', '.join(blank)}: is blank; write whose memory it is, as in /mcp?user_id=mira")
        named = {name: given[name] for name in _NAMES if name in given}
        if not named:
            raise InputError("the URL names nobody; write whose memory it is, as in /mcp?user_id=mira")
        if "user_id" in named and "group_id" in named:
            raise InputError("user_id and group_id are both given; a memory has one owner, leave one out")
        return cls(tenant_id, **named)

    @property
    def owner(self) -> Owner:
        """Whom the memory belongs to."""
        names: tuple[tuple[OwnerType, str | None], ...] = (
            ("group", self.group_id),
            ("user", self.user_id),
            ("agent", self.agent_id),
        )
        owner_type, identity = next((kind, name) for kind, name in names if name)
        return Owner(tenant_id=self.tenant_id, type=owner_type, id=identity or "")

    def filters(self, **more: Any) -> dict[str, Any]:
        """The filters of a search in this memory, with what else is asked for and is not None."""
        names = {"user_id": self.user_id, "group_id": self.group_id, "agent_id": self.agent_id, **more}
        return {"tenant_id": self.tenant_id} | {name: value for name, value in names.items() if value is not None}

    def ids(self) -> dict[str, str | None]:
        """The owner's fields of an event."""
        return {"user_id": self.user_id, "group_id": self.group_id, "agent_id": self.agent_id}

    def conversation(self, name: str) -> str:
        """The id of a conversation that this client writes: a name of its own, or the id that an earlier call returned."""
        start = conversation_name("mcp", self.owner, "")
        return name if name.startswith(start) else start + lasting_name(make_id(name))


MOST_MESSAGES = 200  # of one call of remember, and of one page of a conversation
_MOST_RELATIONS = 10
_RECENT = 5  # conversations that the profile names
_NUMBERS = re.compile(r"\[\d{1,4}(?:, *\d{1,4})*\]")

Role = Literal["user", "assistant"]
Target = Literal["fact", "message", "conversation", "document", "everything"]


@dataclass(frozen=True, slots=True)
class SpokenMessage:
    """A message as a model hands it over."""

    role: Role
    content: str
    name: str | None = None
    sent_at: datetime | None = None


class Answer(NamedTuple):
    """Result of a tool: text for the model, and the same as data."""

    text: str
    data: BaseModel


class AgentMemory:
    """The memory of whoever a client of the MCP server speaks for. Safe for several threads.

    Args:
        memories: opens the way out, at the first use.
        publisher: opens the way in, at the first use.
        wait_seconds: the longest that a flush or an erasure is waited for.
        clock: the present.
        service: whose waits end with it; None where it is remote.
    """

    def __init__(
        self,
        memories: Callable[[], Memories],
        publisher: Callable[[], Publisher],
        wait_seconds: float,
        clock: Callable[[], datetime] = utc_now,
        service: Service | None = None,
    ) -> None:
        self._service = service
        self._memories = memories
        self._is_open = False
        self._publisher = publisher
        self._wait_seconds = wait_seconds
        self._clock = clock

    # --- reading --------------------------------------------------------------------------------------------------------

    def search(self, scope: OwnerScope, query: str, limit: int, since: datetime | None, before: datetime | None) -> Answer:
        """Search the memory.

        Raises:
            InputError: an empty query, or dates the wrong way round.
            StoreError: the index cannot answer.
        """
        found = self._open_memories().search(query, filters=scope.filters(since=since, before=before), top_k=limit)
        memories = memories_of(found, scope.tenant_id)
        relations = relations_of(found, _MOST_RELATIONS)
        text = lines(memories) or "nothing is remembered about this"
        if relations:
            text += "\nrelations: " + "; ".join(relations)
        notes = found.query.notes
        return Answer(with_notes(text, notes), SearchResult(memories=memories, relations=relations, notes=notes))

    def ask(self, scope: OwnerScope, question: str, since: datetime | None, before: datetime | None) -> Answer:
        """An answer with the memories that it cites.

        Raises:
            InputError, StoreError, SettingsError: as ``Memories.ask``.
        """
        answer = self._open_memories().ask(question, scope.filters(since=since, before=before))
        citations = cited(answer, scope.tenant_id)
        text = _renumbered(answer.answer, {each.number: place for place, each in enumerate(answer.citations, 1)})
        told = f"{text}\n\n{lines(citations)}" if citations else text
        data = AskResult(answer=text, abstained=answer.abstained, citations=citations, notes=answer.notes)
        return Answer(with_notes(told, answer.notes), data)

    def context(
        self, scope: OwnerScope, question: str, max_tokens: int, since: datetime | None, before: datetime | None
    ) -> Answer:
        """One text of what is remembered for a question.

        Raises:
            InputError, StoreError: as ``Memories.context``.
        """
        found = self._open_memories().context(question, scope.filters(since=since, before=before), max_tokens)
        ids = tuple(citation.id for citation in found.citations)
        data = ContextResult(text=found.text, tokens=found.tokens, memory_ids=ids, notes=found.notes)
        return Answer(with_notes(found.text, found.notes), data)

    def timeline(self, scope: OwnerScope, entity: str, since: datetime | None, before: datetime | None, limit: int) -> Answer:
        """The history of somebody or something; without a name, what happened between two dates.

        Raises:
            InputError: neither a name nor a date.
            StoreError: the index cannot answer.
        """
        if not entity and since is None and before is None:
            raise InputError("give an entity (its history), or since and before (what happened then), or both")
        if entity:
            history = self._open_memories().history(entity, scope.filters(since=since, before=before))
            about = history.name
            events = tuple(event(each) for each in history.timeline())
            others = (f"may also mean: {', '.join(history.others)}",) if history.others else ()
            notes = (*history.notes, *others)
        else:
            about = " ".join(f"{word} {day:%Y-%m-%d}" for word, day in (("from", since), ("to", before)) if day)
            events = tuple(self._episodes(scope, since, before, limit + 1))[::-1]
            notes = ()
        if len(events) > limit:
            notes = (
                *notes,
                f"only the newest {limit} of {len(events) if entity else 'several'} are shown; narrow since and before",
            )
            events = events[-limit:]
        text = f"{about}:\n{event_lines(events)}" if events else f"{about}: nothing is remembered"
        return Answer(with_notes(text, notes), TimelineResult(about=about, events=events, notes=notes))

    def profile(self, scope: OwnerScope) -> Answer:
        """Profile of the owner, and the subjects of the last conversations.

        Raises:
            StoreError: the index cannot answer.
        """
        portrait = self._open_memories().portrait(scope.filters())
        told = tuple(
            Line(about=each.about, statement=each.statement, since=each.at, inferred=each.implicit)
            for each in portrait.lines
            if each.holds
        )
        page = self._open_memories().conversations(scope.filters(), limit=_RECENT)
        recent = tuple(
            f"{each.last_at:%Y-%m-%d} {each.title or 'still going on'} (conversation {each.conversation_id})"
            for each in page.items
        )
        known = [f"- {each.about}: {each.statement}{' (inferred)' if each.inferred else ''}" for each in told]
        text = "\n".join(known) if known else "no profile yet; it is made from what is said over time"
        if recent:
            text += "\nlast conversations:\n" + "\n".join(f"- {each}" for each in recent)
        return Answer(text, ProfileResult(lines=told, recent=recent))

    def conversation(self, scope: OwnerScope, conversation_id: str) -> str:
        """The last messages of a conversation, as text.

        Raises:
            InputError: there is none of this id in this memory.
            StoreError: the index cannot answer.
        """
        page = self._open_memories().browse("message", scope.filters(conversation_id=conversation_id), limit=MOST_MESSAGES)
        if not page.items:
            raise InputError(f"there is no conversation {conversation_id!r} in this memory; mneme://conversations lists them")
        said = [f"{each.at:%Y-%m-%d %H:%M} {each.body['sender_name']}: {each.text}" for each in reversed(page.items)]
        return "\n".join(["(older messages are left out)", *said] if page.next else said)

    def conversations(self, scope: OwnerScope) -> str:
        """The last conversations, as text.

        Raises:
            StoreError: the index cannot answer.
        """
        page = self._open_memories().conversations(scope.filters(), limit=50)
        listed = [
            f"{each.conversation_id}: {each.title or 'still going on'} ({each.started_at:%Y-%m-%d} to {each.last_at:%Y-%m-%d},"
            f" {each.messages} messages)"
            for each in page.items
        ]
        return "\n".join(listed) or "there is no conversation yet"

    # --- writing --------------------------------------------------------------------------------------------------------

    def remember(
        self, scope: OwnerScope, note: str, messages: Sequence[SpokenMessage], conversation: str, wait: float
    ) -> Answer:
        """Keep a note or messages; durable on return, and searchable if that is so within ``wait`` seconds.

        Raises:
            InputError: neither or both are given, too many, or a field is wrong.
            StoreUnavailable, StoreRejected: they could not be kept; to call it again is safe.
        """
        if bool(note.strip()) == bool(messages):
            raise InputError("give either note (one thing to remember) or messages (a piece of a conversation)")
        if len(messages) > MOST_MESSAGES:
            raise InputError(f"messages: {len(messages)} were given; at most {MOST_MESSAGES} are taken in one call")
        now = self._clock()
        name = scope.conversation(conversation or f"{'notes' if note else 'chat'}-{now:%Y-%m-%d}")
        said = [SpokenMessage("user", note)] if note else list(messages)
        events = [self._message(scope, name, each, now + timedelta(milliseconds=place)) for place, each in enumerate(said)]
        publisher = self._publisher()
        publisher.send_many(events)
        publisher.flush()
        searchable = wait > 0 and self._flushed(scope.tenant_id, name, wait)
        ids = tuple(message_id(scope.tenant_id, name, each.message_id) for each in events)
        if searchable:
            state = "searchable now, with the facts in it"
        elif wait:
            state = f"durable; its episodes and facts are not searchable after {wait:g} seconds, they will be later"
        else:
            state = "durable; its words are found within seconds, facts and episodes once the conversation rests"
        text = f"remembered in conversation {name}: {state}\nids: {', '.join(ids)}"
        return Answer(text, RememberResult(conversation_id=name, message_ids=ids, searchable=searchable))

    def forget(self, scope: OwnerScope, target: Target, identity: str, confirm: bool, may_erase: bool) -> Answer:
        """Erase something, or without ``confirm`` say what would go.

        Raises:
            InputError: there is no such thing in this memory, or this server does not erase everything.
            StoreUnavailable, StoreRejected: it could not be ordered; to call it again is safe.
        """
        if target == "everything":
            if not may_erase:
                raise InputError(
                    "this server does not erase a whole memory; forget conversations one by one, or ask its operator"
                    " (mneme erase, or mneme mcp --allow-erase)"
                )
        elif not identity:
            raise InputError(f"id: give that of the {target}; search and timeline show ids")
        label, preview, order = self._erasing(scope, target, identity)
        if not confirm:
            text = f"nothing is erased yet; this would go for ever: {preview}. If the user agrees, call again with confirm=true"
            return Answer(text, ForgetResult(erased=False, target=label, preview=preview))
        done = order()
        text = f"{label}: erased, nothing is left of it" if done else f"{label}: the erasure is ordered and under way"
        return Answer(text, ForgetResult(erased=done, under_way=not done, target=label))

    # --- inside ---------------------------------------------------------------------------------------------------------

    def _open_memories(self) -> Memories:
        """The memories; the first time on a new machine once the flow, which has just been started, has made the index."""
        memories = self._memories()
        if not self._is_open:
            await_index(memories, self._wait_seconds)
            self._is_open = True
        return memories

    def _erasing(self, scope: OwnerScope, target: Target, identity: str) -> tuple[str, str, Callable[[], bool]]:
        """Label, preview and action of an erasure; only of this owner's memory."""
        tenant = scope.tenant_id
        if target == "everything":
            owner = scope.owner
            label = f"everything that is known of {owner.type} {owner.id}"
            return label, label, lambda: self._received(tenant, self._publisher().erase_owner(owner))
        if target == "document":
            documents = self._open_memories().documents(scope.filters(document_id=identity, knowledge=False)).documents
            if not documents or documents[0].owner != scope.owner.key:
                raise InputError(f"there is no document {identity!r} of this owner; a search names the id of each")
            preview = f"the document {documents[0].name} with {documents[0].characters:,} characters"

            def order() -> bool:
                erasure = self._publisher().forget_document(identity, tenant_id=tenant, **_named(scope))
                return self._received(tenant, erasure)

            return f"document {identity}", preview, order
        if target == "conversation":
            found = iterate_memories(self._open_memories(), "message", scope.filters(conversation_id=identity))
            messages = list(islice(found, MOST_MESSAGES + 1))
            if not messages or messages[0].owner != scope.owner.key:
                raise InputError(f"there is no conversation {identity!r} of this owner; mneme://conversations lists them")
            count = f"more than {MOST_MESSAGES}" if len(messages) > MOST_MESSAGES else str(len(messages))
            preview = f"the conversation {identity}, {count} messages, and all that was learnt from them"
            return (
                f"conversation {identity}",
                preview,
                lambda: self._received(tenant, self._publisher().forget_conversation(tenant, identity)),
            )
        memories = self._open_memories()
        memory = memories.get(identity, scope.filters())
        if memory is None or memory.owner != scope.owner.key:
            raise InputError(f"there is no {target} {identity!r} of this owner; search shows the ids of facts and messages")
        events: list[Delete] | list[Retract]
        if target == "fact":
            events = retractions_of(memories, memory)
            preview = f"“{memory.text}”, wherever it was said; the rest of those messages stays"
        elif memory.kind == "message" and memory.conversation_id is not None:
            events = [Delete(tenant_id=tenant, conversation_id=memory.conversation_id, message_id=memory.body["message_id"])]
            preview = f"the message “{memory.text}”, and what was learnt from it alone"
        else:
            raise InputError(f"{identity!r} is no message, it was made from some; give target=fact to forget it alone")

        def take_away() -> bool:
            self._publisher().send_many(events)
            # What was learnt from it is taken back when its conversation is looked at again, which a flush waits for.
            done = [self._flushed(tenant, talk, self._wait_seconds) for talk in {each.conversation_id: None for each in events}]
            return all(done)

        return f"{target} {identity}", preview, take_away

    def _message(self, scope: OwnerScope, conversation: str, said: SpokenMessage, now: datetime) -> Message:
        try:
            return Message(
                tenant_id=scope.tenant_id,
                **scope.ids(),
                conversation_id=conversation,
                sender_name=said.name or "",
                role=said.role,
                sent_at=said.sent_at or now,
                timezone=None if said.sent_at is None or said.sent_at.tzinfo else "UTC",
                content=said.content,
            )
        except ValidationError as error:
            raise InputError(describe(error)) from error

    def _episodes(self, scope: OwnerScope, since: datetime | None, before: datetime | None, most: int) -> Iterator[Event]:
        """Episodes, the newest first, by their subjects and summaries."""
        for each in islice(iterate_memories(self._open_memories(), "episode", scope.filters(since=since, before=before)), most):
            yield Event(date=each.at, kind="episode", text=each.text, id=each.id, conversation_id=each.conversation_id)

    def _flushed(self, tenant: str, conversation: str, timeout: float) -> bool:
        flush_id = self._publisher().flush_conversation(tenant, conversation)
        memories = self._open_memories()
        if self._service is not None:
            return self._service.wait_for_flush(tenant, flush_id, timeout)
        return memories.wait_for_flush(flush_id, tenant, timeout)

    def _received(self, tenant: str, erasure: str) -> bool:
        memories = self._open_memories()
        if self._service is not None:
            return self._service.erasure(tenant, erasure, self._wait_seconds).receipt is not None
        return memories.receipt(erasure, tenant, self._wait_seconds) is not None


def _named(scope: OwnerScope) -> dict[str, str]:
    """The one field that names the owner."""
    owner = scope.owner
    return {f"{owner.type}_id": owner.id}


def _renumbered(answer: str, places: Mapping[int, int]) -> str:
    """An answer whose numbers are places among its citations: those of the context mean nothing without it."""

    def renumber(group: re.Match[str]) -> str:
        numbers = [int(each) for each in group[0][1:-1].split(",")]
        return "".join(f"[{places[each]}]" for each in numbers) if all(each in places for each in numbers) else group[0]

    return _NUMBERS.sub(renumber, answer)
