"""The table of relations as it is matched: rows of the data files, patterns compiled. See the head of english.toml."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mneme.patterns import COMMON, PatternIndex, expanded

_HERE = Path(__file__).parent
_SLOT = re.compile(r"\{(-?)([a-z_ ]+:?):([a-z_]+)\}")
_GROUP = re.compile(r"\(\?P<(ends_)?([a-z_]+)__([a-z]+)>")


@dataclass(frozen=True, slots=True)
class Slot:
    """A group of a pattern that holds a value: of which attribute, of which kind, and whether it is over."""

    group: str
    attribute: str
    kind: str
    ends: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to say a row, with what it claims. ``gives`` are (attribute, value, ends), without a slot."""

    shape: re.Pattern[str]
    slots: tuple[Slot, ...]
    gives: tuple[tuple[str, str, bool], ...]
    flags: frozenset[str]

    @property
    def ends(self) -> bool:
        """Tell whether all that it claims ends."""
        return all(end for *_, end in self.gives) and all(slot.ends for slot in self.slots)

    @property
    def is_open(self) -> bool:
        """Tell whether it is about anything: what a surer pattern reads in the same clause is not read so again."""
        return not self.flags.isdisjoint(("switch", "weak")) or not {"t", "m", "act"}.isdisjoint(self.shape.groupindex)

    def filled(self, match: re.Match[str]) -> list[Slot]:
        """The slots that hold something in a match."""
        return [slot for slot in self.slots if match[slot.group] is not None]


@dataclass(frozen=True, slots=True)
class Table:
    """The data file of a language: patterns of statements and of questions, word lists by name, fragments."""

    said: tuple[Pattern, ...]
    anywhere: tuple[Pattern, ...]
    asked: tuple[Pattern, ...]
    said_index: PatternIndex
    anywhere_index: PatternIndex
    asked_index: PatternIndex
    words: Mapping[str, frozenset[str]]
    kin_attribute: Mapping[str, str]
    tools: Mapping[str, str]
    answers: Mapping[str, str]
    when: re.Pattern[str]


@cache
def load_table(language: str, person: str, owner: str, thing: str) -> Table:
    """Load the table of a language; ``person``, ``owner`` and ``thing`` are what {S}, {P}, and {T} and {M} stand for."""
    data = tomllib.loads((_HERE / f"{language}.toml").read_text(encoding="utf-8"))
    fragments: dict[str, str | Sequence[str]] = {
        **COMMON,
        **data["fragments"],
        "S": f"(?P<s>{person})",
        "P": f"(?P<p>{owner})",
        "W": data["times"]["when"],
        "T": thing.replace("<>", "<t>"),
        "M": thing.replace("<>", "<m>"),
    }
    said: list[Pattern] = []
    anywhere: list[Pattern] = []
    asked: list[Pattern] = []
    for row in data["row"]:
        gives = tuple(_given(one) for one in row.get("gives", "").replace(" -", "\n-").split("\n") if one)
        flags = frozenset(name for name, value in row.items() if value is True)
        for source in row.get("says", ()):
            (anywhere if "anywhere" in flags else said).append(_compiled(source, fragments, data["slots"], gives, flags))
        asked.extend(_compiled(source, fragments, data["slots"], gives, flags) for source in row.get("asked", ()))
    return Table(
        tuple(said),
        tuple(anywhere),
        tuple(asked),
        PatternIndex([one.shape for one in said]),
        PatternIndex([one.shape for one in anywhere]),
        PatternIndex([one.shape for one in asked]),
        {name: frozenset(expanded(words, fragments).replace("|", " ").split()) for name, words in data["words"].items()},
        {word: name for name, words in data["kin_attribute"].items() for word in words.split()},
        {word.strip(): kind for kind, words in data["tools"].items() for word in words.split(",")},
        data.get("answers", {}),
        re.compile(expanded(data["times"]["when"], fragments)),
    )


@cache
def _attributes() -> Mapping[str, dict[str, Any]]:
    return tomllib.loads((_HERE / "attributes.toml").read_text(encoding="utf-8"))


def row_of(attribute: str) -> dict[str, Any] | None:
    """The row of an attribute in attributes.toml: its own, or that of its family; None where there is neither."""
    family, colon, _ = attribute.partition(":")
    return _attributes().get(attribute) or _attributes().get(f"{family}{colon}")


def kind_named(match: re.Match[str], names: Mapping[str, str]) -> str:
    """The kind that a match names and that completes an attribute ("uses:editor"); empty where it names none.

    Args:
        match: of a pattern that may have a group for the kind of a tool, or of anything.
        names: the standard name of a tool's kind, where it has another.
    """
    groups = match.groupdict()
    if tool := groups.get("tool_kind"):
        return names.get(tool, tool)
    return groups.get("kind") or ""


def group_of(match: re.Match[str], *names: str) -> str | None:
    """The first of some groups that holds something, where the pattern has it."""
    groups = match.groupdict()
    return next((name for name in names if groups.get(name)), None)


def completed(attribute: str, name: str, head: str) -> str:
    """The attribute of a family with the name of its thing: "plan:dentist"; of what a thing is with its head alone."""
    return attribute + (head if attribute == "is:" else name) if attribute.endswith(":") else attribute


def state_asked(
    table: Table,
    text: str,
    unread: int,
    kinds: Mapping[str, str],
    person: Callable[[str], str | None],
    thing: Callable[[str, str], tuple[str, bool] | None],
    head: Callable[[str], str],
) -> list[tuple[str, str]]:
    """(subject, attribute) of the state that a question asks for; none where no row knows it.

    Args:
        table: of the language.
        text: the question, made ready.
        unread: how many characters at its end no pattern need read.
        kinds: standard names of kinds of tools.
        person: resolves a person.
        thing: resolves a thing of which an attribute is asked, and says whether it is a person's own.
        head: the word of a thing that says what it is.
    """
    for number in table.asked_index.candidates(text):
        pattern = table.asked[number]
        match = pattern.shape.match(text)
        if match is None or match.end() < len(text) - unread:
            continue
        subject, attribute = "", pattern.gives[0][0]
        if whose := group_of(match, "s", "p"):
            named = person(match[whose])
            if named is None:
                continue
            subject = named.casefold()
        if about := group_of(match, "t", "m"):
            known = thing(match[about], attribute)
            if known is None:
                continue
            name, own = known
            subject = subject if attribute == "plan:" and own else name
            return [(subject, completed(attribute, name, head(name)))]
        return [(subject, attribute + kind_named(match, kinds))]
    return []


def _given(one: str) -> tuple[str, str, bool]:
    attribute, _, value = one.removeprefix("-").partition("=")
    return attribute, value, one.startswith("-")


def _compiled(
    source: str,
    fragments: Mapping[str, str | Sequence[str]],
    kinds: Mapping[str, str],
    gives: tuple[tuple[str, str, bool], ...],
    flags: frozenset[str],
) -> Pattern:
    slots: list[Slot] = []

    def slot(mark: re.Match[str]) -> str:
        slots.append(Slot(f"g{len(slots)}", mark[2].replace("_", " "), mark[3], bool(mark[1])))
        return f"(?P<{slots[-1].group}>{kinds[mark[3]]})"

    pattern = _SLOT.sub(slot, source)
    slots.extend(_named_slots(pattern))
    return Pattern(re.compile(expanded(pattern, fragments)), tuple(slots), gives, flags)


def _named_slots(pattern: str) -> Iterator[Slot]:
    for group in _GROUP.finditer(pattern):
        name = group[0].removeprefix("(?P<").removesuffix(">")
        yield Slot(name, group[2].replace("_", " "), group[3], bool(group[1]))
