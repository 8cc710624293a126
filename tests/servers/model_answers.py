"""What the model server answers: made from the text of the request and nothing else, so that a test can foresee it.

A chat answer fills the JSON schema it was asked for: fields are recognised by their names. Messages are the numbered
lines of the user message, each under its time (flows/cuts.py) or with it:

    Sun 2026-03-01 09:00 UTC
    3 Anna (assistant): Good morning                     (also with ``open`` or ``ahead`` instead of the number)
    [3] 2026-03-01T09:00+00:00 Anna (assistant): Good morning

Facts are their sentences with the speaker (of an episode: the longest of each message), boundaries lie where more than
an hour passes between two of them. Pairs of statements (the model judge) are the same if they have the same words;
the newer replaces the older if it has most of its words and one that says so ("now", "no longer"). What a planner of
searches decides is in planner_answers.py.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from mneme.text import tokenise
from tests.servers.planner_answers import plan, plans

BOUNDARY_GAP = timedelta(hours=1)
_FACT_WORDS = 9  # with the speaker's name: on LoCoMo a fact for two of three messages, rather more than models find

_HEADER = re.compile(r"^[A-Z][a-z]{2} (?P<day>\d{4}-\d\d-\d\d) (?P<time>\d\d:\d\d) (?P<zone>UTC|[+-]\d\d:\d\d)$")
_LINE = re.compile(
    r"""^\s*(?:\[?(?P<number>\d+)\]?|open|ahead)[.:)]?[ ]
    (?:\[?(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)\]?[ ])?
    (?:(?P<speaker>"(?:[^"\\]|\\.)*"|[^:\n"]{1,60}?)(?:[ ]\([a-z]+\))?:[ ])?
    (?P<text>.*)$""",
    re.VERBOSE,
)
_STATEMENT = re.compile(r"^(?P<name>S\d+) [^:]*: (?P<text>.*)$", re.MULTILINE)
_PAIR = re.compile(r"^(?P<number>\d+)\. (?P<older>S\d+) (?P<newer>S\d+)$", re.MULTILINE)
_CHANGE = re.compile(r"\b(?:now|no longer|instead|left|cancelled|moved)\b|不再|现在|取消", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_PLAN = re.compile(r"\b(?:will|tomorrow|next|going to|plan)\b|明天|下周", re.IGNORECASE)
_LIKING = re.compile(r"\b(?:like|love|prefer|enjoy|hate)s?\b|喜欢", re.IGNORECASE)
_TIE = re.compile(r"\b(?P<relation>works? at|lives? in|moved to)\s+(?P<target>[A-Z]\w+)")
_FAREWELL = re.compile(r"\b(?:bye|goodbye|good night|see you)\b|再见", re.IGNORECASE)


@dataclass(frozen=True)
class Line:
    """A message as the prompt shows it; ``number`` is None for one that only stands around."""

    number: int | None
    time: datetime | None
    speaker: str
    text: str

    @property
    def sentences(self) -> list[str]:
        """Its sentences, told of the speaker."""
        found = [sentence.strip() for sentence in _SENTENCE.findall(self.text)]
        return [f"{self.speaker}: {sentence}" if self.speaker else sentence for sentence in found if sentence]


@dataclass(frozen=True)
class Source:
    """What an answer, or one element of it, is made from; ``fields`` says what to write into fields of that name."""

    lines: tuple[Line, ...]
    sentence: str
    fields: Mapping[str, str] = field(default_factory=dict)


def lines_of(user: str) -> tuple[Line, ...]:
    """The messages of a prompt; a prompt without any is one message."""
    lines = []
    under: datetime | None = None
    for written in user.splitlines():
        if header := _HEADER.match(written):
            under = datetime.fromisoformat(f"{header['day']}T{header['time']}{header['zone'].replace('UTC', '+00:00')}")
        elif (match := _LINE.match(written)) and (match["time"] or match["speaker"]):
            number = int(match["number"]) if match["number"] else None
            time = datetime.fromisoformat(match["time"]) if match["time"] else under
            lines.append(Line(number, time, _unquoted(match["speaker"] or ""), _unquoted(match["text"])))
    return tuple(lines) if any(line.number is not None for line in lines) else (Line(0, None, "", " ".join(user.split())),)


def _unquoted(text: str) -> str:
    return str(json.loads(text)) if text[:1] == '"' == text[-1:] and len(text) > 1 else text.strip()


def fill(schema: dict[str, Any], user: str) -> Any:
    """An answer that is valid against the schema, made from the user message."""
    if {"same", "replaces"} <= set(schema.get("properties", {})):
        return verdicts(user)
    if plans(schema):
        return plan(schema, user)
    lines = lines_of(user)
    judged = tuple(line for line in lines if line.number is not None)
    return _Filler(schema, _boundaries(lines)).value(schema, "", Source(judged, " ".join(judged[0].sentences[:1])))


def verdicts(user: str) -> dict[str, list[int]]:
    """The numbers of the pairs that are the same, and of those of which the newer replaces the older."""
    texts = {match["name"]: match["text"] for match in _STATEMENT.finditer(user)}
    found: dict[str, list[int]] = {"same": [], "replaces": []}
    for pair in _PAIR.finditer(user):
        older, newer = set(tokenise(texts[pair["older"]])), set(tokenise(texts[pair["newer"]]))
        if older == newer:
            found["same"].append(int(pair["number"]))
        elif 2 * len(older & newer) > len(older) and _CHANGE.search(texts[pair["newer"]]):
            found["replaces"].append(int(pair["number"]))
    return found


class _Filler:
    """Fills one schema; ``$defs`` are those of its root."""

    def __init__(self, root: dict[str, Any], boundaries: list[Source]) -> None:
        self._definitions = root.get("$defs", {})
        self._boundaries = boundaries

    def value(self, schema: dict[str, Any], name: str, source: Source) -> Any:
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return _choice(schema["enum"], source)
        if "anyOf" in schema:
            options = [self._resolved(option) for option in schema["anyOf"]]
            nullable = any(option.get("type") == "null" for option in options)
            return None if nullable else self.value(options[0], name, source)
        match schema.get("type"):
            case "object":
                return {key: self.value(inner, key, source) for key, inner in schema.get("properties", {}).items()}
            case "array":
                return self._elements(schema, name, source)
            case "boolean":
                return "complete" in name and bool(_FAREWELL.search(source.lines[-1].text))
            case "integer":
                return int(self._bounded(schema, source.lines[0].number or 0))
            case "number":
                return self._bounded(schema, 0.5)
            case "string":
                return _text(schema, name, source)
        return None

    def _elements(self, schema: dict[str, Any], name: str, source: Source) -> list[Any]:
        item = self._resolved(schema.get("items", {}))
        parts = self._boundaries if "boundar" in name else _parts(name, source)
        if name == "facts":
            parts = [part for part in parts if _is_telling(part)] or parts
        if item.get("type") == "integer":
            elements: list[Any] = [part.lines[0].number for part in parts]
        else:
            elements = [self.value(item, name.rstrip("s"), part) for part in parts]
        unique = [element for at, element in enumerate(elements) if element not in elements[:at]]
        return unique[: schema.get("maxItems", len(unique))]

    def _bounded(self, schema: dict[str, Any], value: float) -> float:
        return float(min(max(value, schema.get("minimum", value)), schema.get("maximum", value)))

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        reference = schema.get("$ref")
        return self._definitions[reference.rsplit("/", 1)[-1]] if reference else schema


def _parts(name: str, source: Source) -> list[Source]:
    """The elements of a list: one for each sentence, name, tie, plan or liking, by what the list is called."""
    if "source" in name or "message" in name:
        return [Source((line,), "") for line in source.lines]
    if "entit" in name or "participant" in name:
        first: dict[str, Line] = {}
        for line in source.lines:
            first.setdefault(line.speaker, line)
        return [Source((line,), line.text, {"name": name, "type": "person"}) for name, line in first.items() if name]
    sentences = [Source((line,), sentence) for line in source.lines for sentence in line.sentences]
    if "relation" in name:
        return [
            Source(part.lines, part.sentence, {"source": part.lines[0].speaker, "relation": relation, "target": tie["target"]})
            for part in sentences
            for tie in _TIE.finditer(part.sentence)
            for relation in [tie["relation"].replace(" ", "_")]
        ]
    if "foresight" in name or "plan" in name:
        return [part for part in sentences if _PLAN.search(part.sentence)]
    if "profile" in name or "trait" in name:
        return [part for part in sentences if _LIKING.search(part.sentence)]
    return sentences


def _is_telling(part: Source) -> bool:
    """Whether a sentence is the one of its message that a model would keep as a fact: the longest, no question, no chatter."""
    words = len(part.sentence.split())
    return words >= _FACT_WORDS and part.sentence == max(part.lines[0].sentences, key=len) and not part.sentence.endswith("?")


def _boundaries(lines: tuple[Line, ...]) -> list[Source]:
    return [
        Source((line,), line.text, {"reason": f"a pause of {(line.time - before.time) // timedelta(minutes=1)} minutes"})
        for before, line in pairwise(lines)
        if line.number is not None and before.time and line.time and line.time - before.time > BOUNDARY_GAP
    ]


def _text(schema: dict[str, Any], name: str, source: Source) -> str:
    line = source.lines[0]
    if name in source.fields:
        return source.fields[name]
    if schema.get("format") in ("date-time", "date"):
        time = line.time or datetime.fromisoformat("2026-01-01T00:00:00+00:00")
        return time.date().isoformat() if schema["format"] == "date" else time.isoformat()
    if "subject" in name or "title" in name or "topic" in name:
        words = [word for word in re.findall(r"\w+", line.text) if len(word) > 3]
        return " ".join(words[:4]) or line.text[:20] or "nothing"
    if "summary" in name:
        return source.sentence
    if name in ("narrative", "episode", "content"):
        return "\n".join(" ".join(each.sentences) for each in source.lines)
    if name in ("speaker", "about", "person"):
        return line.speaker or "nobody"
    if name == "category":
        return "preference"
    return source.sentence or line.text


def _choice(options: list[Any], source: Source) -> Any:
    """The option that the text names, else the first."""
    said = source.sentence.lower()
    return next((option for option in options if isinstance(option, str) and option.lower() in said), options[0])


def embedding(text: str, dimension: int) -> list[float]:
    """A hashed bag of words of length 1 (Weinberger et al. 2009): texts with common words are near."""
    vector = [0.0] * dimension
    for token in tokenise(text) or [text]:
        digest = hashlib.blake2b(token.encode(), digest_size=8).digest()
        vector[int.from_bytes(digest[:4], "big") % dimension] += 1.0 if digest[4] % 2 else -1.0
    length = math.sqrt(sum(value * value for value in vector))
    if not length:
        vector[0] = length = 1.0
    return [value / length for value in vector]


def relevance(query: str, text: str) -> float:
    """The share of the query's words that the text has, 0 to 1."""
    asked = set(tokenise(query))
    return len(asked & set(tokenise(text))) / len(asked) if asked else 0.0
