"""Answer requests from recordings and from nothing else: without a key, without a network, byte for byte.

A request without a recording may be written down, to be answered later, but for one that streams: batches know no streams.
The format is that of OpenAI's Batch API: ``{"custom_id", "method": "POST", "url": "/v1/chat/completions", "body": {...}}``, and
answered ``{"custom_id", "response": {"status_code", "body"}, "error"}``. The ``custom_id`` is the key of the recording.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.recording.local_endpoint import Answered, Call, error_answer, json_answer
from evaluation.recording.recordings import KeyedLines, Recording, Recordings, key_of, lasts, model_of, request_of
from mneme.errors import InputError

_JSON = "application/json"


class PendingRequests:
    """The requests that wait for an answer, each once. Safe for several threads.

    Raises:
        StoreRejected: a line is no request, or its ``custom_id`` is of another. By every method.
        StoreUnavailable: the file cannot be read or written. By every method.
    """

    def __init__(self, path: Path) -> None:
        """Read the file, if there is one; it appears with the first request."""
        self.path = path
        self._lines = KeyedLines(path, "request of a batch", _checked_key)

    def __len__(self) -> int:
        return len(self._lines)

    def find(self, custom_id: str) -> tuple[str, Any] | None:
        """Path and body of a request."""
        line = self._lines.find(custom_id)
        return None if line is None else (line["url"], line["body"])

    def add(self, path: str, body: Any) -> None:
        """Append a request, durably, unless it is there."""
        self._lines.add({"custom_id": key_of(path, body), "method": "POST", "url": path, "body": body})

    def drop_answered(self, recordings: Recordings) -> None:
        """Take away those that are recorded."""
        if len(self):
            self._lines.rewrite(lambda lines: [each for each in lines if recordings.find(each["url"], each["body"]) is None])


@dataclass(frozen=True, slots=True)
class Imported:
    """The outcome of a file of answers: how many were new, how many recorded before; why others failed, by their
    ``custom_id``; and which are of no pending request.
    """

    added: int
    known: int
    failed: dict[str, str]
    strange: tuple[str, ...]


def import_answers(responses: Path, pending: PendingRequests, recordings: Recordings) -> Imported:
    """Take the answers of a batch into the recordings, and what is answered off the pending requests.

    Raises:
        InputError: the file cannot be read, or a line is no answer of a batch.
        StoreRejected, StoreUnavailable: of the other two files.
    """
    recorded = {key_of(each.path, each.request) for each in recordings}
    new: dict[str, Recording] = {}
    known, failed, strange = set[str](), dict[str, str](), list[str]()
    for custom_id, answer in _answers(responses):
        if custom_id in recorded or custom_id in new:
            known.add(custom_id)
        elif (request := pending.find(custom_id)) is None:
            strange.append(custom_id)
        elif (recording := _recording(*request, answer.get("response"))) is None:
            failed[custom_id] = f"no response ({_message(answer)})"
        elif not lasts(recording):
            failed[custom_id] = f"status {recording.status} ({_message(answer['response'].get('body'))})"
        else:
            new[custom_id] = recording
    recordings.add(*new.values())
    pending.drop_answered(recordings)
    failed = {custom_id: why for custom_id, why in failed.items() if custom_id not in new}  # answered in another attempt
    return Imported(len(new), len(known), failed, tuple(strange))


def _answers(responses: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        with responses.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    answer = json.loads(line)
                    yield str(answer["custom_id"]), answer
                except (ValueError, KeyError, TypeError) as error:
                    raise InputError(
                        f"{responses}, line {number}: no answer of a batch, which is an object with custom_id and response"
                    ) from error
    except OSError as error:
        raise InputError(f"{responses}: {error.strerror}; name the file of answers that the batch gave") from error


def _message(answer: Any) -> str:
    error = answer.get("error") if isinstance(answer, dict) else None
    message = error.get("message") or error.get("code") if isinstance(error, dict) else error
    return " ".join(str(message or "without a reason").split())[:200]


def _recording(path: str, body: Any, response: Any) -> Recording | None:
    """The recording of a response; None for what is none."""
    if not isinstance(response, dict) or type(response.get("status_code")) is not int:
        return None
    text = json.dumps(response.get("body"), ensure_ascii=False).encode(errors="replace").decode()
    return Recording(path, body, response["status_code"], _JSON, text)


def _checked_key(line: Any) -> str:
    key = key_of(line["url"], line["body"])
    if line["custom_id"] != key:
        raise ValueError(f"the custom_id of its url and body is {key}")
    return key


def pending_path(recordings: Path) -> Path:
    """The default file of requests without a recording: beside ``answers.jsonl`` it is ``answers.pending.jsonl``."""
    return recordings.with_suffix(".pending.jsonl")


_MODELS, _CHAT = "/v1/models", "/v1/chat/completions"
NOT_RECORDED = 404  # clients do not try it again


class ModelReplayer:
    """Answers what is recorded. What is not recorded gets ``NOT_RECORDED``, and is in ``unknown``.

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
        """The answer to a call."""
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
