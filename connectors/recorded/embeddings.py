"""Embeddings are recorded text by text: which texts share a request depends on how busy the threads are, and no two runs
agree in it. Values are kept exactly; the usage, which an endpoint counts for a whole request, is left out.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_PATH = "/embeddings"


def texts_of(path: str, request: Any) -> list[Any] | None:
    """The texts of a request for embeddings of several; None for any other. A text may be given as its tokens."""
    texts = request.get("input") if path.endswith(_PATH) and isinstance(request, dict) else None
    if isinstance(texts, list) and texts and all(isinstance(text, str | list) for text in texts):
        return texts
    return None


def request_for(request: Mapping[str, Any], texts: Sequence[Any]) -> dict[str, Any]:
    """The same request for other texts."""
    return {**request, "input": list(texts)}


def apart(answer: str, count: int) -> list[str] | None:
    """The answer for each of ``count`` texts, in their order; None where it has not one vector for each."""
    try:
        whole = json.loads(answer)
        rows = {row["index"]: row for row in whole["data"] if "embedding" in row}
    except (ValueError, KeyError, TypeError):
        return None
    if set(rows) != set(range(count)):
        return None
    more = {name: value for name, value in whole.items() if name not in ("data", "usage")}
    return [json.dumps({**more, "data": [{**rows[at], "index": 0}]}) for at in range(count)]


def together(answers: Sequence[str]) -> str:
    """One answer of those for single texts."""
    wholes = [json.loads(answer) for answer in answers]
    rows = [{**whole["data"][0], "index": at} for at, whole in enumerate(wholes)]
    return json.dumps({**wholes[0], "data": rows})
