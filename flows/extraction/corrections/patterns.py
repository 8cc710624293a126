"""How one corrects oneself and others, English and Chinese: the cues, and what is left of a sentence beside them."""

import re
from dataclasses import dataclass
from functools import cache

from mneme.pattern_index import needed_words, words_of
from mneme.text import has_cjk


@dataclass(frozen=True, slots=True)
class Correction:
    """What is left of a correcting sentence: the new value with some words, and the old one where it is named.

    ``retracts``: what was said last is withdrawn. ``weak``: the cue ("no", "actually") is said of much else too.
    ``sure``: it says that something was wrong, or what it is, and is no mere courtesy ("抱歉").
    ``agrees``: it says yes to what another said, which is then the new value ("Right, 60k.").
    """

    rest: str
    old: str = ""
    retracts: bool = False
    weak: bool = False
    agrees: bool = False
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Repair:
    """A sentence that corrects itself: what is before the cue, the new value, and what goes on after it."""

    before: str
    new: str
    after: str


def correction_in(sentence: str, announced: bool) -> Correction | None:
    """What a sentence corrects; None for one that says nothing of a correction.

    >>> correction_in("Sorry, I meant 15, not 50.", announced=False)
    Correction(rest='15', old='50', retracts=False, weak=False, agrees=False, sure=True)

    Args:
        sentence: as it was said.
        announced: the one before said that something was wrong ("Wait, no.").
    """
    return _chinese_correction_in(sentence, announced) if has_cjk(sentence) else _english_correction_in(sentence, announced)


def only_announces(sentence: str) -> bool:
    """Whether a sentence says that something was wrong, and no more."""
    return _ALONE.match(sentence) is not None or (not sentence.isascii() and _C_ALONE.match(sentence) is not None)


def repair_in(sentence: str) -> Repair | None:
    """The parts of a sentence that corrects itself ("on Thursday, sorry, Friday"); None for another."""
    match = _WITHIN.match(sentence) or (None if sentence.isascii() else _C_WITHIN.match(sentence))
    return Repair(match["before"], match["new"], match["after"]) if match else None


def may_correct(sentence: str) -> bool:
    """Whether a sentence has a word with which one corrects; without one it neither announces a correction nor is one."""
    return not _needed().isdisjoint(words_of(sentence))


@cache
def _needed() -> frozenset[str]:
    cues = frozenset("*").union(*(needed_words(rf"\b(?:{cue})\b") for cue in _CUES))  # of _CORRECTS and _ALONE
    english = _AGREES, _REASON, _TRAILING, _OLD, _NOT_FIRST, _RETRACTS, _WITHIN
    chinese = _C_CORRECTS, _C_ALONE, _C_OLD, _C_OLD_AFTER, _C_AGREES, _C_WITHIN
    return cues.union(*(needed_words(each.pattern) for each in (*english, *chinese)))


# --- English ---------------------------------------------------------------------------------------------------------

_CUES = (
    "sorry",
    "apologies",
    "my (?:mistake|bad|fault)",
    "w?h?oops",
    "(?:no|nope),? wait",
    "wait,? (?:no|sorry|actually)",
    "wait",
    "no,? sorry",
    "sorry,? no",
    "i mean(?:t)?(?: to (?:say|write|type))?",
    "correction",
    "typo",
    "or rather",
    "make that",
    "let me correct (?:that|myself)",
    r"i (?:got|had) (?:the |that |it )?(?:\w+ )?(?:wrong|mixed up)",
    "i (?:misspoke|mistyped)",
    "should (?:be|have been)",
    "actually",
    "no(?:pe)?",
    "you(?:['’]re| are) right",
)
_CUE = rf"(?:(?:oh|ah|um+|ugh|haha|lol|damn|and|but|hang on|hold on)[,!]?\s+)*(?:{'|'.join(_CUES)})"
# Possessive, here and below: a row of cues can be divided in very many ways, and each would be tried.
_CORRECTS = re.compile(rf"^(?:\W*+{_CUE}\b[\s,.:;!–—-]*+)++(?P<rest>.*)$|^\*(?P<star>\S.*)$", re.I | re.S)
_ALONE = re.compile(rf"^\W*+(?:{_CUE}\b\W*+)++$", re.I)
_AGREES = re.compile(r"^\W*(?:right|yes|yeah|yep|true|exactly)[,.!]+\s+(?P<rest>[^\s.!?]+(?: [^\s.!?]+)?)[.!]*$", re.I)
_REASON = re.compile(
    r"^(?P<rest>[^,.;]{1,30}),\s+(?:i|we) (?:forgot|miscounted|misread|misheard|misremembered|mixed|got (?:that|it) wrong)\b",
    re.I,
)  # "Nine, I forgot Kim."
_TRAILING = re.compile(r"^(?P<rest>.+?),?\s+(?:sorry|actually|i mean(?:t)?|my (?:mistake|bad))[.!]*$", re.I | re.S)
_OLD = re.compile(
    r"^(?P<rest>.+?)(?:,\s*|\s+and\s+)not (?P<old>[^,.;]+?)(?:,? (?:sorry|actually))?[.!]*$", re.I | re.S
)  # "Anna, not Anne"
_NOT_FIRST = re.compile(r"^not (?P<old>[^,.;]+?),?\s+but (?P<rest>.+?)[.!]*$", re.I | re.S)
_RETRACTS = re.compile(
    r"^\W*(?:(?:scratch|strike) that|(?:forget|ignore) what i (?:just )?said)\b[\s,.:;!–—-]*(?P<rest>.*)$", re.I | re.S
)
_WEAK = re.compile(r"^\W*(?:(?:oh )?no|nope|actually|wait|you(?:['’]re| are) right)\W+(?!wait|sorry)|\bactually\W*$", re.I)
_NO_CORRECTION = re.compile(r"\bthat['’]?s (?:it|all)\b|\b(?:also|too|as well)\b|\bnot\b|n['’]t\b", re.I)  # after a weak cue
_WITHIN = re.compile(
    r"^(?P<before>.{8,}?)\s*+[,;–—-]++\s*+(?:oh )?(?:sorry|no,? wait|wait,? no|i mean(?:t)?|or rather|make that|correction|"
    r"scratch that|oops)(?:[,\s]+(?:i mean(?:t)?|no|sorry))*[,:]?\s+(?P<new>[^,.;!?]+?)"
    r"(?P<after>(?:\s+(?:with|for|including|plus|without|because|starting)\b|[,.;!?]|$).*)$",
    re.I | re.S,
)
_A_VALUE = re.compile(
    r"\d|(?<!^)\b[A-Z]|^[A-Z][a-z]+$|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|"
    r"forty|fifty|hundred|thousand|first|second|third|fourth|fifth|sixth|left|right|today|tomorrow|yesterday|morning|"
    r"evening|noon|next|last)\b"
)
_WORD = re.compile(r"[\w'’]+")
_LONGEST_OLD, _LONGEST_NEW = 3, 8  # words of a pair


def _english_correction_in(sentence: str, announced: bool) -> Correction | None:
    if (retracts := _RETRACTS.match(sentence)) is not None:
        return Correction(retracts["rest"], retracts=True)
    match = _CORRECTS.match(sentence)
    rest = (match["rest"] or match["star"] or "") if match else sentence
    for shape in (_NOT_FIRST, _OLD):
        if (pair := shape.match(rest)) is not None and _is_pair(pair["rest"], pair["old"], match is not None or announced):
            return Correction(pair["rest"], pair["old"])
    if match is None and (agreed := _AGREES.match(sentence)) is not None:
        return Correction(agreed["rest"].strip(" .!"), agrees=True)
    if match is None:
        trailing = _TRAILING.match(sentence) or _REASON.match(sentence)
        if trailing is None and not announced:
            return None
        rest = trailing["rest"] if trailing else sentence
    rest, weak = rest.strip(" .!"), _WEAK.search(sentence) is not None
    return None if not rest or (weak and _NO_CORRECTION.search(rest)) else Correction(rest, weak=weak)


def _is_pair(new: str, old: str, announced: bool) -> bool:
    """Whether "Anna, not Anne" names a new value and the old one; without a cue both must look like values."""
    few = len(_WORD.findall(old)) <= _LONGEST_OLD and len(_WORD.findall(new)) <= _LONGEST_NEW
    return few and all(_A_VALUE.search(each) for each in ([old] if announced else [old, new]))


# --- Chinese ---------------------------------------------------------------------------------------------------------

_C_CUE = (
    "(?:我?(?:说|打|记|写|搞|弄|看)错(?:字|人|日子|时间)?了?|不好意思|不对|口误|笔误|更正(?:一下)?|纠正(?:一下)?|等等|等一下|哦?不不?不?|抱歉|对不起|"
    "准确地?说|我是说|其实)"
)
_C_CORRECTS = re.compile(rf"^(?:(?:啊|哦|哎呀?)，?)?(?:{_C_CUE}[，,、。！\s]++)++(?P<rest>.*)$|^(?P<should>应该是.*)$", re.S)
_C_ALONE = re.compile(rf"^(?:{_C_CUE}[，,。！!\s]*+)++$")
_C_OLD = re.compile("^(?:应该)?不是(?P<old>[^，,。]+)[，,](?:而)?是(?P<rest>[^，,。]+)[。！!]?$")
_C_OLD_AFTER = re.compile("^(?:应该)?是(?P<rest>[^，,。]+)[，,]不是(?P<old>[^，,。]+)[。！!]?$")
_C_AGREES = re.compile("^(?:对|是的|没错|嗯)[，,、](?P<rest>[^，,。！!？]{1,15})[。！!]?$")
_C_IS = re.compile("^(?:应该|其实)?(?:是|改到|改成)?")
_C_SURE = re.compile("错|口误|笔误|更正|纠正|是")
_C_STRONG = re.compile("错|口误|笔误|更正|纠正|不对|应该")
_C_WITHIN = re.compile(
    rf"^(?P<before>.{{4,}}?)[，,]\s*(?:哦)?{_C_CUE}[，,]\s*(?:应该)?是?(?P<new>[^，,。！？]+)(?P<after>.*)$", re.S
)


def _chinese_correction_in(sentence: str, announced: bool) -> Correction | None:
    match = _C_CORRECTS.match(sentence)
    rest = (match["rest"] or match["should"] or "") if match else sentence
    if (pair := _C_OLD.match(rest) or _C_OLD_AFTER.match(rest)) is not None:
        return Correction(pair["rest"], pair["old"])
    if match is None and (agreed := _C_AGREES.match(sentence)) is not None:
        return Correction(_C_IS.sub("", agreed["rest"]), agrees=True)
    if (match is None and not announced) or not rest:
        return None
    sure, strong = (announced or pattern.search(sentence) is not None for pattern in (_C_SURE, _C_STRONG))
    return Correction(_C_IS.sub("", rest.strip("。！!，, ")), weak=not strong, sure=sure)
