"""Tools that read. Their descriptions are written for a model: when to use which, what an argument means, what comes back."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Annotated

from pydantic import BeforeValidator, Field

from mneme.errors import InputError
from serving.clients import iterate_memories
from serving.mcp.memory import AgentMemory, Moment
from serving.mcp.results import citation_lines, episode_line, event_line, memory_lines, numbered, relation, with_notes

_MOST_RELATIONS = 10
_RECENT = 5  # conversations that the profile names
_NUMBERS = re.compile(r"\[\d{1,4}(?:, *\d{1,4})*\]")

_GIVEN = BeforeValidator(lambda value: value or None)  # models like to fill in "" for what they leave out

Since = Annotated[
    Moment,
    _GIVEN,
    Field(
        description='only what was said from then on, e.g. "2026-03-01" or "2026-03-01T09:00:00+01:00"; UTC without an offset'
    ),
]
Before = Annotated[Moment, _GIVEN, Field(description='only what was said before this moment, e.g. "2026-04-01"')]


class Reading:
    """Tools that tell what is remembered.

    Raises of each: InputError for what is asked in a wrong way, StoreError where the index cannot answer.
    """

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    def search(
        self,
        query: Annotated[
            str,
            Field(
                description='what to look for, as a question or keywords, e.g. "which medicine does Mira take?"', min_length=1
            ),
        ],
        limit: Annotated[int, Field(description="how many memories at most", strict=True, ge=1, le=50)] = 10,
        since: Since = None,
        before: Before = None,
    ) -> str:
        """Find what is remembered about something: facts, episodes, messages and documents, best first.

        Use it before answering anything that may depend on earlier conversations. Name people and things in full, one subject
        at a time; for several subjects search several times. Something always comes back: judge whether it answers.
        To have a question answered with citations use `ask`; for everything about one person or thing in the order in which
        it happened `timeline`; at the start of a conversation `profile`.

        Returns one line for each memory: date, kind, text, and the ids of the messages (or the file and page) it comes from.
        """
        scope = self._memory.scope
        results = self._memory.memories.search(query, filters=scope.filters(since=since, before=before), top_k=limit)
        text = numbered(memory_lines(results, scope.tenant_id).values()) or "nothing is remembered about this"
        if relations := results.graph.relationships[:_MOST_RELATIONS]:
            text += "\nrelations: " + "; ".join(map(relation, relations))
        return with_notes(text, results.query.notes)

    def ask(
        self,
        question: Annotated[
            str, Field(description='a whole question, e.g. "When is Jason\'s birthday?", in any language', min_length=1)
        ],
        since: Since = None,
        before: Before = None,
    ) -> str:
        """Answer a question from memory, with the memories that the answer cites.

        Use it for one precise question (when, who, how many, how long ago) where dates must be computed or several memories
        put together. It says so when the memories do not tell; then do not guess. Without a language model on the server it
        quotes what fits best. To look around use `search`, which is quicker.

        Returns the answer with numbers in brackets, and the numbered memories with date and source.
        """
        scope = self._memory.scope
        answer = self._memory.memories.ask(question, scope.filters(since=since, before=before))
        citations = citation_lines(answer, scope.tenant_id)
        text = _renumbered(answer.answer, {each.number: place for place, each in enumerate(answer.citations, 1)})
        return with_notes(f"{text}\n\n{numbered(citations)}" if citations else text, answer.notes)

    def context(
        self,
        question: Annotated[str, Field(description="what you are about to answer or do, in a sentence", min_length=1)],
        max_tokens: Annotated[int, Field(description="the most that the text may have", strict=True, ge=50, le=20_000)] = 1500,
        since: Since = None,
        before: Before = None,
    ) -> str:
        """Gather all that is remembered for a question, as one text of limited length.

        Use it before a longer answer that leans on many memories: what holds now comes first, dated, with what it replaced,
        then what is known of the people. Nothing is there twice. To look around use `search`.

        Returns the text, each memory with a number in brackets.
        """
        filters = self._memory.scope.filters(since=since, before=before)
        context = self._memory.memories.context(question, filters, max_tokens)
        return with_notes(context.text, context.notes)

    def timeline(
        self,
        entity: Annotated[
            str, Field(description='a person or thing, e.g. "Jason" or "the Apollo project"; without it: whatever happened')
        ] = "",
        since: Since = None,
        before: Before = None,
        limit: Annotated[
            int, Field(description="how many events at most; the newest are kept", strict=True, ge=1, le=200)
        ] = 50,
    ) -> str:
        """Tell what happened, oldest first: the history of a person or thing, or everything between two dates.

        With `entity`: its facts, plans and relations, and what became of each ("where has Ann worked?", "how did the plan
        change?"). Without: the episodes between `since` and `before` ("what did we talk about last week?"); give one of them.

        Returns one line for each event: date, kind, text, and until when it held.
        """
        if not entity and since is None and before is None:
            raise InputError("give an entity (its history), or since and before (what happened then), or both")
        filters = self._memory.scope.filters(since=since, before=before)
        notes: tuple[str, ...] = ()
        if entity:
            history = self._memory.memories.history(entity, filters)
            about = history.name
            events = tuple(map(event_line, history.timeline()))
            others = (f"may also mean: {', '.join(history.others)}",) if history.others else ()
            notes = (*history.notes, *others)
        else:
            about = " ".join(f"{word} {day:%Y-%m-%d}" for word, day in (("from", since), ("to", before)) if day)
            episodes = islice(iterate_memories(self._memory.memories, "episode", filters), limit + 1)
            events = tuple(map(episode_line, episodes))[::-1]
        if len(events) > limit:
            notes = (
                *notes,
                f"only the newest {limit} of {len(events) if entity else 'several'} are shown; narrow since and before",
            )
            events = events[-limit:]
        lines = "\n".join(events)
        return with_notes(f"{about}:\n{lines}" if events else f"{about}: nothing is remembered", notes)

    def profile(self) -> str:
        """Tell who you are talking to: what is known of the owner of this memory, and what the last conversations were about.

        Use it once at the start of a conversation. For anything particular use `search`.

        Returns one line for each thing known (inferred where nobody said so), and the last conversations with their ids.
        """
        filters = self._memory.scope.filters()
        portrait = self._memory.memories.portrait(filters)
        known = [
            f"- {each.about}: {each.statement}{' (inferred)' if each.implicit else ''}" for each in portrait.lines if each.holds
        ]
        page = self._memory.memories.conversations(filters, limit=_RECENT)
        recent = [
            f"- {each.last_at:%Y-%m-%d} {each.title or 'still going on'} (conversation {each.conversation_id})"
            for each in page.items
        ]
        text = "\n".join(known) if known else "no profile yet; it is made from what is said over time"
        return "\n".join([text, "last conversations:", *recent]) if recent else text


def _renumbered(text: str, places: Mapping[int, int]) -> str:
    """An answer whose numbers are places among its citations: those of the context mean nothing without it."""

    def renumber(group: re.Match[str]) -> str:
        numbers = [int(each) for each in group[0][1:-1].split(",")]
        return "".join(f"[{places[each]}]" for each in numbers) if all(each in places for each in numbers) else group[0]

    return _NUMBERS.sub(renumber, text)
