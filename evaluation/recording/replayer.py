"""Answer requests from recordings and from nothing else: without a key, without a network, byte for byte.

A request without a recording may be written down, to be answered later (evaluation/recording/pending.py), but for one that
streams: batches know no streams.
"""

import threading
from collections import Counter

from evaluation.recording.local_endpoint import Answered, Call, error_answer, json_answer
from evaluation.recording.pending import PendingRequests
from evaluation.recording.recordings import Recordings, model_of, request_of

_MODELS, _CHAT = "/v1/models", "/v1/chat/completions"
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
        self._lock = threading.Lock()

    def answer(self, call: Call) -> Answered:
        """See ``Answerer``."""
        if call.method == "GET" and call.path == _MODELS:
            return json_answer({"object": "list", "data": [{"id": name, "object": "model"} for name in self._models()]})
        request = request_of(call.body)
        found = self._recordings.find(call.path, request) if request is not None and call.method == "POST" else None
        if found is not None:
            with self._lock:
                self.answered += 1
            return Answered(found.status, found.content_type, found.body)
        if self._pending is not None and call.path == _CHAT and isinstance(request, dict) and not request.get("stream"):
            self._pending.add(_CHAT, request)
            kind = "pending"
            reason = f"pending in {self._pending.path}: have it answered, take it in with `mneme bench offline import`"
        else:
            kind = "not_recorded"
            reason = f"no recording of {call.method} {call.path} for {model_of(request) or 'no model'}"
        with self._lock:
            self.unknown[reason] += 1
        return error_answer(NOT_RECORDED, reason, kind)

    def _models(self) -> list[str]:
        return sorted({model_of(each.request) for each in self._recordings} - {""})
