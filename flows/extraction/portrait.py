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
from mneme.pattern_index import PatternIndex
from mneme.patterns import Cues, Patterns
from mneme.records import Claim
from mneme.relations import relation_of
from mneme.relations.chinese_subjects import is_chinese_name
from mneme.text import has_cjk
from mneme.word_lists import GIVEN

_LONGEST = 260  # characters; what is longer tells a story
_MOST = 100  # lines of an episode
_OPENS = r"^(?:(?:and|but|so|well|yeah|yes|oh|also|honestly|actually|personally|no|plus|hey [a-z]+|thanks,? [a-z]+)[,!]? )*"
_ADVERB = (
    r"(?: (?:really|also|just|absolutely|still|do|always|totally|definitely|actually|especially|truly|usually|personally))*"
)
_DEICTIC = (
    r"(?!(?:it|that|this|these|those|how|when|what|your?|to(?! [a-z])|them|him|her|his|hers|their|one|some|all|"
    r"the (?!outdoors|ocean|sea|mountains|beach|rain|cold|heat|countryside|city|night|theatre|theater|gym)|"
    r"to (?:see|hear|know|get|help|say|join|try|do)|"
    r"(?:see|hear)ing|being able|getting to|having you|hanging out with you|spending)\b)"
)
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NO_FOOD = r"(?!(?:and|or|after|before|at|in|on|out|with|alone|enough|much|well|properly|anything)\b)"
_NO_INTEREST = r"(?!(?:keep|do|go|think|feel|look|mean|wait|work|hav|try|be|gett|us|struggl|wonder)ing\b)"
_CUES = tuple(
    (category, re.compile(_OPENS + pattern, re.I))
    for category, pattern in (
        ("preference", rf"i{_ADVERB} (?:(?:love|like|enjoy|adore) {_DEICTIC}[a-z\"“]|prefer (?!not ){_DEICTIC}[a-z])"),
        ("preference", rf"i(?:['’]m| am){_ADVERB} (?:a (?:big|huge|massive) fan of|into|fond of|keen on) {_DEICTIC}[a-z\"“]"),
        ("preference", r"my (?:all-time )?fav(?:ou?rite|e)s? (?:[a-z-]+ ){0,3}(?:is|are) (?!the (?:one|part)\b)"),
        ("dislike", rf"i{_ADVERB} (?:hate|dislike|detest|can['’]?t stand(?! up)|don['’]?t like) {_DEICTIC}[a-z]"),
        ("dislike", rf"i{_ADVERB} don['’]?t (?:eat(?: or drink)?|drink) {_NO_FOOD}[a-z]+(?: [a-z]+)?(?=\W*$|,)"),
        ("dislike", rf"i(?:['’]m| am) not (?:a (?:big |huge )?fan of|into|keen on) {_DEICTIC}[a-z]"),
        ("habit", r"i(?: (?:usually|always|try to))? [a-z]+(?: [a-z'’-]+){0,6} every "
                  rf"(?:(?:single )?(?:day|morning|night|evening|week|weekend|month|year|summer|winter)|{_DAYS})"),
        ("health", r"my (?:left |right |lower |bad |old )?(?!(?:back|neck) is broken)"
                   r"(?:knee|ankle|back|shoulder|wrist|hip|foot|leg|elbow|neck) "
                   r"(?:gave (?:up|out)|hurts|aches|is (?:injured|sore|broken|swollen|killing me))"),
        ("health", r"i (?:always |easily )?(?:get|suffer from) (?:seasick|carsick|airsick|migraines|headaches|hives)\b"),
        ("work", r"i (?:just |recently )?(?:(?:lost|quit) my job|(?:got|was) promoted(?! in (?:the|a|my)\b))"),
        ("value", r"(?!(?:your?|this|that|it|he|she|they)\b)[a-z]+(?: [a-z'’-]+){0,5} (?:means? (?:a lot|the world|everything)|"
                  r"(?:is|are) (?:so |very |really )?important) to me\b"),
        ("interest", rf"i(?:['’]ve| have) been {_NO_INTEREST}[a-z]+ing (?:[a-z'’-]+ ){{0,6}}(?:for (?:\w+ )?\w+ years|since) "),
        ("goal", r"my (?:[a-z-]+ ){0,2}(?:dream|goal|ambition) is (?:to|becoming|being) "),
        ("goal", r"i(?:['’]ve always (?:wanted|dreamed of)| dream of|(?:['’]m| am) determined to) (?:to )?"
                 r"(?:becom|be|open|own|start|learn|liv|writ|run|work)"),
    )
)  # fmt: skip
_INDEX = PatternIndex(cue for _, cue in _CUES)
_CUES = Cues(__file__)
_WORDS = Patterns(__file__)
_ABOUT_THINGS = ("preference", "dislike", "possession")
# What is liked or not is named: no person (我喜欢他), nothing pointed at, nothing of today.
_CHINESE_OBJECT = (
    "(?![我它那哪谁就啊的得死上吧呢过了完下原以一亏药]|[早午晚]?饭|\\W|$)"
    "(?![^，。]*(?:就|会死))(?!.*(?:[今这你他她]|开车|原来))"
)
_CHINESE_CUES = tuple(
    (category, re.compile(rf"^(?:其实|不过|对了|另外|而且|平时)?[，,]?{pattern}"))
    for category, pattern in (
        ("dislike", f"我(?:最|很|一直|从来|真的|就)?都?(?:不喜欢|讨厌|不爱|受不了|不吃|不喝){_CHINESE_OBJECT}"),
        (
            "preference",
            f"我(?:最|很|一直|特别|非常|也|更|比较|平时|还是|就)?都?(?:喜欢|热爱|爱[吃喝看听](?!不)|偏爱){_CHINESE_OBJECT}",
        ),
        ("preference", "我的?(?:爱好|最爱)是"),
        ("habit", "我(?:几乎)?(?:每天|每周|每个(?:月|周末))(?:都(?![跟被想在很])|早上|晚上)"),
        ("goal", "我(?:的(?:梦想|目标)是|一直想(?:成为|当(?![面时初着])|开(?![口心会除玩])))"),
        ("skill", "我会[弹拉](?:钢琴|吉他|琵琶|古筝|古琴|贝斯|尤克里里|[小大中]提琴|二胡|手风琴|琴)"),
    )
)


def profile_of(sentences: Sequence[Sentence]) -> tuple[ExtractedProfileItem, ...]:
    """Lines about those who take part and those of theirs, one for each claim of a sentence, at most 100.

    The statement is the sentence as said, after the name of who said it. A claim that ends is no line: it ends lines.
    """
    present = {name for one in sentences for name in (one.speaker, one.listener) if one.role == "user"}
    known = present | set(_relatives(sentences))
    lines: list[ExtractedProfileItem] = []
    for position, one in enumerate(sentences):
        if one.artifact or one.is_question or one.role != "user" or not one.speaker or len(one.text) > _LONGEST:
            continue
        if position and _goes_on_about_another(sentences[position - 1], one):
            continue
        statement = f"{one.speaker}: {one.told}"
        for about, category, claim in _traits(one):
            if about in known or (claim is not None and _is_of_somebody(claim, present)):
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
    """Of whom a sentence tells what kind of trait, and the claim that says so."""
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
    if one.language == "zh":
        text = simplified(one.text)
        return "" if is_doubted(text) else next((category for category, cue in _CHINESE_CUES if cue.match(text)), "")
    if (
        one.language != "en"
        or any(cue.search(one.text) for cue in (_CUES.unsure, _CUES.of_others, _CUES.passing))
        or is_doubted(one.text)
    ):
        return ""
    found = (_CUES[number] for number in _INDEX.candidates(one.text))
    return next((category for category, cue in found if cue.match(one.text)), "")
