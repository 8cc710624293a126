"""Names in English sentences, by their capitals, and what kind of thing they seem to name."""

import re
from collections.abc import Iterator

from mneme.dates.spans import MONTHS, WEEKDAYS
from mneme.text import STOP_WORDS

_RUN = re.compile(r"[A-Z][\w'’&-]*(?:(?: (?:of|the|de|da|&|and the))? [A-Z0-9][\w'’&-]*)*")
_TITLE = re.compile(r"[\"“]([A-Z][^\"”]{1,60})[\"”]")
_NO_NAME = frozenset(
    """i i'm i've i'd i'll hey hi hello yeah yes no ok okay wow thanks thank oh so and but also well sure great good nice congrats
    cool awesome lol omg haha yep yup nope plus maybe hope can't don't let's it's that's what's sounds looks just gonna love
    christmas halloween easter thanksgiving god mr mrs ms dr monday tuesday mom dad mum grandma grandpa tv ai pm am diy faq asap
    btw fyi image photo having being seeing getting going making taking keep see check take come give definitely absolutely
    totally really hopefully btw anyway actually honestly recently lately guess glad happy sorry good morning friends kids
    spanish english french german italian chinese japanese american british canadian european african asian mexican indian""".split()
) | frozenset(name.lower() for name in MONTHS) | frozenset(WEEKDAYS)  # fmt: skip
_ORGANISATION = re.compile(
    r"\b(?:Inc|Corp|Ltd|LLC|GmbH|Company|University|College|School|Academy|Institute|Hospital|Clinic|Bank|Club|Association|Foundation|"
    r"Team|Studio|Studios|Agency|Council|Center|Centre|Church|Museum|Society|Group|Union|League|Party)\b"
)
_PLACE = re.compile(
    r"\b(?:Street|Avenue|Park|Beach|Lake|Mountain|Mountains|Island|River|City|Bay|Valley|Canyon|Tower|Falls|Coast|Hills?)\b"
)
_PLACE_BEFORE = re.compile(
    r"\b(?:in|to|from|near|around|across|through|visit(?:ing|ed)?|toward|towards|explor(?:e|ed|ing))\s+$", re.I
)
_PERSON_BEFORE = re.compile(
    r"\b(?:named|called|with|met|meet|friend|sister|brother|son|daughter|wife|husband|cousin|aunt|uncle|mom|dad|boss|colleague|"
    r"mr\.?|mrs\.?|ms\.?|dr\.?|prof\.?|coach|call|tell|told|ask|asked|invited?)\s+$",
    re.I,
)
_PERSON_AFTER = re.compile(r"^\s+(?:said|says|told|asked|thinks|thought|loves|likes|wants|called|invited|and I\b)")


def is_name(word: str) -> bool:
    """Whether a captured word or words look like a name rather than the beginning of a sentence."""
    lowered = word.lower().replace("’", "'")
    return word[:1].isupper() and len(word) > 1 and lowered not in _NO_NAME and lowered not in STOP_WORDS


def names_in(sentence: str) -> Iterator[str]:
    """The names of a sentence: runs of capitalised words inside it, and titles in quotation marks.

    A single capitalised word that begins the sentence is no evidence of a name.
    """
    seen: dict[str, None] = {}
    for title in _TITLE.finditer(sentence):
        seen[title[1].strip(" .,!?")] = None
    start = next((at for at, character in enumerate(sentence) if character.isalnum()), 0)
    for run in _RUN.finditer(sentence):
        words = run[0].split(" ")
        while words and not is_name(words[0]):  # "Yesterday Ann", "The Hobbit" keeps its article only inside quotes
            words.pop(0)
        name = re.sub(r"['’]s?$", "", " ".join(words))
        opens = run.start() == start and len(words) == len(run[0].split(" "))
        if not name or (opens and len(words) == 1 and not name.isupper()) or len(name) < 2:
            continue
        if not any(name in title for title in seen):
            seen[name] = None
    yield from seen


def type_of(name: str, sentence: str) -> str:
    """``organisation``, ``location``, ``person`` or ``object``, by the name's own words, then by those around it."""
    if _ORGANISATION.search(name):
        return "organisation"
    if _PLACE.search(name):
        return "location"
    at = sentence.find(name)
    before, after = sentence[: max(at, 0)], sentence[at + len(name) :]
    if _PERSON_BEFORE.search(before) or _PERSON_AFTER.match(after):
        return "person"
    if _PLACE_BEFORE.search(before) and not name.isupper():
        return "location"
    return "object"
