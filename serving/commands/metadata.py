"""The option ``--metadata`` of a search: what a shell writes easily, as the filter ``metadata`` of a request."""

import json
import re
from collections.abc import Iterable
from typing import Any

from mneme.errors import InputError

_ASKED = re.compile(r"(?P<key>[^=<>!~]+)(?P<sign>!=|>=|<=|=|>|<|~)(?P<value>.*)", re.DOTALL)
_OPERATORS = {"=": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "~": "contains"}
_LISTS = {"eq": "in", "ne": "nin"}


def metadata_filter(options: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The filter that these options ask for; several of one key must all hold.

    A value is JSON where it is that (a number, true, "2" in quotes, a list), else the text as it is.

    >>> metadata_filter(["project=apollo", "priority>=2", "priority<5", "ticket"])
    {'project': {'eq': 'apollo'}, 'priority': {'gte': 2, 'lt': 5}, 'ticket': {'exists': True}}

    Raises:
        InputError: an option is not of this form, or asks twice for the same.
    """
    asked: dict[str, dict[str, Any]] = {}
    for option in options:
        key, operator, value = _read(option)
        if operator in asked.setdefault(key, {}):
            raise InputError(f"--metadata: {option!r} asks {key!r} for {operator} a second time; give a list: {key}=[...]")
        asked[key][operator] = value
    return asked


def _read(option: str) -> tuple[str, str, Any]:
    found = _ASKED.fullmatch(option)
    if found is None:
        if not option.strip() or option.startswith(tuple("=<>!~")):
            raise InputError(f"--metadata: {option!r} names no key; write KEY=VALUE, or with != > >= < <= ~, or KEY alone")
        return option.strip(), "exists", True
    operator, value = _OPERATORS[found["sign"]], _value(found["value"].strip())
    if operator == "contains":
        return found["key"].strip(), operator, found["value"].strip()
    return found["key"].strip(), _LISTS.get(operator, operator) if isinstance(value, list) else operator, value


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
