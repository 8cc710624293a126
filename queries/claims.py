"""The claims of what was found, and which of them a question asks for. Pure.

Validity belongs to a claim, not to the statement that makes it: what became of somebody's job says nothing of an allergy that
the same sentence tells (DESIGN section 7).
"""

from collections.abc import Sequence
from datetime import datetime

from connectors.aging_cache import Derived
from mneme.records import AtomicFact, Claim, Foresight
from mneme.rows import Row
from queries.questions.people import is_asker, names_person
from queries.records import record_of

Asked = Sequence[tuple[str, str]]
"""(subject, attribute) of what a question asks for: ``mneme.relations.attributes_asked``."""

_ONESELF = frozenset(("", "i", "me", "my", "user", "我"))


def _claims_of(row: Row) -> tuple[Claim, ...]:
    if not row.body.get("claims"):
        return ()
    record = record_of(row)
    return record.claims if isinstance(record, AtomicFact | Foresight) else ()


claims_of = Derived(_claims_of, 10_000)
"""The claims that a row makes. A search asks it of all that was found."""


def is_asked_for(claim: Claim, asked: Asked, owner: str | None) -> bool:
    """Whether a claim is of a subject and an attribute that are asked for; ``owner`` is who "I" is."""
    return any(claim.attribute == attribute and _is_same(claim.subject, subject, owner) for subject, attribute in asked)


def successor_of(
    claims: Sequence[Claim], asked: Asked, owner: str | None, moment: datetime | None, of_all: str | None
) -> str | None:
    """The id of what superseded a statement, in what is asked for; None where it still holds.

    Args:
        claims: that it makes.
        asked: what is asked for; where that is not known, or it makes no claim, only what superseded all of it counts.
        owner: who "I" is.
        moment: when it is asked; None where every end that is known counts.
        of_all: what superseded all of it.
    """
    if not (claims and asked):
        return of_all
    for claim in claims:
        ended = claim.valid_to is not None and (moment is None or claim.valid_to <= moment)
        if ended and claim.superseded_by and is_asked_for(claim, asked, owner):
            return claim.superseded_by
    return None


def _is_same(subject: str, asked: str, owner: str | None) -> bool:
    """Whether two names mean the same; who asks means the owner."""
    one, other = subject.casefold(), asked.casefold()
    if one == other or (other in _ONESELF and is_asker(subject, owner)):
        return True
    return bool(one and other) and (names_person(asked, subject) or names_person(subject, asked))
