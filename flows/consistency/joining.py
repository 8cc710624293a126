"""Which clusters a fact or foresight is in, and what it says there: follows from the record alone. Pure.

It is in one cluster for each subject and attribute that it claims something of. Where it claims nothing, or a model wrote it,
it is also in that of its own words. Its repetitions are known in the one cluster that it is in; what claims something of several
attributes repeats nothing: it may be half true.
"""

import unicodedata
from collections.abc import Iterator

from mneme.ids import cluster_id, long_hash
from mneme.records import AtomicFact, Foresight, Stated
from mneme.text import tokenise

Said = AtomicFact | Foresight

_OF_SUBSTANCE = 2  # different tokens of a quote that is compared by its words: "Thanks!" is said often and says nothing


def joined_by(record: Said) -> Iterator[tuple[str, Stated]]:
    """What each cluster is about that a record is in, and what it says there."""
    home = home_of(record)
    abouts = list(dict.fromkeys(claim.about for claim in record.claims))
    if not abouts or by_model(record):
        own = _about_words(record)
        if home or by_model(record):
            yield own, _stated(record, own, home)
    for about in abouts:
        yield about, _stated(record, about, home)


def clusters_of(record: Said) -> list[str]:
    """The ids of the clusters that a record is in."""
    return [cluster_id(record.owner.key, about) for about, _ in joined_by(record)]


def own_cluster(record: Said) -> str:
    """The id of the cluster of a record's own words; of one that a model wrote, which is always in it."""
    return cluster_id(record.owner.key, _about_words(record))


def home_of(record: Said) -> str:
    """What the cluster is about in which its repetitions are known; "" for a record that is compared with none."""
    abouts = {claim.about for claim in record.claims}
    if len(abouts) == 1:
        return abouts.pop()
    return "" if abouts or not _is_of_substance(record) else _about_words(record)


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


def _stated(record: Said, about: str, home: str) -> Stated:
    claims = [claim for claim in record.claims if claim.about == about]
    is_quote = isinstance(record, AtomicFact) and record.quote is not None
    return Stated(
        id=record.id,
        said_at=record.said_at,
        event_at=record.event_at if isinstance(record, AtomicFact) else record.start,
        message_ids=record.message_ids[:1] if is_quote else record.message_ids,
        metadata=record.metadata,
        words=f"{record.kind}|{_hash(record)}" if about == home else "",
        values=tuple(claim.value for claim in claims if not claim.ends),
        ends=tuple(claim.value for claim in claims if claim.ends),
        by_model=by_model(record),
    )


def _about_words(record: Said) -> str:
    return f"said|{_hash(record)}"


def _hash(record: Said) -> str:
    """Of everything that a record says: who, to what question, of which day. Two events of the same words are two."""
    said = [words_of(record)]
    event_at = record.event_at if isinstance(record, AtomicFact) else record.start
    if isinstance(record, AtomicFact) and record.quote is not None:
        around = (record.quote.question, record.quote.context)
        said += [record.quote.speaker, *(each.words if each is not None else "" for each in around)]
    return long_hash("\n".join((*map(normal, said), event_at.isoformat() if event_at else "")))


def _is_of_substance(record: Said) -> bool:
    return by_model(record) or len(set(tokenise(words_of(record)))) >= _OF_SUBSTANCE
