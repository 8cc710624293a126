"""Answer requests from recordings and from nothing else: without a key, without a network, byte for byte.

A request without a recording may be written down, to be answered later (evaluation/recording/pending.py).
"""

import json
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from evaluation.recording.local_endpoint import Answered, Call, LocalEndpoint, OnPiece, error_body
from evaluation.recording.pair_verdicts import RecordedVerdicts
from evaluation.recording.pending import PendingRequests
from evaluation.recording.recordings import Recordings, model_of, request_of
from mneme.settings import Settings

_MISSING = "(missing)"
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """The first field in which two requests differ: ``messages[1].content``, from the character ``at``.

    ``asked`` and ``recorded`` are what stands there, a few words long.
    """

    field: str
    at: int
    asked: str
    recorded: str


def nearest(asked: Any, recorded: Iterable[Any]) -> Difference | None:
    """The difference between a request and the most similar one of others: of the most equal fields, then of the longest equal
    beginning of the first other one; None without others, or where one has the same fields.
    """
    mine = dict(_leaves(asked))
    differences = (_difference(mine, dict(_leaves(request))) for request in recorded)
    known = [each for each in differences if each is not None]
    return min(known, key=lambda each: (each[0], -each[1].at))[1] if known else None


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key], f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{name}[{index}]")
    else:
        yield name, str(value)


def _difference(mine: dict[str, str], other: dict[str, str]) -> tuple[int, Difference] | None:
    """Count the fields that differ, and tell the first of them; None where none does."""
    differing = [name for name in {**mine, **other} if mine.get(name) != other.get(name)]
    if not differing:
        return None
    asked, recorded = (fields.get(differing[0], _MISSING) for fields in (mine, other))
    at = (
        0
        if _MISSING in (asked, recorded)
        else sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(asked, recorded, strict=False)))
    )
    shown = slice(at, at + _SHOWN_CHARACTERS)
    return len(differing), Difference(differing[0], at, asked[shown], recorded[shown])


_MODELS, _CHAT = "/v1/models", "/v1/chat/completions"
_MOST_EXPLAINED = 20  # unknown requests: each reads the whole file, and after so many it is another run
_STREAMING = ("stream", "stream_options")  # batches know no streams
_JSON, _STREAM = "application/json", "text/event-stream"
NOT_RECORDED = 404  # clients do not try it again


@contextmanager
def replayed(settings: Settings, recordings: Path, pending: Path) -> Iterator[Settings]:
    """Settings whose chat models are answered from a file of recordings; what it lacks is written to the file ``pending``."""
    with LocalEndpoint(ModelReplayer(Recordings(recordings), PendingRequests(pending))) as front:
        yield settings.replace(models={"base_url": front.base_url})


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

    def answer(self, call: Call, on_piece: OnPiece) -> Answered:
        """See ``Answerer``."""
        if call.method == "GET" and call.path == _MODELS:
            return self._models()
        request = request_of(call.content_type, call.body)
        kept = self._kept(call.path, request) if call.method == "POST" else None
        with self._lock:
            if kept is not None:
                self.answered += 1
                return kept
            is_explained = self.unknown.total() < _MOST_EXPLAINED
        if self._pending is not None and call.path == _CHAT and isinstance(request, dict):
            self._pending.add(_CHAT, _without_stream(request))
            reason = f"pending in {self._pending.path}: have it answered, take it in with `mneme bench offline import`"
            body = error_body(reason, "pending")
        else:
            unknown = self._recordings.unknown(call.path, request)
            reason, body = self._explained(call, unknown) if is_explained else _unexplained(call, unknown)
        with self._lock:
            self.unknown[reason] += 1
        return Answered(NOT_RECORDED, _JSON, body)

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

    def _explained(self, call: Call, request: object) -> tuple[str, bytes]:
        """Why there is no recording: in words without a text of the request, and as the answer's body, with texts beside."""
        asked = _asked(call, request)
        same_path = [each.request for each in self._recordings if each.path == call.path]
        same_model = [each for each in same_path if model_of(each) == model_of(request)]
        difference = nearest(request, same_model)
        if not same_path:
            reason = f"{asked}: nothing is recorded of this path"
        elif not same_model:
            reason = f"{asked}: recorded are the models {', '.join(_names(same_path))}"
        elif difference is None:
            reason = f"{asked}: recorded with the same fields in another form"
        else:
            reason = f"{asked}: of {len(same_model)} recorded the nearest differs in {difference.field} at {difference.at}"
            texts = {"asked": difference.asked, "recorded": difference.recorded}
            return reason, error_body(reason, "not_recorded", nearest=texts)
        return reason, error_body(reason, "not_recorded")

    def _models(self) -> Answered:
        names = _names(each.request for each in self._recordings)
        listed = [{"id": name, "object": "model"} for name in names]
        return Answered(200, _JSON, json.dumps({"object": "list", "data": listed}).encode())


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


def _names(requests: Iterable[object]) -> list[str]:
    return sorted({model_of(each) for each in requests} - {""})


def _asked(call: Call, request: object) -> str:
    return f"no recording of {call.method} {call.path} for {model_of(request) or 'no model'}"


def _unexplained(call: Call, request: object) -> tuple[str, bytes]:
    reason = _asked(call, request)
    return reason, error_body(reason, "not_recorded")
