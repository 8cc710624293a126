"""Judge without a model if the memories that were found answer a question. Pure.

What is asked of one person and told of another is the trap: the words fit, the person does not. So whom a memory is about
comes first, and what shares nothing with the question is none, whatever its place. Of the rest a logistic regression says how
likely each answers (features.py, likeliness.json); where nothing was read, another one. They were fitted on quotes: LoCoMo's
development conversations, their questions asked of another conversation with its names, MemDaily, and small chats in eight
languages, nearly half of whose questions have no answer. ``enough`` is the log-odds from which one is told
(docs/internals/figures.md has the figures of others).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from math import exp

import numpy as np
from pydantic import BaseModel, ConfigDict

from mneme.dates.spans import MONTHS, WEEKDAYS
from mneme.relations import attributes_asked
from mneme.text import STOP_WORDS, has_cjk, tokenise
from queries.agents.decomposition import TO_ONE, descriptions
from queries.answers.features import FEATURES, asking_words, asks_for_time, features_of, matters_of, said
from queries.answers.memory import ContextMemory
from queries.answers.unreal import asks_for_real, without_unreal
from queries.entities.naming import asked_by
from queries.questions.exceptions import excepted, without_exception
from queries.questions.people import (
    is_asker,
    is_assistant,
    likely_people,
    names_asker,
    names_person,
    occurrences,
    without_names,
)
from queries.questions.tense import asks_about_past, asks_for_lasting, asks_for_state
from queries.questions.types import QuestionType
from queries.records import only_asks
from queries.responses import SearchResponse
from queries.scoring.weights import Weights
from queries.supersession import is_asked_for, successor_of

_LOOKED_AT = 5  # best memories
_SITTING = timedelta(hours=1)  # within it a state seldom changes: what is said later goes on about the same
_LITTLE = 1e-6  # log-odds
_READS_WORSE = 5.0  # log-odds by which a later statement may read worse as an answer, and still take the place of an earlier
_REPORTED_QUESTION = re.compile(r"[^:：\"“]{1,60}(?:asked|问)[^:：\"“]{0,60}[:：]?\s*[\"“][^\"”]*[?？][\"”]")
_THING = re.compile(r"(?<![.!?:\"“(] )(?<!^)\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")  # a capital inside the sentence
_CALENDAR = frozenset((*MONTHS, *(day.capitalize() for day in WEEKDAYS)))
_OF_ANOTHER = FEATURES.index("of_another")
_IN_WORDS, _CLAIMS_IT, _LACKS_KIND = (FEATURES.index(name) for name in ("in_words", "claims_it", "lacks_kind"))
_ALL_WORDS = 0.99  # of a question
_SHARED = [FEATURES.index(name) for name in ("in_words", "in_question_before", "claims_it", "of_the_matter", "matter_before")]
_QUOTED_QUESTION = re.compile(r'^(?:Asked|被?问到?)\s*["“][^"”]*["”]\s*[,，:：]?\s*')
_ASKING = frozenset(  # words of questions that no answer repeats
    tokenise(
        "kind type sort name many much thing something anything do get long time often else make made go went gone take took "
        "might say said tell told according mention describe regarding specific particular remember recall know please "
    )
) | frozenset(tokenise(asking_words()))
_ASKING_CHINESE = re.compile(  # and what joins words, so that no pair of characters goes over it
    "什么时候|什么|怎么样?|怎样|哪[里儿个些位年天]?|谁|多少|多久|几|为何|为什么|是否|有没有|吗|呢|请问|告诉我?|记得|的|是|我们?|你|在|了|过|会|要"
)


@dataclass(frozen=True, slots=True)
class Support:
    """A judgement. ``fitting`` are the memories about the right person, likeliest first.

    ``chances`` are how likely each of them tells it, if one does: together 1. ``successor`` names for each that is replaced, in
    what is asked for, the memory that replaced it. Where it is not known what is asked for, a statement of several things has
    none: what ended last may be another of them.
    """

    answered: bool
    fitting: tuple[ContextMemory, ...]
    chances: Mapping[ContextMemory, float]
    successor: Mapping[ContextMemory, ContextMemory]


@dataclass(frozen=True, slots=True)
class _Asked:
    """The people that a question is about: those who spoke, and others by the names that it gives them.

    ``is_asker`` where who asks is one of them.
    """

    speakers: frozenset[str]
    others: tuple[str, ...]
    is_asker: bool


def support_of(memories: Sequence[ContextMemory], found: SearchResponse, asked_at: datetime) -> Support:
    """Judge if the memories of a search answer its question.

    What replaced another is as likely as that, and stands before it; and so does what the search put before what was said
    earlier, where a state is asked for. What tells it by a claim, or as a document of who asks, answers in any case.

    Args:
        memories: what holds a place, best rank first.
        found: of the search.
        asked_at: when it is asked.
    """
    considered = considered_of(memories, found)
    known = _likeliness().of(considered.memories)
    odds = known.log_odds(np.array(considered.rows).reshape(-1, len(FEATURES)), FEATURES).tolist()
    odds = [max(each, known.enough) if tells else each for each, tells in zip(odds, considered.tells, strict=True)]
    fits, successor = list(considered.fits), _successors(considered.memories, found, asked_at)
    pairs = {*successor.items(), *_said_since(considered, found)}
    looked_at = considered.memories
    late = _without_time(considered, found)
    for older, newer in sorted(pairs, key=lambda each: _said_at(looked_at[each[1]])):  # so that it adds up
        if fits[older]:
            fits[newer], odds[newer] = True, max(odds[newer], odds[older] + _LITTLE)
            late.discard(newer)
    fitting = sorted((place for place, fit in enumerate(fits) if fit), key=lambda place: (place in late, -odds[place]))
    answered = any(odds[place] >= known.enough for place in fitting)
    likely = {place: 1 / (1 + exp(-odds[place])) for place in fitting}
    chances = {looked_at[place]: each / sum(likely.values()) for place, each in likely.items()}
    asked = attributes_asked(found.query.text)
    replaced = {looked_at[each]: looked_at[newer] for each, newer in successor.items() if _is_of_one(looked_at[each], asked)}
    return Support(answered, tuple(chances), chances, replaced)


def _successors(memories: Sequence[ContextMemory], found: SearchResponse, asked_at: datetime) -> dict[int, int]:
    """The places of replaced memories, each with that of what replaced it, where the search put that before it.

    The search knows whose claim is asked for (queries/supersession.py). It puts nothing before another for a question about the
    past.
    """
    if asks_about_past(found.query.text):
        return {}
    attributes = attributes_asked(found.query.text)
    successor: dict[int, int] = {}
    places: dict[str, int] = {}
    for place, memory in enumerate(memories):
        of_all = memory.replaced_by if memory.ended is not None and memory.ended <= asked_at.date() else None
        newer = successor_of(memory.claims, attributes, found.query.asker, asked_at, of_all)
        if newer in places:
            successor[place] = places[newer]
        places[memory.id] = place
    return successor


def _is_of_one(memory: ContextMemory, attributes: Sequence[tuple[str, str]]) -> bool:
    """True if what replaced a memory replaced what is asked for: that is known, or the memory claims one thing at most."""
    return bool(attributes) or len({(claim.subject, claim.attribute) for claim in memory.claims}) <= 1


def _said_since(considered: "Considered", found: SearchResponse) -> Iterator[tuple[int, int]]:
    """The places of an earlier and a later statement, where the later tells what is so now.

    The search put it first: of a state it raises what is so now (queries/scoring/present.py), whose words often fit the
    question worse. Or it claims the very plan that is asked for, as that it is cancelled. What claims
    only something else takes no place: it is of another matter.
    """
    if not asks_for_present(found):
        return
    attributes, asker, readings = attributes_asked(found.query.text), found.query.asker, considered.readings
    for newer, later in enumerate(considered.memories):
        if later.said_at is None or considered.rows[newer][_OF_ANOTHER] or _claims(later, attributes, asker)[1]:
            continue
        is_of_plan = any(each.attribute.startswith("plan:") and is_asked_for(each, attributes, asker) for each in later.claims)
        for older, earlier in enumerate(considered.memories):
            if considered.holds[older] and not considered.fits[newer]:
                continue  # what shares nothing with the question outdoes no claim
            reads_worse = readings[older] - readings[newer] >= _READS_WORSE
            leads = is_of_plan if older < newer else not reads_worse
            if leads and earlier.said_at is not None and later.said_at - earlier.said_at > _SITTING:
                yield older, newer


def _without_time(considered: "Considered", found: SearchResponse) -> set[int]:
    """The places of memories that name no time although one is asked for, and claim nothing of it, such as that it is off."""
    if not asks_for_time(found.query.text):
        return set()
    return {place for place, row in enumerate(considered.rows) if row[_LACKS_KIND] and not row[_CLAIMS_IT]}


def _said_at(memory: ContextMemory) -> datetime:
    return memory.said_at or datetime.min.replace(tzinfo=UTC)


def asks_for_present(found: SearchResponse) -> bool:
    """True if the question of a search asks for a state, or a plan, that may have changed."""
    text = found.query.text
    if found.query.type == QuestionType.MULTI_HOP or asks_about_past(text) or asks_for_lasting(text):
        return False
    return bool(attributes_asked(text)) or asks_for_state(text)


@dataclass(frozen=True, slots=True)
class Considered:
    """The best memories with their ``FEATURES``, which of them may be an answer at all, and which tell it for certain.

    A memory may not if it is about somebody else, or shares no word, matter or claim with the question: a good place among bad
    ones tells nothing. If a question names a thing, or describes somebody by a relationship, a memory must tell of it. A wish
    or a novel tells no state (unreal.py).

    A memory that claims the present value tells it, wherever the search put it. So does a document of the asker that has all
    words of the question: it says "the rent" where the asker says "my rent", so it reads worse than somebody's own words.
    """

    memories: tuple[ContextMemory, ...]
    rows: tuple[tuple[float, ...], ...]
    fits: tuple[bool, ...]
    tells: tuple[bool, ...]
    holds: tuple[bool, ...]

    @property
    def readings(self) -> tuple[float, ...]:
        """The log-odds of each that it answers, by its tokens; what was not read counts as the least of what was."""
        read = [memory.reading for memory in self.memories if memory.reading is not None]
        least = min(read, default=0.0)
        return tuple(least if memory.reading is None else memory.reading for memory in self.memories)


def _is_excepted(memory: ContextMemory, attributes: Sequence[tuple[str, str]], asker: str | None, but: frozenset[str]) -> bool:
    """True if a question excepts all that a memory claims of what is asked for; all that it claims, where that is not known."""
    asked = [claim for claim in memory.claims if is_asked_for(claim, attributes, asker)] or memory.claims
    return bool(but and asked) and all(claim.value and but.issuperset(tokenise(claim.value)) for claim in asked)


def considered_of(memories: Sequence[ContextMemory], found: SearchResponse) -> Considered:
    """The memories of a search to be judged, for ``support_of`` and for fitting it."""
    people = people_of(found)
    question = found.query.text
    named = frozenset(person for person in people if names_person(question, person) and not is_asker(person, None))
    unmentioned = (name for name in likely_people(question) if not any(names_person(name, person) for person in people))
    speakers = named | _meant(found, people)
    asked = _Asked(speakers, tuple(unmentioned), any(is_asker(person, found.query.asker) for person in speakers))
    sought = without_exception(question)
    words = question_words(sought, (*people, *asked.others))
    attributes = () if asks_about_past(question) else attributes_asked(sought)
    but = frozenset(tokenise(excepted(question)))
    memories = [
        memory
        for memory in memories
        if not (_is_question(said(memory)) or _is_excepted(memory, attributes, found.query.asker, but))
    ]
    abouts = [_about(memory, asked, people) for memory in memories]
    claims = [_claims(memory, attributes, found.query.asker) for memory in memories]
    holds = [_holds(memory, attributes, found.query.asker) for memory in memories]
    every = features_of(memories, words, question, abouts, claims, learned=found.metrics.scoring == "lr")
    places = [place for place in range(len(memories)) if place < _LOOKED_AT or holds[place]]
    rows, looked_at = [every[place] for place in places], tuple(memories[place] for place in places)
    fits = [not row[_OF_ANOTHER] and any(row[place] for place in _SHARED) for row in rows]
    if asks_for_present(found) and asks_for_real(question, attributes):
        fits = [
            fit and (bool(row[_CLAIMS_IT]) or _is_real(each, words, matters_of(question)))
            for fit, row, each in zip(fits, rows, looked_at, strict=True)
        ]
    is_own = found.query.asker is not None and names_asker(question)
    tells = [
        holds[place] or (is_own and each.of_document and row[_IN_WORDS] >= _ALL_WORDS and not row[_LACKS_KIND])
        for place, row, each in zip(places, rows, looked_at, strict=True)
    ]
    texts = [frozenset(tokenise(memory.text)) for memory, fit in zip(looked_at, fits, strict=True) if fit]
    things = _things_named(question, (*people, *asked.others))
    if not _tells_of_described(question, people, texts) or (things and not any(things & tokens for tokens in texts)):
        fits = [holds[place] for place in places]
    return Considered(looked_at, tuple(map(tuple, rows)), tuple(fits), tuple(tells), tuple(holds[place] for place in places))


class Likeliness(Weights):
    """A regression over ``FEATURES``; from ``enough`` on a memory answers."""

    enough: float


class Likelinesses(BaseModel):
    """One for searches that read what they found, and one for those that do not, as with an embedder without token vectors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    read: Likeliness
    unread: Likeliness

    def of(self, memories: Iterable[ContextMemory]) -> Likeliness:
        """The one for what a search found."""
        return self.read if any(memory.reading is not None for memory in memories) else self.unread


@cache
def _likeliness() -> Likelinesses:
    return Likelinesses.model_validate_json((files("queries.answers") / "likeliness.json").read_text(encoding="utf-8"))


def _is_question(text: str) -> bool:
    """True if a text only asks, or only reports a question: it tells nothing."""
    return only_asks(text) or _REPORTED_QUESTION.fullmatch(text) is not None


def _claims(memory: ContextMemory, attributes: Sequence[tuple[str, str]], asker: str | None) -> tuple[bool, bool]:
    """True each if a memory claims what is asked for, or something else; neither where either is not known."""
    if not attributes or not memory.claims:
        return False, False
    claims_it = any(is_asked_for(claim, attributes, asker) for claim in memory.claims)
    return claims_it, not claims_it


def _holds(memory: ContextMemory, attributes: Sequence[tuple[str, str]], asker: str | None) -> bool:
    """True if a memory claims a value of what is asked for, without an end, or tells that a plan was moved or is off."""
    return any(
        (claim.attribute.startswith("plan:") or (bool(claim.value) and not claim.ends))
        and claim.valid_to is None
        and is_asked_for(claim, attributes, asker)
        for claim in memory.claims
    )


def _is_real(memory: ContextMemory, words: frozenset[str], matters: frozenset[str]) -> bool:
    """True if all of a memory is real, or its real sentences share a word or a matter with the question."""
    text = said(memory)
    real = without_unreal(text)
    return real == text or not (words.isdisjoint(tokenise(real)) and matters.isdisjoint(matters_of(real)))


def people_of(found: SearchResponse) -> tuple[str, ...]:
    """The speakers in what was found; a document is none."""
    speakers = (person for episode in found.episodes if episode.document_id is None for person in episode.participants)
    senders = (message.sender_name for message in found.raw_messages if message.citation is None)
    return tuple(dict.fromkeys((*speakers, *senders)))


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
    if question.split()[0].lower() not in STOP_WORDS:  # only English begins so, and of German each noun has a capital
        return frozenset()
    names = _THING.findall(without_names(question, people))
    return frozenset(token for name in names if name.split()[0] not in _CALENDAR for token in tokenise(name))


def _tells_of_described(question: str, people: Sequence[str], texts: Iterable[frozenset[str]]) -> bool:
    """True if somebody who is told by a relationship is in what tells it: "Ann's brother" by a word for brothers, "the CEO of
    Acme" by Acme as well. Else it tells of Ann, or of another CEO.
    """
    words = frozenset[str]().union(*texts)
    for each in descriptions(question, with_asked=True):
        named = frozenset() if any(names_person(each.name, person) for person in people) else frozenset(tokenise(each.name))
        role = tokenise(each.role)
        relations = [relation for relation in TO_ONE if asked_by(relation, role)]
        if not (named <= words and any(asked_by(relation, words) for relation in relations)):
            return False
    return True


def _meant(found: SearchResponse, people: Sequence[str]) -> frozenset[str]:
    """The people asked about without a name: the assistant; or the asker, and then the assistant's words to them as well."""
    assistants = frozenset(filter(is_assistant, people))
    if found.query.type == QuestionType.ASSISTANT_RECALL:
        return assistants
    askers = frozenset(person for person in people if names_asker(found.query.text) and is_asker(person, found.query.asker))
    return askers | assistants if askers else askers


def _about(memory: ContextMemory, asked: _Asked, people: Sequence[str]) -> tuple[bool, bool, bool]:
    """True each if one of the people asked about said it, if it names one, and if it is about others."""
    if not asked.speakers and not asked.others:
        return False, False, False
    quote = memory.quote if not memory.of_document else None
    text = " ".join(each.words for each in (quote, quote.question, quote.context) if each) if quote else memory.text
    text = _QUOTED_QUESTION.sub("", text)
    if not quote and memory.kind not in ("message", "profile"):
        spans = [(spans[0][0], person) for person in people if (spans := occurrences(text, person))]
        names = any(names_person(text, name) for name in asked.others) or (bool(spans) and min(spans)[1] in asked.speakers)
        # What names nobody is told of all who talked; in a document, of whose memory it is.
        of_all = not spans and not asked.others and (asked.is_asker or not memory.of_document)
        return names, False, not (names or of_all)  # what is told of somebody counts like what they say
    speaker = quote.speaker if quote else memory.source
    said_by = speaker in asked.speakers
    names = any(names_person(text, name) for name in (*asked.others, *asked.speakers))
    return said_by, names, not (said_by or names)
