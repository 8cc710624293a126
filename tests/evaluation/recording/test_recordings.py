"""Recordings: what was asked and answered, by content."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.recording.recordings import Recording, Recordings, key_of, lasts
from mneme.errors import StoreRejected

CHAT = "/v1/chat/completions"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(), inside, max_size=4),
    max_leaves=10,
)


def recording(text: str, **more: Any) -> Recording:
    request = {"model": "m", "messages": [{"role": "user", "content": text}]}
    return Recording(
        **{"path": CHAT, "request": request, "status": 200, "content_type": "application/json", "answer": "{}"} | more
    )


def shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        items = list(value.items())
        random.shuffle(items)
        return {name: shuffled(each) for name, each in items}
    return [shuffled(each) for each in value] if isinstance(value, list) else value


@given(JSON)
def test_the_key_does_not_depend_on_the_order_of_fields(request: Any) -> None:
    assert key_of(CHAT, shuffled(request)) == key_of(CHAT, request) == key_of(CHAT, json.loads(json.dumps(request)))


def test_another_path_or_request_is_another_key() -> None:
    requests = [{"a": 1}, {"a": "1"}, {"a": 1.5}, {"a": [1]}, {"b": 1}, None, {"a": 1, "stream": True}]
    assert len({key_of(path, request) for path in (CHAT, "/v1/embeddings") for request in requests}) == 14


@given(st.binary(), st.text())
def test_an_answer_comes_back_byte_for_byte(tmp_path_factory: pytest.TempPathFactory, body: bytes, text: str) -> None:
    path = tmp_path_factory.mktemp("recordings") / "r.jsonl"
    kept = recording(text, answer=body.decode(errors="surrogateescape"))
    Recordings(path).add(kept)
    found = Recordings(path).find(CHAT, kept.request)
    assert found == kept
    assert found.body == body


def test_a_line_says_all_of_a_recording(tmp_path: Path) -> None:
    Recordings(tmp_path / "r.jsonl").add(recording("你好", answer='{"a": "Grüße"}'))
    text = (tmp_path / "r.jsonl").read_text(encoding="utf-8")
    assert "你好" in text
    assert list(json.loads(text)) == ["key", "path", "request", "status", "content_type", "answer"]


def test_only_what_an_endpoint_would_say_again_lasts() -> None:
    formatted = {"response_format": {"type": "json_schema"}}
    assert all(lasts(recording("a", status=status)) for status in (200, 201))
    failures = (302, 401, 403, 404, 408, 429, 500, 503)
    assert not any(lasts(recording("a", status=status, request=formatted)) for status in failures)
    assert lasts(recording("a", status=400, request=formatted))
    assert not lasts(recording("a", status=400))


def test_sorted_files_of_the_same_recordings_are_equal(tmp_path: Path) -> None:
    kept = [recording(text, path=path) for text in "cab" for path in (CHAT, "/v1/embeddings")]
    for name, order in (("one", kept), ("two", kept[::-1])):
        recordings = Recordings(tmp_path / name)
        recordings.add(*order)
        recordings.sort()
        assert len(recordings) == 6
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    asked = [(each.path, each.request["messages"][0]["content"]) for each in Recordings(tmp_path / "one")]
    assert asked == sorted(asked)


@pytest.mark.parametrize(
    "change", [{"request": {}}, {"path": "/v1/other"}, {"status": "200"}, {"answer": None}, {"content_type": 1}, {"key": "0"}]
)
def test_a_line_that_was_changed_by_hand_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "r.jsonl"
    Recordings(path).add(recording("a"))
    path.write_text(json.dumps(json.loads(path.read_text()) | change) + "\n")
    with pytest.raises(StoreRejected, match="line 1: no recording"):
        Recordings(path)
