"""The portrait of an owner, composed again from all evidence that survives, in the order said. Pure.

What the statements of the evidence do to one another is their validity (flows/consistency/validity.py, with a judge): one that
repeats another joins it, one that was replaced leaves. From that follow the operations, one after the other:

- ADD: something new is said of a person; or something is shown again that was shown only once so far (below).
- UPDATE: it is said again: the evidence is joined, the newest wording stands. What was shown and is then said is explicit.
- DELETE: something newer replaces it, or there is no room for it. It stays in ``Profile.evidence``.

An implicit trait is inferred from what somebody did, and one act says little about a person: what is consistent over
occasions is a trait (Epstein 1979, "The stability of behavior: I. On predicting most of the people much of the time").
So it enters the portrait with the second episode that shows it.

Where a person has more lines than there is room for, those stay that come to mind first: the base-level activation of
memory, ``ln sum(age ** -0.5)`` over the occasions (Anderson & Schooler 1991, "Reflections of the environment in memory"),
which weighs how often against how long ago. Ages are in days before the owner's newest evidence, never before today.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import log

from flows.consistency.aggregates.mentions import in_order, newest
from flows.consistency.statements import Claim, Statement
from mneme.ids import short_hash
from mneme.records import Mention, Owner, Profile, ProfileItem, Validity
from mneme.settings import Profiles
from mneme.text import tokenise

_DECAY = 0.5  # Anderson & Schooler 1991; the value that ACT-R uses throughout
_MOST_EVIDENCE = 600  # of a profile: the newest; it is written whole with every episode that adds to it
_MOST_OCCASIONS = 20  # of a line: the first time, and the newest


class Operation(StrEnum):
    """What happens to a line of a portrait."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class ProfileOperation:
    """One step in which a portrait changed: the line (as it is after it, or was before it left), and what was said."""

    kind: Operation
    item: ProfileItem
    because: Mention


@dataclass(frozen=True, slots=True)
class Portrait:
    """What holds now, oldest first, and how it came to be."""

    explicit: tuple[ProfileItem, ...]
    implicit: tuple[ProfileItem, ...]
    operations: tuple[ProfileOperation, ...]


def profile_of(row_id: str, owner: Owner, old: Profile | None, episode_id: str, new: Iterable[ProfileItem]) -> Profile | None:
    """A profile after an episode gave ``new`` evidence, in place of all that it gave before.

    The portrait in it joins literal repetitions only; ``portrayed`` draws it with a judge.
    """
    items = [item for item in (old.evidence if old else ()) if item.evidence[0].episode_id != episode_id]
    items = sorted({_identity(item): item for item in (*items, *new)}.values(), key=_place)[-_MOST_EVIDENCE:]
    if not items:
        return None
    profile = Profile(
        id=row_id,
        owner=owner,
        created_at=newest([item.evidence[0] for item in items]),
        version=0,
        explicit=(),
        evidence=tuple(items),
    )
    return portrayed(profile, _repetitions(items), Profiles())


def statements_of(evidence: Sequence[ProfileItem], claim_of: Callable[[ProfileItem], Claim]) -> list[Statement]:
    """The evidence as statements that a judge can compare, in the same order.

    Args:
        evidence: of a profile, each with the one mention that it comes from.
        claim_of: what a line claims.
    """
    return [
        Statement(
            id=_identity(item),
            kind="profile",
            text=item.statement,
            said_at=item.evidence[0].at,
            event_at=None,
            message_ids=item.evidence[0].message_ids,
            claim=claim_of(item),
        )
        for item in evidence
    ]


def portrayed(profile: Profile, became: Mapping[str, Validity], limits: Profiles) -> Profile:
    """A profile with the portrait that follows from what became of its evidence.

    Args:
        profile: its ``evidence`` counts.
        became: the validity of each of ``statements_of(profile.evidence)``, by its id.
        limits: how much there is room for.
    """
    portrait = compose(profile.evidence, became, limits)
    return profile.model_copy(update={"explicit": portrait.explicit, "implicit": portrait.implicit})


def compose(evidence: Sequence[ProfileItem], became: Mapping[str, Validity], limits: Profiles) -> Portrait:
    """The portrait that evidence gives, and every operation that led to it, in the order said.

    Args:
        evidence: lines with the one mention that each comes from, in any order.
        became: the validity of each statement of the evidence, by its id; one that is missing stands for itself.
        limits: how much there is room for.
    """
    replaced: dict[str, list[tuple[datetime, str]]] = defaultdict(list)
    for identity, validity in became.items():
        if validity.superseded_by is not None and validity.valid_to is not None:
            replaced[validity.superseded_by].append((validity.valid_to, identity))
    lines: dict[str, _Line] = {}
    operations: list[ProfileOperation] = []
    for item in sorted(evidence, key=_place):
        identity, because = _identity(item), item.evidence[0]
        root = became.get(identity, Validity()).merged_into or identity
        line = lines.setdefault(root, _Line())
        shown_before = line.is_shown(limits)
        line.said.append(item)
        if line.is_shown(limits):
            kind = Operation.UPDATE if shown_before else Operation.ADD
            operations.append(ProfileOperation(kind, line.item(), because))
        for valid_to, other in sorted(replaced[root]):
            gone = lines.pop(other, None) if valid_to <= because.at else None
            if gone is not None and gone.is_shown(limits):
                operations.append(ProfileOperation(Operation.DELETE, gone.item(), because))
    shown = [line.item() for line in lines.values() if line.is_shown(limits)]
    explicit = _most_active([item for item in shown if not item.implicit], limits.explicit)
    implicit = _most_active([item for item in shown if item.implicit], limits.implicit)
    for item in shown:
        if item not in explicit and item not in implicit:
            last = max((each.evidence[-1] for each in shown), key=lambda each: (each.at, each.episode_id))
            operations.append(ProfileOperation(Operation.DELETE, item, last))
    return Portrait(explicit, implicit, tuple(operations))


@dataclass(slots=True)
class _Line:
    """A line as it grows."""

    said: list[ProfileItem] = field(default_factory=list)

    def is_shown(self, limits: Profiles) -> bool:
        if any(not item.implicit for item in self.said):
            return True
        return len({item.evidence[0].episode_id for item in self.said}) >= limits.implicit_episodes

    def item(self) -> ProfileItem:
        """What was said rather than shown gives the words, the newest of it."""
        newest_said = next((item for item in reversed(self.said) if not item.implicit), self.said[-1])
        evidence = in_order(item.evidence[0] for item in self.said)
        if len(evidence) > _MOST_OCCASIONS:
            evidence = (evidence[0], *evidence[-_MOST_OCCASIONS + 1 :])
        return newest_said.model_copy(update={"evidence": evidence})


def _most_active(items: Sequence[ProfileItem], room: int) -> tuple[ProfileItem, ...]:
    """For each person the lines that come to mind first, oldest first."""
    if not items:
        return ()
    now = max(item.evidence[-1].at for item in items)
    by_person: dict[str, list[ProfileItem]] = defaultdict(list)
    for item in items:
        by_person[item.about.casefold()].append(item)
    stay = [
        item
        for of_person in by_person.values()
        for item in sorted(of_person, key=lambda each: (-_activation(each, now), _place(each)))[:room]
    ]
    return tuple(sorted(stay, key=_place))


def _activation(item: ProfileItem, now: datetime) -> float:
    occasions = {mention.episode_id: mention.at for mention in item.evidence}
    return log(sum((1 + (now - at).total_seconds() / 86_400) ** -_DECAY for at in occasions.values()))


def _repetitions(evidence: Sequence[ProfileItem]) -> dict[str, Validity]:
    """What literally repeats an older line, in other words of the same stems at most, is merged into it."""
    first: dict[tuple[str, ...], str] = {}
    became = {}
    for item in evidence:
        identity = _identity(item)
        original = first.setdefault((item.about.casefold(), *tokenise(item.statement)), identity)
        became[identity] = Validity(merged_into=original if original != identity else None)
    return became


def _identity(item: ProfileItem) -> str:
    said = item.evidence[0]
    return f"{said.episode_id}/p/{short_hash('|'.join((item.about, item.statement, said.at.isoformat())))}"


def _place(item: ProfileItem) -> tuple[datetime, str]:
    return item.evidence[0].at, _identity(item)
