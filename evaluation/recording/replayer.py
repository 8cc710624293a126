"""Answer requests from recordings and from nothing else: without a key, without a network, byte for byte.

A request without a recording may be written down, to be answered later (evaluation/recording/pending.py). Calls of the judge
(flows/consistency/judge.py) are answered pair by pair, in whatever company a pair is asked.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from evaluation.recording.local_endpoint import Answered, Call, error_answer, json_answer
from evaluation.recording.pending import PendingRequests
from evaluation.recording.recordings import Recordings, model_of, request_of
from flows.consistency.judge import PairVerdicts

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


_STATEMENT = re.compile(r"(S\d+) (\d{4}-\d\d-\d\d(?: \(of \d{4}-\d\d-\d\d\))?: .*)")
_PAIR = re.compile(r"(\d+)\. (S\d+) (S\d+)")

_Asked = tuple[str, ...]  # the model, its rules, the older and the newer statement with their days


class RecordedVerdicts:
    """The verdicts of all recorded calls. Safe for several threads."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings
        self._lock = threading.Lock()
        self._read = 0  # recordings
        self._known: dict[_Asked, tuple[bool, bool]] = {}  # of each pair whether it is same, and whether replaced

    def completion(self, request: Any) -> bytes | None:
        """The answer to a request of the judge, put together from recorded calls; None where a pair is in none of them."""
        asked = dict(_pairs(request))
        if not asked:
            return None
        with self._lock:
            self._read_on()
            if any(pair not in self._known for pair in asked.values()):
                return None
            verdicts = {number: self._known[pair] for number, pair in asked.items()}
        same = [number for number, (is_same, _) in verdicts.items() if is_same]
        replaces = [number for number, (_, is_replaced) in verdicts.items() if is_replaced]
        content = PairVerdicts(same=same, replaces=replaces).model_dump_json()
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        return json.dumps({"choices": [choice]}).encode()

    def _read_on(self) -> None:
        if len(self._recordings) == self._read:
            return
        self._read = len(self._recordings)
        for recording in self._recordings:
            if asked := dict(_pairs(recording.request)):
                try:
                    text = json.loads(recording.body)["choices"][0]["message"]["content"]
                    answer = PairVerdicts.model_validate_json(text)
                except (ValidationError, ValueError, KeyError, IndexError, TypeError):
                    continue
                for number, pair in asked.items():
                    self._known.setdefault(pair, (number in answer.same, number in answer.replaces))


def _pairs(request: Any) -> Iterator[tuple[int, _Asked]]:
    """The pairs that a request asks about by their numbers: ``judge_prompt`` read backwards; none of any other request."""
    try:
        rules, user = (str(message["content"]) for message in request["messages"])
        model = str(request["model"])
    except (KeyError, TypeError, ValueError):
        return
    statements: dict[str, str] = {}
    pairs: list[tuple[int, str, str]] = []
    for line in user.split("\n"):
        if said := _STATEMENT.fullmatch(line):
            statements[said[1]] = said[2]
        elif pair := _PAIR.fullmatch(line):
            pairs.append((int(pair[1]), pair[2], pair[3]))
        else:
            return
    if all(older in statements and newer in statements for _, older, newer in pairs):
        yield from ((number, (model, rules, statements[older], statements[newer])) for number, older, newer in pairs)
