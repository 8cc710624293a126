"""Structured answers: a pydantic form as the schema that a model must follow, and its answer as that form again."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from mneme.errors import ModelMalformed
from mneme.ports import Answer

# Keywords that strict structured output refuses, or that say nothing to a model. The form itself still checks them.
_LEFT_OUT = frozenset({"title", "default", "examples", "minLength", "maxLength", "uniqueItems", "discriminator"})

_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)  # what some open models say before they answer
_DECODER = json.JSONDecoder(strict=False)  # a line break inside a string is a common slip
_PROBLEMS_SHOWN = 5


@cache
def schema_of(form: type[BaseModel]) -> tuple[dict[str, Any], bool]:
    """The JSON schema of a form, which nobody changes, and whether it may be called strict.

    It is billed with every question, so it has no more than a model needs: the docstrings of the classes are left out.
    Strict structured output wants every field required and no other allowed; a form with open keys (``dict``) cannot
    have that.
    """
    open_keys: list[bool] = []
    schema: dict[str, Any] = _strict(form.model_json_schema(), open_keys)
    return schema, not open_keys


def _strict(node: Any, open_keys: list[bool]) -> Any:
    if isinstance(node, list):
        return [_strict(item, open_keys) for item in node]
    if not isinstance(node, dict):
        return node
    schema: dict[str, Any] = {}
    for keyword, value in node.items():
        if keyword in ("properties", "$defs"):  # their keys are names, not keywords
            schema[keyword] = {name: _strict(inner, open_keys) for name, inner in value.items()}
        elif keyword in ("enum", "const", "required"):
            schema[keyword] = value
        elif keyword not in _LEFT_OUT:
            schema["anyOf" if keyword == "oneOf" else keyword] = _strict(value, open_keys)
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}  # nothing may stand beside a reference
    if "properties" in schema:
        schema.pop("description", None)
        schema |= {"required": list(schema["properties"]), "additionalProperties": False}
    elif schema.get("type") == "object":
        open_keys.append(True)
    return schema


def parse_answer(text: str, form: type[Answer]) -> Answer:
    """The form that a model filled in, with slips of the pen repaired.

    Tried in order: the first JSON object in the text (code fences and talk around it fall away); that object without
    trailing commas and with the brackets closed that were cut off; the same without its last, incomplete element. A
    string or a number that was cut off is never kept.

    Raises:
        ModelMalformed: none of these fits. The message names fields and does not quote the answer.
    """
    problem = "it holds no JSON object" if text.strip() else "it is empty"
    for data in _readings(text):
        try:
            return form.model_validate_json(json.dumps(data))
        except ValidationError as error:
            problem = _describe(error)
    raise ModelMalformed(f"the answer does not fit {form.__name__}: {problem}")


def _readings(text: str) -> Iterator[dict[str, Any]]:
    """The possible readings of the text, likeliest first."""
    text = _THOUGHTS.sub("", text)
    start = text.find("{")
    if start < 0:
        return
    try:
        data, _ = _DECODER.raw_decode(text, start)
        yield data
        return  # it reads well: if it does not fit, the model has to answer again
    except (ValueError, RecursionError):
        pass
    for mended in _mended(text[start:].rstrip("`\n ")):
        try:
            data = _DECODER.decode(mended)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            yield data


def _mended(text: str) -> Iterator[str]:
    """An object that does not read well, mended."""
    kept: list[str] = []
    frames: list[tuple[str, int]] = []  # for each open bracket: what closes it, how much is kept of its complete elements
    in_string = escaped = False
    for character in text:
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            in_string = True
        elif character in "{[":
            frames.append(("}" if character == "{" else "]", len(kept) + 1))
        elif character == ",":
            frames[-1] = (frames[-1][0], len(kept))
        elif character in "}]":
            if frames.pop()[0] != character:
                return
            _drop_comma(kept)
        kept.append(character)
        if not frames:
            break
    if not frames:
        yield "".join(kept)
        return
    if not in_string:
        whole = kept[:]
        _drop_comma(whole)
        if whole[-1] in '}]"':
            yield "".join(whole) + _closing(frames)
    lists = [depth for depth, (bracket, _) in enumerate(frames) if bracket == "]"]
    frames = frames[: lists[0] + 1 if lists else 1]  # an element of the outermost list goes as a whole, else a field
    yield "".join(kept[: frames[-1][1]]) + _closing(frames)


def _closing(frames: list[tuple[str, int]]) -> str:
    return "".join(bracket for bracket, _ in reversed(frames))


def _drop_comma(kept: list[str]) -> None:
    while kept and kept[-1].isspace():
        kept.pop()
    if kept and kept[-1] == ",":
        kept.pop()


def _describe(error: ValidationError) -> str:
    """The faults by field, without the values: they are somebody's memories."""
    details = error.errors(include_url=False, include_input=False, include_context=False)
    shown = [f"{'.'.join(map(str, detail['loc'])) or 'the whole'}: {detail['msg']}" for detail in details[:_PROBLEMS_SHOWN]]
    return "; ".join(shown) + (f"; and {len(details) - len(shown)} more" if len(details) > len(shown) else "")
