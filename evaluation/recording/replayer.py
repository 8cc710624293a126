"""Answer requests from recordings and from nothing else: without a key, without a network, byte for byte.

A request without a recording may be written down, to be answered later (evaluation/recording/pending.py).
"""

import json
import threading
from collections import Counter
from typing import Any

from evaluation.recording.local_endpoint import Answered, Call, error_answer, json_answer
from evaluation.recording.pair_verdicts import RecordedVerdicts
from evaluation.recording.pending import PendingRequests
from evaluation.recording.recordings import Recordings, model_of, request_of

_MODELS, _CHAT = "/v1/models", "/v1/chat/completions"
_STREAMING = ("stream", "stream_options")  # batches know no streams
_JSON, _STREAM = "application/json", "text/event-stream"
NOT_RECORDED = 404  # clients do not try it again


class ModelReplayer:
    """An ``Answerer``. What is not recorded gets ``NOT_RECORDED``, and is in ``unknown``.

    Args:
        recordings: with the answers.
        pending: where chat requests go that have none; None: nowhere.
    """

    def __init__(self, recordings: Recordings, pending: PendingRequests | None = None) -> None:
        self.answered = 0
        self.unknown: Counter[str] = Counter()  # why, how often; without any text of a request
        self._recordings = recordings
        self._pending = pending
        self._verdicts = RecordedVerdicts(recordings)
        self._lock = threading.Lock()

    def answer(self, call: Call) -> Answered:
        """See ``Answerer``."""
        if call.method == "GET" and call.path == _MODELS:
            return json_answer({"object": "list", "data": [{"id": name, "object": "model"} for name in self._models()]})
        request = request_of(call.body)
        kept = self._kept(call.path, request) if request is not None and call.method == "POST" else None
        if kept is not None:
            with self._lock:
                self.answered += 1
            return kept
        if self._pending is not None and call.path == _CHAT and isinstance(request, dict):
            self._pending.add(_CHAT, _without_stream(request))
            kind = "pending"
            reason = f"pending in {self._pending.path}: have it answered, take it in with `mneme bench offline import`"
        else:
            kind = "not_recorded"
            reason = f"no recording of {call.method} {call.path} for {model_of(request) or 'no model'}"
        with self._lock:
            self.unknown[reason] += 1
        return error_answer(NOT_RECORDED, reason, kind)

    def _kept(self, path: str, request: Any) -> Answered | None:
        """The recorded answer; else of a stream the whole text in one event, of a judgement what was said of each pair."""
        if (found := self._recordings.find(path, request)) is not None:
            return Answered(found.status, found.content_type, found.body)
        if path != _CHAT or not isinstance(request, dict):
            return None
        if request.get("stream") and (whole := self._recordings.find(path, _without_stream(request))) is not None:
            streamed = _as_stream(whole.body)
            return Answered(whole.status, _STREAM if streamed else whole.content_type, streamed or whole.body)
        judged = self._verdicts.completion(request)
        return None if judged is None else Answered(200, _JSON, judged)

    def _models(self) -> list[str]:
        return sorted({model_of(each.request) for each in self._recordings} - {""})


def _without_stream(request: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name not in _STREAMING}


def _as_stream(body: bytes) -> bytes:
    """A completion as a stream of one event; empty for what is none."""
    try:
        completion = json.loads(body)
        deltas = [{**choice, "delta": choice["message"]} for choice in completion["choices"]]
    except (ValueError, KeyError, TypeError):
        return b""
    return b"data: " + json.dumps({**completion, "choices": deltas}).encode() + b"\n\ndata: [DONE]\n\n"
