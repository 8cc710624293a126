"""Whether the memories that were found tell what a question asks, judged without a model. Pure.

What is asked of one person and told of another is the trap: the words fit, the person does not. So it counts whom a memory is
about, and how much of the question's words those of the right person tell, against those of others.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mneme.text import tokenise
from queries.answers.memory import Memory
from queries.questions.people import is_asker, is_assistant, names_asker, names_person, occurrences
from queries.questions.types import QuestionType
from queries.questions.viewpoint import without_names
from queries.responses import SearchResponse

_LOOKED_AT = 10  # of the best memories
_BEST = 5  # of those, in which the question's words are looked for

# Logistic regression on the 999 questions of LoCoMo's five development conversations, category 5 (no answer) against the rest;
# with each conversation left out in turn its area under the curve is 0.86.
_INTERCEPT = -4.73
_WEIGHTS = {"best": 0.38, "right": 3.16, "wrong": -0.54, "first": 2.16, "ratio": -0.35, "share": 3.52}
TOLD = 0.6
"""Probability from which it counts as told. There it abstains on 61 % of what has no answer, and on 7 % of what has one."""

_QUOTED_QUESTION = re.compile(r'^(?:Asked|问|被问)\s*["“][^"”]*["”]\s*[,，:：]?\s*')
_ASKING = frozenset(  # words of questions that no answer repeats
    tokenise(
        "kind type sort name many much thing something anything do get long time often else make made go went gone take took "
        "might say said tell told according mention describe regarding specific particular remember recall know please"
    )
)
_ASKING_CHINESE = re.compile("什么|怎么样?|怎样|哪[里儿个些位年天]?|谁|多少|多久|几|为何|为什么|是否|有没有|吗|呢|请问|告诉我?|记得")


@dataclass(frozen=True, slots=True)
class Support:
    """How well the memories tell it. ``fitting`` are those about whom it asks, best rank first; ``words`` what it asks with."""

    probability: float
    fitting: tuple[Memory, ...]
    words: frozenset[str]

    @property
    def told(self) -> bool:
        """Whether there is enough to quote an answer from."""
        return self.probability >= TOLD


def support_of(memories: Sequence[Memory], found: SearchResponse) -> Support:
    """How well the memories of a search tell what it asks.

    Args:
        memories: what holds a place, best rank first.
        found: of the search.
    """
    people = people_of(found)
    question = found.query.text
    owner = found.query.filters_applied.get("user_id")
    asked = {person for person in people if _is_asked(found, person, owner)}
    words = question_words(question, people)
    if not memories or not words:
        return Support(0.0, (), words)
    looked_at = memories[:_LOOKED_AT]
    fits = [not asked or _is_about(memory, asked, people) for memory in looked_at]
    covered = [len(words & set(tokenise(f"{memory.source} {memory.text}"))) / len(words) for memory in looked_at]
    scores = [memory.score for memory in looked_at]
    right = [index for index, fit in enumerate(fits) if fit]
    features = {
        "best": covered[0],
        "right": max((covered[index] for index in right if index < _BEST), default=0.0),
        "wrong": max((share for share, fit in zip(covered[:_BEST], fits[:_BEST], strict=True) if not fit), default=0.0),
        "first": float(fits[0]),
        "ratio": max((scores[index] for index in right), default=0.0) / scores[0] if scores[0] > 0 else 0.0,
        "share": sum(fits[:_BEST]) / len(fits[:_BEST]),
    }
    fitting = tuple(memory for memory, fit in zip(looked_at, fits, strict=True) if fit)
    if not features["right"]:  # not one word of it: whatever was found is about something else
        return Support(0.0, fitting, words)
    logit = _INTERCEPT + sum(_WEIGHTS[name] * value for name, value in features.items())
    return Support(1 / (1 + math.exp(-logit)), fitting, words)


def people_of(found: SearchResponse) -> tuple[str, ...]:
    """Who spoke in what was found."""
    speakers = (person for episode in found.episodes for person in episode.participants)
    return tuple(dict.fromkeys((*speakers, *(message.sender_name for message in found.raw_messages))))


def question_words(question: str, people: Iterable[str]) -> frozenset[str]:
    """The tokens of a question that its answer may repeat: without the names of people, and without words that only ask.

    >>> sorted(question_words("What kind of boat did Ann buy?", ["Ann"]))
    ['boat', 'buy']
    """
    text = _ASKING_CHINESE.sub(" ", question)
    return frozenset(tokenise(without_names(text, people))) - _ASKING or frozenset(tokenise(question))


def _is_asked(found: SearchResponse, person: str, owner: str | None) -> bool:
    if found.query.type == QuestionType.ASSISTANT_RECALL:
        return is_assistant(person)
    question = found.query.text
    return names_person(question, person) or (names_asker(question) and is_asker(person, owner))


def _is_about(memory: Memory, asked: set[str], people: Sequence[str]) -> bool:
    """Whether a memory is about one of those asked about: who said it, or whom it names first; it may name nobody."""
    if memory.kind in ("message", "profile"):
        return memory.source in asked or memory.source not in people
    text = _QUOTED_QUESTION.sub("", memory.text)
    named = [(spans[0][0], person) for person in people if (spans := occurrences(text, person))]
    return not named or min(named)[1] in asked
