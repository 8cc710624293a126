"""Speech to text at an endpoint that has OpenAI's ``/audio/transcriptions``.

An endpoint is asked for ``verbose_json``, which has times; one that does not know it, for ``json``, which has the text alone.
Models that tell speakers apart (``gpt-4o-transcribe-diarize``) have a format of their own; other servers that do so put a
``speaker`` beside each segment of ``verbose_json``.
"""

from pathlib import PurePath
from typing import Any

from pydantic import BaseModel, FiniteFloat, ValidationError

from connectors.documents.kinds import media_kind
from connectors.endpoints.backoff import Refusal, Retries
from connectors.endpoints.call_budget import Call, CallBudget, Purpose
from connectors.endpoints.openai_client import OpenAiClient, Upload
from connectors.endpoints.spoken_languages import language_code
from connectors.telemetry.models import measured_call
from mneme.errors import ModelMalformed, ModelRefused
from mneme.ports import Spoken, Transcript
from mneme.settings import Models, Transcription

_GROUP = "MNEME_TRANSCRIPTION"
_RETRY_BASE_SECONDS = 2.0
_UNSUPPORTED = frozenset({400, 422})  # how endpoints say that they do not know a response format
_TOO_LARGE = 413
_USUAL_LIMIT = 25_000_000  # bytes; OpenAI's, which others have taken over


class TranscriptionEndpoint:
    """A ``Transcriber`` at an endpoint. Safe for several threads; its calls count among those of ingestion."""

    def __init__(self, settings: Transcription, limits: Models, retries: Retries | None = None) -> None:
        """Prepare, without calling.

        Args:
            settings: endpoint, key, model and language; ``timeout_seconds`` is for one recording over all attempts.
            limits: the limits of the process on calls, which all models share.
            retries: replaces the retries of the settings (a test's clock).

        Raises:
            SettingsError: an URL or a key that is none.
        """
        self.model = settings.model
        self.language = settings.language or ""
        retries = retries or Retries(settings.retries, _RETRY_BASE_SECONDS, settings.timeout_seconds)
        self._endpoint = OpenAiClient(settings.base_url, settings.api_key, retries, _GROUP)
        self._budget = CallBudget(
            limits.calls_in_flight, limits.calls_in_flight_process, limits.requests_per_minute, limits.tokens_per_minute
        )
        self._tells_speakers = "diarize" in settings.model
        self._format: str | None = None

    def transcribe(self, audio: bytes, name: str, scope: str) -> Transcript:
        """What is said. The endpoint is not told the name: it only needs to know what the recording is, which its bytes say.

        Raises:
            ModelError: see ``Backoff.call``; ModelRefused also where the recording is too large.
        """
        kind = media_kind(audio, name, None)
        file = Upload(f"recording.{kind.name}" if kind else f"recording{PurePath(name).suffix.lower()}", audio)
        waiting = self._budget.call(Purpose.INGESTION, 0, self._endpoint.retries.deadline_seconds)
        with waiting as call, measured_call("transcription", self.model, scope):
            try:
                answer = self._asked(file, call)
            except Refusal as error:
                if error.status == _TOO_LARGE or (error.status in _UNSUPPORTED and len(audio) > _USUAL_LIMIT):
                    raise ModelRefused(
                        f"the recording has {len(audio) / 1e6:.0f} MB, and most endpoints take 25: divide it, "
                        f"or make it smaller (one channel, 16 kHz, ogg). {error}"
                    ) from error
                raise
        return _transcript(answer, self.language)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _asked(self, file: Upload, call: Call) -> dict[str, Any]:
        """The answer in the best format that the endpoint takes."""
        deadline = self._endpoint.retries.deadline()
        refusals: list[Refusal] = []
        best = "diarized_json" if self._tells_speakers else "verbose_json"
        for format_ in (self._format,) if self._format else (best, "json"):
            try:
                answer = self._endpoint.transcribe(self.model, file, self._fields(format_), deadline, call.attempt)
            except Refusal as error:
                if error.status not in _UNSUPPORTED:
                    raise
                refusals.append(error)
            else:
                self._format = format_
                return answer
        raise refusals[0]  # refused in both formats: the format was not what it minded

    def _fields(self, format_: str) -> dict[str, str]:
        fields = {"response_format": format_}
        if self.language:
            fields["language"] = self.language
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
    language: str | None = None
    segments: list[_Segment] | None = None


def _transcript(answer: dict[str, Any], language: str) -> Transcript:
    try:
        read = _Answer.model_validate(answer)
    except ValidationError:  # which would quote what was said
        read = _Answer()
    if read.text is None and read.segments is None:
        raise ModelMalformed(f"{_GROUP}__BASE_URL answered with what is no transcript; check it and {_GROUP}__MODEL")
    segments = read.segments or [_Segment(text=read.text or "")]
    spoken = tuple(_spoken(segment) for segment in segments if segment.text.strip())
    return Transcript(spoken, language or language_code(read.language or ""))


def _spoken(segment: _Segment) -> Spoken:
    begins = max(segment.start, 0.0)
    speaker = "" if segment.speaker is None else _clean(str(segment.speaker))
    return Spoken(speaker, begins, max(segment.end, begins), _clean(segment.text))


def _clean(text: str) -> str:
    return text.encode(errors="replace").decode().strip()  # half a surrogate pair is no text
