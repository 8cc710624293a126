"""What English statements claim of people and things; plans are in english_plans.py."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from flows.consistency.claims.english_grammar import Clause, clauses, liking, name, phrase, stems, subject, thing
from flows.consistency.claims.english_table import FRAGMENTS, ROWS
from flows.consistency.claims.patterns import Pattern, filled, table
from flows.consistency.claims.places import COUNTRIES
from flows.consistency.claims.wording import Told
from flows.consistency.statements import Claim

_CLEANERS = {
    "s": subject,
    "v": phrase,
    "n": name,
    "o": thing,
    "l": liking,
    "who": subject,
    "what": thing,
    "role": phrase,
    "t": stems,
    "a": stems,
}
_BY_CUE: dict[str, list[Pattern]] = table(ROWS, FRAGMENTS)
_CUES = frozenset(_BY_CUE)
_CHANGES_ONE = frozenset("job home partner car school phone".split())
_ANSWERS = tuple(
    (re.compile(question), sentence)
    for question, sentence in (
        (r"^(?:so |and )?where (?:are you (?:living|based|staying)|do you live)", "{who} lives in {answer}"),
        (r"^(?:so |and )?(?:where do you work|who do you work for|where are you working)", "{who} works at {answer}"),
        (r"^(?:so |and )?what(?: is|'s) your favou?rite (?P<what>[a-z]+(?: [a-z]+)?)$", "{who}'s favourite {what} is {answer}"),
        (r"^(?:so |and )?what(?: is|'s) your (?P<what>(?:phone |new )?number|address|email)$", "{who}'s {what} is {answer}"),
        (r"^(?:so |and )?when(?: is|'s) the (?P<what>[a-z]+(?: [a-z]+){0,3})$", "the {what} is {answer}"),
    )
)
_LONGEST_ANSWER = 5  # words of an answer that is no sentence of its own


def english_claims(told: Told) -> Iterator[Claim]:
    """The claims of the sentences of a statement, in order; those of weak patterns last."""
    weak = []
    for sentence in answered(told):
        if _CUES.isdisjoint(_words(sentence)):
            continue
        for clause in clauses(sentence, told.speaker):
            for pattern, claim in _of_clause(clause):
                if pattern.weak:
                    weak.append(claim)
                else:
                    yield claim
    yield from weak


def answered(told: Told) -> Iterator[str]:
    """The sentences; a short answer as a sentence of its own, with what its question asked."""
    sentences = told.sentences
    if told.question and told.speaker and sentences and len(sentences[0].split()) <= _LONGEST_ANSWER:
        for question, sentence in _ANSWERS:
            if asked := question.match(told.question):
                answer = re.sub(r"^(?:in|at|it is) ", "", sentences[0])
                yield sentence.format(who=told.speaker, answer=answer, **asked.groupdict())
                sentences = sentences[1:]
                break
    yield from sentences


def _words(text: str) -> list[str]:
    """The words and the pairs of words of a text, as cues are written."""
    words = text.replace(":", "").replace(",", "").split()
    return words + [f"{one}_{other}" for one, other in pairwise(words)]


def _of_clause(clause: Clause) -> Iterator[tuple[Pattern, Claim]]:
    cued = {pattern.position: pattern for word in _words(clause.text) for pattern in _BY_CUE.get(word, ())}
    for _, pattern in sorted(cued.items()):
        match = pattern.shape.match(clause.text)
        if match is None and clause.subject:
            match = pattern.shape.match(f"{clause.subject} {clause.text}")
        if match is None:
            continue
        claim = filled(pattern, match, _CLEANERS, clause.denied)
        if claim is not None and not (clause.several and claim.about.rpartition("|")[2] in _CHANGES_ONE):
            yield pattern, _level(claim, clause.text)


def _level(claim: Claim, clause: str) -> Claim:
    """A country that one lives in is no other place than its city, but who moves to a country has left a city."""
    if claim.about.endswith("|home") and claim.value in COUNTRIES and not claim.ends and "moved" not in clause:
        return replace(claim, about=f"{claim.about}|country")
    return claim
