"""The endpoint that every system gets: vectors of Mneme's embedder, and chat answers that take a set time and are counted.

A chat answer fills the form that its system asked for (stub_answers.py); no model is behind it. Embeddings take the time that
the embedder takes, one request at a time.
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from connectors.recorded.local_endpoint import Answered, Call, OnPiece, error_body
from evaluation.peers.stub_answers import answer
from mneme.ports import Embedder

MODEL = "stub"


@dataclass(frozen=True, slots=True)
class Traffic:
    """What has been asked of the chat model: requests, and the tokens of their prompts."""

    calls: int = 0
    prompt_tokens: int = 0

    def since(self, before: "Traffic") -> "Traffic":
        """What came after ``before``."""
        return Traffic(self.calls - before.calls, self.prompt_tokens - before.prompt_tokens)


class StubEndpoint:
    """An ``Answerer`` (connectors/recorded/local_endpoint.py) for ``/v1/chat/completions`` and ``/v1/embeddings``."""

    def __init__(self, embedder: Embedder, count_tokens: Callable[[str], int], latency: float) -> None:
        """Prepare; ``latency`` is in seconds, for each chat answer."""
        self._embedder, self._count, self._latency = embedder, count_tokens, latency
        self._traffic = Traffic()
        self._lock, self._embedding = threading.Lock(), threading.Lock()
        self._under_way, self._last_ended = 0, 0.0

    @property
    def traffic(self) -> Traffic:
        """So far."""
        with self._lock:
            return self._traffic

    @property
    def quiet_since(self) -> float | None:
        """When the last request ended, by ``time.perf_counter``; None while one is under way."""
        with self._lock:
            return None if self._under_way else self._last_ended

    def answer(self, call: Call, on_piece: OnPiece) -> Answered:
        """See ``Answerer``; what is not served gets 404, what cannot be read 400."""
        with self._lock:
            self._under_way += 1
        try:
            return self._answer(call)
        finally:
            with self._lock:
                self._under_way, self._last_ended = self._under_way - 1, time.perf_counter()

    def _answer(self, call: Call) -> Answered:
        if call.path == "/v1/models":
            return _json({"object": "list", "data": [{"id": MODEL, "object": "model"}]})
        serve = {"/v1/chat/completions": self._chat, "/v1/embeddings": self._embeddings}.get(call.path)
        if serve is None:
            return Answered(404, "application/json", error_body(f"no such path: {call.path}", "stub"))
        try:
            return _json(serve(json.loads(call.body)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return Answered(400, "application/json", error_body(f"the stub does not understand this: {error!r}", "stub"))

    def _chat(self, body: dict[str, Any]) -> dict[str, Any]:
        ends = time.monotonic() + self._latency
        texts = [(message["role"], _text(message["content"])) for message in body["messages"]]
        form = (body.get("response_format") or {}).get("json_schema", {})
        asked = sum(self._count(text) for _, text in texts) + (self._count(json.dumps(form["schema"])) if form else 0)
        said = answer("\n".join(text for role, text in texts if role == "system"), texts[-1][1], form.get("schema"))
        with self._lock:
            self._traffic = Traffic(self._traffic.calls + 1, self._traffic.prompt_tokens + asked)
        told = self._count(said)
        time.sleep(max(0.0, ends - time.monotonic()))
        message = {"role": "assistant", "content": said, "refusal": None}
        return {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model", MODEL),
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told},
        }

    def _embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        with self._embedding:
            vectors = self._embedder.embed(texts)
        rows = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(vectors)]
        return {
            "object": "list",
            "data": rows,
            "model": body.get("model", MODEL),
            "usage": {"prompt_tokens": 0, "total_tokens": 0},
        }


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _json(content: dict[str, Any]) -> Answered:
    return Answered(200, "application/json", json.dumps(content).encode())
