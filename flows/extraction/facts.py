"""One fact for each message of substance: what it says, told so that it stands alone."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import takewhile

from flows.cuts import ExtractedFact
from flows.extraction.names import names_in
from flows.extraction.reports import quoted, reported
from flows.extraction.retelling import Kind, Retelling, Said
from flows.extraction.substance import weight
from flows.extraction.word_classes import is_verb
from mneme.text import has_cjk

_SHORT_ANSWER = 4.0  # weight under which a message that follows a question cannot be understood without it
_YES_OR_NO = re.compile(
    r"\s*(?:yes|yeah|yep|yup|no|nope|nah|never|not yet|sure|of course|definitely|maybe)\b|\s*(?:是|对|不|没|有|会|可以)", re.I
)
_LEANING_ANSWER = 9.0  # the same for a message that begins with a pronoun
_LEANS = re.compile(r"(?:it|he|she|they|that|those|these|this)(?:['’]\w+)?\s", re.I)
_MOST_OF_A_REACTION = 2.0  # weight
_LONGEST_REACTION = 4  # words
_TELLS = re.compile(r"\b(?:i|me|my|mine|we|us|our|not|no)\b|n['’]t\b|\d", re.I)
_CONTRACTED = re.compile(r"['’](?:re|ve|ll|d)\b|\b(?:he|she|there|who|what)['’]s\b", re.I)
_REMARKS = re.compile(r"(?:it|that|this|those|these|you|your)\b", re.I)
_AUXILIARIES = frozenset("is are was were be has have had do does did will would can could should may might must".split())
_LONGEST_FACT = 900  # characters; a small embedder reads no more, so a longer message becomes several facts


def message_facts(retellings: Sequence[Retelling], topic: str) -> list[ExtractedFact]:
    """One fact for each message that says something, in order; several for a very long message.

    A fact that is its message retold has ``same_as_source``; a short answer is joined with its question, and then its
    first source is the answer, the second the question. Questions are left to their answers unless they tell something, or
    stand beside a mere reaction, which is left out.
    """
    facts: list[ExtractedFact] = []
    for position, retelling in enumerate(retellings):
        before = retellings[position - 1] if position else None
        question = _question_answered(retelling, before)
        if question and before is not None:
            facts.append(_answer(retelling, before, question, topic))
            continue
        kept = _kept(retelling.said)
        if before is not None and before.speaker != retelling.speaker and _only_reacts(kept):  # the question says more
            kept = [one for one in retelling.said if one.kind is Kind.QUESTION and one.informative]
        for passage in _passages(kept):
            event_at, event_until = event_time(passage)
            first = passage[0] is kept[0]
            statement = reported(retelling, passage)
            facts.append(ExtractedFact(statement, topic, (retelling.index,), event_at, event_until, same_as_source=first))
    return facts


def _kept(said: Sequence[Said]) -> list[Said]:
    """The sentences of a fact; a light question only before statements too short to stand without it."""
    kept = [one for one in said if one.worth_keeping]
    if not kept or sum(weight(one.text) for one in kept) >= _SHORT_ANSWER:
        return kept
    last = max(at for at, one in enumerate(said) if one.worth_keeping)
    return [one for at, one in enumerate(said) if one.worth_keeping or (one.informative and at < last)]


def _only_reacts(kept: Sequence[Said]) -> bool:
    """Whether a message is only a remark on the one before: "Sensible priorities.", "That sounds exciting!"

    A message with a self, a name, a number or a date is none, nor is a sentence with a subject and a verb of its own.
    """
    if len(kept) != 1 or kept[0].kind is not Kind.STATEMENT or kept[0].dates or has_cjk(kept[0].text):
        return False
    text = kept[0].text
    words = re.findall(r"[\w'’]+", text.lower())
    if weight(text) > _MOST_OF_A_REACTION or len(words) > _LONGEST_REACTION or _TELLS.search(text):
        return False
    has_verb = any(is_verb(word) or word in _AUXILIARIES for word in words[1:]) or _CONTRACTED.search(text)
    if has_verb and not _REMARKS.match(text):
        return False
    return next(names_in(text), None) is None


def event_time(said: Sequence[Said]) -> tuple[datetime | None, datetime | None]:
    """When it happens: the most exact date of the sentences, the first of equals; ``until`` is exclusive."""
    mentions = [mention for one in said for mention in one.dates]
    if not mentions:
        return None, None
    best = min(mentions, key=lambda mention: mention.span.days)
    return best.since, best.until


def _answer(retelling: Retelling, before: Retelling, question: Sequence[Said], topic: str) -> ExtractedFact:
    said = _before_questions(retelling)
    asked = quoted(question)
    opening = f"被问到{asked}，" if has_cjk(asked) else f"Asked {asked}, "
    event_at, event_until = event_time(said)
    return ExtractedFact(opening + reported(retelling, said), topic, (retelling.index, before.index), event_at, event_until)


def _question_answered(retelling: Retelling, before: Retelling | None) -> list[Said]:
    """The question that a message answers in few words; empty when the message stands alone."""
    if before is None or before.speaker == retelling.speaker:
        return []
    if all(one.kind is not Kind.QUESTION for one in before.said[-2:]):
        return []
    answer = _before_questions(retelling)
    tells = any(one.informative for one in answer) or _YES_OR_NO.match(retelling.message.text)
    limit = _LEANING_ANSWER if answer and _LEANS.match(answer[0].told) else _SHORT_ANSWER
    if not answer or not tells or sum(weight(one.text) for one in answer) >= limit:
        return []
    return [one for one in before.said if one.kind is Kind.QUESTION and one.informative][-1:]


def _before_questions(retelling: Retelling) -> list[Said]:
    """What a message says before it asks something itself."""
    return list(takewhile(lambda one: one.kind is not Kind.QUESTION, retelling.said))


def _passages(said: Sequence[Said]) -> Iterator[list[Said]]:
    passage: list[Said] = []
    length = 0
    for one in said:
        if passage and length + len(one.told) > _LONGEST_FACT:
            yield passage
            passage, length = [], 0
        passage.append(one)
        length += len(one.told)
    if passage:
        yield passage
