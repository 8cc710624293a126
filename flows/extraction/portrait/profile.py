"""What a speaker is like: from what they say of themselves, and from the relationships that are theirs.

Explicit are facts one says outright ("I'm a nurse", "I run every morning", "Ann works at Initech."); implicit is what one
shows: what one takes an interest in, what one holds dear, how one is. Passing remarks ("I love that!", "I love your
dress") are neither.
"""

import re
from collections.abc import Iterator, Sequence

from flows.cuts import ExtractedProfileItem, ExtractedRelationship
from flows.extraction.portrait.chinese_profile import CHINESE_CUES, chinese_statement, tells_of_another
from flows.extraction.portrait.english_profile import cued
from flows.extraction.wording.persons import capitalised
from flows.extraction.wording.retelling import Retelling, Said
from mneme.caseless import Caseless
from mneme.text import has_cjk

_IMPLICIT = frozenset({"trait", "value", "interest"})  # shown by what one does rather than said of oneself
_TO_THE_OTHER = frozenset("preference goal value interest identity habit possession work".split())
_YOU = Caseless(r"\b(?:you|your|yours|you['’]\w+|y['’]all)\b")
_LEANS = Caseless(
    r"^(?:(?:and|but|so|well|yeah|plus|because|'cause),? )*(?:it|that|this|they|those|these|he|"
    r"she)(?:['’]\w+)?\b(?! (?:year|month|summer|past)\b)",
)
_SHOWS = Caseless(r"(?:check out|look at|here['’]?s|here is|here are|crazy|great|take a look|let me)\b")
_OBJECT_LEANS = re.compile(r"\bto \w+ (?:it|that|this|them)\b")
_UNRESOLVED = Caseless(r"\b(?:them|their|theirs|these|those)\b(?! (?:days|kids|people|friends|in|who|with)\b)")
_UNSURE = Caseless(
    r"\b(?:maybe|might|probably|i guess|not sure|i bet|i wish|if i|would have|could have|gonna|i['’]ll|going to)\b"
)
_ABOUT_ONESELF = frozenset("work family health origin home identity".split())
_LONGEST = 260  # characters of a statement: what is longer tells a story

_SAID_OF = {
    "works_at": ("work", "{s} works at {t}.", "{s} no longer works at {t}.", "{s}在{t}工作。", "{s}不再在{t}工作。"),
    "works_in": ("work", "{s} works in {t}.", "{s} no longer works in {t}.", "{s}在{t}工作。", "{s}不再在{t}工作。"),
    "owns": ("work", "{s} owns {t}.", "{s} no longer owns {t}.", "{s}拥有{t}。", "{s}不再拥有{t}。"),
    "founded": ("work", "{s} founded {t}.", "{s} founded {t}.", "{s}创办了{t}。", "{s}创办了{t}。"),
    "lives_in": ("home", "{s} lives in {t}.", "{s} no longer lives in {t}.", "{s}住在{t}。", "{s}不再住在{t}。"),
    "from": ("origin", "{s} is from {t}.", "{s} is from {t}.", "{s}来自{t}。", "{s}来自{t}。"),
    "born_in": ("origin", "{s} was born in {t}.", "{s} was born in {t}.", "{s}出生于{t}。", "{s}出生于{t}。"),
    "studies_at": ("education",
    "{s} studies or studied at {t}.", "{s} studied at {t}.", "{s}就读或毕业于{t}。", "{s}曾就读于{t}。"),
    "member_of": ("interest", "{s} is a member of {t}.",
    "{s} is no longer a member of {t}.", "{s}是{t}的成员。", "{s}不再是{t}的成员。"),
    "volunteers_at": ("value", "{s} volunteers at {t}.",
    "{s} no longer volunteers at {t}.", "{s}在{t}做志愿者。", "{s}不再在{t}做志愿者。"),
    "married_to": ("family", "{s} is married to {t}.",
    "{s} is no longer married to {t}.", "{s}和{t}结婚了。", "{s}和{t}离婚了。"),
    "partner_of": ("family", "{s} and {t} are a couple.",
    "{s} and {t} are no longer a couple.", "{s}和{t}在一起。", "{s}和{t}分手了。"),
    "parent_of": ("family", "{s} is a parent of {t}.", "", "{s}是{t}的家长。", ""),
    "sibling_of": ("family", "{s} and {t} are siblings.", "", "{s}和{t}是兄弟姐妹。", ""),
    "has_pet": ("possession", "{s} has a pet, {t}.",
    "{s} no longer has the pet {t}.", "{s}有一只宠物，叫{t}。", "{s}不再有宠物{t}。"),
    "likes": ("preference", "{s} likes {t}.", "{s} no longer likes {t}.", "{s}喜欢{t}。", "{s}不再喜欢{t}。"),
    "treated_by": ("health", "{s} is treated by {t}.", "", "{s}由{t}治疗。", ""),
}  # fmt: skip
"""For each relation that says what somebody is like: category, English, English when it is over, and the same in Chinese."""

_MASS = frozenset("kids children sons daughters brothers sisters siblings".split())


def profile_of(
    retellings: Sequence[Retelling], relationships: Sequence[ExtractedRelationship] = ()
) -> Iterator[ExtractedProfileItem]:
    """Self-contained statements about the people who speak; at most one for a sentence, and one for each of their edges."""
    speakers = {one.speaker for one in retellings if one.message.role == "user"}
    told: set[tuple[int, str]] = set()
    for edge in relationships:
        item = _of_edge(edge) if edge.source in speakers else None
        if item is not None:
            told.update((source, item.category) for source in edge.sources)
            yield item
    for retelling in retellings:
        if retelling.message.role != "user":
            continue
        for said in retelling.statements:
            category = _category(said, retelling)
            if category is not None and (retelling.index, category) not in told:
                statement = chinese_statement(said.told, retelling.speaker) if has_cjk(said.text) else capitalised(said.told)
                yield ExtractedProfileItem(retelling.speaker, statement, category, category in _IMPLICIT, (retelling.index,))


def _category(said: Said, retelling: Retelling) -> str | None:
    """What kind of trait a sentence tells of its speaker; None when it tells none."""
    text = said.text
    if has_cjk(text):
        if tells_of_another(text):
            return None
        return next((category for category, cue in CHINESE_CUES if cue.search(text)), None)
    if len(said.told) > _LONGEST or (_UNSURE.search(text) and " want" not in text):
        return None
    category = cued(text)
    if category is None or (category in _TO_THE_OTHER and _YOU.search(text)):
        return None
    if _LEANS.match(said.told) or _SHOWS.match(said.told) or (_UNRESOLVED.search(text) and category not in _ABOUT_ONESELF):
        return None
    return None if category == "goal" and (said.dates or _OBJECT_LEANS.search(text)) else category


def _of_edge(edge: ExtractedRelationship) -> ExtractedProfileItem | None:
    said_of = _SAID_OF.get(edge.relation)
    if said_of is None:
        return None
    category, english, over, chinese, chinese_over = said_of
    if has_cjk(edge.target) or has_cjk(edge.source):
        unnamed = edge.target.removeprefix(f"{edge.source}的") if edge.target.startswith(f"{edge.source}的") else None
        statement = (
            (chinese_over if edge.ended else chinese) if unnamed is None or edge.ended else f"{edge.source}有{unnamed}。"
        )
    else:
        _, mine, word = edge.target.partition(f"{edge.source}'s ")
        statement = over if edge.ended else english
        if mine and word and not edge.ended:
            statement = _having(edge.relation, word)
    if not statement:
        return None
    return ExtractedProfileItem(
        edge.source, statement.format(s=edge.source, t=edge.target), category, implicit=False, sources=edge.sources
    )


def _having(relation: str, word: str) -> str:
    """What having somebody without a name says: "Ann is married.", "Ann has kids."."""
    if relation == "married_to":
        return "{s} is married."
    if relation == "owns":
        return f"{{s}} has a {word}."
    plural = word in _MASS or (relation == "has_pet" and word.endswith("s"))
    return f"{{s}} has {word}." if plural else f"{{s}} has a {word}."
