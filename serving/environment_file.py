"""A commented ``.env`` of all settings, made from the settings themselves: ``mneme admin init``."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from mneme.errors import InputError
from mneme.settings import PREFIX, Settings

_HEAD = """# Settings of Mneme, made by `mneme admin init`: every one there is, commented out with its default.
# The environment wins over this file. Settings are read once, when a program starts. `mneme doctor` looks them over.
# Keys and passwords make this file a secret: keep it out of version control.
"""


def environment_file(chosen: Mapping[str, str]) -> str:
    """The whole file.

    Args:
        chosen: the variables that are active, and their values.

    Raises:
        InputError: a value that does not fit on a line.
    """
    for name, value in chosen.items():
        if "\n" in value or "'" in value:
            raise InputError(f"{name}: a line break or a single quote cannot stand in .env; set it in the environment")
    return _HEAD + "".join(_group(Settings, PREFIX, chosen))


def write_environment_file(path: Path, content: str) -> None:
    """Write it, for its owner alone.

    Raises:
        InputError: it cannot be written.
    """
    from connectors.durable import replace_bytes

    try:
        replace_bytes(path, content.encode(), mode=0o600)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); choose another with --file") from error


def _group(model: type[BaseModel], prefix: str, chosen: Mapping[str, str]) -> Iterator[str]:
    """The settings of a group, then the groups within it."""
    groups = []
    yield f"\n# --- {first_line(model)}\n"
    for name, field in model.model_fields.items():
        variable = f"{prefix}{name.upper()}"
        if group := group_of(field):
            groups.append((group, f"{variable}__"))
            continue
        meaning = "; ".join(filter(None, [(field.description or "").replace("\n", " "), _values(field)]))
        yield f"# {meaning}\n" if meaning else ""
        yield f"{variable}={_quoted(chosen[variable])}\n" if variable in chosen else f"#{variable}={_default(field)}\n"
    for group, nested in groups:
        yield from _group(group, nested, chosen)


def group_of(field: FieldInfo) -> type[BaseModel] | None:
    """The group of settings that a field is; None for a single setting."""
    annotation = field.annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _values(field: FieldInfo) -> str:
    """Accepted values of a setting."""
    words = ", ".join([type_name(field.annotation), *limits(field)]).replace("`", "")
    optional = NoneType in get_args(field.annotation)
    return f"{words}{', or left out' if optional else ''}"


def _default(field: FieldInfo) -> str:
    default: Any = field.get_default(call_default_factory=True)
    if default is None or isinstance(default, SecretStr):
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple | dict):
        return _quoted(json.dumps(default))
    return _quoted(str(default))


def _quoted(value: str) -> str:
    """A value as dotenv reads it back: in single quotes nothing is replaced."""
    return f"'{value}'" if value and not all(letter.isalnum() or letter in "._:/,-*" for letter in value) else value


def first_line(model: type[BaseModel]) -> str:
    """First line of a group's docstring."""
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
