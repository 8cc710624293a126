"""Whether the memories that were found tell what a question asks, judged without a model. Pure.

What is asked of one person and told of another is the trap: the words fit, the person does not. So it counts whom a memory is
about, and how much of the question's words those of the right person tell, against those of others. It refuses little: a quote
that does not answer, and says that it only quotes, harms less than an answer that is kept back.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mneme.dates.spans import MONTHS, WEEKDAYS
from mneme.text import has_cjk, tokenise
from queries.agents.rules.hops import TO_ONE, all_descriptions
from queries.answers.memory import Memory
from queries.entities.relations import asked_by
from queries.questions.people import is_asker, is_assistant, names_asker, names_person, occurrences
from queries.questions.types import QuestionType
from queries.questions.viewpoint import likely_people, without_names
from queries.responses import SearchResponse

_LOOKED_AT = 10  # of the best memories
_BEST = 5  # of those, in which the question's words are looked for

# Where a question names whom it is about: a logistic regression on LoCoMo's five development conversations, rounded. Of their
# 999 questions category 5 has no answer; 60 % of those are refused, and 6 % of the rest.
_FIRST, _SHARE, _ENOUGH = 0.6, 1.2, 1.65
# Where it names nobody: chosen on questions asked of their own conversation and of another, a false refusal counting twice as
# much as a right one; 0.8 is also what LoCoMo or BEAM alone, or all conversations but one choose. Of LoCoMo's questions without
# names 5 % and 58 % are refused, of BEAM's, about six chats with an assistant, 3 % and 58 %.
_ENOUGH_WORDS = 0.8
_LONG = 10  # words; of a longer question not more need be told
_ONLY_ASKS = re.compile(  # a question tells nothing
    r"(?:[^.!?。！？]*[?？])+\s*|[^:：\"“]{1,60}(?:asked|问)[^:：\"“]{0,60}[:：]?\s*[\"“][^\"”]*[?？][\"”]"
)
_THING = re.compile(r"(?<![.!?:\"“(] )(?<!^)\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")  # a capital inside the sentence
_CALENDAR = frozenset((*MONTHS, *(day.capitalize() for day in WEEKDAYS)))
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
    named = frozenset(person for person in people if names_person(question, person) and not is_asker(person, None))
    unmentioned = (name for name in likely_people(question) if not any(names_person(name, person) for person in people))
    asked = _Asked(named | _meant(found, people), tuple(unmentioned), by_name=bool(named))
    words = question_words(question, (*people, *asked.others))
    memories = [memory for memory in memories if not _ONLY_ASKS.fullmatch(memory.text)]
    if not memories or not words:
        return Support(False, (), words)
    looked_at = memories[:_LOOKED_AT]
    fits = [_is_about(memory, asked, people) for memory in looked_at]
    told = [frozenset(tokenise(memory.text)) for memory in looked_at]
    fitting = [tokens for tokens, fit in zip(told[:_BEST], fits[:_BEST], strict=True) if fit]
    right = [words & tokens for tokens in fitting]
    together = frozenset[str]().union(*right)
    wanted = min(len(words), _LONG)
    best = max(map(len, right), default=0) / wanted
    things = _things_named(question, (*people, *asked.others))
    enough = best > 0 and (not things or bool(things & together)) and _tells_of_described(question, people, fitting)
    if found.query.type != QuestionType.PREFERENCE or not names_asker(question):  # to build on, what is near is enough
        if asked.speakers or asked.others:
            enough &= best + _FIRST * fits[0] + _SHARE * len(right) / len(fits[:_BEST]) >= _ENOUGH
        if not asked.by_name:
            enough &= best + len(together) / wanted >= _ENOUGH_WORDS
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


def _things_named(question: str, people: Iterable[str]) -> frozenset[str]:
    """The tokens of the names in a question that are no person's: one of them must be in what tells it."""
    names = _THING.findall(without_names(question, people))
    return frozenset(token for name in names if name.split()[0] not in _CALENDAR for token in tokenise(name))


def _tells_of_described(question: str, people: Sequence[str], told: Iterable[frozenset[str]]) -> bool:
    """Whether somebody who is told by a relationship is in what tells it: "Ann's brother" by a word for brothers, "the CEO of
    Acme" by Acme as well. Else it tells of Ann, or of another CEO.
    """
    words = frozenset[str]().union(*told)
    for each in all_descriptions(question):
        named = frozenset() if any(names_person(each.name, person) for person in people) else frozenset(tokenise(each.name))
        role = tokenise(each.role)
        relations = [relation for relation in TO_ONE if asked_by(relation, role)]
        if not (named <= words and any(asked_by(relation, words) for relation in relations)):
            return False
    return True


def _meant(found: SearchResponse, people: Sequence[str]) -> frozenset[str]:
    """Who is asked about without a name: the assistant; or who asks, whom what the assistant said to them is about as well."""
    assistants = frozenset(filter(is_assistant, people))
    if found.query.type == QuestionType.ASSISTANT_RECALL:
        return assistants
    owner = found.query.filters_applied.get("user_id")
    askers = frozenset(person for person in people if names_asker(found.query.text) and is_asker(person, owner))
    return askers | assistants if askers else askers


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
