"""Which clusters a fact or foresight is in, and what it says there: follows from the record alone. Pure.

It is in one cluster for each subject and attribute that it claims something of, and in that of its own words, unless they say
so little that nobody asks for them.
"""

import unicodedata
from collections.abc import Iterator

from mneme.ids import cluster_id, long_hash
from mneme.records import AtomicFact, Foresight, Stated
from mneme.text import tokenise

Said = AtomicFact | Foresight

_SAID = "said|"  # begins what the cluster of the same words is about
_OF_SUBSTANCE = 2  # different tokens of a quote that is compared by its words: "Thanks!" is said often and says nothing


def joined_by(record: Said) -> Iterator[tuple[str, Stated]]:
    """What each cluster is about that a record is in, and what it says there."""
    if by_model(record) or len(set(tokenise(words_of(record)))) >= _OF_SUBSTANCE:
        yield _own_about(record), in_own_words(record)
    for about in dict.fromkeys(claim.about for claim in record.claims):
        claims = [claim for claim in record.claims if claim.about == about]
        values = tuple(claim.value for claim in claims if not claim.ends)
        ends = tuple(claim.value for claim in claims if claim.ends)
        yield about, _stated(record).model_copy(update={"values": values, "ends": ends})


def clusters_of(record: Said) -> list[str]:
    """The ids of the clusters that a record is in."""
    return [cluster_id(record.owner.key, about) for about, _ in joined_by(record)]


def own_cluster(record: Said) -> str:
    """The id of the cluster of a record's own words."""
    return cluster_id(record.owner.key, _own_about(record))


def in_own_words(record: Said) -> Stated:
    """What a record is in the cluster of its own words. What tells of an end tells news each time."""
    repeats = not any(claim.ends for claim in record.claims)
    until = min((claim.valid_to for claim in record.claims if claim.valid_to is not None), default=None)
    return _stated(record).model_copy(update={"repeats": repeats, "holds_until": until})


def is_of_words(about: str) -> bool:
    """Whether a cluster is one of the same words."""
    return about.startswith(_SAID)


def by_model(record: Said) -> bool:
    """Whether it is no quote; of a foresight only its statement counts."""
    return isinstance(record, Foresight) or record.quote is None


def words_of(record: Said) -> str:
    """What it says, without what is put around it."""
    if isinstance(record, Foresight):
        return record.statement
    return record.atomic_fact if record.quote is None else record.quote.words


def normal(text: str) -> str:
    """A text by which it is known again: without case, blanks and marks at its ends."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .,!?…。！？、，~\"'")


def _stated(record: Said) -> Stated:
    is_quote = isinstance(record, AtomicFact) and record.quote is not None
    return Stated(
        id=record.id,
        said_at=record.said_at,
        event_at=record.event_at if isinstance(record, AtomicFact) else record.start,
        message_ids=record.message_ids[:1] if is_quote else record.message_ids,
        metadata=record.metadata,
        by_model=by_model(record),
    )


def _own_about(record: Said) -> str:
    """By everything that a record says: who, to what question, of which day. Two events of the same words are two."""
    said = [words_of(record)]
    event_at = record.event_at if isinstance(record, AtomicFact) else record.start
    if isinstance(record, AtomicFact) and record.quote is not None:
        around = (record.quote.behind, record.quote.question, record.quote.context)
        said += [record.quote.speaker, *(each.words if each is not None else "" for each in around)]
    return _SAID + long_hash("\n".join((*map(normal, said), event_at.isoformat() if event_at else "")))
