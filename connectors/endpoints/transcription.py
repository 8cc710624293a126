"""Speech to text at an endpoint that has OpenAI's ``/audio/transcriptions``, and a cache of transcripts.

An endpoint is asked for ``verbose_json``, which has times; one that does not know it, for ``json``, which has the text alone.
Models that tell speakers apart (``gpt-4o-transcribe-diarize``) have a format of their own; other servers that do so put a
``speaker`` beside each segment of ``verbose_json``.
"""

import hashlib
import json
from pathlib import Path, PurePath
from typing import Any, Protocol

from pydantic import BaseModel, FiniteFloat, TypeAdapter, ValidationError

from connectors.documents.kinds import media_kind
from connectors.endpoints.answer_cache import AnswerFile
from connectors.endpoints.backoff import Retries, first_accepted
from connectors.endpoints.call_budget import Call, CallBudget, Purpose
from connectors.endpoints.openai_client import OpenAiClient, Upload
from connectors.telemetry.meters import measured_call
from mneme.errors import ModelMalformed
from mneme.ports import Spoken, Transcriber, Transcript
from mneme.settings import Models, Transcription

_GROUP = "MNEME_TRANSCRIPTION"
_RETRY_BASE_SECONDS = 2.0


class TranscriptionEndpoint:
    """A ``Transcriber`` at an endpoint. Safe for several threads; its calls count among those of ingestion."""

    def __init__(self, settings: Transcription, limits: Models, retries: Retries | None = None) -> None:
        """Prepare, without calling.

        Args:
            settings: endpoint, key and model; ``timeout_seconds`` is for one recording over all attempts.
            limits: the limits of the process on calls, which all models share.
            retries: replaces the retries of the settings (a test's clock).

        Raises:
            SettingsError: the URL or the key is invalid.
        """
        self.model = settings.model
        retries = retries or Retries(settings.retries, _RETRY_BASE_SECONDS, settings.timeout_seconds)
        self._endpoint = OpenAiClient(settings.base_url, settings.api_key, retries, _GROUP)
        self._budget = CallBudget.of(limits)
        self._tells_speakers = "diarize" in settings.model
        best = "diarized_json" if self._tells_speakers else "verbose_json"
        self._formats: tuple[str, ...] = (best, "json")  # until the endpoint has taken one

    def transcribe(self, audio: bytes, name: str, scope: str) -> Transcript:
        """The transcript. The endpoint is not told the name: it only needs the kind of the recording, which its bytes say.

        Raises:
            ModelError: see ``Backoff.call``.
        """
        kind = media_kind(audio)
        file = Upload(f"recording.{kind.name}" if kind else f"recording{PurePath(name).suffix.lower()}", audio)
        waiting = self._budget.call(Purpose.INGESTION, 0, self._endpoint.retries.deadline_seconds)
        with waiting as call, measured_call("transcription", self.model, scope):
            answer = self._asked(file, call)
        return _transcript(answer)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _asked(self, file: Upload, call: Call) -> dict[str, Any]:
        """The answer in the best format that the endpoint takes."""
        deadline = self._endpoint.retries.deadline()

        def ask(format_: str) -> dict[str, Any]:
            return self._endpoint.transcribe(self.model, file, self._fields(format_), deadline, call.attempt)

        taken, answer = first_accepted(self._formats, ask)
        self._formats = (taken,)
        return answer

    def _fields(self, format_: str) -> dict[str, str]:
        fields = {"response_format": format_}
        if self._tells_speakers:
            fields["chunking_strategy"] = "auto"  # without it more than 30 seconds are refused
        return fields


class _Segment(BaseModel):
    text: str
    start: FiniteFloat = 0.0
    end: FiniteFloat = 0.0
    speaker: str | int | None = None


class _Answer(BaseModel):
    text: str | None = None
    segments: list[_Segment] | None = None


def _transcript(answer: dict[str, Any]) -> Transcript:
    try:
        read = _Answer.model_validate(answer)
    except ValidationError:  # which would quote what was said
        read = _Answer()
    if read.text is None and read.segments is None:
        raise ModelMalformed(f"{_GROUP}__BASE_URL answered with what is no transcript; check it and {_GROUP}__MODEL")
    segments = read.segments or [_Segment(text=read.text or "")]
    return Transcript(tuple(_spoken(segment) for segment in segments if segment.text.strip()))


def _spoken(segment: _Segment) -> Spoken:
    begins = max(segment.start, 0.0)
    speaker = "" if segment.speaker is None else _clean(str(segment.speaker))
    return Spoken(speaker, begins, max(segment.end, begins), _clean(segment.text))


def _clean(text: str) -> str:
    return text.encode(errors="replace").decode().strip()  # half a surrogate pair is no text


_FORM = TypeAdapter(Transcript)


class NamedTranscriber(Transcriber, Protocol):
    """A transcriber that says which model listens; another hears something else."""

    @property
    def model(self) -> str:
        """The name of the model."""


class CachedTranscriber:
    """A transcriber in front of which lies a file of its transcripts.

    The key is a hash of sound and model, whatever the recording is called; rows are kept by scope, as those of
    ``CachedChat`` are. Safe for several threads and processes.
    """

    def __init__(self, transcriber: NamedTranscriber, path: Path) -> None:
        """Open the cache.

        Raises:
            StoreRejected: the file is no cache of answers.
            StoreUnavailable: the file cannot be opened.
        """
        self._transcriber = transcriber
        self._answers = AnswerFile(path)

    def transcribe(self, audio: bytes, name: str, scope: str) -> Transcript:
        """The stored transcript, else the model's, stored before it is returned.

        Raises:
            ModelTimeout, ModelRateLimited, ModelMalformed, ModelRefused
            StoreUnavailable: the cache cannot be written.
        """
        key = self._key(audio)
        if (stored := self._answers.parsed(scope, key, _FORM.validate_json)) is not None:
            return stored
        transcript = self._transcriber.transcribe(audio, name, scope)
        # What is returned is what was read back, as of CachedChat: of two the one that was kept first.
        self._answers.add(scope, {key: _FORM.dump_json(transcript).decode()})
        return self._answers.parsed(scope, key, _FORM.validate_json) or transcript

    def close(self) -> None:
        """Close the cache and the transcriber behind it."""
        self._answers.close()
        self._transcriber.close()

    def _key(self, audio: bytes) -> bytes:
        asked = ["transcript", self._transcriber.model, hashlib.sha256(audio).hexdigest()]
        return hashlib.sha256(json.dumps(asked).encode()).digest()
