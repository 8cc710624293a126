"""What an English sentence says in passing of a price, a time, a home ...: open claims, which only a told change ends.

    I found a cleaner, she takes 15 euros an hour.      ->  open price: 15 euros (she takes 15 euros an hour)
    The cleaner wants 18 euros an hour now.             ->  ends open price of "cleaner"; open price: 18 (cleaner)

Other statements of the same attribute end none of them: there are many prices. What is told to change ends those that have
its words, and only where they agree on one value, and it is another (``told_to_change``).
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mneme.guarded import ByWord, Guarded
from mneme.records import Claim
from mneme.relations.english_clauses import is_unsure, lowered, prepared
from mneme.relations.table import expanded
from mneme.relations.values import compared, is_time
from mneme.text import tokenise

OPEN = "open:"
"""What the attributes of open claims begin with."""

_MARK = re.compile(r"[,;:()!?](?=\s|$)|\.(?=\s|$)|\s[-—]+\s|\s(?:and|but|so|because) (?=(?:i|we|it|he|she|they|you|the|my) )")
_POINTS = re.compile(r"^[\W\d_]*(?:(?:and|but|so|because) )?(?:it|she|he|they|that|which|this)\b")
_NOT_NOW = re.compile(
    r"\b(?:was|were|had|did|went|came|saw|met|took|paid|spent|yesterday|last (?:night|week|month|year|summer|time)|ago|once|"
    r"not|never|no longer|used to|tonight|this once|this week|today|tomorrow|only|exceptionally)\b"
)
_FOR_ONCE = re.compile(r"\b(?:tonight|once|this week|today|tomorrow|exceptionally|for now|this time)\b")
_REPORTED = re.compile(  # what they who decide say is no rumour
    r"\b(?:(?:the|my|our) (?:landlord|landlady|club|school|teacher|gym|pool|practice|dentist|doctor|coach|trainer|studio|"
    r"owner|agency|choir|clinic|company|boss)|they) (?:have |has |just )*(?:(?<!they )sa(?:id|ys|y)|told (?:me|us)|"
    r"wrote(?: to us| to me)?|announced|called|texted)(?: that| to say(?: that)?)?[,:]? ",
    re.IGNORECASE,
)
_AROUND = 300  # characters
_FEW = 3  # tokens of a clause that says too little alone
_NO_NAME = frozenset("i we the my our in on at and but so".split())


@dataclass(frozen=True, slots=True, eq=False)
class _Kind:
    attribute: str
    states: tuple[Guarded, ...]
    told: tuple[Guarded, ...]
    named: bool
    once: bool
    past: bool
    needs: tuple[Guarded, ...]
    cue: tuple[Guarded, ...]
    guard: tuple[Guarded, ...]
    cued: tuple[Guarded, ...]
    never: tuple[Guarded, ...]


@cache
def _kinds() -> tuple[_Kind, ...]:
    held = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

    def compiled(shapes: Iterable[str]) -> tuple[Guarded, ...]:
        return tuple(Guarded(expanded(each, held["fragments"])) for each in shapes)

    return tuple(
        _Kind(
            row["attribute"],
            compiled(row["states"]),
            compiled(row["told"]),
            row.get("named", False),
            row.get("once", False),
            row.get("past", False),
            compiled(row.get("needs", ())),
            compiled([row["cue"]] if "cue" in row else ()),
            compiled([row["guard"]] if "guard" in row else ()),
            compiled(row.get("cued", ())),
            compiled([row["never"]] if "never" in row else ()),
        )
        for row in held["open"]
    )


@cache
def _by_word() -> tuple[ByWord, tuple[_Kind, ...]]:
    """The shapes of all kinds by their words, and of which kind each is."""
    of = [(shape, kind) for kind in _kinds() for shape in (*kind.states, *kind.told, *kind.cued)]
    return ByWord(shape.pattern for shape, _ in of), tuple(kind for _, kind in of)


def open_claims(sentence: str, speaker: str, around: str = "") -> Iterator[Claim]:
    """The open claims of a sentence, those that end first.

    Args:
        sentence: as said.
        speaker: who says it; nobody's have none.
        around: the message that it is of: of that "it" is.
    """
    text = prepared(_REPORTED.sub(" ", sentence)) if speaker else None
    if not text:
        return
    low = lowered(text)
    shapes, kinds = _by_word()
    message = f"{around[:_AROUND].lower()} {low}"
    claimed: set[str] = set()
    for kind in dict.fromkeys(kinds[number] for number in shapes.worth_searching(low)):
        if kind.attribute in claimed:
            continue
        about = {"subject": speaker, "attribute": kind.attribute, "evidence": sentence}
        if (told := _told(kind, text, low, message)) is not None:
            topic, value = told
            claimed.add(kind.attribute)
            yield Claim(value=topic, ends=True, **about)
            if value:
                yield Claim(value=f"{value} ({topic})", **about)
        elif (stated := _stated(kind, text, low, message)) is not None:
            claimed.add(kind.attribute)
            yield Claim(value=stated, **about)


def told_to_change(standing: Iterable[str], topic: str, new: str) -> list[str]:
    """The standing values that a told change ends: those with all words of its topic, where they are one, and not the new one.

    >>> told_to_change(["85 euros (the swimming course is 85 euros)"], "course", "98 (course)")
    ['85 euros (the swimming course is 85 euros)']
    """
    named, _, near = topic.partition(" (")
    words, context = {*tokenise(named)}, {*tokenise(near)}
    about = []
    for each in standing:
        said = {*tokenise(each)}
        if words <= said and (not near or context & said):
            about.append(each)
    values = {_value(each) for each in about}
    is_new = not any(value <= _value(new) or value >= _value(new) for value in values if new)
    return about if len(values) == 1 and is_new else []


def _value(claimed: str) -> frozenset[str]:
    return frozenset(compared(claimed.partition(" (")[0]))


def _told(kind: _Kind, text: str, low: str, message: str) -> tuple[str, str] | None:
    cued = any(each.search(message) for each in kind.cue) and not any(each.search(low) for each in kind.guard)
    for shape in (*kind.told, *(kind.cued if cued else ())):
        if (match := shape.search(low)) is None:
            continue
        around = _around(low, match)
        if is_unsure(around) or _FOR_ONCE.search(around):
            continue
        groups = match.groupdict()
        topic, value = (_cut(kind, text, match, name) if groups.get(name) else "" for name in ("topic", "value"))
        if topic is None or value is None or ("topic" in groups and not tokenise(topic)):
            continue
        if "near" in groups:  # "it", or the old value alone: of what stands around
            others = {*tokenise(f"{message}")} - {*tokenise(value)}
            topic = f"{topic} ({' '.join(sorted(others))}"
        return topic, value
    return None


def _stated(kind: _Kind, text: str, low: str, message: str) -> str | None:
    if any(each.search(message) is None for each in kind.needs) or any(each.search(low) for each in kind.never):
        return None
    for shape in kind.states:
        found = [each for each in shape.finditer(low) if _cut(kind, text, each, "value")]
        if not found or (kind.once and len(found) > 1):
            continue
        around = _around(low, found[0])
        if not kind.past and (is_unsure(around) or _NOT_NOW.search(around)):
            continue
        return f"{' '.join(_cut(kind, text, each, 'value') or '' for each in found)} ({around})"
    return None


def _cut(kind: _Kind, text: str, match: re.Match[str], name: str) -> str | None:
    """A group as it was said; of a name what has a capital, None where a value has none."""
    said = text[match.start(name) : match.end(name)]
    if not kind.named:
        return said
    parts = said.removesuffix("'s").split()
    if parts[0][0].isupper() and parts[0].lower() not in _NO_NAME and not is_time(said):
        return " ".join(part for part in parts if part[0].isupper())
    return said if name == "topic" else None


def _around(low: str, match: re.Match[str]) -> str:
    """The clauses that a match is in, and the one before of which they say "it"."""
    marks = [each.start() for each in _MARK.finditer(low)]
    starts = [0, *(each + 1 for each in marks if each < match.start())]
    end = min((each for each in marks if each >= match.end()), default=len(low))
    few = _POINTS.match(low[starts[-1] : end]) or len(tokenise(low[starts[-1] : end])) <= _FEW
    start = starts[-2] if few and len(starts) > 1 else starts[-1]
    return low[start:end].strip()
