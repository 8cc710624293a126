"""Of whom and of what an English clause speaks: people go by their names and kin, things by their noun phrases."""

import re

from mneme.relations.table import Table

SELF = frozenset({"i", "me", "we", "us", "my", "our"})
_BOTH = re.compile(r"^(?:me and |i and )?my (?P<kin>\w+)(?: and i| and me)?$")
_OF = re.compile(r"^(?P<head>[^\s]+(?: [^\s]+)?) (?:for|of|to|with|in|at) (?:the |our |my |an? )?(?P<rest>.+)$")
_JOURNEY = re.compile(r"\b(?:holiday|vacation|getaway|city break)$")
_TAIL = re.compile(r" (?:appointment|appt|date|time|day|itself)$")
_LEAD = re.compile(r"^(?:the|an?|my|our|this|that|his|her|their|new|current|upcoming|next|final|monthly|weekly|total) ")
_NO_THING = re.compile(
    r"\b(?:i|you|he|she|it|we|they|there|what|which|who|how|that|this|is|are|was|were|be|been|has|have|had|do|does|did|and|or|but|if|to|"
    r"in|on|at|from|by|with|about|than|as|before|after|not|all|one|ones|both|each|my|your|his|her|its|their|will|would|so|too|very|here|them)\b"
)
_ARTICLES = frozenset("a an the my our some".split())
_POINTS = frozenset("it this that these those them him her you something anything everything more one ones there here".split())
_NAME_WORD = re.compile(r"^[^\W\d_][^\W\d_'.-]*(?:[-'.][^\W\d_]+)*\.?$")


def person(words: str, speaker: str, table: Table, asked: bool = False) -> str | None:
    """Resolve a person: the speaker, somebody by name, or somebody's relative ("Mira's sister"); None if it is not certain.

    ``asked``: in a question, where the speaker has no name yet: "my sister" is "'s sister".
    """
    words = words.strip(" ,").removesuffix(" and others")
    low = words.lower()
    if low in SELF:
        return speaker if speaker or asked else None
    if " and " in low and (both := _BOTH.match(low)) and both["kin"] in table.words["kin"]:
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
        and _NAME_WORD.match(part) is not None
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
    while lead := _LEAD.match(low):
        low = low[lead.end() :]
    if joined := _OF.match(low):
        low = f"{joined['rest']} {joined['head']}"
    low = _JOURNEY.sub("trip", low)
    if " " in low:
        low = _TAIL.sub("", low)
    if not low or len(low.split()) > 4 or _NO_THING.search(low) or not low[0].isalnum() or not any(map(str.isalpha, low)):
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


def act(words: str, table: Table) -> str | None:
    """The name of an act, its words without articles: "buy a Tesla" is "buy tesla"; None for one that says too little."""
    low = [word for word in words.lower().replace("'s", "").split() if word not in _ARTICLES]
    if len(low) < 2 or low[0] in table.words["vague_acts"] or not _POINTS.isdisjoint(low):
        return None
    return " ".join(low)
