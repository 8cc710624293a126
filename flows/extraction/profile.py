"""What a speaker is like, from what they say of themselves."""

import re
from collections.abc import Iterator, Sequence

from flows.cuts import ExtractedProfileItem
from flows.extraction.persons import capitalised
from flows.extraction.retelling import Retelling

_HEDGE = r"(?:\s+(?:really|also|just|absolutely|still|do|always|totally|definitely|so|actually|usually|especially|both|kinda|truly))*"
_CUES: tuple[tuple[str, bool, re.Pattern[str]], ...] = tuple(
    (category, implicit, re.compile(pattern, re.I))
    for category, implicit, pattern in (
        (
            "dislike",
            False,
            rf"\bI{_HEDGE}\s+(?:hate|dislike|can['’]?t stand|don['’]?t (?:like|enjoy|eat|drink)|detest|avoid)\s+\w+",
        ),
        (
            "health",
            False,
            rf"\bI(?:['’]m| am){_HEDGE}\s+(?:allergic|vegetarian|vegan|diabetic|intolerant|pregnant)\b|\bI have (?:asthma|diabetes|an allergy)",
        ),
        (
            "preference",
            False,
            rf"\bI{_HEDGE}\s+(?:love|like|enjoy|prefer|adore)\s+(?!it\b|that\b|this\b|how\b|your\b|you\b|to (?:see|hear)\b|them\b)\w+",
        ),
        (
            "preference",
            False,
            rf"\bI(?:['’]m| am){_HEDGE}\s+(?:into|keen on|passionate about|fond of|obsessed with|a (?:\w+ )?(?:fan|lover) of)\s+\w+",
        ),
        ("preference", False, r"\bmy (?:\w+ )?favou?rite \w+|\b(?:is|are) my (?:\w+ )?favou?rites?\b"),
        (
            "goal",
            False,
            rf"\bI{_HEDGE}\s+(?:want to|dream of|hope to|would love to|aspire to)\s+\w+|\bI['’]d (?:really )?love to (?!hear|see|join)\w+|\bmy (?:dream|goal) is\b",
        ),
        (
            "identity",
            False,
            rf"\bI(?:['’]m| am|\s+work as|\s+was){_HEDGE}\s+an?\s+(?!bit|little|lot|fan|big|huge|mix|few|total|firm|great|strong)\w+",
        ),
        ("skill", False, rf"\bI{_HEDGE}\s+(?:play|speak|know how to|can (?:play|speak|cook|paint|dance|sing))\s+\w+"),
        (
            "possession",
            False,
            r"\bI(?:['’]ve got| have| own| adopted)\s+(?:a|an|two|three|four|\d+)\s+(?!lot|bit|feeling|few|great time|good time|blast|ton|chance|question)\w+",
        ),
        ("origin", False, r"\bI(?:['’]m| am| come) (?:originally )?from\s+[A-Z]\w+|\bI (?:grew up|was born) in\b"),
        (
            "habit",
            True,
            rf"\bI{_HEDGE}\s+(?:usually|often|regularly|always|never|try to)\s+\w+|\bI\b.*\bevery (?:day|morning|night|week|weekend|month|year|summer)\b",
        ),
    )
)
_CHINESE_CUES = (
    ("dislike", False, re.compile("我.{0,3}(?:不喜欢|讨厌|不爱|受不了)")),
    ("health", False, re.compile("我.{0,4}(?:过敏|吃素|糖尿病|怀孕)")),
    ("preference", False, re.compile("我.{0,4}(?:喜欢|爱好|热爱|最爱|偏爱)|我的爱好")),
    ("goal", False, re.compile("我.{0,3}(?:想要|希望|梦想|想成为)|我的(?:梦想|目标)")),
    ("identity", False, re.compile("我(?:是|的职业是|当)一?[名位个]?\\S{2,}")),
    ("possession", False, re.compile("我(?:有|养了)[一两二三四五几\\d]")),
    ("habit", True, re.compile("我.{0,3}(?:每天|经常|通常|习惯|总是)")),
)


def profile_of(retellings: Sequence[Retelling]) -> Iterator[ExtractedProfileItem]:
    """Statements about the speaker's likes, dislikes, goals, skills, origin and habits; at most one for a sentence.

    Habits are implicit traits, all else was said outright.
    """
    for retelling in retellings:
        if retelling.message.role != "user":
            continue
        for said in retelling.statements:
            for category, implicit, cue in (*_CUES, *_CHINESE_CUES):
                if cue.search(said.text):
                    statement = capitalised(said.told)
                    yield ExtractedProfileItem(retelling.speaker, statement, category, implicit, (retelling.index,))
                    break
