"""Whether an answer is what was asked for, all of it."""

import json

_DONE = b"[DONE]"


def is_whole(path: str, status: int, content_type: str, body: bytes) -> bool:
    """Whether a success is none in name only: routers answer 200 with an error in the JSON or within the stream, and a stream
    that ends early is no error of the connection in HTTP/1.0. True for every other status.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if not 200 <= status < 300:
        return True
    if kind == "text/event-stream":
        has_end = not path.endswith("/completions") or _data(body)[-1:] == [_DONE]
        return has_end and not any(map(_is_error, events(body)))
    return kind != "application/json" or not _is_error(body)


def events(stream: bytes) -> list[bytes]:
    """The data of each event of a stream; without the mark of its end."""
    return [each for each in _data(stream) if each != _DONE]


def _data(stream: bytes) -> list[bytes]:
    return [line.removeprefix(b"data:").strip() for line in stream.splitlines() if line.startswith(b"data:")]


def _is_error(content: bytes) -> bool:
    try:
        value = json.loads(content)
    except ValueError:
        return True
    return isinstance(value, dict) and bool(value.get("error"))
