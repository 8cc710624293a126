"""docs/settings.md, written from the settings themselves: ``python -m serving.settings_reference docs/settings.md``.

The page is a function of ``mneme/settings/``; tests/docs/ compares the two, so it cannot go stale.
"""

import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from mneme.settings import PREFIX, Settings

HEADER = """# Settings

<!-- Written by `make docs` from mneme/settings/. Do not edit. -->

Every setting is an environment variable, or a line of a file `.env` in the working directory; the environment wins.
Settings are read once, when a program starts. An unknown or wrong variable stops the program with its name.
Lists and mappings are written as JSON: `MNEME_MODELS__BY_ROLE='{"extraction": "gpt-4.1"}'`.
"""


def settings_page() -> str:
    """The whole page, as Markdown."""
    return HEADER + "".join(_group(Settings, PREFIX, "General"))


def _group(model: type[BaseModel], prefix: str, title: str) -> list[str]:
    """The table of a group's own settings, then the groups within it."""
    own, groups = [], []
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            groups.extend(_group(field.annotation, f"{prefix}{name.upper()}__", f"{title} › {name}".removeprefix("General › ")))
        else:
            own.append(_row(f"{prefix}{name.upper()}", field))
    head = f"\n## {title}\n\n{first_line(model)}\n\n| variable | value | default | meaning |\n| --- | --- | --- | --- |\n"
    return [head, *own, *groups]


def _row(variable: str, field: FieldInfo) -> str:
    value = ", ".join([type_name(field.annotation), *limits(field)])
    return f"| `{variable}` | {value} | {_default(field)} | {field.description or ''} |\n"


def first_line(model: type[BaseModel]) -> str:
    """What a group of settings is."""
    return (model.__doc__ or "").strip().splitlines()[0].replace("``", "`")


def type_name(annotation: Any) -> str:
    """A type in words: ``number``, ``list of text``."""
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    if origin is Literal:
        return " or ".join(f"`{choice}`" for choice in arguments)
    if origin in (Union, UnionType):
        return " or ".join(type_name(argument) for argument in arguments if argument is not NoneType)
    if origin is tuple:
        return f"list of {type_name(arguments[0])}"
    if origin is dict:
        return f"mapping of {type_name(arguments[0])} to {type_name(arguments[1])}"
    words = {str: "text", int: "integer", float: "number", bool: "`true` or `false`", Path: "path", SecretStr: "secret"}
    return words[annotation]


def limits(field: FieldInfo) -> list[str]:
    """The bounds that validation enforces, as the reader writes them: ``≥ 1``."""
    found = []
    for rule in field.metadata:
        match rule:
            case annotated_types.Ge(ge=bound):
                found.append(f"≥ {bound}")
            case annotated_types.Gt(gt=bound):
                found.append(f"> {bound}")
            case annotated_types.Le(le=bound):
                found.append(f"≤ {bound}")
            case annotated_types.Lt(lt=bound):
                found.append(f"< {bound}")
            case _ if pattern := getattr(rule, "pattern", None):
                found.append(f"matches `{pattern}`")
    return found


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True)
    if default is None or default in ("", {}, ()):
        return "none"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, tuple):
        return "`[" + ", ".join(f'"{item}"' for item in default) + "]`"
    return f"`{default}`"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(settings_page(), encoding="utf-8")
