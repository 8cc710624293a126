"""Every regular expression of the program, found by itself, and texts that are hostile to each.

A pattern of a module, of a table or of an object in it is found; the source says with which methods it is used. Its hostile
texts come from the pattern: what leads to one of its repetitions, each way through that many times, and an end that fits
nothing. So a pattern with two ways to read the same words, which takes for ever on forty of them, is found on the day that it
is written.
"""

import ast
import pkgutil
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice, product, zip_longest
from pathlib import Path
from types import ModuleType

ROOMS = ("mneme", "connectors", "flows", "queries")
_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "split")
_LONGEST_LOOP = 8  # repetitions from which a part of a pattern is a loop
_MOST_WAYS = 12  # of a part of a pattern
_CONTAINERS = (list, tuple, set, frozenset)


@dataclass(frozen=True)
class Found:
    """A pattern, the name under which it was found, and how the source uses that name."""

    where: str
    pattern: re.Pattern[str]
    methods: frozenset[str]

    def uses(self) -> Iterator[Callable[[str], object]]:
        """What the source does with the pattern, as functions of a text."""
        for method in self.methods or {"search"}:
            if method == "sub":
                yield lambda text: self.pattern.sub("", text)
            elif method == "finditer":
                yield lambda text: list(self.pattern.finditer(text))
            else:
                yield getattr(self.pattern, method)


def all_patterns() -> list[Found]:
    """The patterns of all modules, each once."""
    modules = list(_modules())
    used = _methods_by_name(modules)
    found: dict[tuple[str, int], Found] = {}
    for module in modules:
        for name, value in vars(module).items():
            for pattern in _within(value, set()):
                where = f"{module.__name__}.{name}"
                found.setdefault((pattern.pattern, pattern.flags), Found(where, pattern, frozenset(used[name])))
    return list(found.values())


def hostile_to(pattern: re.Pattern[str], longest: int, most: int) -> list[str]:
    """Texts up to a length that repeat parts of a pattern."""
    parsed = import_module("re._parser").parse(pattern.pattern, pattern.flags)
    texts = []
    loops: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for before, unit in dict.fromkeys(_loops(parsed, [""])):
        loops[before].append((before, unit))
    in_turn = chain.from_iterable(zip_longest(*loops.values()))
    for before, unit in islice(filter(None, in_turn), most):
        for times in (28, longest // len(unit)):
            texts.append((before + unit * times)[:longest] + "\x01")
    return texts


_NEEDS_PYFLINK = "flows.engines.flink"  # has an environment of its own


def _modules() -> Iterator[ModuleType]:
    for room in ROOMS:
        package = import_module(room)
        yield package
        for info in pkgutil.walk_packages(package.__path__, f"{room}."):
            if not info.name.endswith("__main__") and info.name != _NEEDS_PYFLINK:
                yield import_module(info.name)


def _methods_by_name(modules: Sequence[ModuleType]) -> dict[str, set[str]]:
    used: dict[str, set[str]] = defaultdict(set)
    for module in modules:
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in _METHODS and isinstance(node.value, ast.Name):
                used[node.value.id].add(node.attr)
    return used


def _within(value: object, seen: set[int]) -> Iterator[re.Pattern[str]]:
    """The patterns that a value is or holds."""
    if id(value) in seen or isinstance(value, str | bytes | int | float | type | ModuleType):
        return
    seen.add(id(value))
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, dict):
        for each in chain(value, value.values()):
            yield from _within(each, seen)
    elif isinstance(value, _CONTAINERS):
        for each in value:
            yield from _within(each, seen)
    elif type(value).__module__.split(".")[0] in ROOMS:
        slots = (slot for each in type(value).__mro__ for slot in getattr(each, "__slots__", ()))
        for name in {*getattr(value, "__dict__", ()), *slots}:
            yield from _within(getattr(value, name, None), seen)


# --- texts from a parsed pattern: pairs of an operation and its argument ------------------------------------------------------


def _loops(parts: Sequence[tuple[object, object]], befores: list[str]) -> Iterator[tuple[str, str]]:
    """What leads to each loop, and the ways through it."""
    for kind, value in parts:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT":
                _, most, part = value
                if most >= _LONGEST_LOOP:
                    yield from ((before, way) for before in befores for way in _ways(part) if way)
                yield from _loops(part, befores)
            case "SUBPATTERN":
                yield from _loops(value[3], befores)
            case "ATOMIC_GROUP":
                yield from _loops(value, befores)
            case "BRANCH":
                for part in value[1]:
                    yield from _loops(part, befores)
        ways = sorted(_ways_of(str(kind), value)[:3], key=lambda each: not each)[:2]
        befores = [before + way for before, way in product(befores[:2], ways)][:3]


def _ways(parts: Sequence[tuple[object, object]]) -> list[str]:
    ways = [""]
    for kind, value in parts:
        following = _ways_of(str(kind), value)[:_MOST_WAYS]
        ways = [way + after for way, after in islice(product(ways, following), _MOST_WAYS)]
    return ways


def _ways_of(kind: str, value: object) -> list[str]:
    match kind:
        case "LITERAL":
            return [chr(value)]
        case "NOT_LITERAL":
            return ["a" if value != ord("a") else "b"]
        case "ANY":
            return ["a"]
        case "IN":
            return _of_class(value)
        case "BRANCH":
            return [way for part in value[1] for way in _ways(part)[:3]]
        case "SUBPATTERN":
            return _ways(value[3])
        case "ATOMIC_GROUP":
            return _ways(value)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, _, part = value
            return [way * max(1, least) for way in _ways(part)] + ([""] if least == 0 else [])
    return [""]


def _of_class(members: Sequence[tuple[object, object]]) -> list[str]:
    samples = {"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a", "CATEGORY_NOT_WORD": "-"}
    named = [
        chr(value) if str(kind) == "LITERAL" else chr(value[0]) if str(kind) == "RANGE" else samples.get(str(value), "a")
        for kind, value in members
        if str(kind) != "NEGATE"
    ]
    if any(str(kind) == "NEGATE" for kind, _ in members):
        return [next((each for each in "a 7-;我" if each not in named), "~")]
    return named[:4]
