"""What a speaker is like, from what they say of themselves."""

import re
from collections.abc import Iterator, Sequence

from flows.cuts import ExtractedProfileItem
from flows.extraction.persons import capitalised
from flows.extraction.retelling import Retelling
from mneme.text import has_cjk

_I = r"\bI(?:\s+(?:really|also|just|absolutely|still|do|always|totally|definitely|so|actually|especially|both|kinda|truly))*\s+"
_I_AM = r"\bI(?:['’]m| am)(?:\s+(?:really|also|just|absolutely|still|totally|so|actually|a bit|super|very|pretty))*\s+"
_NOT_A_LIKING = r"(?!(?:it|that|this|how|your|you|them|to (?:see|hear))\b)"
_NOT_A_TRADE = r"(?!(?:bit|little|lot|fan|big|huge|mix|few|total|firm|great|strong)\b)"
_NOT_A_POSSESSION = (
    r"(?!(?:lot|bit|feeling|few|great time|good time|blast|ton|chance|question|meeting|game|appointment|interview|plan|idea|"
    r"talk|couple)\b)"
)
_EVERY = r"\bI\b.{0,80}\bevery (?:day|morning|night|week|weekend|month|year|summer)\b"
_ENGLISH_CUES = (
    ("dislike", _I + r"(?:hate|dislike|can['’]?t stand|don['’]?t (?:like|enjoy|eat|drink)|detest|avoid)\s+\w"),
    ("health", _I_AM + r"(?:allergic|vegetarian|vegan|diabetic|intolerant|pregnant)\b|\bI have (?:asthma|diabetes|an allergy)"),
    ("preference", _I + r"(?:love|like|enjoy|prefer|adore)\s+" + _NOT_A_LIKING + r"\w"),
    ("preference", _I_AM + r"(?:into|keen on|passionate about|fond of|obsessed with|a (?:\w+ )?(?:fan|lover) of)\s+\w"),
    ("preference", r"\bmy (?:\w+ )?favou?rite \w|\b(?:is|are) my (?:\w+ )?favou?rites?\b"),
    ("goal", _I + r"(?:want to|dream of|hope to|would love to|aspire to)\s+\w|\bmy (?:dream|goal) is\b"),
    ("goal", r"\bI['’]d (?:really )?(?:love|like) to (?!hear|see|join)\w"),
    ("identity", rf"(?:{_I_AM}|\bI work as\s+)an?\s+{_NOT_A_TRADE}\w"),
    ("skill", _I + r"(?:play|speak|know how to|can (?:play|speak|cook|paint|dance|sing))\s+\w"),
    ("possession", rf"\bI(?:['’]ve got| have| own| adopted)\s+(?:a|an|two|three|four|\d+)\s+{_NOT_A_POSSESSION}\w"),
    ("origin", r"\bI(?:['’]m| am| come) (?:originally )?from\s+\w|\bI (?:grew up|was born) in\b"),
    ("habit", _I + r"(?:usually|often|regularly|always|never|try to)\s+\w|" + _EVERY),
)
_CUES = tuple((category, re.compile(pattern, re.IGNORECASE)) for category, pattern in _ENGLISH_CUES)
_IMPLICIT = frozenset({"habit"})  # shown by what one does rather than said of oneself
_CHINESE_CUES = (
    ("dislike", re.compile("我.{0,3}(?:不喜欢|讨厌|不爱|受不了)")),
    ("health", re.compile("我.{0,4}(?:过敏|吃素|糖尿病|怀孕)")),
    ("preference", re.compile("我.{0,4}(?:喜欢|爱好|热爱|最爱|偏爱)|我的爱好")),
    ("goal", re.compile("我.{0,3}(?:想要|希望|梦想|想成为)|我的(?:梦想|目标)")),
    ("identity", re.compile("我(?:是|的职业是|当)一?[名位个]?\\S{2,}")),
    ("possession", re.compile("我(?:有|养了)[一两二三四五几\\d]")),
    ("habit", re.compile("我.{0,3}(?:每天|经常|通常|习惯|总是)")),
)


def profile_of(retellings: Sequence[Retelling]) -> Iterator[ExtractedProfileItem]:
    """Statements about the speaker's likes, dislikes, goals, skills, origin and habits; at most one for a sentence.

    Habits are implicit traits, all else was said outright.
    """
    for retelling in retellings:
        if retelling.message.role != "user":
            continue
        for said in retelling.statements:
            for category, cue in _CHINESE_CUES if has_cjk(said.text) else _CUES:
                if cue.search(said.text):
                    statement = capitalised(said.told)
                    yield ExtractedProfileItem(
                        retelling.speaker, statement, category, category in _IMPLICIT, (retelling.index,)
                    )
                    break
