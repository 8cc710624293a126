"""Names in English sentences, by their capitals, and what kind of thing they seem to name."""

import re
from collections.abc import Iterator

from flows.extraction.substance import carries
from flows.extraction.word_classes import is_adjective, is_verb
from mneme.dates.spans import MONTHS, WEEKDAYS
from mneme.text import STOP_WORDS, has_cjk

_RUN = re.compile(r"[A-Z][\w'’&-]*(?:(?: (?:of|the|de|da|&)){0,2} [A-Z0-9][\w'’&-]*)*")
_TITLE = re.compile(r"[\"“]([A-Z][^\"”]{1,60})[\"”]")
_OPENING = re.compile(r"(?:^|[.:;!?…(\[\n/]|\s[-–•*])[\s\"'“‘]*$")
_DIGIT = re.compile(r"\d")
_CONNECTORS = frozenset("of the de da &".split())
_IN_NAMES = frozenset("Do No Up Out On Off In All Own Over Under Me".split())  # stop words that end a name: "Quan Do"
_NO_NAME = (
    frozenset(
        """christmas halloween easter thanksgiving god mr mrs ms dr mom dad mum grandma grandpa tv ai pm am diy faq asap btw fyi
        thankfully luckily fortunately unfortunately sadly eventually suddenly obviously apparently basically clearly hopefully
        wish guess perfect remember realizing whenever woohoo woo ugh woah whoa hmm nah haha hahaha plus since sometimes dear
        congratulations mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sept sep oct nov dec asked
        spanish english french german italian chinese japanese russian american british canadian european african asian mexican
        indian midwestern""".split()
    )
    | {name.lower() for name in MONTHS}
    | {form for day in WEEKDAYS for form in (day, f"{day}s")}
)
_PLACES = frozenset(
    """africa america asia europe australia canada china england france germany india ireland italy japan korea mexico norway
    scotland spain sweden switzerland thailand turkey uk usa us wales brazil argentina egypt greece iceland netherlands portugal
    russia singapore vietnam nyc london paris rome berlin madrid barcelona lisbon vienna prague amsterdam dublin edinburgh tokyo
    kyoto osaka beijing shanghai shenzhen guangzhou hangzhou chengdu seoul bangkok mumbai delhi sydney melbourne toronto
    vancouver montreal chicago boston seattle houston dallas austin denver miami atlanta phoenix portland philadelphia detroit
    california texas florida oregon michigan ohio arizona nevada utah colorado hawaii alaska massachusetts washington""".split()
)
_ORGANISATION = re.compile(
    r"\b(?:Inc|Corp|Ltd|LLC|GmbH|Company|University|College|School|Academy|Institute|Hospital|Clinic|Bank|Club|Association|"
    r"Foundation|Team|Studios?|Agency|Council|Center|Centre|Church|Museum|Society|Group|Union|League|Party)\b"
)
_PLACE = re.compile(
    r"\b(?:Street|Avenue|Park|Beach|Lake|Mountains?|Island|River|City|Bay|Valley|Canyon|Tower|Falls|Coast|Hills?|New York)\b"
)
_PLACE_BEFORE = re.compile(
    r"\b(?:in|to|from|near|around|across|through|visit(?:ing|ed)?|towards?|explor(?:e|ed|ing))\s+$", re.IGNORECASE
)
_PERSON_BEFORE = re.compile(
    r"\b(?:named|with|met|meet|friend|sister|brother|son|daughter|wife|husband|cousin|aunt|uncle|boss|colleague|mr\.?|mrs\.?|"
    r"ms\.?|dr\.?|prof\.?|coach|tell|told|ask|asked|invited?)\s+$",
    re.IGNORECASE,
)
_PERSON_AFTER = re.compile(r"^\s+(?:said|says|told|asked|thinks|thought|loves|likes|wants|called|invited|and I)\b")


def is_name(words: str) -> bool:
    """Whether captured words look like a name rather than the beginning of a sentence; Chinese always does."""
    if has_cjk(words):
        return True
    lowered = words.lower().replace("’", "'")
    return _may_name(words) and (" " in words or carries(lowered))


def names_in(sentence: str) -> Iterator[str]:
    """The names of a sentence: runs of capitalised words inside it, and titles in quotation marks.

    A single capitalised word that begins the sentence, or follows a colon, is no evidence of a name.
    """
    seen: dict[str, None] = {}
    for title in _TITLE.finditer(sentence):
        if len(title[1].split()) <= 8 and not title[1].endswith(("!", "?")):
            seen[title[1].strip(" .,")] = None
    for run in _RUN.finditer(sentence):
        if sentence[run.end() : run.end() + 1] in (":", "："):  # a heading
            continue
        opens = _OPENING.search(sentence, 0, run.start()) is not None
        for at, name in enumerate(_split(run[0])):
            first, _, rest = name.partition(" ")
            if opens and at == 0 and rest and (is_adjective(first.lower()) or is_verb(first.lower())):
                name = rest  # "Poor Rex", "Give Rex my love"
            ordinary = opens and at == 0 and run[0].startswith(name) and " " not in name and not name.isupper()
            if not ordinary and not _DIGIT.search(name) and not any(name in known for known in seen):
                seen[name] = None
    yield from seen


def type_of(name: str, sentence: str) -> str:
    """``organisation``, ``location``, ``person`` or ``object``, by the name's own words, then by those around it."""
    if _ORGANISATION.search(name):
        return "organisation"
    if _PLACE.search(name) or name.lower() in _PLACES:
        return "location"
    at = max(sentence.find(name), 0)
    before, after = sentence[:at], sentence[at + len(name) :]
    if _PERSON_BEFORE.search(before) or _PERSON_AFTER.match(after):
        return "person"
    return "location" if _PLACE_BEFORE.search(before) and not name.isupper() else "object"


def _split(run: str) -> list[str]:
    """The names in a run of capitalised words, broken where a word cannot be part of one ("Yesterday I", "Now Ann")."""
    names: list[list[str]] = [[]]
    for word in run.split(" "):
        plain = re.sub(r"['’]s?$", "", word)
        if word in _CONNECTORS:
            if names[-1]:
                names[-1].append(word)
        elif _may_name(plain) or (names[-1] and (word.isdigit() or word in _IN_NAMES)):
            names[-1].append(plain)
            if plain != word:  # a possessive ends a name
                names.append([])
        else:
            names.append([])
    trimmed = [" ".join(words).removesuffix(" the").removesuffix(" of") for words in names]
    return [name for name in trimmed if name and is_name(name)]


def _may_name(word: str) -> bool:
    lowered = word.lower()
    return word[:1].isupper() and len(word) > 1 and lowered not in _NO_NAME and lowered not in STOP_WORDS
