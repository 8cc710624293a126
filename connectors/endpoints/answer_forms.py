"""Structured answers: a pydantic form as the schema that a model must follow, and its answer as that form again."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from mneme.errors import ModelMalformed
from mneme.ports import Answer

# Keywords that strict structured output refuses, or that say nothing to a model. The form itself still checks them.
_LEFT_OUT = frozenset({"title", "default", "examples", "minLength", "maxLength", "uniqueItems", "discriminator"})

_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)  # what some open models say before they answer
_DECODER = json.JSONDecoder(strict=False)  # a line break inside a string is a common slip
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING.pattern})|,(?=\s*[}}\]])", re.DOTALL)
_CUT_WORD = re.compile(r"[\w.+-]+$")
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
    text = _TRAILING_COMMA.sub(r"\1", text[start:].rstrip("`\n "))
    try:
        data, _ = _DECODER.raw_decode(text)
        yield data
    except (ValueError, RecursionError):
        yield from _readings_of_cut(text)


def _readings_of_cut(text: str) -> Iterator[dict[str, Any]]:
    """The possible readings of an object that was cut off: all of it, and it without the element that is not whole."""
    outside, quote, _ = _STRING.sub("", text).partition('"')
    if not quote:
        text = _CUT_WORD.sub("", text)  # of a number nobody knows whether it goes on
    try:
        data = from_json(text, allow_partial=True)
    except ValueError:
        return
    depth = sum(map("{[".count, outside)) - sum(map("}]".count, outside))
    if depth < 1:
        return  # it is not cut off, but broken
    if depth == 1 or (not quote and text.rstrip(", \n")[-1:] in ("}", "]")):
        yield data
    if depth > 1:
        yield _without_last(data)


def _without_last(data: dict[str, Any]) -> dict[str, Any]:
    """An object without the last element of its last list, the outermost one."""
    *_, (name, value) = data.items()
    if isinstance(value, dict):
        return {**data, name: _without_last(value) if value else {}}
    return {**data, name: value[:-1]} if isinstance(value, list) else data


def _describe(error: ValidationError) -> str:
    """The faults by field, without the values: they are somebody's memories."""
    details = error.errors(include_url=False, include_input=False, include_context=False)
    shown = [f"{'.'.join(map(str, detail['loc'])) or 'the whole'}: {detail['msg']}" for detail in details[:_PROBLEMS_SHOWN]]
    return "; ".join(shown) + (f"; and {len(details) - len(shown)} more" if len(details) > len(shown) else "")
