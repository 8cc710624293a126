"""An endpoint that is a file: requests are answered from recordings, and those without an answer are written down.

They are in the format of batch APIs (``connectors/recorded/batch_files.py``), so that somebody, or a batch, can answer them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from connectors.endpoints.backoff import Refusal, Retries, as_sent
from connectors.recorded.batch_files import PendingRequests
from connectors.recorded.recordings import Recordings
from connectors.recorded.whole_answers import events
from mneme.errors import ModelMalformed, ModelPending

_CHAT = "/v1/chat/completions"
_STREAMING = ("stream", "stream_options")  # batches know no streams


class OfflineEndpoint:
    """In place of an ``OpenAiClient``. Safe for several threads."""

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

    def chat(
        self, body: Mapping[str, Any], deadline: float | None = None, before_each: Callable[[float], None] = lambda left: None
    ) -> dict[str, Any]:
        """The recorded completion. ``deadline`` and ``before_each`` are of no use here: nothing is waited for.

        Raises:
            ModelPending: there is none; the request is written down.
            Refusal: what is recorded is that the endpoint does not know the response format.
            ModelMalformed: a recorded answer that is no JSON object.
            StoreRejected, StoreUnavailable: one of the files.
        """
        sent = as_sent(body)
        found = self._recordings.find(_CHAT, sent)
        if found is None:
            self._pending.add(_CHAT, sent)
            raise ModelPending(
                f"{self._recordings.path} has no answer of {sent.get('model')} to this, which is now in {self._pending.path}: "
                "have that file answered, take the answers in with `mneme offline import`, and run this again"
            )
        if found.status >= 400:
            raise Refusal(f"{self._recordings.path}: a recorded refusal of a chat request", found.status)
        return self._object(found.body)

    def chat_stream(
        self, body: Mapping[str, Any], deadline: float, before_each: Callable[[float], None] = lambda left: None
    ) -> Iterator[dict[str, Any]]:
        """The events of a recorded stream; where there is none, those of the answer without streaming, in one.

        Raises: as ``chat``.
        """
        streamed = self._recordings.find(_CHAT, as_sent(body))
        if streamed is not None:
            yield from map(self._object, events(streamed.body))
            return
        completion = self.chat({name: value for name, value in body.items() if name not in _STREAMING})
        try:
            deltas = [{**choice, "delta": choice["message"]} for choice in completion["choices"]]
        except (KeyError, TypeError) as error:
            raise ModelMalformed(f"{self._recordings.path}: a recorded chat answer has no choices") from error
        yield {**completion, "choices": deltas}

    def close(self) -> None:
        """There is nothing to release: the files are open only while they are used."""

    def _object(self, content: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(content)
        except ValueError as error:
            raise ModelMalformed(f"{self._recordings.path}: a recorded chat answer is no JSON") from error
        if not isinstance(answer, dict):
            raise ModelMalformed(f"{self._recordings.path}: a recorded chat answer is no JSON object")
        return answer


def pending_path(recordings: Path) -> Path:
    """Where requests go that have no recording, unless it is said: beside ``answers.jsonl`` into ``answers.pending.jsonl``."""
    return recordings.with_suffix(".pending.jsonl")
