"""Relationships: one edge for each source, relation and target, and until when it holds. Pure.

*Its own mentions*, in the order said: a plain one opens the edge, one that says it is over closes it, at
the date it names or else when it was first said; a later plain one opens it again, with a new beginning.

*Its rivals*: some relations hold with one at a time (``_ONE_AT_A_TIME``: an employer, a home, a
spouse). Edges of such a relation from the same source are rivals, and a mention of one closes the other:
1. From the date at which the rival began. Where that is unknown, or the edge was confirmed after it, from when the rival
   was mentioned.
2. Unless the edge is known to have begun after the rival: then the rival is history, and holds until the edge began.
3. A plain mention of the edge after that opens it again.
4. What was said at the same moment stands together ("I work at A and B").
5. A rival that was called off before it began counts as never mentioned.

So the validity of an edge depends on its mentions and those of its rivals, and on nothing else.

*Symmetric relations* ("Ann married_to Bob", "Bob married_to Ann") are one edge, from the end that comes first in the
alphabet (``edge_of``); it has rivals at both ends.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime

from flows.consistency.aggregates.mentions import in_order, kept, newest
from mneme.ids import folded
from mneme.records import Mention, Owner, Relationship, Validity

Found = Callable[[Collection[str]], Sequence[Relationship]]

_ONE_AT_A_TIME = frozenset("works_at lives_in married_to engaged_to partner_of reports_to studies_at".split())
_SYMMETRIC = frozenset(
    """married_to engaged_to partner_of sibling_of friend_of colleague_of neighbour_of relative_of roommate_of classmate_of
    twin_of cousin_of""".split()
)
_SPELLINGS = {
    "works_at": "works_for employed_by employed_at",
    "lives_in": "resides_in living_in lives_at based_in",
    "married_to": "spouse_of wife_of husband_of",
    "partner_of": "dating in_relationship_with girlfriend_of boyfriend_of",
    "sibling_of": "brother_of sister_of",
    "friend_of": "friends_with is_friend_of",
    "colleague_of": "works_with coworker_of",
    "neighbour_of": "neighbor_of",
    "studies_at": "student_at enrolled_at",
    "reports_to": "managed_by",
}
_RELATION_OF = {spelling: relation for relation, spellings in _SPELLINGS.items() for spelling in spellings.split()}


def edge_of(source: str, relation: str, target: str) -> tuple[str, str, str]:
    """The edge that stands for what was said: one spelling of the relation, and one direction of a symmetric one."""
    spelled = "_".join(relation.casefold().replace("-", " ").replace("_", " ").split())
    relation = _RELATION_OF.get(spelled, spelled)
    if relation in _SYMMETRIC and folded(target) < folded(source):
        source, target = target, source
    return source, relation, target


def relationship_of(
    row_id: str,
    owner: Owner,
    old: Relationship | None,
    episode_ids: Collection[str],
    edge: tuple[str, str, str] | None,
    new: Iterable[Mention],
) -> Relationship | None:
    """An edge after episodes said ``new`` about it; with the validity that follows from its own mentions.

    Args:
        row_id: its id.
        owner: whose it is.
        old: the edge before, None if there was none.
        episode_ids: the episodes that are new, revised or gone.
        edge: source, relation and target, if one of them speaks of it.
        new: what they say of it.
    """
    mentions, until = kept(old, episode_ids, new)
    ends = edge or ((old.source, old.relation, old.target) if old else None)
    if not mentions or ends is None:
        return None
    source, relation, target = _spelled(mentions, ends)
    return Relationship(
        id=row_id,
        owner=owner,
        created_at=newest(mentions),
        version=0,
        source=source,
        relation=relation,
        target=target,
        date=_began(mentions),
        mentions=mentions,
        left_out_until=until,
        validity=_validity(mentions, ()),
    )


def slots(edge: Relationship | None) -> tuple[str, ...]:
    """The keys under which an edge and its rivals are to be found: one, or two for a symmetric relation.

    None for an edge that is gone, and for relations that hold with many at a time.
    """
    if edge is None or edge.relation not in _ONE_AT_A_TIME:
        return ()
    ends = (edge.source, edge.target) if edge.relation in _SYMMETRIC else (edge.source,)
    return tuple(dict.fromkeys(f"{folded(end)}|{edge.relation}" for end in ends))


def revalidated(changed: Collection[Relationship], found: Found) -> list[Relationship]:
    """The edges whose validity is no longer right, as they are to be.

    Args:
        changed: every edge that came, went or was built again, both as it was and as it is, where it was and is.
        found: the edges as they are now, in any of the given slots.

    Returns:
        Whole edges with version 0, by id. Applied to the result again, nothing changes.
    """
    touched = found(sorted({slot for edge in changed for slot in slots(edge)}))
    rivals = found(sorted({slot for edge in touched for slot in slots(edge)}))  # at the other end of symmetric ones, too
    became = {edge.id: _validity(edge.mentions, _rivals(edge, rivals)) for edge in touched}
    changes = [edge for edge in touched if edge.validity != became[edge.id]]
    return [
        edge.model_copy(update={"validity": became[edge.id], "version": 0})
        for edge in sorted(changes, key=lambda each: each.id)
    ]


# --- when it holds ---------------------------------------------------------------------------------------------------------


def _validity(mentions: Sequence[Mention], rivals: Sequence[Relationship]) -> Validity:
    """Told in the order said: the edge's own mentions and those of its rivals."""
    said = [(mention.at, 0, "", mention) for mention in in_order(mentions)]
    said += [(mention.at, 1, rival.id, mention) for rival in rivals for mention in _meant(rival.mentions)]
    together = {mention.at for mention in mentions if not mention.ended}
    begins: datetime | None = None  # the known beginning of the time that it holds
    confirmed: datetime | None = None  # when it was last said that it holds
    validity = Validity()
    history: list[tuple[datetime, str]] = []  # later beginnings of rivals
    for at, _, rival, mention in sorted(said, key=lambda each: each[:3]):
        if rival:
            if mention.date is not None and at not in together:
                history.append((mention.date, rival))
            is_past = begins is not None and (mention.date or at) < begins
            if confirmed is not None and not is_past and at not in together and _holds(validity, at):
                replaced = mention.date if mention.date is not None and mention.date > confirmed else at
                if validity.valid_to is None or replaced < validity.valid_to:
                    validity = _with(validity, replaced, rival)
        elif mention.ended:
            told_again = validity.valid_to is not None and validity.valid_to <= at and validity.superseded_by is None
            if told_again and mention.date is None:
                continue
            ended = mention.date or at
            began = validity.valid_from if validity.valid_from is not None and validity.valid_from <= ended else None
            validity = Validity(valid_from=began, valid_to=ended)
        else:
            if confirmed is None or not _holds(validity, at):
                begins, validity = mention.date, Validity(valid_from=mention.date or at)
            elif mention.date is not None and (begins is None or mention.date < begins):
                begins = mention.date
                validity = validity.model_copy(update={"valid_from": begins})
            confirmed = at
            later = [each for each in history if each[0] > (begins or at)]
            if later:
                validity = _with(validity, *min(later))
    return validity


def _holds(validity: Validity, at: datetime) -> bool:
    return validity.valid_to is None or validity.valid_to > at


def _with(validity: Validity, valid_to: datetime, superseded_by: str) -> Validity:
    return validity.model_copy(update={"valid_to": valid_to, "superseded_by": superseded_by})


def _meant(mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The plain mentions of an edge, without beginnings that were called off before they came."""
    for mention in mentions:
        called_off = any(
            end.ended and end.at >= mention.at and mention.date is not None and (end.date or end.at) <= mention.date
            for end in mentions
        )
        if not mention.ended and not called_off:
            yield mention


def _began(mentions: Sequence[Mention]) -> datetime | None:
    """The earliest known beginning."""
    return min((mention.date for mention in mentions if mention.date and not mention.ended), default=None)


def _rivals(edge: Relationship, edges: Iterable[Relationship]) -> list[Relationship]:
    own = set(slots(edge))
    return [each for each in edges if each.id != edge.id and own & set(slots(each))]


def _spelled(mentions: Sequence[Mention], edge: tuple[str, str, str]) -> tuple[str, str, str]:
    """The names as the newest mention writes them, so that it does not matter which episode came last."""
    source, relation, target = edge
    written_source, _, written_target = mentions[-1].text.partition(f" {relation} ")
    if (folded(written_source), folded(written_target)) == (folded(source), folded(target)):
        return written_source, relation, written_target
    return edge
