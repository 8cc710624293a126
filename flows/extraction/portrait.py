"""Lines of profiles: quoted sentences that say for certain what somebody is like, who takes part or is told of. Pure.

A line is a sentence that claims something with a category in the table of relations ("I'm allergic to penicillin."), or one
in which somebody says outright what they like, can, always do or are after. Nothing is inferred: a passing remark ("I love
that!", "I love your dress") is no line, and what somebody does is no trait.
"""

import re
from collections.abc import Iterator, Sequence

from flows.cuts import ExtractedProfileItem
from flows.extraction.sentences import Sentence
from mneme.chinese_script import simplified
from mneme.languages import is_doubted
from mneme.patterns import Cues, Patterns
from mneme.records import Claim
from mneme.relations import relation_of
from mneme.relations.chinese_subjects import is_chinese_name
from mneme.text import has_cjk
from mneme.word_lists import GIVEN

_LONGEST = 260  # characters; what is longer tells a story
_MOST = 100  # lines of an episode
_CUES = Cues(__file__)
_WORDS = Patterns(__file__)
_TRAITS = {"en": Patterns(__file__, "english").by_name(), "zh": Patterns(__file__, "chinese").by_name()}
_ABOUT_THINGS = ("preference", "dislike", "possession")


def profile_of(sentences: Sequence[Sentence]) -> tuple[ExtractedProfileItem, ...]:
    """Lines about those who take part and those of theirs, one for each claim of a sentence, at most 100.

    The statement is the sentence as said, after the name of who said it. A claim that ends is no line: it ends lines.
    """
    present = {name for one in sentences for name in (one.speaker, one.listener) if one.role == "user"}
    people = present | set(_relatives(sentences))
    lines: list[ExtractedProfileItem] = []
    for position, one in enumerate(sentences):
        if one.artifact or one.is_question or one.role != "user" or not one.speaker or len(one.text) > _LONGEST:
            continue
        if position and _goes_on_about_another(sentences[position - 1], one):
            continue
        statement = f"{one.speaker}: {one.told}"
        for about, category, claim in _traits(one):
            if about in people or (claim is not None and _is_of_somebody(claim, present)):
                lines.append(ExtractedProfileItem(about, statement, category, False, (one.index,), claim))
    return tuple(dict.fromkeys(lines))[:_MOST]


def _goes_on_about_another(before: Sentence, one: Sentence) -> bool:
    """Tell whether a sentence without a subject follows one about somebody else, of whom it may be."""
    return (
        before.index == one.index
        and _WORDS.goes_on.match(one.text) is not None
        and _WORDS.somebody_else.search(before.text) is not None
    )


def _relatives(sentences: Sequence[Sentence]) -> Iterator[str]:
    """The names of those who are told to be somebody's family."""
    for one in sentences:
        for claim in one.claims:
            row = relation_of(claim.attribute)
            if row is not None and row.edge and row.category == "family":
                yield claim.value


def _is_of_somebody(claim: Claim, present: set[str]) -> bool:
    """Tell whether the subject of a claim is certainly a person: somebody's relative, a known given name, a Chinese one."""
    about = claim.subject
    owner = re.split("'s |的", about, maxsplit=1)[0]
    named = is_chinese_name(about, sure=False) if has_cjk(about) else about.split()[0].casefold() in GIVEN
    return (owner != about and owner in present) or named


def _traits(one: Sentence) -> Iterator[tuple[str, str, Claim | None]]:
    """The subjects of a sentence, the kind of trait it tells of each, and the claim that says so."""
    points_back = _CUES.points.search(one.text) is not None
    rows = [(claim, row) for claim in one.claims if (row := relation_of(claim.attribute)) is not None and row.category]
    for claim, row in rows:
        if claim.ends or (not (points_back and row.category in _ABOUT_THINGS) and any(map(str.isalnum, claim.value))):
            yield claim.subject, row.category, claim
    stands = any(not claim.ends for claim, _ in rows)
    category = "" if stands or points_back else _said_outright(one)
    if category:
        yield one.speaker, category, None


def _said_outright(one: Sentence) -> str:
    text = simplified(one.text) if one.language == "zh" else one.text
    unsure = one.language == "en" and any(cue.search(text) for cue in (_CUES.unsure, _CUES.of_others, _CUES.passing))
    if unsure or is_doubted(text):
        return ""
    return next((category for category, trait in _TRAITS.get(one.language, {}).items() if trait.match(text)), "")
