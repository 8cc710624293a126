"""A chat completion as a stream: server-sent events with pieces of the text, as the OpenAI protocol has it."""

import json
import re
from collections.abc import Iterator
from typing import Any

_PIECE = re.compile(r"\s*\S{1,8}|\s+\Z")  # about a token


def events(completion: dict[str, Any], with_usage: bool) -> list[bytes]:
    """The events of a completion, the last ``[DONE]``; without a usage unless it is asked for."""
    chunks = list(_chunks(completion))
    if with_usage:
        chunks.append({"choices": [], "usage": completion["usage"]})
    named = {"id": completion["id"], "object": "chat.completion.chunk", "model": completion["model"]}
    lines = [json.dumps({**named, **chunk}) for chunk in chunks] + ["[DONE]"]
    return [f"data: {line}\n\n".encode() for line in lines]


def _chunks(completion: dict[str, Any]) -> Iterator[dict[str, Any]]:
    choice = completion["choices"][0]
    message = choice["message"]
    deltas: list[dict[str, str]] = [{"content": piece} for piece in _PIECE.findall(message["content"] or "")]
    if message["refusal"]:
        deltas.append({"refusal": message["refusal"]})
    yield {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}
    for delta in deltas:
        yield {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
