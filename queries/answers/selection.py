"""Selection of memories for a number of tokens: statements before stories, nothing twice. Pure.

1. A chain of relationships that answers the question by itself comes first: it is a few lines.
2. Statements (facts, messages, what is expected, lines of a portrait) are taken best rank first, as long as they fit; what does
   not fit is left out for shorter ones behind it. They are short, and each answers for itself. What only asks, greets or
   praises comes last.
3. Lines of a portrait get a part of the room, where one was found for a question for all of a kind.
4. The graph gets a small share: relationships of what the question names, unless their messages are shown already; and all that
   these lead to where the question asks for several steps.
5. Stories (episodes, sections of documents) get the rest: those that hold a place, then those around the best facts. A story
   whose messages are shown already is left out.

Said twice is what says no more than another memory of the same message.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime

from mneme.dates import DaySpan
from mneme.ids import folded
from mneme.text import tokenise
from queries.answers.chains import chain_of
from queries.answers.dates import from_question
from queries.answers.memory import (
    ContextMemory,
    head_of,
    line_of,
    memories_of,
    nested_facts,
    portrait_of,
    relationships_of,
    surrounding_episodes,
)
from queries.answers.telling import tells_nothing
from queries.questions.types import QuestionType
from queries.responses import SearchResponse

_GRAPH_SHARE = 8  # of the tokens one part is kept for relationships, at most
_CHAINS = (QuestionType.MULTI_HOP, QuestionType.KNOWLEDGE_UPDATE)  # "the company of the spouse of the CEO", now or ever
_PORTRAIT_SHARE = 12  # of the tokens one part is kept for lines of a portrait, at most
_ALL_STEPS = 9
_STORIES = ("episode", "knowledge")
_TOLD = 0.75  # share of an episode's messages that statements show, from which its story adds little
_OF_LINE_BREAK = 1
_WORTH_A_TRY = 40  # tokens: a short fact
_OF_REPLACEMENT = 8  # tokens of "replaced by [12]"


class Selection:
    """The memories that were chosen, in the order in which they were taken; ``candidates`` is how many there were."""

    def __init__(self, asked: date, count: Callable[[str], int], room: int, counts_days: bool, keeps_links: bool) -> None:
        self.chosen: list[ContextMemory] = []
        self._offered: set[tuple[str, str]] = set()
        self._asked = asked
        self._count = count
        self._room = room
        self._counts_days = counts_days
        self._keeps_links = keeps_links
        self._dates: set[DaySpan] = set()
        self._heads: set[str] = set()
        self._said: dict[str, list[str]] = {}

    @property
    def candidates(self) -> int:
        """The number of memories among which these were chosen."""
        return len(self._offered)

    def add_all(self, memories: Iterable[ContextMemory]) -> None:
        """Each memory that still fits and says something new."""
        taken = {each.id for each in self.chosen if each.kind != "profile"}
        for memory in memories:
            self._offered.add((memory.id, memory.text))
            cost = self._cost(memory)
            if memory.id in taken or cost > self._room or self._is_said(memory):
                continue
            self.chosen.append(memory)
            self._dates.update(memory.spans)
            self._heads.add(head_of(memory))
            self._room -= cost
            for message in memory.message_ids if memory.kind not in (*_STORIES, "relationship") else ():
                self._said.setdefault(message, []).append(_plain(memory.text))

    def add_at_most(self, memories: Sequence[ContextMemory], tokens: int) -> None:
        """Each memory that fits into a part of the room."""
        self.add_leaving(memories, max(0, self._room - tokens))

    def add_leaving(self, memories: Sequence[ContextMemory], tokens: int) -> None:
        """Each memory that fits and leaves a part of the room."""
        self._room -= tokens
        self.add_all(memories)
        self._room += tokens

    def _is_said(self, memory: ContextMemory) -> bool:
        """Tell whether what is chosen says all of it."""
        if not memory.message_ids:
            return False
        shown = [message for message in memory.message_ids if message in self._said]
        if memory.kind in _STORIES:
            return len(shown) >= _TOLD * len(memory.message_ids)
        if memory.kind == "relationship":
            return not self._keeps_links and len(shown) == len(memory.message_ids)
        if memory.kind == "profile":  # "Likes boats." where "Jonas said that he likes boats" is shown
            words = set(tokenise(memory.text))
            return any(words <= set(tokenise(text)) for message in shown for text in self._said[message])
        if memory.happens is not None or memory.ended is not None:  # a day or an end is news
            return False
        text = _plain(memory.text)
        return any(text in said for message in shown for said in self._said[message])

    def _cost(self, memory: ContextMemory) -> int:
        lines = [line_of(memory, 100, {}, self._asked, self._said)]
        if (head := head_of(memory)) and head not in self._heads:
            lines.append(head)
        if self._counts_days:
            lines += [from_question(span, self._asked) for span in memory.spans if span not in self._dates]
        return sum(self._count(line) + _OF_LINE_BREAK for line in lines) + (_OF_REPLACEMENT if memory.replaced_by else 0)


def fitted(
    found: SearchResponse,
    asked_at: datetime,
    budget: int,
    count: Callable[[str], int],
    counts_days: bool,
    render: Callable[[Sequence[ContextMemory]], str],
) -> Selection:
    """The memories for a question whose text fits into a number of tokens.

    What lines cost together is estimated from what each costs alone: too high where one shows what another takes along, then
    there is a second try with the room that is left; too low seldom, then the last ones go.

    Args:
        found: what the search for it found.
        asked_at: when it is asked, aware, in the zone of who asks.
        budget: the most tokens that the text may have.
        count: counts tokens.
        counts_days: whether the distance of each date from the question is a line of its own.
        render: the text of some memories.
    """
    zone = asked_at.tzinfo or UTC
    is_chain = found.query.type in _CHAINS
    links = relationships_of(found, zone, _ALL_STEPS if is_chain else 1)
    chain = chain_of(found.query.text, found.graph.relationships, asked_at)
    answering = {step.id for step in chain.steps} if chain is not None else set()
    portrait = portrait_of(found, zone)
    ranked, nested, around = memories_of(found, zone), nested_facts(found, zone), surrounding_episodes(found, zone)
    statements = sorted(
        (each for each in ranked if each.kind not in _STORIES), key=lambda each: tells_nothing(each.text, each.quote)
    )

    def selected(room: int) -> Selection:
        selection = Selection(asked_at.date(), count, room, counts_days, is_chain)
        selection.add_at_most([each for each in links if each.id in answering], room // _GRAPH_SHARE)
        selection.add_leaving(statements, room // _PORTRAIT_SHARE if portrait else 0)
        selection.add_all(portrait)
        selection.add_all(statements)
        selection.add_all(nested)
        selection.add_at_most([each for each in links if each.id not in answering], room // _GRAPH_SHARE)
        selection.add_all(each for each in ranked if each.kind in _STORIES)
        selection.add_all(around)
        return selection

    room = budget - count(render(()))
    selection = selected(room)
    unused = budget - count(render(selection.chosen))
    if unused > _WORTH_A_TRY and len(selection.chosen) < selection.candidates:
        selection = selected(room + unused)
    while selection.chosen and count(render(selection.chosen)) > budget:
        selection.chosen.pop()
    return selection


def _plain(text: str) -> str:
    return folded(text).strip(" .!?\"'")
