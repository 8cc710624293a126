"""Whom a profile portrays, and which of its lines are in the portrait now, which only in what it is made from. Pure."""

from mneme.records import Mention, Profile, ProfileItem


def people_of(profile: Profile) -> frozenset[str]:
    """The names of those whom the lines of the portrait are about."""
    return frozenset(line.about for line in (*profile.explicit, *profile.implicit))


def lines_of(profile: Profile) -> list[tuple[ProfileItem, bool]]:
    """The lines of the portrait (True), then what was said and is in none of them: replaced, or shown too seldom (False)."""
    lines = [(line, True) for line in (*profile.explicit, *profile.implicit)]
    return [*lines, *((item, False) for item in profile.evidence if not is_in_portrait(item, profile))]


def is_in_portrait(item: ProfileItem, profile: Profile) -> bool:
    """Whether a piece of evidence is part of a line: by what was said, for the line may word it otherwise."""
    said = {_said(mention) for mention in item.evidence}
    return any(
        (line.about, line.statement) == (item.about, item.statement) or not said.isdisjoint(map(_said, line.evidence))
        for line in (*profile.explicit, *profile.implicit)
    )


def _said(mention: Mention) -> tuple[object, ...]:
    return mention.episode_id, mention.at, mention.text
