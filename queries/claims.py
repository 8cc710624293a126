"""The claims of what was found, and which of them a question asks for. Pure.

Validity belongs to a claim, not to the statement that makes it: what became of somebody's job says nothing of an allergy that
the same sentence tells (DESIGN section 7).
"""

from collections.abc import Iterable

from mneme.records import AtomicFact, Claim, Foresight
from mneme.rows import Row
from queries.questions.people import is_asker, names_person
from queries.questions.understand import Question
from queries.records import record_of

_ONESELF = frozenset(("", "i", "me", "my", "user", "我"))


def claims_of(row: Row) -> tuple[Claim, ...]:
    """The claims that a row makes."""
    if not row.body.get("claims"):
        return ()
    record = record_of(row)
    return record.claims if isinstance(record, AtomicFact | Foresight) else ()


def is_asked_for(claim: Claim, question: Question) -> bool:
    """Whether a claim is of a subject and an attribute that the question asks for."""
    return any(
        claim.attribute == attribute and _is_same(claim.subject, subject, question.owner) for subject, attribute in question.asked
    )


def asked_for(claims: Iterable[Claim], question: Question) -> list[Claim]:
    """Those of the claims that the question asks for."""
    return [claim for claim in claims if is_asked_for(claim, question)]


def _is_same(subject: str, asked: str, owner: str | None) -> bool:
    """Whether two names mean the same; who asks means the owner."""
    one, other = subject.casefold(), asked.casefold()
    if one == other or (other in _ONESELF and is_asker(subject, owner)):
        return True
    return bool(one and other) and (names_person(asked, subject) or names_person(subject, asked))
