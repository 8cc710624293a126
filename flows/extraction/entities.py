"""The entities that sentences name for certain: persons, organisations, places, titles, things. Pure.

A name is taken where something besides its capital says so: a list of given names and places, a title of address, a word
within it ("University", "Festival"), the word before it that says what it is ("my sister Eva", "the app Headspace"), a verb
that wants a place ("moved to Lübeck"), or an edge that a claim states. The capital at the beginning of a sentence says
nothing, and a name in capitals ("SSS") is not taken (english_entities.py, chinese_entities.py).

spaCy's named entities (en_core_web_sm 3.8) were tried instead: on the labelled episodes 74 % of 68 names right, against all
44 by these rules, at 4 ms of processor time a message against 0.1; on chats read by eye 45 % of 82, with their type, against
94 % of 89.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from flows.cuts import ExtractedEntity
from flows.extraction.chinese_entities import chinese_entities
from flows.extraction.english_entities import english_entities
from flows.extraction.graph import edge_of
from flows.extraction.sentences import Sentence
from mneme.pattern_index import Cue
from mneme.word_lists import (
    LOCATION,
    ORGANISATION,
    OTHER,
    PERSON,
    PET,
    word_list,
)

_LIVING = (PERSON, PET)
_MOST = 300  # entities of an episode
_LONGEST_SUMMARY = 200  # characters; an entity's summary is joined from several episodes
_LONGEST_SENTENCE = 400  # characters; what is longer is a text without marks
_TYPE_OF_TARGET = {
    **dict.fromkeys("works_at studies_at member_of volunteers_at owns founded".split(), ORGANISATION),
    **dict.fromkeys("lives_in from born_in located_in visited".split(), LOCATION),
    "has_pet": PET,
}
"""Of the edges whose target is no person."""
_OF_ANY_KIND = ("likes", "works_in")

_PETS = Cue(
    r"\b(?:dogs?|pupp(?:y|ies)|pups?|cats?|kittens?|kitty|pets?|parrots?|hamsters?|rabbits?|bunn(?:y|ies)|horses?|turtles?|snakes?|"
    r"guinea pigs?|furry|fur)\b",
    re.I,
)
_WORD = re.compile(r"[a-zß-öø-ÿ]+(?:['’-][a-z]+)*")
_AT = re.compile(r"(?<![\w@./])@([^\W\d_][\w-]{1,30})")
_NOBODY = word_list("nobody")


def entities_of(sentences: Sequence[Sentence]) -> tuple[ExtractedEntity, ...]:
    """Find the entities that an episode names, in the order met, at most 300; each with a quoted sentence about it.

    Everybody with a name who takes part as a user is one; of what an assistant says, and of artifacts, nothing is. The summary
    is the first sentence that names it and asks nothing, with its speaker in front; of somebody who takes part, the first that
    claims something of them.
    """
    said = [one for one in sentences if not one.artifact and len(one.text) <= _LONGEST_SENTENCE]
    present = {part.casefold() for one in sentences for part in (one.speaker, *one.speaker.split())}
    small = {word for one in said if one.language == "en" for word in _WORD.findall(one.text)}
    near_pets = {one.index + step for one in said if _PETS.search(one.text) for step in (-1, 0, 1)}
    named = [list(_named(one, small)) if one.role == "user" or one.index in near_pets else [] for one in said]
    perhaps_pets = {
        name
        for one, names in zip(said, named, strict=True)
        if one.index in near_pets
        for name, kind in names
        if kind == PERSON and " " not in name
    }
    met: dict[str, _Entity] = {}
    for speaker in dict.fromkeys(one.speaker for one in said if one.role == "user" and one.speaker):
        own = [one for one in said if one.speaker == speaker]
        claims = [one for one in own if any(claim.subject == speaker for claim in one.claims)]
        _meet(met, speaker, PERSON, (claims or own)[0], sure=True)
    for one, names in zip(said, named, strict=True):
        for name, kind in _claimed(one):
            _meet(met, name, kind, one, sure=True)
        if one.role == "user":
            for name, kind in names:
                if not _is_present(name, present) and not (kind == PERSON and name in perhaps_pets):
                    _meet(met, name, kind, one)
    _join_short_names(met)
    return tuple(
        ExtractedEntity(each.name, each.kind, _summary(each.where), tuple(dict.fromkeys(one.index for one in each.where)))
        for each in met.values()
    )


@dataclass(slots=True)
class _Entity:
    """An entity under the name by which it was first called; a type that is known stands before ``other``."""

    name: str
    kind: str = OTHER
    sure: bool = False
    where: list[Sentence] = field(default_factory=list)


def _meet(met: dict[str, _Entity], name: str, kind: str, one: Sentence, sure: bool = False) -> None:
    """Add a sentence that names an entity."""
    key = name.casefold().removeprefix("the ")
    if key not in met and len(met) >= _MOST:
        return
    entity = met.setdefault(key, _Entity(name))
    if not entity.sure and (sure or entity.kind == OTHER):
        entity.kind, entity.sure = kind, sure
    entity.where.append(one)


def _join_short_names(met: dict[str, _Entity]) -> None:
    """Join "Northfield" to "Northfield Health": a name that is the beginning of one of no person."""
    for key in [key for key, each in met.items() if not each.sure]:
        kind, longer_names = met[key].kind, [each for other, each in met.items() if other.startswith(f"{key} ")]
        longer = next((each for each in longer_names if each.kind not in _LIVING and kind in (OTHER, each.kind)), None)
        if longer is not None:
            longer.where = sorted((*longer.where, *met.pop(key).where), key=lambda one: (one.index, one.start))


def _summary(where: Sequence[Sentence]) -> str:
    one = next((each for each in where if not each.is_question), where[0])
    text = f"{one.speaker}: {one.text}" if one.speaker else one.text
    return text if len(text) <= _LONGEST_SUMMARY else f"{text[: _LONGEST_SUMMARY - 1].rstrip()}…"


def _is_present(name: str, present: Collection[str]) -> bool:
    """Tell whether a name is that of somebody who takes part, or the beginning of it ("Mel", "Dear Melanie")."""
    parts = [part.casefold() for part in name.split()]
    if any(part in present for part in parts) or any(each.endswith(name) for each in present):
        return True
    beginning = parts[0][:-1] if len(name) > 3 else parts[0]
    return len(parts) == 1 and any(each.startswith(beginning) for each in present)


def _claimed(one: Sentence) -> Iterator[tuple[str, str]]:
    """Both ends of the edges that the claims of a sentence state."""
    for claim in one.claims:
        edge, target = edge_of(claim)
        if edge:
            yield claim.subject, PERSON
            if edge not in _OF_ANY_KIND:
                yield target, ORGANISATION if claim.attribute == "role" else _TYPE_OF_TARGET.get(edge, PERSON)


def _named(one: Sentence, small: Collection[str]) -> Iterator[tuple[str, str]]:
    """Names and what they name, in one sentence; in a language without rules only who is called by @."""
    if one.language == "en":
        yield from english_entities(one, small)
    elif one.language == "zh":
        yield from chinese_entities(one.text)
    yield from ((at[1].rstrip("-"), PERSON) for at in _AT.finditer(one.text) if at[1].casefold() not in _NOBODY)
