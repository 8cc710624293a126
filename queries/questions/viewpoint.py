"""A question as the person it asks about would put it: "What did Ann research?" becomes "What did I research?". Pure.

People speak of themselves as "I", and a small embedder gives a name in the question more weight than what is asked: on LoCoMo
(development conversations) the cosine of the facts alone finds 48 % of the evidence in the first ten messages with the
question as it is, and 66 % from the speaker's viewpoint. Who is asked about is told by other means (``Question.names``).
"""

import re
from collections.abc import Callable, Iterable

from mneme.text import has_cjk
from queries.questions.people import occurrences

_OWNS = re.compile(r"['’]s\b|的")
_TOGETHER = re.compile(r"\bI (?:and|or|&) I\b|我[和跟与]我")
_NAME = r"[A-Z][a-z]+(?:[-'’][A-Z][a-z]+){0,3}(?: [A-Z][a-z]+){0,5}"  # limits: an endless list costs no square
_AUXILIARY = "am|is|are|was|were|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would"
_SUBJECT = re.compile(  # "did Ann and Bob go", "Ann's": who is asked about, and not "Paris" or "Flask"
    rf"(?<![\w'’-])(?i:{_AUXILIARY}) (?P<first>{_NAME})(?: (?:and|or|&) (?P<second>{_NAME}))?(?![\w-])"
    rf"|(?<![\w'’-])(?P<owner>{_NAME})(?=['’]s\b)"
)
_NO_NAMES = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday christmas easter i what who when where why how which""".split()
)


def likely_people(text: str) -> tuple[str, ...]:
    """What stands where a person would: behind the verb that begins a question, or before an "'s"; no months and days.

    >>> likely_people("When did Mei Lin paint Jo's house in Paris?")
    ('Mei Lin', 'Jo')
    """
    found = (name for match in _SUBJECT.finditer(text) for name in match.groups() if name)
    return tuple(dict.fromkeys(name for name in found if name.split()[0].lower() not in _NO_NAMES))


def from_viewpoint(text: str, people: Iterable[str]) -> str:
    """The question as these people would ask it about themselves; the same text if it names none of them.

    >>> from_viewpoint("What did Ann's sister and Bob plan?", ["Ann Lee", "Bob"])
    'What did my sister and I plan?'
    """

    def speaker(name: str, owns: bool) -> str:
        if has_cjk(name):
            return "我的" if owns else "我"
        return "my" if owns else "I"

    told = _replaced(text, people, speaker)
    return _TOGETHER.sub(lambda both: "我们" if has_cjk(both[0]) else "we", told)


def without_names(text: str, people: Iterable[str]) -> str:
    """The question without the names of these people; the same text if nothing else is in it.

    >>> without_names("What did Ann's sister say?", ["Ann Lee"]), without_names("Ann?", ["Ann"])
    ('What did sister say?', 'Ann?')
    """
    left = _replaced(text, people, lambda name, owns: "")
    return left if any(character.isalnum() for character in left) else text


def _replaced(text: str, people: Iterable[str], with_: Callable[[str, bool], str]) -> str:
    """With every name of these people replaced, an "'s" or 的 behind it too; ``with_`` gets the name and whether it owns."""
    spans = sorted({span for person in people for span in occurrences(text, person)})
    parts, end = [], 0
    for begins, ends in spans:
        if begins < end:
            continue
        owns = _OWNS.match(text, ends)
        parts += [text[end:begins], with_(text[begins:ends], owns is not None)]
        end = owns.end() if owns else ends
    return " ".join("".join([*parts, text[end:]]).split()) if parts else text
