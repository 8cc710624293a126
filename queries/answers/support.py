"""Whether the memories that were found tell what a question asks, judged without a model. Pure.

What is asked of one person and told of another is the trap: the words fit, the person does not. So it counts whom a memory is
about, and how much of the question's words those of the right person tell, against those of others.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mneme.dates.spans import MONTHS, WEEKDAYS
from mneme.text import has_cjk, tokenise
from queries.answers.memory import Memory
from queries.questions.people import is_asker, is_assistant, names_asker, names_person, occurrences
from queries.questions.types import QuestionType
from queries.questions.viewpoint import likely_people, without_names
from queries.responses import SearchResponse

_LOOKED_AT = 10  # of the best memories
_BEST = 5  # of those, in which the question's words are looked for

# From logistic regressions on LoCoMo's five development conversations, rounded. Where a question names whom it is about: all
# 999, of which category 5 has no answer; 60 % of those are refused, and 7 % of the rest (58 and 7 with each conversation left
# out of the fit). Where it names nobody: 250 without names, asked of another conversation and of their own; 59 and 8 %.
_FIRST, _SHARE, _ENOUGH = 0.6, 1.2, 1.65
_ENOUGH_WORDS = 0.9
_ONLY_ASKS = re.compile(  # a question tells nothing
    r"(?:[^.!?。！？]*[?？])+\s*|[^:：\"“]{1,60}(?:asked|问)[^:：\"“]{0,60}[:：]?\s*[\"“][^\"”]*[?？][\"”]"
)
_THING = re.compile(r"(?<![.!?:\"“(] )(?<!^)\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")  # a capital inside the sentence
_CALENDAR = frozenset((*MONTHS, *(day.capitalize() for day in WEEKDAYS), "I"))
_QUOTED_QUESTION = re.compile(r'^(?:Asked|被?问到?)\s*["“][^"”]*["”]\s*[,，:：]?\s*')
_ASKING = frozenset(  # words of questions that no answer repeats
    tokenise(
        "kind type sort name many much thing something anything do get long time often else make made go went gone take took "
        "might say said tell told according mention describe regarding specific particular remember recall know please"
    )
)
_ASKING_CHINESE = re.compile(  # and what joins words, so that no pair of characters goes over it
    "什么时候|什么|怎么样?|怎样|哪[里儿个些位年天]?|谁|多少|多久|几|为何|为什么|是否|有没有|吗|呢|请问|告诉我?|记得|的|是|我们?|你|在|了|过|会|要"
)


@dataclass(frozen=True, slots=True)
class Support:
    """Whether the memories tell it. ``fitting`` are those about whom it asks, best rank first; ``words`` what it asks with."""

    told: bool
    fitting: tuple[Memory, ...]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whom a question is about: of those who spoke, and others by the names that it gives them.

    ``by_name``: it names who spoke. That "I" asked tells little, where most of a memory is of who owns it.
    """

    speakers: frozenset[str]
    others: tuple[str, ...]
    by_name: bool


def support_of(memories: Sequence[Memory], found: SearchResponse) -> Support:
    """How well the memories of a search tell what it asks.

    Args:
        memories: what holds a place, best rank first.
        found: of the search.
    """
    people = people_of(found)
    question = found.query.text
    named = frozenset(person for person in people if names_person(question, person))
    unmentioned = (name for name in likely_people(question) if not any(names_person(name, person) for person in people))
    asked = _Asked(named | _meant(found, people), tuple(unmentioned), by_name=bool(named))
    words = question_words(question, (*people, *asked.others))
    memories = [memory for memory in memories if not _ONLY_ASKS.fullmatch(memory.text)]
    if not memories or not words:
        return Support(False, (), words)
    looked_at = memories[:_LOOKED_AT]
    fits = [_is_about(memory, asked, people) for memory in looked_at]
    told = [words & set(tokenise(memory.text)) for memory in looked_at]
    right = [tokens for tokens, fit in zip(told[:_BEST], fits[:_BEST], strict=True) if fit]
    together = frozenset[str]().union(*right)
    best = max(map(len, right), default=0) / len(words)
    things = _things_named(question, (*people, *asked.others))
    if things and not any(thing <= together for thing in things):
        best = 0.0
    if found.query.type == QuestionType.PREFERENCE and names_asker(question):  # to build on, what is near is enough
        enough = best > 0
    else:
        enough = best > 0
        if asked.speakers or asked.others:
            enough &= best + _FIRST * fits[0] + _SHARE * len(right) / len(fits[:_BEST]) >= _ENOUGH
        if not asked.by_name:
            enough &= best + len(together) / len(words) >= _ENOUGH_WORDS
    return Support(enough, tuple(memory for memory, fit in zip(looked_at, fits, strict=True) if fit), words)


def people_of(found: SearchResponse) -> tuple[str, ...]:
    """Who spoke in what was found."""
    speakers = (person for episode in found.episodes for person in episode.participants)
    return tuple(dict.fromkeys((*speakers, *(message.sender_name for message in found.raw_messages))))


def question_words(question: str, people: Iterable[str]) -> frozenset[str]:
    """The tokens of a question that its answer may repeat: without the names of people, and without words that only ask.

    >>> sorted(question_words("What kind of boat did Ann buy?", ["Ann"])), sorted(question_words("我妹妹的生日是哪天？", []))
    (['boat', 'buy'], ['妹妹', '生日'])
    """
    tokens = frozenset(tokenise(_ASKING_CHINESE.sub(" ", without_names(question, people)))) - _ASKING
    # A Chinese character alone is in too many words.
    return (
        frozenset(token for token in tokens if len(token) > 1 or not has_cjk(token)) or tokens or frozenset(tokenise(question))
    )


def _things_named(question: str, people: Iterable[str]) -> list[frozenset[str]]:
    """The tokens of each name in a question that is no person's: one of them must be in what tells it."""
    found = _THING.findall(without_names(question, people))
    return [frozenset(tokenise(name)) for name in found if name.split()[0] not in _CALENDAR]


def _meant(found: SearchResponse, people: Sequence[str]) -> frozenset[str]:
    """Who is asked about without a name: who asks, or the assistant."""
    if found.query.type == QuestionType.ASSISTANT_RECALL:
        return frozenset(filter(is_assistant, people))
    owner = found.query.filters_applied.get("user_id")
    return frozenset(person for person in people if names_asker(found.query.text) and is_asker(person, owner))


def _is_about(memory: Memory, asked: _Asked, people: Sequence[str]) -> bool:
    """Whether a memory is about one of those asked about: who said it, or whom it names first; it may name nobody."""
    if any(names_person(memory.text, name) for name in asked.others):
        return True
    if not asked.speakers:
        return not asked.others
    if memory.kind in ("message", "profile"):
        return memory.source in asked.speakers or memory.source not in people
    text = _QUOTED_QUESTION.sub("", memory.text)
    if memory.said is None and memory.source:  # a document tells of all, and of one only by name
        return any(names_person(text, person) for person in asked.speakers)
    named = [(spans[0][0], person) for person in people if (spans := occurrences(text, person))]
    return not named or min(named)[1] in asked.speakers
