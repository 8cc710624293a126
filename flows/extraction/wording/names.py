"""Names in English sentences, by their capitals, and what kind of thing they seem to name."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from flows.extraction.wording.name_lists import AMBIGUOUS_NAMES, GIVEN_NAMES, NO_NAMES, PLACES
from flows.extraction.wording.substance import carries
from flows.extraction.wording.word_classes import is_adjective, is_adverb, is_verb
from mneme.caseless import Caseless
from mneme.guarded import Guarded
from mneme.text import STOP_WORDS, has_cjk

_RUN = re.compile(r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w'’&-]*(?:(?: (?:of|the|de|da|&)){0,2} [A-Z0-9][\w'’&-]*)*")
_TITLE = re.compile(r"[\"“]([A-Z][^\"”]{1,60})[\"”]")
_OPENING = re.compile(r"(?:^|[.:;!?…(\[\n/]|\s[-–•*])[\s\"'“‘]*$")
_OPENING_REACH = 8  # characters before a name in which it looks for that
_DIGIT = re.compile(r"\d")
_HONORIFIC = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof)\.? (?=[A-Z][\w-]+$)")
_COUNTED = re.compile(r"[A-Z][a-z]+ \d+")
_ENDING = re.compile(r"['’]s?$|-(?:based|related|like|style|born|themed)?$")
_CONNECTORS = frozenset("of the de da &".split())
_IN_NAMES = frozenset("Do No Up Out On Off In All Own Over Under Me".split())  # stop words that end a name: "Quan Do"
_SMALL = frozenset("a an the of and or in on at to for with from by de la".split())
_SHOUTED = 5  # letters from which a word in capitals is loud rather than an abbreviation
_ORGANISATION = Guarded(
    r"\b(?:Inc|Corp|Ltd|LLC|GmbH|Company|University|College|School|Academy|Institute|Hospital|Clinic|Bank|Club|Association|"
    r"Foundation|Team|Studios?|Agency|Council|Center|Centre|Church|Museum|Society|Group|Union|League|Party|Bakery|Café|Cafe|"
    r"Restaurant|Airlines?|Airways|Logistics|Systems|Technologies|Labs?|Partners|Ministry|Department|Police|Shelter|Library|"
    r"Orchestra|Kindergarten|NBA|NFL|NHL|FIFA|UEFA|NASA|Google|Microsoft|Amazon|Facebook|Nike|Gatorade|Adidas|"
    r"Door ?Dash|Uber|Netflix)\b"
)
_PLACE = Guarded(
    r"\b(?:Street|Avenue|Road|Park|Beach|Lake|Mountains?|Mount|Island|Islands|River|City|Bay|Valley|Canyon|"
    r"Tower|Falls|Coast|Hills?|"
    r"New York|County|Village|Square|Bridge|Castle|Palace|Desert|Forest|Harbou?r|Station|Airport|Wall|Cliffs|"
    r"Town|Peninsula|Ocean|"
    r"Sea|Region|Province|Trail|Northwest|Northeast|Midwest|Temple|Garden|Gardens|hall|Hall)\b"
)
_PLACE_BEFORE = Caseless(
    r"\b(?:in|to|from|near|around|across|through|visit(?:ing|ed)?|towards?|explor(?:e|ed|ing)|via|over)\s+(?:the )?$",
)
_PERSON_BEFORE = Caseless(
    r"\b(?:named|met|meet|friend|sister|brother|son|daughter|wife|husband|cousin|aunt|uncle|boss|colleague|mr\.?|mrs\.?|"
    r"ms\.?|dr\.?|prof\.?|coach|tell|told|ask|asked|invited?|actor|singer|author|writer|by|hug)\s+$",
)
_PERSON_AFTER = re.compile(
    r"^(?:,? (?:and|&) [A-Z]\w+)?\s+(?:said|says|told|asks|asked|thinks|thought|loves|likes|wants|wanted|"
    r"called|calls|invited|cried|"
    r"laughed|smiled|cooks|sings|agreed|agrees|takes|took|and I|(?:is|are|was|were) (?:moved|born|coming|happy|sick|ill))\b"
)
_KIND_WORDS = (
    ("book", Guarded(r"\b(?:books?|novels?|reads?|reading|author|trilogy|written by|wrote)\b", re.I)),
    ("film", Guarded(r"\b(?:movies?|films?|watch(?:ed|ing)?|cinema|screen)\b", re.I)),
    ("song", Guarded(r"\b(?:songs?|listen(?:ed|ing)?|albums?|lyrics|music)\b", re.I)),
    ("game", Guarded(r"\b(?:games?|gaming|play(?:ed|ing)?|console|boardgame)\b", re.I)),
    ("event", Guarded(r"\b(?:festivals?|parade|fest|conference|tournament|workshop|marathon|ceremony|event)\b", re.I)),
)
_EVENT = Guarded(r"\b(?:Fest|Festival|Parade|Pride|Conference|Summit|Marathon|Olympics|Cup|Championships?|Expo|Gala|Awards?)\b")


def is_name(words: str) -> bool:
    """Whether captured words look like a name rather than the beginning of a sentence; Chinese always does."""
    if has_cjk(words):
        return True
    lowered = words.lower().replace("’", "'")
    return _may_name(words) and (" " in words or carries(lowered) or lowered in GIVEN_NAMES)


def is_organisation(name: str) -> bool:
    """Whether a name says of itself that it is one of an organisation."""
    return _ORGANISATION.search(name) is not None


def is_place(name: str) -> bool:
    """Whether a name is known for a place, or says so of itself."""
    lowered = name.lower().removeprefix("the ")
    return lowered in PLACES or lowered.split()[-1] in PLACES or _PLACE.search(name) is not None


def names_in(sentence: str, known: Collection[str] = ()) -> Iterator[str]:
    """The names of a sentence: runs of capitalised words inside it, and titles in quotation marks.

    A single capitalised word that begins the sentence, or follows a colon, is no evidence of a name, unless it is among
    the ``known`` ones or does what people do ("Juno asks").
    """
    for name, ordinary in _candidates(sentence):
        if not ordinary or name in known:
            yield name


@lru_cache(maxsize=4_096)  # an episode asks for the same sentence several times
def _candidates(sentence: str) -> tuple[tuple[str, bool], ...]:
    """What may be names, each with whether its capital is only that of a sentence's beginning."""
    seen: dict[str, bool] = {}
    for title in _TITLE.finditer(sentence):
        if _is_title(title[1]):
            seen[title[1].strip(" .,")] = False
    for run in _RUN.finditer(sentence):
        names = _split(run[0])
        if not names or sentence[run.end() : run.end() + 1] in (":", "："):  # a heading
            continue
        opens = _OPENING.search(sentence, max(0, run.start() - _OPENING_REACH), run.start()) is not None
        for at, name in enumerate(names):
            first, _, rest = name.partition(" ")
            if opens and at == 0 and rest and _no_part_of_a_name(first):
                name = rest  # "Poor Rex", "Give Rex my love", "Wow Mel"
            if not _DIGIT.fullmatch(name[:1]) and not any(name in other for other in seen):
                begins = opens and at == 0 and run[0].startswith(name)
                seen[name] = begins and _is_ordinary(name, sentence[run.end() :])
    return tuple(seen.items())


def _is_ordinary(name: str, after: str) -> bool:
    """Whether a word with a capital that begins a sentence need not be a name, as far as its form and what follows tell."""
    if " " in name or name.isupper():
        return _COUNTED.fullmatch(name) is not None  # "Sampling 200 entries"
    lowered = name.lower()
    if lowered in PLACES or (lowered in GIVEN_NAMES and lowered not in AMBIGUOUS_NAMES):
        return False
    return not _someone_acts(name, after)


def type_of(name: str, sentence: str) -> str:
    """What a name stands for, by its own words, then by those around it in a sentence.

    ``person``, ``organisation``, ``location``, ``book``, ``film``, ``song``, ``game`` or ``event``; else ``object``.
    """
    if _HONORIFIC.match(name):
        return "person"
    at = max(sentence.find(name), 0)
    before, after = sentence[:at], sentence[at + len(name) :]
    quoted = before[-1:] in ('"', "“")
    if not quoted and _ORGANISATION.search(name):
        return "organisation"
    if not quoted and _EVENT.search(name):
        return "event"
    if is_place(name) and (not quoted or name.lower() in PLACES):
        return "location"
    if _PERSON_BEFORE.search(before) or _PERSON_AFTER.match(after) or name.split()[0].lower() in GIVEN_NAMES:
        return "person"
    titled = quoted or name.startswith("The ")
    if _PLACE_BEFORE.search(before) and not name.isupper() and not titled:
        return "location"
    kinds = [kind for kind, words in _KIND_WORDS if words.search(sentence)]
    return kinds[0] if len(kinds) == 1 or (kinds and titled) else "object"


def _no_part_of_a_name(word: str) -> bool:
    lowered = word.lower()
    return is_adjective(lowered) or is_verb(lowered) or is_adverb(lowered) or (not carries(lowered) and lowered != "the")


def _someone_acts(name: str, after: str) -> bool:
    """Whether a word that begins a sentence is somebody who speaks or feels: "Juno asks", not "Everybody says"."""
    return (
        _PERSON_AFTER.match(after) is not None
        and not name.lower().endswith(("body", "one", "ing", "s"))
        and not is_adjective(name.lower())
        and not is_verb(name.lower())
        and name.lower() not in ("people", "mom", "dad", "doctor", "teacher", "life", "nature", "music", "art", "boss")
    )


def _is_title(words: str) -> bool:
    """Whether what stands in quotation marks is written like a title: its words with capitals, small ones aside."""
    plain = words.split()
    capitals = sum(word[:1].isupper() or word[:1].isdigit() or word.lower() in _SMALL for word in plain)
    return len(plain) <= 8 and capitals == len(plain) and not words.endswith(("!", "?")) and words.lower() not in NO_NAMES


@lru_cache(maxsize=8_192)  # most runs are the first word of a sentence
def _split(run: str) -> Sequence[str]:
    """The names in a run of capitalised words, broken where a word cannot be part of one ("Yesterday I", "Now Ann")."""
    honorific = _HONORIFIC.match(run)
    if honorific:
        return (run,)
    names: list[list[str]] = [[]]
    for word in run.split(" "):
        plain = word if word.isalnum() else _ENDING.sub("", word)
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
    return tuple(name for name in trimmed if name and is_name(name))


def _may_name(word: str) -> bool:
    lowered = word.lower()
    if len(word) >= _SHOUTED and word.isalpha() and word.isupper() and word.isascii() and lowered not in GIVEN_NAMES:
        return False
    return word[:1].isupper() and len(word) > 1 and lowered not in NO_NAMES and lowered not in STOP_WORDS
