"""What a pool and its workers say to each other: frames of JSON, each with its length in front. Never pickle: a worker reads
bytes of strangers, and what it answers is checked like any input."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from mneme.ports import ParsedDocument

LENGTH = 8  # bytes in front of a frame, big-endian
FOLDER_PREFIX = "mneme-documents-"  # of the folder for temporary files that a worker has for itself


@dataclass(frozen=True, slots=True)
class Request:
    """A document to parse; its ``size`` bytes follow the frame as they are."""

    name: str
    media_type: str | None
    size: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A document, or why it cannot be read; the first of a worker has neither and says that it is ready.

    ``resident`` is the memory of the worker in bytes once it is done.
    """

    document: ParsedDocument | None = None
    error: str | None = None
    resident: int = 0


_requests = TypeAdapter(Request)
_answers = TypeAdapter(Answer)


def request_frame(request: Request) -> bytes:
    """A request as it is sent."""
    return _framed(_requests.dump_json(request))


def answer_frame(answer: Answer) -> bytes:
    """An answer as it is sent."""
    return _framed(_answers.dump_json(answer))


def read_request(frame: bytes) -> Request:
    """A request from the JSON of its frame. ValueError: it is none."""
    return _requests.validate_json(frame)


def read_answer(frame: bytes) -> Answer:
    """An answer from the JSON of its frame. ValueError: it is none."""
    return _answers.validate_json(frame)


def _framed(body: bytes) -> bytes:
    return len(body).to_bytes(LENGTH, "big") + body
