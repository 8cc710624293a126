"""An endpoint that is a file: requests are answered from recordings, and those without an answer are written down.

They are in the format of batch APIs (``connectors/recorded/batch_files.py``), so that somebody, or a batch, can answer them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from connectors.endpoints.openai_http import Refusal, Retries
from connectors.recorded.batch_files import PendingRequests
from connectors.recorded.recordings import Recordings
from connectors.recorded.whole_answers import events
from mneme.errors import ModelMalformed, ModelPending

_STREAMING = ("stream", "stream_options")  # batches know no streams


class OfflineEndpoint:
    """In place of an ``Endpoint``. Safe for several threads."""

    def __init__(self, recordings: Path, pending: Path | None, retries: Retries) -> None:
        """Read the files, if they are there.

        Args:
            recordings: with the answers.
            pending: where requests go that have none; None: beside ``recordings``, see ``pending_path``.
            retries: whose deadlines the callers use; nothing is tried again here.

        Raises:
            StoreRejected, StoreUnavailable: one of the files is damaged or cannot be read.
        """
        self.retries = retries
        self._recordings = Recordings(recordings)
        self._pending = PendingRequests(pending or pending_path(recordings))

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        deadline: float | None = None,
        before_each: Callable[[float], None] = lambda left: None,
    ) -> dict[str, Any]:
        """The JSON object that answers a JSON body.

        Args, Raises: as ``exchange``; ModelMalformed also for an answer that is no object.
        """
        return self._object(path, self.exchange(path, body, deadline, before_each))

    def exchange(
        self,
        path: str,
        body: Mapping[str, Any],
        deadline: float | None = None,
        before_each: Callable[[float], None] = lambda left: None,
    ) -> Any:
        """The recorded JSON answer to a JSON body. ``deadline`` and ``before_each`` are of no use here: nothing is waited for.

        Raises:
            ModelPending: there is none; the request is written down.
            Refusal: what is recorded is that the endpoint does not know the response format.
            ModelMalformed: a recorded answer that is no JSON.
            StoreRejected, StoreUnavailable: one of the files.
        """
        sent = _as_sent(body)
        found = self._recordings.find(f"/v1{path}", sent)
        if found is None:
            self._pending.add(f"/v1{path}", sent)
            raise ModelPending(
                f"{self._recordings.path} has no answer of {sent.get('model')} to this, which is now in {self._pending.path}: "
                "have that file answered, take the answers in with `mneme bench offline import`, and run this again"
            )
        if found.status >= 400:
            raise Refusal(f"{self._recordings.path}: a recorded refusal of a request to {path}", found.status)
        return self._json(path, found.body)

    def events(
        self,
        path: str,
        body: Mapping[str, Any],
        deadline: float | None = None,
        before_each: Callable[[float], None] = lambda left: None,
    ) -> Iterator[dict[str, Any]]:
        """The events of a recorded stream; where there is none, those of the answer without streaming, in one.

        Raises: as ``exchange``.
        """
        streamed = self._recordings.find(f"/v1{path}", _as_sent(body))
        if streamed is not None:
            yield from (self._object(path, self._json(path, event)) for event in events(streamed.body))
            return
        whole = {name: value for name, value in body.items() if name not in _STREAMING}
        completion = self.post(path, whole, deadline, before_each)
        try:
            deltas = [{**choice, "delta": choice["message"]} for choice in completion["choices"]]
        except (KeyError, TypeError) as error:
            raise ModelMalformed(f"{self._recordings.path}: the answer of a request to {path} has no choices") from error
        yield {**completion, "choices": deltas}

    def close(self) -> None:
        """There is nothing to release: the files are open only while they are used."""

    def _object(self, path: str, answer: Any) -> dict[str, Any]:
        if not isinstance(answer, dict):
            raise ModelMalformed(f"{self._recordings.path}: the answer of a request to {path} is no JSON object")
        return answer

    def _json(self, path: str, content: bytes) -> Any:
        try:
            return json.loads(content)
        except ValueError as error:
            raise ModelMalformed(f"{self._recordings.path}: the answer of a request to {path} is no JSON") from error


def pending_path(recordings: Path) -> Path:
    """Where requests go that have no recording, unless it is said: beside ``answers.jsonl`` into ``answers.pending.jsonl``."""
    return recordings.with_suffix(".pending.jsonl")


def _as_sent(body: Mapping[str, Any]) -> dict[str, Any]:
    """What arrives of a body over HTTP, which is what recordings compare: half a surrogate pair is a question mark."""
    sent: dict[str, Any] = json.loads(json.dumps(body, ensure_ascii=False).encode(errors="replace"))
    return sent
