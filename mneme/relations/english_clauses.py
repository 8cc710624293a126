"""Clauses of an English sentence, made ready for the table, and of whom and of what they speak.

What claims nothing is taken away, denial and contrast are written one way. People go by their names and kin, things by their
noun phrases.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mneme.languages import is_doubted
from mneme.patterns import Cues, Patterns, words_of
from mneme.relations.table import Table

_LONGEST = 800  # characters that are read
_QUOTES = str.maketrans("’‘“”‑–", "''\"\"--")
_CUES = Cues(__file__)
_WORDS = Patterns(__file__)
_NOT_CERTAIN = _WORDS.words("not_certain")
_MADE_UP = _WORDS.words("made_up")
_ONLY_UNCERTAIN = _WORDS.words("only_uncertain")
_CONTRACTIONS = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "ain't": "is not", "i'm": "I am",
    "im": "I am", "ive": "I have", "dont": "do not", "doesnt": "does not", "isnt": "is not", "didnt": "did not",
    "wasnt": "was not", "cant": "can not",
    "thats": "that is", "hes": "he is", "shes": "she is", "theyre": "they are", "havent": "have not", "hasnt": "has not",
    "arent": "are not", "n": "and", "wont": "will not",
    "cannae": "can not", "dinnae": "do not", "isnae": "is not",
    "gonna": "going to", "let's": "let us", "i'd": "I would", "where's": "where is", "u": "you",
}  # fmt: skip
_ENDINGS = {"n't": " not", "'ve": " have", "'re": " are", "'ll": " will"}
_OF_A_NAME, _NAME_REACH = re.compile(r" (?:at|for|near|from) [A-Z][\w-]*$"), 40  # characters
_UNSURE = _WORDS.words("unsure")


@dataclass(frozen=True, slots=True)
class Part:
    """The words between two marks of a sentence, as said, and in lower case (equally long).

    ``over``: it is told as no longer so. ``ahead``: as to come. ``several``: beside another of its kind. ``changed``: as new.
    ``intended``: only as planned. ``numbers``: of the patterns that may fit.
    """

    text: str
    low: str
    over: bool = False
    ahead: bool = False
    several: bool = False
    changed: bool = False
    numbers: tuple[int, ...] = ()
    intended: bool = False


def written_out(sentence: str) -> str | None:
    """A sentence with contractions written out; None for one that asks or quotes.

    >>> written_out("I'm in Rome, and Ann's not.")
    'I am in Rome, and Ann is not'
    """
    text = _WORDS.blanks.sub(" ", sentence[:_LONGEST].translate(_QUOTES)).strip()
    if _WORDS.asks.search(text):
        return None
    text = text.rstrip(" .!…~")
    if '"' in text:
        if any(len(quoted.split()) > 5 or quoted[:2] in ("I ", "I'") for quoted in _WORDS.quoted.findall(text)):
            return None
        text = text.replace('"', "")
    return _CUES.short_is.sub(_is_or_own, _CUES.contraction.sub(_written_out, text))


def _is_or_own(short: re.Match[str]) -> str:
    """Write out " is"; after "at" and the like it is of a name: "works at Sainsbury's in Reading"."""
    return short[0] if _OF_A_NAME.search(short.string[max(0, short.start() - _NAME_REACH) : short.start()]) else " is"


def is_made_up(low: str) -> bool:
    """Tell whether a sentence in lower case is of a story or asks for a text, so that nobody in it need exist."""
    return not words_of(low).isdisjoint(_MADE_UP)


def asserted(text: str) -> str | None:
    """The part of a sentence, written out, that claims for certain; None where that is nothing.

    >>> asserted("I am in Rome"), asserted("If I am in Rome")
    ('I am in Rome', None)
    """
    text = _CUES.aside.sub("", text)
    low = _CUES.agreed.sub("agreed", text.lower())
    if _is_uncertain(low):
        text = _before_doubt(text)
    return _contrasted(text) if text else None


def _is_uncertain(low: str) -> bool:
    words = words_of(low)
    phrase = not words.isdisjoint(_ONLY_UNCERTAIN) and _WORDS.uncertain_phrase.search(low)
    return not words.isdisjoint(_NOT_CERTAIN) or bool(phrase) or is_doubted(low)


def _before_doubt(text: str) -> str:
    """The words asserted before a part that asks or tells of others: "I'm in Leeds, tell me if you need a lift"."""
    starts = [0, *(mark.end() for mark in _WORDS.parts.finditer(text))]
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = lowered(text[begin:end])
        if _is_uncertain(_CUES.agreed.sub("agreed", part)):
            return text[:begin].rstrip(" ,;:-") if _WORDS.asks_of_others.match(part) else ""
    return ""


def _written_out(short: re.Match[str]) -> str:
    low = short[0].lower()
    return _ENDINGS.get(low) or _CONTRACTIONS[low]


def lowered(text: str) -> str:
    """In lower case, as long as it was."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(one.lower() if len(one.lower()) == 1 else one for one in text)


def without_adverbs(text: str) -> str:
    """Text without words that change nothing: "now" stays where it makes a time ("is now on Friday")."""
    return _WORDS.adverbs.sub("", text)


def parts(text: str, table: Table) -> Iterator[Part]:
    """The parts of a prepared sentence that assert something, each with the patterns of the table that may fit it."""
    of_today = _WORDS.passing.search(lowered(text)) is not None
    unsure_before = False
    corrected = _CUES.corrected.search(text) is not None
    for piece in _WORDS.parts.split(text):
        if not piece:
            continue
        low = lowered(piece)
        intended = _CUES.intends.search(low) is not None
        asserted = _CUES.intends.sub("", low) if intended else low
        words = words_of(asserted)
        unsure = (
            not words.isdisjoint(_UNSURE) or _CUES.may.search(asserted) is not None or _WORDS.can.search(asserted) is not None
        )
        unsure = unsure or _CUES.want.search(asserted) is not None
        if unsure and not low.startswith(("i ", "we ", "the ", "my ")):
            unsure_before = True
        elif low.startswith(("i ", "we ", "my ", "our ")):
            unsure_before = unsure
        if unsure or unsure_before:
            unsure_before = True
            continue
        numbers = table.said_index.candidates(low)
        if of_today:  # what is said of today alone does not last
            numbers = [number for number in numbers if "lasting" not in table.said[number].flags]
        if not numbers:
            if low.startswith(("i ", "we ")):
                yield Part(piece, low)
            continue
        several = _CUES.several.search(low) is not None or (_WORDS.also.search(low) is not None and "work" in low)
        ahead = _WORDS.ahead.search(low) is not None
        bare = _WORDS.adverbs.sub("", " " + _lower_first(piece)).strip()
        bare, over = _without_denial(bare)
        lead = _WORDS.leading.match(lowered(bare))
        bare = bare[lead.end() :] if lead else bare
        if bare := bare.strip():
            yield Part(
                bare,
                lowered(bare),
                over,
                ahead,
                several,
                corrected or _CUES.changed.search(low) is not None,
                tuple(numbers),
                intended,
            )


def _lower_first(text: str) -> str:
    """Adverbs are looked for in lower case; one that begins a sentence has a capital."""
    first, blank, rest = text.partition(" ")
    return f"{first.lower()}{blank}{rest}" if blank and _WORDS.adverbs.fullmatch(first.lower()) else text


def _contrasted(text: str) -> str:
    """ "Not X but Y" and "not X, it is Y" as "Y not X"."""
    if " not " not in text and " instead of " not in text and " rather than " not in text:
        return text
    text = _WORDS.contrast.sub(r"\g<be> \g<new> not \g<old>", text)
    text = _WORDS.later.sub(r"\g<be> \g<new> not \g<old>", text)
    return re.sub(r"(?:,| -) (?=(?:not|instead of|rather than) )", " ", text)


def _without_denial(text: str) -> tuple[str, bool]:
    """A clause without its "no longer", and whether it had one."""
    low = lowered(text)
    if "no longer " in low:
        return re.sub(r"\bno longer ", "", text, count=1), " not " not in low
    if _WORDS.over.search(low):
        if " not " not in low:
            return text, False
        text = _WORDS.over.sub("", text)
        return _WORDS.be_not.sub("", _WORDS.do_not.sub("", text, count=1), count=1).replace("  ", " ").strip(), True
    if _CUES.used_to.search(low):
        return _CUES.used_to.sub("", text, count=1), True
    if _CUES.stopped.search(low):
        return _CUES.stopped.sub("am ", text, count=1), True
    return text, False


def joints(low: str) -> list[int]:
    """The places at which a part of a sentence goes on with another clause."""
    return [joint.end() for joint in _WORDS.joints.finditer(low)]


SELF = frozenset({"i", "me", "we", "us", "my", "our"})


def person(words: str, speaker: str, table: Table, asked: bool = False) -> str | None:
    """Resolve a person: the speaker, somebody by name, or somebody's relative ("Mira's sister"); None if it is not certain.

    ``asked``: in a question, where the speaker has no name yet: "my sister" is "'s sister".
    """
    words = words.strip(" ,").removesuffix(" and others")
    low = words.lower()
    if low in SELF:
        return speaker if speaker or asked else None
    if " and " in low and (both := _WORDS.both.match(low)) and both["kin"] in table.words["kin"]:
        return speaker if speaker or asked else None
    if low in table.words["bare_kin"]:
        return f"{speaker}'s {low}" if speaker or asked else None
    if low.endswith("'s") or low.endswith("s'"):
        return person(words[:-2] if low.endswith("'s") else words[:-1], speaker, table, asked)
    if low.startswith(("my ", "our ")):
        return _kin(speaker, words.split()[1:], table) if speaker or asked else None
    owner, mark, rest = words.partition("'s ")
    if mark:
        named = person(owner, speaker, table, asked)
        return _kin(named, rest.split(), table) if named is not None else None
    return words if low not in table.words["kin"] and _is_name(words, table) else None


def _kin(owner: str, words: list[str], table: Table) -> str | None:
    while words and words[0].lower() in table.words["kin_adjective"]:
        words = words[1:]
    if not words or words[0].lower().removesuffix("'s") not in table.words["kin"]:
        return None
    if len(words) == 1:
        return f"{owner}'s {words[0].lower()}"
    if words[0].endswith("'s"):
        return _kin(f"{owner}'s {words[0].lower().removesuffix(chr(39) + 's')}", words[1:], table)
    name = " ".join(words[1:])
    return name if _is_name(name, table) else None


def _is_name(words: str, table: Table) -> bool:
    parts = words.split()
    return 0 < len(parts) <= 3 and all(
        part[0].isupper()
        and _WORDS.name_word.match(part) is not None
        and part.lower().strip(".") not in table.words["not_a_subject"]
        and (len(part) == 1 or not part.isupper() or len(part) > 4)
        for part in parts
    )


def thing(words: str, table: Table, determined: bool, event: bool) -> tuple[str, bool] | None:
    """A thing by its noun phrase: "the budget for the kitchen" is "kitchen budget"; and whether it is a person's own.

    Args:
        determined: an article or owner stands before it; without one it must be a kind of event that is known.
        event: it must be one in any case ("the trip is off", not "the light is off").
    """
    low = words.lower().replace("'s ", " ").strip(" ,'")
    while lead := _WORDS.lead.match(low):
        low = low[lead.end() :]
    if joined := _WORDS.of.match(low):
        low = f"{joined['rest']} {joined['head']}"
    if " " in low:
        low = _WORDS.tail.sub("", low)
    if not low or len(low.split()) > 4 or _WORDS.no_thing.search(low) or not low[0].isalnum() or not any(map(str.isalpha, low)):
        return None
    head = low.split()[-1]
    singular = head.removesuffix("s")
    known = any(
        each in table.words[name]
        for each in (head, singular, low.replace(" ", "-"))
        for name in ("events", "one_of_a_kind", "amounts")
    )
    if (
        head in table.words["vague"]
        or singular in table.words["vague"]
        or ((event or not determined) and not known and not (not event and any(map(str.isdigit, head))))
    ):
        return None
    if low in table.words["not_things"]:
        return None
    own = any(word in table.words["own"] for word in (low.replace(" ", "-"), *low.split()))
    return low, own
