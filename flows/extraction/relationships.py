"""Relationships by pattern, from sentences in the third person, English and Chinese."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from flows.extraction.names import is_name
from mneme.text import has_cjk


@dataclass(frozen=True, slots=True)
class Edge:
    """``source relation target`` as one sentence says it; ``target_type`` is what the target is by its place in it."""

    source: str
    relation: str
    target: str
    target_type: str


PERSON, ORGANISATION, LOCATION, ANIMAL = "person", "organisation", "location", "animal"
_KIN = {
    "married_to": "wife husband spouse",
    "partner_of": "partner boyfriend girlfriend fiancé fiancée fiance fiancee",
    "parent_of": "son daughter kid child baby stepson stepdaughter",
    "child_of": "mom mum mother dad father",
    "sibling_of": "brother sister sibling twin",
    "relative_of": "cousin aunt uncle niece nephew grandma grandpa grandmother grandfather grandson granddaughter",
    "friend_of": "friend buddy roommate bestie",
    "colleague_of": "colleague coworker co-worker teammate classmate",
    "reports_to": "boss manager supervisor",
    "taught_by": "teacher coach mentor professor instructor trainer",
    "treated_by": "doctor therapist dentist",
    "neighbour_of": "neighbour neighbor",
    "has_pet": "dog cat puppy pup kitten pet bird parrot horse rabbit hamster turtle snake lizard fish",
}
_RELATION = {word: relation for relation, words in _KIN.items() for word in words.split()}

_S = r"\b(?P<s>[\w@.-]+(?: [A-Z][\w'-]*){0,2})"
_O = r"(?P<o>[A-Z][\w&'-]*(?:(?: (?:of|the|de|da|&))? [A-Z][\w&'-]*){0,4})"
_ADVERB = r"(?: (?:also|still|currently|now|just|recently|really|actually|originally|finally))?"
_KIN_WORD = rf"(?P<kin>{'|'.join(sorted(_RELATION, key=len, reverse=True))})"
_OF_KIN = rf"(?:[a-z-]+ )?{_KIN_WORD}"

_VERBS = (
    ("works_at", ORGANISATION, r"(?:works?|worked|is working|has been working|started working|is employed|interned|"
     r"is interning) (?:at|for) (?:the )?"),
    ("works_at", ORGANISATION, r"(?:got a (?:new )?job|got hired|is an? [a-z]+(?: [a-z]+){0,2}) at (?:the )?"),
    ("founded", ORGANISATION, r"(?:founded|co-founded) "),
    ("lives_in", LOCATION, r"(?:lives?|is living|has been living|is based|resides|settled) in "),
    ("lives_in", LOCATION, r"(?:moved|relocated|has moved) (?:back |over |here )?to "),
    ("from", LOCATION, r"(?:is|comes|came) (?:originally )?from "),
    ("born_in", LOCATION, r"was born (?:and raised )?in "),
    ("visited", LOCATION, r"(?:visited|got back from(?: a trip to)?|(?:traveled|travelled|flew|took a trip|has been|"
     r"went on a trip) to) "),
    ("member_of", ORGANISATION, r"(?:joined|is a member of|plays? for|belongs to|volunteers? (?:at|for|with)) (?:the )?"),
    ("studies_at", ORGANISATION, r"(?:studies|studied|is studying|graduated|attends?|attended|enrolled)(?: [a-z]+)?"
     r"(?: at| from| in)? (?:the )?"),
    ("married_to", PERSON, r"(?:is married to|got married to|married) "),
    ("partner_of", PERSON, r"(?:is engaged to|is dating|started dating) "),
)  # fmt: skip
_VERB_CUE = re.compile(
    r" (?:at|for|in|to|from|with|of|the|joined|founded|co-founded|visited|stud\w+|attend\w*|enrolled|graduated|married|"
    r"dating) [A-Z]"
)
_VERB_SHAPES = tuple(
    (relation, target, re.compile(f"{_S}(?: and others)?{_ADVERB} {verb}{_O}")) for relation, target, verb in _VERBS
)
_KIN_SHAPES = (
    re.compile(rf"{_S}['’]s? {_OF_KIN},? {_O}"),
    re.compile(rf"{_S}['’]s? {_OF_KIN}(?:['’]s name is| is named| is called|, named|, called| named| called) {_O}"),
    re.compile(
        rf"{_S}(?: and others)? (?:has|have|got|adopted) (?:an?|another|two|three|one) (?:[a-z]+ ){{0,2}}?{_KIN_WORD}s?,? "
        rf"(?:named|called) {_O}"
    ),
    re.compile(rf"\b(?P<o>[A-Z][\w-]+)(?:,| is| was) {_S}['’]s? {_OF_KIN}\b"),
)
_KIN_CUE = re.compile(rf"\b{_KIN_WORD}s?\b")

_CHINESE_KIN = {
    "妻子|老婆|太太|丈夫|老公|爱人": "married_to",
    "男朋友|女朋友|男友|女友|未婚夫|未婚妻": "partner_of",
    "儿子|女儿|孩子": "parent_of",
    "妈妈|母亲|爸爸|父亲": "child_of",
    "哥哥|弟弟|姐姐|妹妹": "sibling_of",
    "表哥|表弟|表姐|表妹|叔叔|阿姨|舅舅|姑姑|爷爷|奶奶|外公|外婆": "relative_of",
    "朋友|好友|闺蜜": "friend_of",
    "同事|同学": "colleague_of",
    "老板|经理|上司|领导": "reports_to",
    "老师|教练|导师": "taught_by",
    "狗|猫|小狗|小猫|宠物": "has_pet",
}
_CS = r"(?:^|[，。；！])\s*(?P<s>[\u4e00-\u9fff·]{1,4}?|[A-Za-z][\w ]{0,30}?)"
_CO = r"(?P<o>[\u4e00-\u9fffA-Za-z0-9·]{2,14}?)"
_END = r"(?=[，。！？；、,.!?\s]|$|了|的|吧|啦)"
_NOW = "(?:现在|目前|一直|还)?"
_CHINESE_SHAPES = (
    ("works_at", ORGANISATION, re.compile(f"{_CS}{_NOW}(?:在|就职于|任职于){_CO}(?:工作|上班|任职|实习)")),
    ("lives_in", LOCATION, re.compile(f"{_CS}{_NOW}(?:住在|搬到了?|搬去了?|定居在){_CO}{_END}")),
    ("born_in", LOCATION, re.compile(f"{_CS}(?:出生于|出生在|生于){_CO}{_END}")),
    ("from", LOCATION, re.compile(f"{_CS}(?:来自){_CO}{_END}")),
    ("studies_at", ORGANISATION, re.compile(f"{_CS}{_NOW}(?:毕业于|就读于){_CO}{_END}")),
    *(
        (relation, ANIMAL if relation == "has_pet" else PERSON, re.compile(f"{_CS}的?(?:{words})(?:叫做?|名叫){_CO}{_END}"))
        for words, relation in _CHINESE_KIN.items()
    ),
)


def edges_in(sentence: str, person: Callable[[str], str | None]) -> Iterator[Edge]:
    """The relationships that a third-person sentence states; nothing from one that denies or asks.

    Args:
        sentence: with names where pronouns were.
        person: the name that a captured subject stands for; None when it is none ("Yesterday Ann" stands for Ann).
    """
    if has_cjk(sentence):
        for relation, target, shape in _CHINESE_SHAPES:
            yield from _edges(shape, sentence, relation, target, person)
        return
    if _VERB_CUE.search(sentence):
        for relation, target, shape in _VERB_SHAPES:
            yield from _edges(shape, sentence, relation, target, person)
    if _KIN_CUE.search(sentence):
        for shape in _KIN_SHAPES:
            yield from _edges(shape, sentence, "", PERSON, person)


def _edges(
    shape: re.Pattern[str], sentence: str, relation: str, target: str, person: Callable[[str], str | None]
) -> Iterator[Edge]:
    for match in shape.finditer(sentence):
        source, name = person(match["s"]), re.sub(r"['’]s?$", "", match["o"].strip())
        stated = relation or _RELATION[match["kin"]]
        kind = ANIMAL if stated == "has_pet" else target
        known = person(name) if kind in (PERSON, ANIMAL) and not has_cjk(name) else name
        if source and known and is_name(name) and name.lower() != source.lower():
            yield Edge(source, stated, known, kind)
