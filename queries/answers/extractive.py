"""An answer without a model: the memories that fit best, quoted, with a word that this is all it is. Pure.

As few as suffice: for one fact the likeliest, and the next while it may well be another; for a time the date first; for a
count or a preference each memory, once. What replaced another says since when, with the other behind it, in short. Where the
memories do not tell the answer
(queries/answers/support.py) it says so instead. In Chinese for a question in Chinese, else in English.

Where relationships alone tell it, their chain is the answer (queries/answers/chains.py).
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime

from mneme.dates import DaySpan
from mneme.text import cjk_languages, cjk_share, tokenise
from queries.answers.chains import chain_of
from queries.answers.context import Context
from queries.answers.dates import difference
from queries.answers.memory import ContextMemory, EndedClaim, escaped
from queries.answers.support import Support, asks_for_present, support_of
from queries.questions.types import QuestionType
from queries.records import one_line
from queries.responses import SearchResponse

_MOST = {QuestionType.COUNTING: 12, QuestionType.PREFERENCE: 5, QuestionType.MULTI_HOP: 8}
_KEEPS_ALL = (QuestionType.COUNTING, QuestionType.MULTI_HOP)  # what was counts, too
_NEAR = {QuestionType.COUNTING: 0.1, QuestionType.PREFERENCE: 0.3, QuestionType.MULTI_HOP: 0.1}
"""Share of the best score from which a memory is one more of the same."""
_MOST_FOR_ONE_FACT = 3
_SURE = 0.9  # chance that one of the quotes tells a fact, if any memory does, from which they suffice
_LONGEST_QUOTE = 400  # characters
_LONGEST_BEFORE = 150  # of what a quote replaced
_AGO = re.compile(r"\bhow (?:long|many \w+)\b[^?]*\b(?:ago|since|passed)\b|多久|几[天周月年]前|多少[天周月年]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Extract:
    """An answer in quotes. ``cited`` are the numbers of the memories."""

    answer: str
    cited: tuple[int, ...]
    abstained: bool


@dataclass(frozen=True, slots=True)
class _Words:
    """The words around quotes."""

    introduction: str
    several: str
    nothing: str
    said_on: str
    ended: str
    ago: str
    since: str
    before: str
    until: str


_ENGLISH = _Words(
    "Quoted from memory, not written by a model: ",
    "Quoted from memory, not written by a model; the likeliest first:",
    "Nothing that is remembered tells that. (Not judged by a model.)",
    "said on {day}",
    "no longer so since {day}",
    "{difference} before the question",
    "since {day}",
    "; before: ",
    "until {day}",
)
_CHINESE = _Words(
    "摘自记忆，未经模型撰写：",
    "摘自记忆，未经模型撰写；最可能的在前：",
    "记忆中没有提到这件事。（未经模型判断。）",
    "{day}说的",
    "{day}起不再如此",
    "距提问{difference}",
    "自{day}起",
    "；此前：",
    "至{day}",
)


def extractive_answer(found: SearchResponse, context: Context, asked_at: datetime) -> Extract:
    """The best of what was found, quoted.

    Args:
        found: of the search for the question.
        context: its memories are quoted, by their numbers.
        asked_at: when the question is asked.
    """
    words = _words_for(found.query.text)
    numbered = {memory: number for number, memory in reversed(list(enumerate(context.memories, start=1)))}
    asked = _spoken(found.query.text)
    ranked = [each for each in context.ranked if _spoken(each.quote.words if each.quote else each.text) != asked]
    support = support_of(ranked, found, asked_at)
    lines, steps = _chain(found, context, asked_at)
    if not support.answered and not lines:
        return Extract(words.nothing, (), True)
    kind = QuestionType(found.query.type)
    replaced = {} if kind in _KEEPS_ALL else _replaced(support)
    left_out = {older for some in replaced.values() for older in some}
    fitting = [each for each in support.fitting if each not in left_out]
    sufficing = {each for each in fitting if each in replaced or (kind is QuestionType.TEMPORAL and each.happens)}
    if kind is QuestionType.TEMPORAL and not asks_for_present(found):
        fitting = _dated_first(fitting)
    tells = support.answered and len(steps) <= 1
    quoted = list(_sufficient(kind, fitting, support.chances, sufficing)) if tells else []
    cited = set(steps)
    for memory in quoted:
        older = next(iter(replaced.get(memory, ())), None)
        lines.append(_line(memory, numbered, kind, context, found.query.text, words, older))
        cited |= {numbered[each] for each in (memory, older) if each is not None}
    answer = words.introduction + lines[0] if len(lines) == 1 else "\n".join([words.several, *(f"- {line}" for line in lines)])
    return Extract(answer, tuple(sorted(cited)), False)


def _replaced(support: Support) -> dict[ContextMemory, list[ContextMemory]]:
    """For each memory that fits, those that it replaced, likeliest first."""
    replaced: dict[ContextMemory, list[ContextMemory]] = {}
    for older in support.fitting:
        newer = support.successor.get(older)
        if newer is not None and newer in support.chances:
            replaced.setdefault(newer, []).append(older)
    return replaced


def told_by(answer: str) -> str | None:
    """The quotes of an extractive answer without the words around them; empty where it abstains, None of any other text."""
    for words in (_ENGLISH, _CHINESE):
        if answer.startswith(words.nothing):
            return ""
        for frame in (words.introduction, words.several):
            if answer.startswith(frame):
                return answer.removeprefix(frame)
    return None


def _spoken(text: str) -> list[str]:
    """The words of a text in order: those of the question itself answer it nowhere."""
    return re.findall(r"\w+", text.casefold())


def _chain(found: SearchResponse, context: Context, asked_at: datetime) -> tuple[list[str], tuple[int, ...]]:
    """The answer that relationships alone give, if all of them are in the context: a line, and the numbers of its steps."""
    chain = chain_of(found.query.text, found.graph.relationships, asked_at)
    numbers = {memory.id: number for number, memory in enumerate(context.memories, start=1)}
    if chain is None or any(step.id not in numbers for step in chain.steps):
        return [], ()
    steps = [f"{step.source} {step.relation.replace('_', ' ')} {step.target} [{numbers[step.id]}]" for step in chain.steps]
    return [f"{chain.end}: {', '.join(steps)}"], tuple(numbers[step.id] for step in chain.steps)


def _sufficient(
    kind: QuestionType, fitting: Sequence[ContextMemory], chances: Mapping[ContextMemory, float], sufficing: Set[ContextMemory]
) -> Iterator[ContextMemory]:
    """As few memories as tell it, best first."""
    if kind not in _NEAR:
        yield from _of_one_fact(fitting, chances, sufficing)
        return
    best = max(memory.score for memory in fitting)
    seen: set[frozenset[str]] = set()
    for memory in fitting:
        tokens = frozenset(tokenise(memory.text))
        if seen and (tokens in seen or memory.score < best * _NEAR[kind]):
            continue
        yield memory
        seen.add(tokens)
        if len(seen) == _MOST[kind]:
            return


def _of_one_fact(
    fitting: Sequence[ContextMemory], chances: Mapping[ContextMemory, float], sufficing: Set[ContextMemory]
) -> Iterator[ContextMemory]:
    """The likeliest memories, until one of them tells a fact for all but certain; of those with the same words the first.

    One that is ``sufficing`` is the last: it names the time asked for, or what is so now in place of another.
    """
    seen: set[frozenset[str]] = set()
    chance, certain = 0.0, _SURE * sum(chances[memory] for memory in fitting)
    for memory in fitting:
        tokens = frozenset(tokenise(memory.text))
        if not any(tokens <= before for before in seen):
            yield memory
            seen.add(tokens)
        chance += chances[memory]
        if chance >= certain or len(seen) == _MOST_FOR_ONE_FACT or memory in sufficing:
            return


def _dated_first(memories: Sequence[ContextMemory]) -> list[ContextMemory]:
    """Those that name when something happened before those that do not, among the good ones."""
    good = max(memory.score for memory in memories) / 2
    return sorted(memories, key=lambda each: (each.score < good, each.happens is None, each.rank or 0))


def _line(
    memory: ContextMemory,
    numbered: Mapping[ContextMemory, int],
    kind: QuestionType,
    context: Context,
    question: str,
    words: _Words,
    older: ContextMemory | None,
) -> str:
    """A quote with what there is to say of it; behind it ``older``, which it replaced."""
    chinese = words is _CHINESE
    remarks = []
    dated = kind is QuestionType.TEMPORAL
    if dated and memory.happens:
        remarks.append(_written(memory.happens, chinese))
        if _AGO.search(question) and memory.happens.last < context.asked:
            far = (
                f"{(context.asked - memory.happens.first).days}天"
                if chinese
                else difference(memory.happens.first, context.asked)
            )
            remarks.append(words.ago.format(difference=far))
    if memory.citation:
        remarks.append(one_line(str(memory.citation), _LONGEST_QUOTE))
    since = older.ended if older is not None else None
    if memory.said and not memory.names_its_day and memory.said != since:
        remarks.append(words.said_on.format(day=_day(memory.said, chinese)))
    if since:
        remarks.append(words.since.format(day=_day(since, chinese)))
    remarks += [
        f"{value}{words.ended.format(day=_day(ended, chinese))}"
        for value, ended in [("", memory.ended), *((f"{_value(each)}: ", each.ended) for each in memory.ended_claims)]
        if ended and ended <= context.asked
    ]
    first = f"{remarks.pop(0)}: " if dated and memory.happens else ""
    line = f"{first}{_quote(memory, _LONGEST_QUOTE)}{_in_brackets(remarks)} [{numbered[memory]}]"
    if older is None:
        return line
    until = [words.until.format(day=_day(older.ended, chinese))] if older.ended else []
    return f"{line}{words.before}{_quote(older, _LONGEST_BEFORE)}{_in_brackets(until)} [{numbered[older]}]"


def _value(claim: EndedClaim) -> str:
    return escaped(one_line(claim.value, _LONGEST_BEFORE))


def _quote(memory: ContextMemory, longest: int) -> str:
    quote = memory.text if len(memory.text) <= longest else memory.text[: longest - 1] + "…"
    named = memory.kind in ("message", "profile") and not memory.text.startswith(f"{memory.source}: ")
    source = f"{memory.source}: " if memory.source and named else ""
    return f"“{source}{quote}”"


def _in_brackets(remarks: Sequence[str]) -> str:
    return f" ({', '.join(remarks)})" if remarks else ""


def _day(day: date, chinese: bool) -> str:
    return _written(DaySpan.of_day(day), chinese)


def _written(span: DaySpan, chinese: bool) -> str:
    return span.in_chinese() if chinese else span.in_english()


def _words_for(question: str) -> _Words:
    return _CHINESE if cjk_share(question) > 0.5 and "zh" in cjk_languages(question) else _ENGLISH
