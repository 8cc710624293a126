"""counting: what may be one of those that a question counts, each to be searched for by itself. Pure.

"How many tournaments did Ann win?" is answered by statements that name a tournament each, and what one search says of the
first may hide the second. What the best of a first search names, in quotes or with a capital, is asked for alone, together
with what is counted.
"""

import re

from queries.agents.evidence import Evidence
from queries.agents.joint.features import forms, named
from queries.questions.types import QuestionType, question_type

_LOOKED_AT = 10
_ITEM = re.compile(
    r"[\"“「《](?P<quoted>[^\"”」》]{2,60})[\"”」》]|(?<![.!?:\"“] )(?<!^)\b(?P<name>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)"
)
_NO_ITEM = re.compile(
    r"^(?:I|I'm|I've|I'd|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|"
    r"September|October|November|December)\b"
)


def counts(question: str) -> bool:
    """Whether a question asks how many there are, or for all of a kind."""
    return question_type(question) is QuestionType.COUNTING


def items(question: str, found: Evidence) -> tuple[str, ...]:
    """What the best of what was found names and the question does not, most often named first; no people who took part."""
    people = {part for each in found.episodes().values() for person in each.participants for part in (person, *person.split())}
    seen: dict[str, int] = {}
    for place in found.places(_LOOKED_AT):
        for match in _ITEM.finditer(place.item.text):
            name = (match["quoted"] or match["name"]).strip(" .,!?，。")
            if len(name) > 1 and not _NO_ITEM.match(name) and name not in people and name.lower() not in question.lower():
                seen[name] = seen.get(name, 0) + 1
    return tuple(sorted(seen, key=lambda name: -seen[name]))


def item_queries(question: str, found: Evidence, count: int) -> tuple[str, ...]:
    """A query for each of the ``count`` items that are named most: the words of the question, and the item.

    None where the question counts nothing, or nothing has a name.
    """
    if not counts(question):
        return ()
    words = forms(question, named(question, found))[2]
    return tuple(f"{words} {item}" for item in items(question, found)[:count])
