"""Tools that change what is remembered: remember and forget."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from mneme.errors import InputError
from mneme.events import Delete, Forget, ForgetDocument, Message, Retract, input_errors, refuse_future
from mneme.ids import message_id
from mneme.times import utc_now
from serving.clients import iterate_memories
from serving.mcp.memory import MOST_MESSAGES, AgentMemory, Moment
from serving.service.amending import retractions_of

Target = Literal["fact", "message", "conversation", "document"]


class SaidMessage(BaseModel):
    """One message of a conversation."""

    model_config = ConfigDict(extra="forbid")

    role: Annotated[Literal["user", "assistant"], Field(description="who spoke: the human (user) or you (assistant)")]
    content: Annotated[str, Field(description="what was said, word for word", min_length=1)]
    name: Annotated[str | None, Field(description='the name of who spoke, e.g. "Jason"; needed where several people speak')] = (
        None
    )
    sent_at: Annotated[Moment, Field(description='when, e.g. "2026-03-01T09:00:00+01:00"; now if left out')] = None


class Writing:
    """Tools that change what is remembered.

    Raises of each: InputError for what is asked in a wrong way, StoreError where it could not be kept; to call again is safe.
    """

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    def remember(
        self,
        note: Annotated[
            str,
            Field(
                description="one thing to keep, as a sentence that stands alone, with names and dates in full:"
                ' "Mira is allergic to penicillin.", not "She is allergic to it."'
            ),
        ] = "",
        messages: Annotated[
            list[SaidMessage] | None,
            Field(
                description='a piece of the conversation, in order, word for word: [{"role": "user", "content": "I moved to'
                ' Lyon."}, {"role": "assistant", "content": "Noted."}]',
                max_length=MOST_MESSAGES,
            ),
        ] = None,
        conversation: Annotated[
            str,
            Field(
                description='which conversation it belongs to: a name of yours, e.g. "trip-planning", or the id that an earlier'
                " call returned; left out: one for each day",
                max_length=200,
            ),
        ] = "",
        wait: Annotated[
            float,
            Field(
                description="seconds to wait until it is found with the facts in it, which takes 2 or 3 mostly; give 10, and"
                " only if you will search for it at once",
                ge=0,
                le=60,
                strict=True,
            ),
        ] = 0.0,
    ) -> str:
        """Keep something for later conversations: either one `note`, or `messages` word for word.

        Use it when the user tells something worth keeping (facts about them, decisions, plans, corrections) or asks you to.
        A correction needs no erasing: remember the new fact, and it takes the place of the old one. Keep no passwords, keys or
        other secrets, and nothing you only guess.

        Returns the ids of the messages (for `forget`) and of the conversation, and whether it is searchable yet: the words are
        found within seconds, facts and episodes once the conversation rests, or at once with `wait`.
        """
        if bool(note.strip()) == bool(messages):
            raise InputError("give either note (one thing to remember) or messages (a piece of a conversation)")
        now = utc_now()
        scope = self._memory.scope
        name = scope.conversation(conversation or f"{'notes' if note else 'chat'}-{now:%Y-%m-%d}")
        said = messages or [SaidMessage(role="user", content=note)]
        events = [self._message(name, each, now + timedelta(milliseconds=place)) for place, each in enumerate(said)]
        for place, event in enumerate(events):
            refuse_future(f"messages[{place}].sent_at", event.sent_at, now)
        self._memory.accept(events)
        searchable = wait > 0 and self._memory.flushed(name, wait)
        ids = tuple(message_id(scope.tenant_id, name, each.message_id) for each in events)
        if searchable:
            state = "searchable now, with the facts in it"
        elif wait:
            state = f"durable; its episodes and facts are not searchable after {wait:g} seconds, they will be later"
        else:
            state = "durable; its words are found within seconds, facts and episodes once the conversation rests"
        return f"remembered in conversation {name}: {state}\nids: {', '.join(ids)}"

    def forget(
        self,
        target: Annotated[Target, Field(description="what to erase")],
        id: Annotated[
            str, Field(description='its id, as search, timeline or remember show it, e.g. "default/trip-planning/7f3a"')
        ] = "",
        confirm: Annotated[
            bool,
            Field(
                description="true only after the user has seen what would go and agreed; false shows what would go", strict=True
            ),
        ] = False,
    ) -> str:
        """Erase a fact, a message, a conversation or a document for ever, with all that was learnt from it.

        Use it only when the user asks that something be forgotten. Search shows the ids. Of a fact its words go, wherever they
        were said, and the rest of those messages stays. What merely changed is not to be forgotten: remember how it is now.
        Call it first without `confirm`: it says what would go and erases nothing. Show that to the user, and call again with
        `confirm` once they agree.

        Returns what would go, or that nothing is left of it.
        """
        if not id:
            raise InputError(f"id: give that of the {target}; search and timeline show ids")
        preview, order = self._erasing(target, id)
        if not confirm:
            return f"nothing is erased yet; this would go for ever: {preview}. If the user agrees, call again with confirm=true"
        return f"{target} {id}: " + ("erased, nothing is left of it" if order() else "the erasure is ordered and under way")

    def _erasing(self, target: Target, identity: str) -> tuple[str, Callable[[], bool]]:
        """Preview and action of an erasure; only of this owner's memory."""
        memory, scope = self._memory, self._memory.scope
        tenant, owner = scope.tenant_id, scope.owner
        if target == "document":
            documents = memory.memories.documents(scope.filters(document_id=identity, knowledge=False)).documents
            if not documents or documents[0].owner != owner.key:
                raise InputError(f"there is no document {identity!r} of this owner; a search names the id of each")
            return (
                f"the document {documents[0].name} with {documents[0].characters:,} characters",
                lambda: memory.erased(ForgetDocument.model_validate({**owner.ids, "document_id": identity})),
            )
        if target == "conversation":
            found = iterate_memories(memory.memories, "message", scope.filters(conversation_id=identity))
            messages = list(islice(found, MOST_MESSAGES + 1))
            if not messages or messages[0].owner != owner.key:
                raise InputError(f"there is no conversation {identity!r} of this owner; search and timeline show ids")
            count = f"more than {MOST_MESSAGES}" if len(messages) > MOST_MESSAGES else str(len(messages))
            return (
                f"the conversation {identity}, {count} messages, and all that was learnt from them",
                lambda: memory.erased(Forget(tenant_id=tenant, conversation_id=identity)),
            )
        row = memory.memories.get(identity, scope.filters())
        if row is None or row.owner != owner.key:
            raise InputError(f"there is no {target} {identity!r} of this owner; search shows the ids of facts and messages")
        events: list[Delete] | list[Retract]
        if target == "fact":
            events = retractions_of(memory.memories, row)
            preview = f"“{row.text}”, wherever it was said; the rest of those messages stays"
        elif row.kind == "message" and row.conversation_id is not None:
            events = [Delete(tenant_id=tenant, conversation_id=row.conversation_id, message_id=row.body["message_id"])]
            preview = f"the message “{row.text}”, and what was learnt from it alone"
        else:
            raise InputError(f"{identity!r} is no message, it was made from some; give target=fact to forget it alone")

        def take_away() -> bool:
            memory.accept(events)
            # What was learnt from it is taken back when its conversation is looked at again, which a flush waits for.
            talks = {each.conversation_id: None for each in events}
            done = [memory.flushed(talk, memory.wait_seconds) for talk in talks]  # each is waited for
            return all(done)

        return preview, take_away

    def _message(self, conversation: str, said: SaidMessage, now: datetime) -> Message:
        scope = self._memory.scope
        with input_errors():
            return Message(
                tenant_id=scope.tenant_id,
                **scope.ids(),
                conversation_id=conversation,
                sender_name=said.name or "",
                role=said.role,
                sent_at=said.sent_at or now,
                content=said.content,
            )
