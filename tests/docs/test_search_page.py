"""The page of the search says what the response holds."""

import json
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from queries.filtering.filters import Filters
from queries.responses import SearchResponse

PAGE = (Path(__file__).parents[2] / "docs" / "search.md").read_text(encoding="utf-8")


def models(annotation: Any) -> set[type[BaseModel]]:
    """The models that a type is made of, with all inside them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inside = [models(field.annotation) for field in annotation.model_fields.values()]
        return {annotation}.union(*inside)
    return set().union(*(models(argument) for argument in getattr(annotation, "__args__", ())))


def test_every_field_of_the_response_and_every_filter_is_explained() -> None:
    named = set(re.findall(r"`(\w+)`", re.sub(r"^```.*?^```", "", PAGE, flags=re.S | re.M)))
    shown = (model.model_fields.items() for model in models(SearchResponse))
    fields = {name for each in shown for name, field in each if not field.exclude}
    assert fields | set(Filters.model_fields) <= named


def test_the_example_is_a_whole_response() -> None:
    (example,) = re.findall(r"^```json\n(.*?)^```", PAGE, flags=re.S | re.M)
    found = SearchResponse.model_validate_json(example)
    assert [item.rank for item in found.ranked()] == list(range(1, found.query.top_k + 1))
    assert list(json.loads(example)) == list(SearchResponse.model_fields)
