"""The portrait of an owner, composed again from all evidence that survives, in the order said. Pure.

What the lines of the evidence do to one another follows from what they claim (flows/consistency/validity.py): one that repeats
another joins it, one that has ended leaves; one that only says that something ended is never shown. So a line is

- added when something new is said of a person; or something is shown again that was shown only once so far (below);
- updated when it is said again: the evidence is joined, the newest wording stands. What was shown and is then said is explicit;
- deleted when something newer replaces it, or there is no room for it. It stays in ``Profile.evidence``. Where its sentence
  claims something else that holds, it stays for that, and says behind its words which value ended when.

An implicit trait is inferred from what somebody did, and one act says little about a person: what is consistent over
occasions is a trait (Epstein 1979, "The stability of behavior: I. On predicting most of the people much of the time").
So it enters the portrait with the second episode that shows it.

Where a person has more lines than there is room for, those stay that come to mind first: the base-level activation of
memory, ``ln sum(age ** -0.5)`` over the occasions (Anderson & Schooler 1991, "Reflections of the environment in memory"),
which weighs how often against how long ago. Ages are in days before the owner's newest evidence, never before today.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import log

from flows.consistency.aggregates.mentions import in_order, left_out_until, newest
from flows.consistency.unit_of_work import normal
from flows.consistency.validity import End, ends, repetitions
from mneme.ids import short_hash
from mneme.records import Owner, Profile, ProfileItem, Stated
from mneme.settings import Profiles

_DECAY = 0.5  # Anderson & Schooler 1991; the value that ACT-R uses throughout
_MOST_EVIDENCE = 600  # of a profile: the newest; it is written whole with every episode that adds to it
_FAMILY = "family"  # the category of a relative
_MOST_OCCASIONS = 20  # of a line: the first time, and the newest


def profile_of(
    row_id: str, owner: Owner, old: Profile | None, episode_ids: Collection[str], new: Iterable[ProfileItem]
) -> Profile | None:
    """A profile after episodes gave ``new`` evidence, in place of all that they gave before; ``portrayed`` draws it."""
    items = [item for item in (old.evidence if old else ()) if item.evidence[0].episode_id not in episode_ids]
    by_place = {_place(item): item for item in (*items, *new)}
    items = [by_place[place] for place in sorted(by_place)]
    items, left_out = items[-_MOST_EVIDENCE:], items[:-_MOST_EVIDENCE]
    if not items:
        return None
    return Profile(
        id=row_id,
        owner=owner,
        created_at=newest([item.evidence[0] for item in items]),
        version=0,
        left_out_until=left_out_until(old, [item.evidence[0] for item in left_out]),
        explicit=(),
        evidence=tuple(items),
    )


def portrayed(profile: Profile, limits: Profiles) -> Profile:
    """A profile with the portrait that follows from its ``evidence``: what holds now, oldest first.

    Args:
        profile: its ``evidence`` counts, in any order: lines with the one mention that each comes from.
        limits: how much there is room for.
    """
    ended = _ended(profile.evidence)
    first = _first_lines(profile.evidence, ended)
    ended_values = _ended_values(profile.evidence, first, ended)
    lines: dict[str, list[ProfileItem]] = defaultdict(list)
    for (_, identity), item in sorted(((_place(item), item) for item in profile.evidence), key=lambda each: each[0]):
        claim, line = item.evidence[0].claim, first.get(identity, identity)
        misleads = item.category == _FAMILY and _sentence(item) in ended_values
        if line not in ended and not misleads and (claim is None or not claim.ends):
            lines[line].append(_marked(item, ended_values.get(_sentence(item), ())))
    explicit = [_joined(said) for said in lines.values() if not all(item.implicit for item in said)]
    implicit = [_joined(said) for said in lines.values() if all(item.implicit for item in said)]
    traits = [item for item in implicit if len({each.episode_id for each in item.evidence}) >= limits.implicit_episodes]
    portrait = {
        "explicit": _most_active(_each_once(_one_spelling(explicit)), limits.explicit),
        "implicit": _most_active(_one_spelling(traits), limits.implicit),
    }
    return profile.model_copy(update=portrait)


def _one_spelling(items: Sequence[ProfileItem]) -> list[ProfileItem]:
    """Lines about "Sam" and about "sam" as lines about one person: a message without a name has the id of its sender.

    The spelling with most capitals stands, in the statement too where it names the speaker.
    """
    spellings: dict[str, str] = {}
    for item in items:
        key = item.about.casefold()
        spellings[key] = min(spellings.get(key, item.about), item.about)  # capitals come first
    return [_spelled(item, spellings[item.about.casefold()]) for item in items]


def _spelled(item: ProfileItem, about: str) -> ProfileItem:
    if item.about == about:
        return item
    head = f"{item.about}: "
    words = item.statement.removeprefix(head)
    statement = item.statement if words == item.statement else f"{about}: {words}"
    return item.model_copy(update={"about": about, "statement": statement})


def _ended_values(
    evidence: Iterable[ProfileItem], first: Mapping[str, str], ended: Mapping[str, End]
) -> dict[tuple[str, str, datetime], list[str]]:
    """For each sentence the values that it claims and that have ended, each with its day."""
    values: dict[tuple[str, str, datetime], list[str]] = defaultdict(list)
    for item in evidence:
        claim, identity = item.evidence[0].claim, _identity(item)
        end = ended.get(first.get(identity, identity))
        if claim is not None and claim.value and not claim.ends and end is not None:
            values[_sentence(item)].append(f"{claim.value}: until {end.at.date()}")
    return values


def _marked(item: ProfileItem, ended_values: Sequence[str]) -> ProfileItem:
    return item.model_copy(update={"statement": f"{item.statement} ({'; '.join(ended_values)})"}) if ended_values else item


def _sentence(item: ProfileItem) -> tuple[str, str, datetime]:
    """The sentence that a line quotes. Where one of its claims has ended, it is not shown for a relative that it names."""
    return item.evidence[0].episode_id, item.statement, item.evidence[0].at


def _each_once(items: Sequence[ProfileItem]) -> list[ProfileItem]:
    """The first of lines with the same words, as of a sentence that claims a role and an employer."""
    first: dict[tuple[str, str], ProfileItem] = {}
    for item in items:
        first.setdefault((item.about, item.statement), item)
    return list(first.values())


def _joined(said: Sequence[ProfileItem]) -> ProfileItem:
    """One line of all that say it. What was said rather than shown gives the words, the newest of it."""
    if len(said) == 1:
        return said[0]
    newest_said = next((item for item in reversed(said) if not item.implicit), said[-1])
    evidence = in_order(item.evidence[0] for item in said)
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


def _stated(item: ProfileItem) -> Stated:
    """A line as a statement about its subject."""
    said = item.evidence[0]
    values = (said.claim.value,) if said.claim is not None else ()
    if said.claim is not None and said.claim.ends:
        return Stated(id=_identity(item), said_at=said.at, message_ids=said.message_ids, ends=values)
    return Stated(id=_identity(item), said_at=said.at, message_ids=said.message_ids, values=values, repeats=True)


def _ended(evidence: Iterable[ProfileItem]) -> dict[str, End]:
    """The ends of the claims of lines, by the lines' identities."""
    by_attribute: dict[str, list[Stated]] = defaultdict(list)
    for item in evidence:
        if (claim := item.evidence[0].claim) is not None:
            by_attribute[claim.about].append(_stated(item))
    ends_by_attribute = [ends(about, stated) for about, stated in by_attribute.items()]
    return {identity: end for each in ends_by_attribute for identity, of_values in each.items() for end in of_values.values()}


def _first_lines(evidence: Iterable[ProfileItem], ended: Mapping[str, End]) -> dict[str, str]:
    """For each line that only says another again, the identity of that one.

    Lines about the same with the same value are one line; without a claim those with the same words are.
    """
    alike: dict[tuple[str, str], list[Stated]] = defaultdict(list)
    for item in evidence:
        claim, stated = item.evidence[0].claim, _stated(item)
        if stated.id in ended:
            stated = stated.model_copy(update={"holds_until": ended[stated.id].at})
        alike[(claim.about, normal(claim.value)) if claim is not None else (item.about, normal(item.statement))].append(stated)
    repeated = [repetitions(stated) for stated in alike.values()]
    return {identity: each.merged_into for of_line in repeated for identity, each in of_line.items() if each.merged_into}


def _identity(item: ProfileItem) -> str:
    said, claimed = item.evidence[0], ""
    if said.claim is not None:  # one sentence may claim several things
        claimed = f"|{said.claim.about}|{said.claim.value}|{said.claim.ends}"
    return _identity_of(said.episode_id, item.about, item.statement + claimed, said.at)


@lru_cache(maxsize=8_192)  # of every line again whenever one is added
def _identity_of(episode_id: str, about: str, said: str, at: datetime) -> str:
    return f"{episode_id}/p/{short_hash('|'.join((about, said, at.isoformat())))}"


def _place(item: ProfileItem) -> tuple[datetime, str]:
    """Its place among the lines, by when it was said; no two have the same."""
    return item.evidence[0].at, _identity(item)
