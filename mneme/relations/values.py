"""Values: the contents of slots, and their comparison. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping

from mneme.patterns import Patterns
from mneme.records import Claim
from mneme.relations.table import Table
from mneme.text import tokenise
from mneme.word_lists import GIVEN, PLACES

SAID = "said"
"""The attribute of what somebody said in so many words, which another statement corrects."""

PLANNED = "planned"
"""The value of a plan of which no day is told."""

UNREAD = "…"
"""The value of a state that is told without one that is read ("I live with my parents"). It takes no other's place."""

Found = tuple[str, str, str, bool]
"""A claim that was read: subject, attribute, value, and whether it ends."""

_WORDS = Patterns(__file__)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"fifteen": "15", "twenty": "20"}
_CHINESE_DIGITS = {character: str(number) for number, character in enumerate("零一二三四五六七八九")} | {"两": "2", "〇": "0"}
_SAYS_NOTHING = frozenset("the a an on at of in my our for to from is new".split())
_LEANS = _WORDS.words("leans")
_TITLES = frozenset("dr mr mrs ms prof".split())
_ARTICLES = frozenset("a an the and good best great bad terrible big huge better".split())
_OF_AN_ACT = frozenset("a an the my our some".split())
_POINTS = frozenset("it this that these those them him her you something anything everything more one ones there here".split())
_TONGUES = _WORDS.words("tongues")
# "My sister Ubered home": a verb, and no Fred, Ahmed or Reed.
_DID = re.compile(
    r"(?!(?:[a-z]*(?:fred|fried|hamm?ed|hmed)|[a-z]{0,4}eed|[tnjz]?ed|jared|syed|sayed|zayed|khaled|javed|mildred|obed|rashed|majed)$)\w+ed$",
    re.IGNORECASE,
)
_WITHIN_NAMES = frozenset("of the and & de la du".split())
_WITHIN_A_NAME = str.maketrans("", "", " .'-")
_NO_LIKING = frozenset("all both each being going getting up by here there still".split())
_MODEL = frozenset("pro air max mini plus ultra lts model edition lite ultra-wide hybrid gti lightning se".split())


def distinct_claims(found: Iterable[Found], sentence: str) -> Iterator[Claim]:
    """Make claims of what was found in a sentence, each once; none without a subject."""
    seen: set[tuple[str, str, str]] = set()
    for subject, attribute, value, ends in found:
        key = (subject, attribute, value)
        if subject and key not in seen:
            seen.add(key)
            yield Claim(subject=subject, attribute=attribute, value=value, ends=ends, evidence=sentence)


def cleaned(kind: str, text: str, low: str, words: Mapping[str, frozenset[str]], caseless: bool) -> str | None:
    """A value as it is claimed, without its article; None where a slot of this kind cannot hold it.

    Args:
        kind: of the slot: place, org, person, phrase, ...
        text: as said; ``low`` is the same in lower case.
        caseless: the whole sentence has no capitals, so that a name need not have one.
    """
    bare = text.strip(" .,'-*_~")
    match kind:
        case "place":
            bare = _WORDS.on_a_day.sub("", bare)
            if bare.endswith("ists"):  # "Patsy's moved to the Methodists"
                return None
            bare = bare if caseless else _WORDS.behind_a_name.sub("", bare)
            return _name(bare, words, caseless and not low.startswith(("the ", "a ", "an ")), 5, PLACES)
        case "somewhere":
            return UNREAD if cleaned("place", text, low, words, caseless) else None
        case "org":
            if low.startswith(("a ", "an ", "my ", "our ")) or (low.startswith("the ") and bare[4:5].islower()):
                kind_of = _phrase(bare)
                last = kind_of.split()[-1].lower() if kind_of else ""
                no_name = not kind_of or is_time(kind_of) or kind_of.split()[0].lower() in words["no_name"]
                return None if no_name or last in words["kin"] else kind_of
            return None if low.split()[0].endswith("ing") else _name(bare, words, caseless and not low.startswith("the "), 6)
        case "school":
            name = _name(bare, words, caseless, 6)
            told = name and (name.isupper() or name.lower() in PLACES)
            return name if told or not words["schools"].isdisjoint(low.split()) else None
        case "name":
            small = [part for part in bare.split() if part.islower() and part not in _WITHIN_NAMES]
            no_firm = small or bare.endswith(" job") or low in words["kin"] or low == "santa"
            return None if no_firm else _name(bare, words, False, 5)
        case "person" | "who":
            found = _name(bare, words, caseless, 3, GIVEN)
            return found if found and found.translate(_WITHIN_A_NAME).isalpha() else None
        case "given":
            acronym = bare.isupper() and len(bare) > 1
            if (
                not bare
                or acronym
                or _WORDS.obsessed.search(bare)
                or any(part.islower() for part in bare.split()[1:])
                or low.split()[-1] in words["no_person"]
                or _DID.match(bare.split()[0])
            ):
                return None
            return _name(bare, words, False, 3)
        case "trade":
            return _phrase(bare)
        case "known_trade":
            bare = _WORDS.determiner.sub("", bare)
            trade = bare.lower().split(" of ")[0].split()
            if (
                low.startswith(("my ", "our ", "your "))
                or not 0 < len(trade) <= 5
                or trade[-1] not in words["trades"]
                or trade[0].endswith("ing")
            ):
                return None
            is_ones_own = _ARTICLES.isdisjoint(trade) and not _leans(bare) and not low.startswith(("my ", "our ", "your "))
            return bare if is_ones_own else None
        case "known_food" | "inner_food":
            food = bare.lower().split()[-1:]
            known = food and not {food[0], food[0].removesuffix("s"), food[0].removesuffix("es")}.isdisjoint(words["foods"])
            return bare if known and not _WORDS.determiner.match(bare) and not _leans(bare) else None
        case "phrase":
            phrase = _phrase(bare)
            return phrase if phrase and phrase[0].isalpha() else None
        case "liking" | "food":  # of its kind: tea, hiking, cold coffee; not "the theme", "your dress", "Ann's plan", Mondays
            parts = bare.lower().split()
            named = bare[:1].isalpha() and not _WORDS.determiner.match(bare) and bare.split()[0] not in _NO_LIKING
            passing = is_time(bare) or "'s " in bare
            return bare if named and len(parts) <= 3 and _LEANS.isdisjoint(parts) and not passing else None
        case "title" | "lead":
            return bare if bare and len(bare.split()) <= 10 and not _leans(bare) else None
        case "tongue":
            return bare.capitalize() if bare.lower() in _TONGUES else None
        case "club":
            return _name(bare, words, False, 6)
        case "tool" | "known_tool" | "word":
            tool = _phrase(bare)
            return tool if tool and " and " not in tool and " or " not in tool else None
    return bare or None


def _phrase(bare: str) -> str | None:
    """A phrase of few words without its article; None where it leans on others."""
    bare = _WORDS.determiner.sub("", bare)
    return bare if bare and len(bare.split()) <= 5 and not _leans(bare) else None


def _name(
    bare: str, words: Mapping[str, frozenset[str]], caseless: bool, most: int, known: frozenset[str] | None = None
) -> str | None:
    """A name: it has a capital, and is no time and no word that leans on another; without capitals perhaps a known one."""
    bare = re.sub(r"^(?:the|an?) ", "", bare)
    parts = bare.split()
    first = parts[1:] if len(parts) > 1 and parts[0].lower() in _TITLES else parts  # "Dr Okafor"
    if not parts or len(parts) > most or _WORDS.time.match(bare) or first[0].lower() in words["no_name"]:
        return None
    if caseless and known is not None:
        return bare if bare.lower() in known else None
    if caseless:
        return bare if len(parts) <= 2 and parts[-1].lower() not in words["no_name"] and bare[0].isalpha() else None
    return bare if bare[0].isupper() or (bare[0].isdigit() is False and any(part[0].isupper() for part in parts[:1])) else None


def is_time(words: str) -> bool:
    """Tell whether words begin with those of a day or a season."""
    return _WORDS.time.match(words) is not None


def _leans(bare: str) -> bool:
    return bare.split()[0].lower() in _LEANS


def tool_kind(value: str, tools: Mapping[str, str]) -> str | None:
    """The kind of a tool that is known by name, without versions ("Postgres 16" is a database)."""
    words = value.lower().split()
    for length in range(min(3, len(words)), 0, -1):
        kind = tools.get(" ".join(words[:length]))
        if kind and all(word in _MODEL or any(map(str.isdigit, word)) for word in words[length:]):
            return kind
    return None


def same_value(attribute: str, one: str, other: str) -> bool:
    """Tell whether two values of an attribute say the same, so that the second is a repetition and no change.

    Case, articles, number words and marks do not count; a value that only says more or less of the same does not differ
    ("Lisbon", "Lisbon, Portugal"; "Friday", "Friday at 7").

    >>> same_value("home", "Lisbon", "lisbon, Portugal"), same_value("uses", "Postgres 15", "Postgres 16")
    (True, False)
    """
    first, second = (tokenise(one), tokenise(other)) if attribute == "habit" else (_compared(one), _compared(other))
    if first == second:
        return True
    if not first or not second:
        return False
    if attribute in ("phone number", "email", "birthday", "age", "team size", "company size", "status"):
        return first == second if attribute != "phone number" else "".join(first)[-7:] == "".join(second)[-7:]
    if _is_number(first) and _is_number(second):
        return _digits(first) == _digits(second)
    shorter, longer = sorted((set(first), set(second)), key=len)
    return shorter <= longer and not any(word.isdigit() and len(shorter) == 1 for word in shorter)


def says_more(one: str, other: str) -> bool:
    """Tell whether a value says what another does, and more.

    >>> says_more("cold coffee", "coffee"), says_more("coffee", "coffee")
    (True, False)
    """
    return set(_compared(one)) > set(_compared(other))


def _compared(value: str) -> list[str]:
    low = _WORDS.ordinal.sub("", _WORDS.thousands.sub("", value.casefold()))
    low = _WORDS.number_unit.sub(" ", low)
    low = re.sub(r"(?<=\d)k\b", "000", low)
    found = [_NUMBERS.get(word, _CHINESE_DIGITS.get(word, word)) for word in _WORDS.word.findall(low)]
    return [word for word in found if word not in _SAYS_NOTHING]


def _is_number(words: list[str]) -> bool:
    return any(word[0].isdigit() for word in words) and all(word[0].isdigit() or len(word) <= 2 for word in words)


def _digits(words: list[str]) -> list[str]:
    return [word for word in words if word[0].isdigit()]


def same_kind(found: list[Found]) -> list[Found]:
    """Give what was switched from and to one kind, that of either; without the old one, all of its kind end."""
    kind = next((attribute for _, attribute, _, _ in found if attribute != "uses"), "uses")
    found = [(subject, kind if attribute == "uses" else attribute, value, ends) for subject, attribute, value, ends in found]
    if kind != "uses" and not any(ends for *_, ends in found):
        found.insert(0, (found[0][0], kind, "", True))
    return found


def endings_first(found: list[Found]) -> list[Found]:
    """Order the claims of one match, endings first; one that names its value stands for one that does not."""
    closed = {attribute for _, attribute, value, ends in found if ends and value}
    return sorted((each for each in found if each[2] or each[1] not in closed), key=lambda each: not each[3])


def act(words: str, table: Table) -> str | None:
    """The name of an act, its words without articles: "buy a Tesla" is "buy tesla"; None for one that says too little."""
    low = [word for word in words.lower().replace("'s", "").split() if word not in _OF_AN_ACT]
    if len(low) < 2 or low[0] in table.words["vague_acts"] or not _POINTS.isdisjoint(low):
        return None
    return " ".join(low)
