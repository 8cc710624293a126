"""Whom "he" or "she" means at the head of a sentence: the one person that the sentence before it names."""

import re
from collections.abc import Collection

from flows.extraction.wording.names import is_name, names_in, type_of
from flows.extraction.wording.substance import carries
from mneme.caseless import Caseless

_HEAD = Caseless(r"^(?P<lead>(?:(?:and|but|so|then|now|today|also|yes|no),? )*)(?P<who>he|she)(?P<short>['’](?:s|ll))?(?= )")
_HAS = re.compile(r"\s+(?:\w+ly\s+|just\s+|already\s+|never\s+|always\s+)?(?:been|got|had|gone|done|made|taken|\w{3,}ed)\b")
SOMEONE = (
    "sister|brother|mum|mom|dad|mother|father|son|daughter|wife|husband|friend|boss|manager|boyfriend|girlfriend|"
    "fianc[eé]e?|partner|doctor|vet|neighbou?r|kid|child|baby|aunt|uncle|cousin|niece|nephew|grand\\w+|teacher|coach|guy|man|"
    "woman|girl|boy|lady|dog|cat|puppy|pup|kitten|pet|artist|author|singer|player|colleague|coworker|roommate|mentor|"
    "therapist|veteran"
)
"""Nouns for one person, or an animal that is called "he" or "she"; a pattern."""
_SOMEONE = re.compile(  # who else may be meant
    rf"\b(?:(?:he|she|him|his|her|someone|somebody|everyone|who)\b|(?<!to the )(?:{SOMEONE})\b(?! (?-i:[A-Z])))",
    re.I,
)
_PLACE_BEFORE = Caseless(r"\b(?:in|at|from|near|around|the|an?|by|of|on|called|\d+)\s+$")
_OPENING = re.compile(r"^\W*((?!\w+ing\b)[A-Z][\w-]*)")


def with_antecedent(sentence: str, before: str, participants: Collection[str]) -> str:
    """The sentence with the pronoun at its head as a name, where there is one reading only; else as it is.

    >>> with_antecedent("He's asleep.", "I am home with Rex.", ())
    'Rex is asleep.'

    Args:
        sentence: any sentence.
        before: what was said directly before it: by the same speaker, or the question that it answers.
        participants: who speaks and listens, in lower case; "he" and "she" are others.
    """
    head = _HEAD.match(sentence)
    if head is None:
        return sentence
    name = _only_person(before, participants)
    if name is None:
        return sentence
    after = sentence[head.end() :]
    short = (head["short"] or "").lstrip("'’").lower()
    verb = {"": "", "ll": " will", "s": " has" if _HAS.match(after) else " is"}[short]
    return f"{sentence[: head.start('who')]}{name}{verb}{after}"


def _only_person(sentence: str, participants: Collection[str]) -> str | None:
    """The name of the one who can be meant; None for nobody or several."""
    if _SOMEONE.search(sentence):
        return None
    names = {name for name in names_in(sentence) if not _is_participant(name, participants)}
    opening = _OPENING.match(sentence)
    if opening and not _is_participant(opening[1], participants) and carries(opening[1].lower()) and is_name(opening[1]):
        names.add(opening[1])  # it may be a name: then there are two
    if len(names) != 1:
        return None
    [name] = names
    at = sentence.find(name)
    fits = name.replace(" ", "").replace("-", "").isalpha() and not name.isupper() and len(name.split()) <= 2
    placed = _PLACE_BEFORE.search(sentence, 0, max(at, 0)) or type_of(name, sentence) in ("location", "organisation")
    return name if fits and not placed and not (opening and opening[1] == name) else None


def _is_participant(name: str, participants: Collection[str]) -> bool:
    lowered = name.lower()
    return any(participant.startswith(lowered) or participant in lowered.split() for participant in participants)
