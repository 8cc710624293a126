"""A success in name only is none."""

import pytest

from evaluation.recording.recordings import Recording, lasts

CHAT = "/v1/chat/completions"
STREAM = b'data: {"choices": []}\r\n\r\n: comment\n\ndata: {"choices": []}\n\ndata: [DONE]\n\n'


@pytest.mark.parametrize(
    ("path", "status", "content_type", "body", "whole"),
    [
        (CHAT, 200, "application/json", b'{"choices": []}', True),
        (CHAT, 200, "application/json; charset=utf-8", b'{"choices": [], "error": null}', True),
        (CHAT, 200, "application/json", b'{"error": {"message": "no provider"}}', False),
        (CHAT, 200, "application/json", b'{"choices": [', False),
        ("/v1/rerank", 200, "application/json", b"[]", True),
        ("/v1/audio/transcriptions", 200, "text/plain", b"error: none", True),
        (CHAT, 400, "application/json", b'{"error": {"message": "json_schema"}}', True),
        (CHAT, 200, "text/event-stream", STREAM, True),
        (CHAT, 200, "text/event-stream", STREAM[:-16], False),
        (CHAT, 200, "text/event-stream; charset=utf-8", b'data: {"error": {"code": 500}}\n\n' + STREAM, False),
        (CHAT, 200, "text/event-stream", b"", False),
        ("/v1/responses", 200, "text/event-stream", b'event: end\ndata: {"type": "end"}\n\n', True),
    ],
)
def test_an_answer_is_whole(path: str, status: int, content_type: str, body: bytes, whole: bool) -> None:
    asked = {"response_format": {"type": "json_schema"}}
    assert lasts(Recording(path, asked, status, content_type, body.decode())) is whole
