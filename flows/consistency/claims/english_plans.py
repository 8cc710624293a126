"""What English statements claim of plans: that something is to happen, when and where, that it moved, that it is off.

A plan is known by its words of content ("the deadline for the grant", "the grant deadline"), and what is a person's own (an
appointment, a flight) by its owner too.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from flows.consistency.claims.english_grammar import CONDITION, UNSURE
from flows.consistency.claims.english_plan_shapes import (
    CANCEL,
    CANCEL_CUE,
    CLOCK,
    DATE,
    DATE_REACH,
    EMPTY,
    EXACT,
    HAS_EVENT,
    INTEND,
    IS_VERB,
    LEAD,
    MOVE,
    MOVE_CUE,
    NAMED,
    NO_OWNER,
    NOT_GOING,
    ON,
    OWN,
    PLACE,
    POSSESSIVE,
    SAYS_OF,
    TELLING,
    THEIRS,
    TRAILING,
    WITH_SOMEBODY,
)
from flows.consistency.claims.plan_values import plan_claim
from flows.consistency.claims.wording import Told
from flows.consistency.statements import Claim
from mneme.text import tokenise


def english_plans(told: Told, event_at: datetime | None) -> Iterator[Claim]:
    """The plans of the sentences of a statement, in order."""
    for sentence in told.sentences:
        dated = DATE.search(sentence) is not None
        may_cancel, may_move = CANCEL_CUE.search(sentence), MOVE_CUE.search(sentence)
        has_event = HAS_EVENT.search(sentence)
        has_event = has_event if SAYS_OF.search(sentence) else None
        if not (dated or may_cancel or may_move or " going to " in sentence or has_event):
            continue
        if UNSURE.search(sentence) or CONDITION.search(sentence):
            continue
        bare = LEAD.sub("", sentence).replace(" and others", "")
        claim = None
        if may_cancel:
            claim = _cancelled(bare, told, event_at)
        if claim is None and may_move:
            claim = _moved(bare, told, event_at)
        if claim is None and (dated or " going to " in sentence or has_event):
            claim = _planned(bare, told, event_at, dated)
        if claim is not None:
            yield claim


def _cancelled(sentence: str, told: Told, event_at: datetime | None) -> Claim | None:
    for shape in CANCEL:
        if match := shape.match(TRAILING.sub("", sentence)):
            key = _key(match["e"], match.groupdict().get("s") or "", told, by_somebody="s" in match.groupdict())
            day, _, _ = _when(sentence[: match.end() + DATE_REACH], event_at)
            return plan_claim(key, day, "", "", ends=True) if key else None
    for shape in NOT_GOING:
        match = shape.match(TRAILING.sub("", sentence))
        if match is not None and _is_of_a_plan(sentence, match["e"].split()[0]):
            key = _key(match["e"], match["s"], told)
            return plan_claim(key, "", "", "", ends=True) if " " in key else None  # of one word it could be anything
    return None


def _is_of_a_plan(sentence: str, first: str) -> bool:
    """Whether "is not ..." speaks of something that was to be done: "is not running", not "is not at home"."""
    if first in ("on", "in", "at"):
        return False
    return first.endswith("ing") or any(cue in sentence for cue in (" going to ", "not plan", "decided"))


def _moved(sentence: str, told: Told, event_at: datetime | None) -> Claim | None:
    for shape in MOVE:
        if (match := shape.match(TRAILING.sub("", sentence))) is None:
            continue
        to = match.groupdict().get("to") or ""
        somebody = match.groupdict().get("s")
        if somebody is not None and not HAS_EVENT.search(match["e"]):
            return None
        if somebody is None and not HAS_EVENT.search(match["e"]):
            return None
        if to and not (DATE.search(f" {to}") or CLOCK.search(f" at{to}")):
            return None
        key = _key(match["e"], somebody or "", told, by_somebody=somebody is not None)
        day, hour, _ = _when(sentence if not to else f"to{to}", event_at)
        if not key:
            return None
        return plan_claim(key, day or "open", hour, "", moved=True)
    return None


def _planned(sentence: str, told: Told, event_at: datetime | None, dated: bool) -> Claim | None:
    for shape in ON:
        if (match := shape.match(sentence)) and HAS_EVENT.search(match["e"]) and TELLING.isdisjoint(match["e"].split()):
            key = _key(match["e"], "", told)
            day, hour, place = _when(match["to"], event_at if dated else None)
            return plan_claim(key, day, hour, place) if key and (day or hour or place) else None
    named = NAMED.match(sentence) if dated else None
    if named and TELLING.isdisjoint(sentence.split()) and (key := _key(named["e"], "", told)):
        return plan_claim(key, *_when(named["to"], event_at))
    for shape in INTEND:
        if match := shape.match(TRAILING.sub("", sentence)):
            if shape is INTEND[0] and not (
                HAS_EVENT.search(match["e"]) and (dated or "book" in sentence or "sign" in sentence)
            ):
                continue
            if shape is not INTEND[0] and not (dated or " going to " in sentence or " plan" in sentence):
                continue
            key = _key(match["e"], match["s"], told)
            day, hour, _ = _when(match["e"] if DATE.search(match["e"]) else sentence, event_at if dated else None)
            return plan_claim(key, day, hour, "") if key else None
    return None


def _when(text: str, event_at: datetime | None) -> tuple[str, str, str]:
    """Day, hour and place; the day is the statement's own where that is known."""
    text = f" {text.strip()}"
    found = DATE.search(text)
    day = ""
    if found:
        day = (
            f"{event_at:%Y-%m-%dT%H:%MZ}"
            if event_at
            else re.sub(r"^(?:(?:on|at|in|for|from|by|to|until|till|the)\s+)+", "", found[0].strip())
        )
        day = day if EXACT.search(found[0]) else f"~{day}"
    rest = DATE.sub("", text)
    clock = CLOCK.search(rest)
    hour = ""
    if clock:
        number = int(clock["hour"] or clock["hour2"]) + (12 if clock["half"] == "p" and (clock["hour"] or "") != "12" else 0)
        hour = f"{number}:{clock['minute'] or clock['minute2'] or '00'}"
    place = PLACE.search(CLOCK.sub("", rest))
    return day, hour, place["place"].strip() if place else ""


def _key(event: str, actor: str, told: Told, by_somebody: bool = False) -> str:
    """What a plan is known by: its words, and whose it is where it is one's own; "" for nothing that can be known again."""
    event = CLOCK.sub("", DATE.sub("", event)).strip()
    owner = ""
    if theirs := THEIRS.match(event):
        owner, event = actor, event[theirs.end() :]
    elif possessive := POSSESSIVE.match(event):
        owner, event = possessive["owner"], event[possessive.end() :]
    actor = re.sub(r"^(?:the|a|an) ", "", actor)
    stems = {IS_VERB.get(stem, stem) for stem in tokenise(event)} - EMPTY
    people = set(tokenise(owner)) | set(tokenise(told.speaker))
    with_somebody = bool(WITH_SOMEBODY & set(tokenise(event))) and (" with " in event or event.startswith("meeting "))
    if (
        by_somebody
        and (told.speaker or owner)
        and len(tokenise(event)) == 1
        and len(actor.split()) == 1
        and actor not in NO_OWNER
        and not people & set(tokenise(actor))
    ):
        stems |= set(tokenise(actor))  # "Hana cancelled dinner": dinner with Hana
        actor = owner = owner or told.speaker
    if not stems or len(stems) > 6:
        return ""
    if with_somebody or (stems & WITH_SOMEBODY and by_somebody and len(stems) == 2):  # of two, whoever tells it
        return " ".join(sorted(stems | people | set(tokenise(actor))))
    if not stems & OWN:
        return " ".join(sorted(stems | (set(tokenise(owner)) if "birthday" in stems else set())))
    whose = owner or (actor if actor and actor not in NO_OWNER and not by_somebody else "") or told.speaker
    return f"{whose}: {' '.join(sorted(stems))}"
