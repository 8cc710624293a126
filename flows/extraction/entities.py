"""The graph of an episode: the entities that its sentences name for certain, and the relationships that they claim. Pure.

A name is taken where something besides its capital says so: a list of given names and places, a title of address, a word
within it ("University", "Festival"), the word before it that says what it is ("my sister Eva", "the app Headspace"), a verb
that wants a place ("moved to Lübeck"), or an edge that a claim states. The capital at the beginning of a sentence says
nothing, and a name in capitals ("SSS") is not taken (english_entities.py, chinese_entities.py). A claim whose row of the
table has an edge is a relationship; nothing else guesses.

spaCy's named entities (en_core_web_sm 3.8) were tried instead: on the labelled episodes 74 % of 68 names right, against all
44 by these rules, at 4 ms of processor time a message against 0.1; on chats read by eye 45 % of 82, with their type, against
94 % of 89.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from flows.cuts import ExtractedEntity, ExtractedRelationship
from flows.extraction.chinese_entities import chinese_entities, chinese_given_names, kind_of_liked
from flows.extraction.english_entities import PERHAPS, english_entities
from flows.extraction.sentences import Sentence
from mneme.chinese_script import simplified
from mneme.patterns import Cues, Patterns
from mneme.records import Claim
from mneme.relations import UNREAD, relation_of
from mneme.relations.chinese_subjects import is_proper_noun
from mneme.text import has_cjk, tokenise
from mneme.word_lists import (
    LOCATION,
    ORGANISATION,
    OTHER,
    PERSON,
    PET,
    PRODUCT,
    word_list,
)

_LIVING = (PERSON, PET)
_RIVALS = {PERSON, LOCATION, ORGANISATION, PRODUCT}  # of these a name is one; a pet and a work may be called like somebody
_MOST = 300  # entities of an episode, and relationships: each is a row of its own
_LONGEST_SUMMARY = 200  # characters; an entity's summary is joined from several episodes
_LEAST_OF_ONESELF = 2  # words of content in what somebody says
_LONGEST_SENTENCE = 400  # characters; what is longer is a text without marks
_TYPE_OF_TARGET = {
    **dict.fromkeys("works_at studies_at member_of volunteers_at owns founded".split(), ORGANISATION),
    **dict.fromkeys("lives_in from born_in located_in visited".split(), LOCATION),
    "has_pet": PET,
}
"""The relations whose target is no person."""
_OF_ANY_KIND = ("likes", "works_in")

_CUES = Cues(__file__)
_WORDS = Patterns(__file__)
_NOBODY = word_list("nobody")

_ALWAYS = _WORDS.words("always")
"""Relations by which somebody is introduced: "my sister Lena moved on Friday" says nothing of when she became one."""
_LONGEST_NAME = 60  # characters
_SMALL = frozenset("of the de da del la van von and & in on at for to".split())
"""Words of a time that is not that of the telling."""


def entities_of(sentences: Sequence[Sentence]) -> tuple[ExtractedEntity, ...]:
    """Find the entities that an episode names, in the order met, at most 300; each with a quoted sentence about it.

    Everybody with a name who takes part as a user is one; of what an assistant says, and of artifacts, nothing is. The summary
    is the first sentence that names it and tells something, with its speaker in front, or empty; of somebody who takes part,
    the first that claims something of them.
    """
    said = [one for one in sentences if not one.artifact and len(one.text) <= _LONGEST_SENTENCE]
    present = {part.casefold() for one in sentences for part in (one.speaker, *one.speaker.split())}
    small = {word for one in said if one.language == "en" for word in _WORDS.word.findall(one.text)}
    near_pets = {one.index + step for one in said if _CUES.pets.search(one.text) for step in (-1, 0, 1)}
    named = [list(_named(one, small)) if one.role == "user" or one.index in near_pets else [] for one in said]
    perhaps_pets = {
        name
        for one, names in zip(said, named, strict=True)
        if one.index in near_pets or _CUES.vet.search(one.text)
        for name, kind in names
        if kind == PERSON and " " not in name and name not in _WORDS.brings.findall(one.text)
    }
    called = {name for one in said if one.language == "zh" for name in chinese_given_names(one.text)}
    met: dict[str, _Entity] = {}
    for speaker in dict.fromkeys(one.speaker for one in said if one.role == "user" and one.speaker):
        own = [one for one in said if one.speaker == speaker]
        claims = [one for one in own if any(claim.subject == speaker for claim in one.claims)]
        telling = [one for one in own if not one.is_question and _tells(one, speaker)]
        _meet(met, speaker, PERSON, (claims or telling or own)[0], sure=True)
    for one, names in zip(said, named, strict=True):
        for name, kind in _claimed(one):
            _meet(met, name, kind, one, sure=True)
        if one.role == "user":
            for name, kind in names:
                somebody = (kind == PERSON and name in perhaps_pets) or (kind == LOCATION and name in called)
                if not _is_present(name, present) and not somebody:
                    _meet(met, name, kind, one)
    _join_short_names(met)
    return tuple(
        ExtractedEntity(
            each.name, each.kind, _summary(each.where, each.name), tuple(dict.fromkeys(one.index for one in each.where))
        )
        for each in met.values()
        if each.sure or each.is_of_one_kind
    )


@dataclass(slots=True)
class _Entity:
    """An entity under the name by which it was first called; a type that is known stands before ``other``."""

    name: str
    kind: str = OTHER
    sure: bool = False
    kinds: set[str] = field(default_factory=set)
    where: list[Sentence] = field(default_factory=list)

    @property
    def is_of_one_kind(self) -> bool:
        """Tell whether its mentions agree. What may be a place, a firm or a person needs a mention that tells."""
        rivals = self.kinds & _RIVALS
        is_doubtful = PERHAPS in self.kinds and (len(self.kinds) == 1 or (rivals == {PERSON} and " " in self.name))
        return len(rivals) <= 1 and not is_doubtful


def _meet(met: dict[str, _Entity], name: str, kind: str, one: Sentence, sure: bool = False) -> None:
    """Add a sentence that names an entity."""
    key = name.casefold().removeprefix("the ")
    if key not in met and len(met) >= _MOST:
        return
    entity = met.setdefault(key, _Entity(name))
    entity.kinds.add(kind)
    if kind != PERHAPS and not entity.sure and (sure or entity.kind == OTHER or kind == PET):
        entity.kind, entity.sure = kind, sure
    entity.where.append(one)


def _join_short_names(met: dict[str, _Entity]) -> None:
    """Join "Northfield" to "Northfield Health": a name that is the beginning of one of no person."""
    for key in [key for key, each in met.items() if not each.sure]:
        kind, longer_names = met[key].kind, [each for other, each in met.items() if other.startswith(f"{key} ")]
        longer = next((each for each in longer_names if each.kind not in _LIVING and kind in (OTHER, each.kind)), None)
        if longer is not None:
            longer.where = sorted((*longer.where, *met.pop(key).where), key=lambda one: (one.index, one.start))


def _tells(one: Sentence, name: str) -> bool:
    """Tell whether a sentence tells something of a name: not "Schön!" of who says it, nor "Walter!" of Walter."""
    own = one.speaker == name
    return bool(one.claims) or len(set(tokenise(one.text)) - set(tokenise(name))) >= (_LEAST_OF_ONESELF if own else 1)


def _summary(where: Sequence[Sentence], name: str) -> str:
    telling = [each for each in where if _tells(each, name)]
    one = next((each for each in telling if not each.is_question), telling[0] if telling else None)
    if one is None:
        return ""
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
            elif has_cjk(target):
                yield target, kind_of_liked(target)


def _named(one: Sentence, small: Collection[str]) -> Iterator[tuple[str, str]]:
    """Names and what they name, in one sentence; in a language without rules only who is called by @."""
    if one.language == "en":
        yield from english_entities(one, small)
    elif one.language == "zh":
        yield from chinese_entities(one.text)
    yield from ((at[1].rstrip("-"), PERSON) for at in _WORDS.at.finditer(one.text) if at[1].casefold() not in _NOBODY)


def edge_of(claim: Claim) -> tuple[str, str]:
    """The relation and the target of the edge that a claim states; empty where it states none, or not between two with a name.

    A role in something with a name is an edge to it: of "CEO of Acme", ``("ceo_of", "Acme")``.
    """
    row, target = relation_of(claim.attribute), claim.value
    edge = row.edge if row is not None else ""
    if claim.attribute == "role" and (role := _WORDS.role_of.fullmatch(claim.value)) is not None:
        edge, target = f"{'_'.join(role['role'].lower().split())}_of", role["where"]
    named = claim.subject.casefold() != target.casefold() and claim.value != UNREAD and _is_name(target)
    if not edge or not named or (has_cjk(target) and not is_proper_noun(claim.attribute, simplified(target))):
        return "", ""
    return edge, target


def _is_name(value: str) -> bool:
    """Tell whether all words of a value are written like those of a name; in a script without capitals all are."""
    words = [word.lstrip("\"“'‘(") for word in value.split() if word not in _SMALL]
    return bool(words) and len(value) <= _LONGEST_NAME and all(not word[:1].islower() for word in words)


def relationships_of(sentences: Sequence[Sentence]) -> tuple[ExtractedRelationship, ...]:
    """The edges of an episode, each once, in the order claimed, at most 300; nothing of artifacts and questions.

    The date is the one date of the sentence, where it stands in the clause of the value, that clause says that something began
    or ended: when it began, or is to begin, or, of an edge that ended, when it ended. A month or a year is no day on which
    one began; one that ended then had ended on its last. An end that is told with a time that cannot be read is no edge: it was
    not on the day of telling.
    """
    edges: dict[tuple[str, str, str, bool], ExtractedRelationship] = {}
    for position, one in enumerate(sentences):
        if one.artifact or one.is_question:
            continue
        for claim in one.claims:
            edge, target = edge_of(claim)
            if not edge or (claim.ends and _since(one, claim) is None and _is_retrospect(sentences, position)):
                continue
            key = (claim.subject.casefold(), edge, target.casefold(), claim.ends)
            known = edges.get(key)
            if known is None:
                if len(edges) < _MOST:
                    edges[key] = ExtractedRelationship(
                        claim.subject, edge, target, _since(one, claim), (one.index,), claim.ends
                    )
            else:
                sources = known.sources if one.index in known.sources else (*known.sources, one.index)
                edges[key] = replace(known, date=known.date or _since(one, claim), sources=sources)
    return tuple(edges.values())


def _is_retrospect(sentences: Sequence[Sentence], position: int) -> bool:
    """Tell whether an end is told with a time of its own, there or in the next sentence: "We ended it. Valentine's week."."""
    one = sentences[position]
    behind = "".join(other.text for other in sentences[position + 1 : position + 2] if other.index == one.index)
    return not one.dates and _WORDS.time_ago.search(f"{one.text} {behind}") is not None


def _since(one: Sentence, claim: Claim) -> datetime | None:
    """The day on which a claimed relationship began or ended, if only one reading is left."""
    at = one.text.find(claim.value)
    if len(one.dates) != 1 or at < 0 or edge_of(claim)[0] in _ALWAYS:
        return None
    [date] = one.dates
    first, last = sorted(((at, at + len(claim.value)), (date.start_index, date.end_index)))
    is_long = date.span.first != date.span.last
    ahead = date.since > one.said_at and (claim.ends or not _WORDS.to_begin.search(one.text, 0, date.start_index))
    if ahead or (is_long and not claim.ends) or _WORDS.turns.search(one.text, first[1], last[0]):
        return None
    begins = max((turn.end() for turn in _WORDS.turns.finditer(one.text, 0, first[0])), default=0)
    ends = next((turn.start() for turn in _WORDS.turns.finditer(one.text, last[1])), len(one.text))
    if not _WORDS.begins_or_ends.search(one.text[begins:ends]):
        return None
    return min(date.until - timedelta(days=1), one.said_at) if is_long else date.since
