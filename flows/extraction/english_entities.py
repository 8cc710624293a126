"""Names in English sentences, and what they name. One is taken only where something besides its capital says so. Pure.

A name that "I" use or bought, that is a known tool or has an article is a product ("nobody uses Shona": she may cook). One
behind "in", "at" or "with" is nothing: it may be a place or a person. A given name where no person stands ("on nights at
Fiona Stanley", "Roy Hill have changed") is nothing. Nor is a brand that stands for a thing ("the old Sony"), or a part of a
name that goes on in small letters ("Patrick street"). Of one that may be a place, a firm or a person ("she is going to
Maersk") the type is ``PERHAPS``: another mention may tell it.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache

from flows.extraction.sentences import Sentence
from mneme.patterns import Patterns
from mneme.relations.english import is_of_work
from mneme.text import STOP_WORDS
from mneme.word_lists import (
    CALENDAR,
    GIVEN,
    LOCATION,
    NO_NAMES,
    ORGANISATION,
    ORGANISATIONS,
    PERSON,
    PET,
    PLACES,
    PLAIN_WORDS,
    PRODUCT,
    TYPES_BEFORE,
    TYPES_WITHIN,
    WORK,
    word_list,
)

PERHAPS = "perhaps"
"""The type of a name of which only another mention can tell what it names."""

_NOBODY, _ROLES = word_list("nobody"), word_list("roles")
_REACH = 60  # characters around a name that tell what it is
_WORDS = Patterns(__file__)
_SMALL = frozenset("a an the of and or in on at to for with from by de la & da del van von".split())
_TOLD_BEFORE = (
    (PERSON, _WORDS.person_before),
    (ORGANISATION, _WORDS.organisation_before),
    (LOCATION, _WORDS.place_before),
    (LOCATION, _WORDS.goes_before),
)


def english_entities(one: Sentence, small: Collection[str]) -> Iterator[tuple[str, str]]:
    """The names of one sentence, each with its type; ``small`` are the words of the talk that stand in small letters."""
    text = one.text
    if text.isupper() or _is_heading(text):
        return
    taken = [(each.start_index, each.end_index) for each in one.dates]
    for title in _WORDS.title.finditer(text):
        kind = _kind_of_title(title[1], text[max(0, title.start() - _REACH) : title.start()], text[title.end() :][:_REACH])
        taken.append(title.span())
        if kind:
            yield title[1].strip(" .,!?"), kind
    for run in _WORDS.run.finditer(text):
        opens = _WORDS.opening.search(text, max(0, run.start() - 8), run.start()) is not None
        at = run.start()
        for name, dropped in _split(run[0]):
            at = text.find(name, at)
            end = at + len(name)
            if not any(start < end and at < stop for start, stop in taken):
                before, after = text[max(0, at - _REACH) : at], text[end : end + _REACH]
                begins = opens and at == run.start()
                kind = (
                    ""
                    if _WORDS.day_after.match(after) or _WORDS.date_before.search(before)
                    else _kind(name, before, after, begins, dropped, small)
                )
                if kind in (LOCATION, ORGANISATION) and (ending := _WORDS.possessive_alone.match(after)):
                    is_known = name.casefold() in PLACES or name.casefold() in ORGANISATIONS
                    name += "" if is_known else ending[0]  # "London's in my plans"
                if kind and (kind != PRODUCT or _is_a_thing(name, after, small)):
                    yield name, kind
            at = end


def _is_heading(text: str) -> bool:
    """Tell whether most words have a capital: a heading, where it tells no name."""
    words = [word for word in text.split() if word[:1].isalpha()]
    return len(words) > 3 and len([word for word in words if word[0].isupper()]) > 0.6 * len(words)


def _split(run: str) -> Iterator[tuple[str, bool]]:
    """The names in a run of words with capitals, parted where a word can belong to none; each with whether one did before."""
    if _WORDS.honorific.match(run):
        words = run.split()[:3]
        owner = next((at for at, word in enumerate(words) if _WORDS.ending.search(word)), 2)  # "Mrs Brown's Boys"
        yield _WORDS.ending.sub("", " ".join(words[: owner + 1])).removesuffix(" I"), False
        return
    names: list[list[str]] = [[]]
    dropped = False
    for word in run.split(" "):
        plain = _WORDS.ending.sub("", word)
        lowered = plain.casefold()
        if word in _SMALL:
            if names[-1]:
                names[-1].append(word)
            continue
        stopped = lowered != "will" and not {lowered, word.casefold().replace("’", "'")}.isdisjoint(STOP_WORDS)
        stopped |= lowered.endswith("days") and lowered[:-1] in CALENDAR  # "at the Pine Grill Wednesdays"
        a_day = names[-1] and names[-1][-1] in _SMALL and lowered in CALENDAR  # "to Erie the Tuesday before"
        if stopped or a_day or lowered in NO_NAMES or "'" in plain or "’" in plain or len(plain) < 2:
            dropped = True
            names.append([])
            continue
        names[-1].append(plain)
        if plain != word:  # a possessive ends a name
            names.append([])
    for words in names:
        while words and (words[-1] in _SMALL or (words[-1].isdigit() and words[0].casefold() in GIVEN)):  # "Owen 11"
            words.pop()
        if len(set(words)) == 1:  # "Nadine Nadine Nadine"
            words = words[:1]
        if words and not words[0].isdigit():
            yield " ".join(words), dropped


def _kind(name: str, before: str, after: str, opens: bool, dropped: bool, small: Collection[str]) -> str:
    """The type of a name; empty where nothing tells it, and where its capital is that of a sentence."""
    words = name.casefold().split()
    first, last = words[0], next((word for word in reversed(words) if not word.isdigit()), "")
    given = first in GIVEN and name.split()[0].istitle()  # "LoRa" is nobody
    place, calendar = name.casefold() in PLACES, first in CALENDAR
    if _WORDS.honorific.match(name):
        return "" if _WORDS.many_after.match(after) and not _WORDS.one_of_many_before.search(before) else PERSON
    if _WORDS.saint_before.search(before) or _WORDS.watched_before.search(before) or _WORDS.at_most.match(name + after):
        return ""
    if place and (_WORDS.team_before.search(before) or _WORDS.team_after.match(after)):
        return ""
    if _WORDS.initial_after.match(after) or _WORDS.initial_before.search(before):
        return ""  # a part of "George R. R. Martin"
    if (animal := _WORDS.animal_after.match(after)) and TYPES_BEFORE.get(animal[1]) == PET and (given or not opens):
        return PET
    goes_on = (word := _WORDS.word_after.match(after)) and TYPES_WITHIN.get(word[1])
    if goes_on == ORGANISATION or ((goes_on == LOCATION or _WORDS.part_after.match(after)) and not place):
        return ""
    if name.casefold() in ORGANISATIONS:
        return ORGANISATION if _WORDS.organisation_before.search(before) or _WORDS.known_before.search(before) else ""
    if (name.isupper() and not given and not place) or first in _NOBODY:
        return ""
    if (cue := _kind_before().search(before)) and not opens:
        kind = TYPES_BEFORE[cue[1]]  # of "the girl from the bakery, Linh" none
        return kind if "," not in cue[0] or (kind != ORGANISATION and _WORDS.apposed_after.match(after)) else ""
    if len(words) > 1 and (within := TYPES_WITHIN.get(last)):
        if opens and not given and not place and len(words) == 2:
            return ""
        return PERHAPS if within == LOCATION and _WORDS.at_work_before.search(before) else within
    if given and ((calendar and len(words) == 1) or (opens and first in PLAIN_WORDS)):  # "May" and "Will"
        return PERSON if _WORDS.speaks_after.match(after) or (not opens and _WORDS.person_before.search(before)) else ""
    if calendar:
        return ""
    if given and place:
        someone = _WORDS.person_before.search(before) or _WORDS.person_after.match(after) or _WORDS.and_i_after.match(after)
        someone = someone or _WORDS.greeted_before.search(before) or _WORDS.of_somebody_after.match(after)
        somewhere = _WORDS.place_before.search(before) or (_WORDS.within_before.search(before) and not _is_possessive(after))
        return PERSON if someone else LOCATION if somewhere or _is_reached(before, after) else ""
    if given and _WORDS.named_it.search(before):
        return ""
    if given and _is_reached(before, after):
        return LOCATION
    known = given and 1 < len(words) <= 3 and _WORDS.known_after.match(after)
    if (
        given
        and not known
        and (
            (_WORDS.within_before.search(before) and not _is_possessive(after))
            or (_WORDS.nobody_before.search(before) and not _is_possessive(after))
            or (_WORDS.many_after.match(after) and not _WORDS.one_of_many_before.search(before))
        )
    ):
        return PERHAPS if len(words) > 1 else ""
    if given and len(words) <= 3:
        return WORK if known else PERSON
    if place:
        if _WORDS.one_after.match(after):
            return ""
        is_a_kind = _WORDS.a_kind_before.search(before) and not _WORDS.of_a_place_after.match(after)
        is_of_another = is_a_kind or _WORDS.of_somebody_after.match(after)
        return PERSON if _WORDS.person_before.search(before) else "" if is_of_another else LOCATION
    if opens:
        cue = _WORDS.human_after.match(after) or _WORDS.and_i_after.match(after)
        acts = cue and after[:1] == " " and not dropped and first[-1] != "s"
        return PERSON if acts and first not in small and first not in _ROLES else ""
    for kind, told_before in _TOLD_BEFORE:
        if cue := told_before.search(before):
            if kind == PERSON and "," in cue[0] and not _WORDS.apposed_after.match(after):
                return ""
            if kind == LOCATION and _is_possessive(after) and not _WORDS.possessive_alone.match(after):  # "near Nikau's nets"
                return ""
            if kind == LOCATION and (
                (_WORDS.the_before.search(before) and _WORDS.job_after.match(after)) or _WORDS.number_after.match(after)
            ):
                return ""
            if kind == LOCATION and (last.endswith("ists") or is_of_work(name)):
                return ""
            certain = (
                told_before is not _WORDS.goes_before or cue[0].lower().endswith("the ") or _WORDS.on_a_day_after.match(after)
            )
            return kind if certain else PERHAPS
    if _WORDS.human_after.match(after) and not _WORDS.at_before.search(before):
        return PERSON
    used = None if dropped else _WORDS.product_before.search(before)
    return PRODUCT if used and (used["sure"] or is_of_work(name)) else ""


def _is_possessive(after: str) -> bool:
    """Tell whether a name has something, by what stands behind it: "Marina's"."""
    return after[:1] in ("'", "’")


def _is_reached(before: str, after: str) -> bool:
    """Tell whether one comes from a name, or travels there, which may be a given name too."""
    if _WORDS.from_or_in.search(before):
        return True
    if _is_possessive(after):
        return False
    leg = _WORDS.from_a_place_before.search(before)
    return _WORDS.journey_before.search(before) is not None or (leg is not None and leg[1].casefold() in PLACES)


def _is_a_thing(name: str, after: str, small: Collection[str]) -> bool:
    """Tell whether a name that nothing explains is one: it goes on in no mark, and no word of it stands in small letters."""
    words = [word.casefold() for word in name.split() if word not in _SMALL]
    return after[:1] not in tuple(":/(=_'’") and not any(word in small or word.removesuffix("s") in small for word in words)


def _kind_of_title(title: str, before: str, after: str) -> str:
    """The type of a title in quotation marks: by the word before it, else those around it; empty where they do not agree."""
    plain = title.split()
    written = sum(word[:1].isupper() or word[:1].isdigit() or word.casefold() in _SMALL for word in plain)
    if len(plain) > 8 or written < len(plain) or title.endswith(("!", "?")) or _WORDS.spoken_before.search(before):
        return ""
    if cue := _kind_before().search(before):
        return TYPES_BEFORE[cue[1]]
    kinds = {match.lastgroup or "" for match in _WORDS.media.finditer(f"{before} {after}")}
    return kinds.pop() if len(kinds) == 1 else ""


@cache
def _kind_before() -> re.Pattern[str]:
    """ "the meditation app", "a novel called" before a name."""
    return re.compile(
        r"\b(?:the|an?|my|our|your|his|her|their|this|that|another|new|old|local|of) (?:[\w-]+ ){0,2}"
        rf"({'|'.join(sorted(TYPES_BEFORE, key=len, reverse=True))}),? "
        r"(?:(?:is |was )?(?:called|named|titled) )?(?:The )?[\"“]?$"
    )
