"""A transcriber that remembers what it heard durably, in the file of the chat models' answers; the sound itself is not kept."""

import hashlib
import json
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from connectors.endpoints.answer_file import AnswerFile
from mneme.ports import Transcriber, Transcript

_FORM = TypeAdapter(Transcript)


class NamedTranscriber(Transcriber, Protocol):
    """A transcriber that says which model listens, and for which language (empty: any); another hears something else."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def language(self) -> str:
        """The language that it was told."""


class CachedTranscriber:
    """A transcriber in front of which lies a file of its transcripts.

    The key is a hash of sound, model and language, whatever the recording is called; rows are kept by scope, as those of
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
        stored = self._stored(scope, key)
        if stored is not None:
            return stored
        transcript = self._transcriber.transcribe(audio, name, scope)
        # What is returned is what was read back, as of CachedChat: of two the one that was kept first.
        self._answers.add(scope, {key: _FORM.dump_json(transcript).decode()})
        return self._stored(scope, key) or transcript

    def close(self) -> None:
        """Close the cache and the transcriber behind it."""
        self._answers.close()
        self._transcriber.close()

    def _key(self, audio: bytes) -> bytes:
        asked = ["transcript", self._transcriber.model, self._transcriber.language, hashlib.sha256(audio).hexdigest()]
        return hashlib.sha256(json.dumps(asked).encode()).digest()

    def _stored(self, scope: str, key: bytes) -> Transcript | None:
        stored = self._answers.find(scope, [key]).get(key)
        if stored is None:
            return None
        try:
            return _FORM.validate_json(stored)
        except ValidationError:  # of another version
            self._answers.drop(scope, key)
            return None
