"""What of a request makes its answer."""

import httpx

from evaluation.recording.recordings import fields_of, model_of, request_of


def sent(**form: object) -> tuple[str, bytes]:
    """Content type and body of a form, with a boundary of its own."""
    request = httpx.Request("POST", "http://127.0.0.1/", **form)  # type: ignore[arg-type]
    return request.headers["Content-Type"], request.read()


def test_json_is_itself_whatever_it_is_called() -> None:
    assert request_of("application/json; charset=utf-8", b'{"model": "m"}') == {"model": "m"}
    assert request_of("text/plain", b'["a"]') == ["a"]


def test_a_form_is_the_same_under_each_boundary() -> None:
    note, other = ({"file": ("note.wav", audio, "audio/wav")} for audio in (b"\x00\xff\r\n--x", b"\x01"))
    one, again = (sent(files=note, data={"model": "ears"}) for _ in range(2))
    assert one != again
    assert request_of(*one) == request_of(*again)
    assert model_of(request_of(*one)) == "ears"
    assert "note.wav" in str(request_of(*one))
    assert request_of(*one) != request_of(*sent(files=other, data={"model": "ears"}))
    assert request_of(*one) != request_of(*sent(files=note, data={"model": "other"}))


def test_anything_else_is_a_hash() -> None:
    for content_type, body in (
        ("audio/wav", b"\x00\xff"),
        ("multipart/form-data", b"no boundary"),
        ("", b""),
        ("", b"[" * 100_000),
    ):
        request = request_of(content_type, body)
        assert set(request) == {"content_type", "sha256", "bytes"}
        assert request == request_of(content_type, body) != request_of(content_type, body + b" ")


def test_a_request_without_a_model_has_none() -> None:
    assert [model_of(request) for request in ({"model": "m"}, {}, [], None, {"form": "f"}, {"model": None})] == ["m", *[""] * 5]


def test_fields_are_those_of_json_or_of_a_form() -> None:
    form = request_of(*sent(files={"file": ("note.wav", b"\x01")}, data={"model": "ears", "response_format": "json"}))
    assert fields_of(form) == {"model": "ears", "response_format": "json", "file": None}
    assert fields_of({"model": "m", "n": 1}) == {"model": "m", "n": 1}
    assert [fields_of(request) for request in ([], None, "text")] == [{}, {}, {}]
