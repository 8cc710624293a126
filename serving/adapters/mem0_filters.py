"""Filters as mem0 writes them: ids and metadata, operators, AND, OR and NOT."""

from collections.abc import Callable, Iterable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from mneme.errors import InputError
from mneme.labels import is_value

NAMES = ("user_id", "agent_id", "run_id")


class InvalidCall(InputError, ValueError):
    """A call is wrong; mem0 raises ValueError there."""


def scope_of(given: Mapping[str, Any], named: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The ids that are given, as texts; ``named`` is what stood beside the filters, and holds nothing else.

    Raises:
        InvalidCall: no id is given, one is blank, or something is not known.
    """
    if unknown := sorted(set(named or ()) - set(NAMES)):
        raise InvalidCall(f"{', '.join(unknown)}: not known here; accepted are filters, top_k, limit, threshold")
    scope = {name: str(given[name]).strip() for name in NAMES if given.get(name) is not None}
    if not scope or not all(scope.values()):
        raise InvalidCall(f"filters: must contain at least one of {', '.join(NAMES)}, not blank")
    return scope


def labels_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a filter that the index answers itself: a value of a key."""
    own = {key: value for key, value in asked.items() if key not in (*NAMES, *_LOGIC, *_FIELDS)}
    own = {key: value for key, value in own.items() if is_value(value) and value != "*"}
    return {f"mem0_{name}": asked[name] for name in NAMES if asked.get(name, "*") != "*"} | own


def passes(value: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Tell whether a memory passes a filter.

    Raises:
        InvalidCall: an operator is not known.
    """
    return all(_holds(value, key, held) for key, held in asked.items())


def _holds(value: Mapping[str, Any], key: str, asked: Any) -> bool:
    if key in _LOGIC:
        return _LOGIC[key]([passes(value, each) for each in asked])
    mine = value.get(key) if key in (*NAMES, *_FIELDS) else value["metadata"].get(key)
    if not isinstance(asked, Mapping):
        return mine is not None if asked == "*" else bool(mine == asked)
    if unknown := sorted(set(asked) - set(_OPERATORS)):
        raise InvalidCall(f"filters: {', '.join(unknown)} not known; accepted are {', '.join(_OPERATORS)}")
    try:
        return all(_OPERATORS[operator](mine, operand) for operator, operand in asked.items())
    except (TypeError, AttributeError):  # a text is neither more nor less than a number, and nothing holds no text
        return False


_FIELDS = ("actor_id", "role", "created_at", "updated_at")  # of a memory, beside its metadata
_LOGIC: Mapping[str, Callable[[Iterable[bool]], bool]] = {"AND": all, "OR": any, "NOT": lambda held: not any(held)}
_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    **{"eq": eq, "ne": ne, "gt": gt, "gte": ge, "lt": lt, "lte": le},
    "in": lambda mine, operand: mine in operand,
    "nin": lambda mine, operand: mine not in operand,
    "contains": lambda mine, operand: operand in mine,
    "icontains": lambda mine, operand: operand.lower() in mine.lower(),
}
