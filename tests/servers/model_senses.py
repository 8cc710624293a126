"""What the model server hears and sees: what a test has put into its tables, else something made from the bytes alone.

A recording that is no sound but printable text is heard as that text, a line each two seconds; ``Anna: Hello`` is said by Anna.
"""

import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

PICTURE_TOKENS = 765  # what a provider bills for one
_SECONDS = 2.0
_SPEAKER = re.compile(r"^(?P<name>[^:\n]{1,40}): (?P<text>.*)$")
_DATA_URI = re.compile(r"data:image/(?:png|jpeg|webp|gif);base64,(?P<content>[A-Za-z0-9+/]+=*)")


@dataclass(frozen=True)
class Heard:
    """A stretch of speech, in seconds."""

    begins: float
    ends: float
    text: str
    speaker: str = ""


@dataclass(frozen=True)
class Viewed:
    """What a picture shows, and the text in it."""

    description: str
    text: str = ""


def hear(audio: bytes, known: Mapping[str, Sequence[Heard]]) -> Sequence[Heard]:
    """What is said in a recording; ``known`` is by SHA-256."""
    digest = sha256(audio).hexdigest()
    if digest in known:
        return known[digest]
    try:
        lines = audio.decode().splitlines()
    except UnicodeDecodeError:
        lines = ["\0"]
    if not all(map(str.isprintable, lines)):
        return (Heard(0.0, _SECONDS, f"This is the recording {digest[:8]}."),)
    return tuple(_heard(line, at * _SECONDS) for at, line in enumerate(lines) if line.strip())


def _heard(line: str, begins: float) -> Heard:
    match = _SPEAKER.match(line)
    speaker, text = (match["name"], match["text"]) if match else ("", line)
    return Heard(begins, begins + _SECONDS, text, speaker)


def transcript(heard: Sequence[Heard], response_format: str, names_speakers: bool) -> dict[str, Any]:
    """The answer in a response format, as OpenAI writes it; without speakers their names are part of what is said."""
    told = [each.text if names_speakers or not each.speaker else f"{each.speaker}: {each.text}" for each in heard]
    text = " ".join(told)
    if response_format == "json":
        return {"text": text}
    segments: list[dict[str, Any]] = [
        {"id": at, "start": each.begins, "end": each.ends, "text": f" {said}"}
        for at, (each, said) in enumerate(zip(heard, told, strict=True))
    ]
    if names_speakers:
        for segment, each in zip(segments, heard, strict=True):
            segment["speaker"] = each.speaker or "A"
    answer = {"text": text, "segments": segments, "duration": heard[-1].ends if heard else 0.0}
    return answer if response_format == "diarized_json" else {"task": "transcribe", "language": "english", **answer}


def view(picture: bytes, known: Mapping[str, Viewed]) -> Viewed:
    """What a picture shows; ``known`` is by SHA-256."""
    digest = sha256(picture).hexdigest()
    return known.get(digest, Viewed(f"This is the picture {digest[:8]}."))


def text_of(content: str | list[dict[str, Any]]) -> str:
    """The text of a message."""
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content if part["type"] == "text")


def pictures_of(content: str | list[dict[str, Any]]) -> list[bytes]:
    """The pictures of a message.

    Raises:
        ValueError: one that is no picture.
    """
    shown = [] if isinstance(content, str) else [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    return [_content(uri) for uri in shown]


def _content(uri: str) -> bytes:
    match = _DATA_URI.fullmatch(uri)
    if match is None:
        raise ValueError("image_url: no data URI of a picture")
    return b64decode(match["content"], validate=True)
