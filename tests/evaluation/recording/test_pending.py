"""Answers of a batch: taken in, or told why not."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.recording.recordings import Recordings, key_of
from evaluation.recording.replayer import Imported, PendingRequests, import_answers
from mneme.errors import InputError, StoreRejected
from tests.evaluation.recording.recording_help import chat

CHAT = "/v1/chat/completions"
GOOD = {"status_code": 200, "request_id": "r", "body": {"choices": [{"message": {"content": "Grüße \ud83d"}}]}}


class Batch:
    """Files of pending requests, recordings and responses."""

    def __init__(self, folder: Path) -> None:
        self.pending = PendingRequests(folder / "pending.jsonl")
        self.recordings = Recordings(folder / "recordings.jsonl")
        self.responses = folder / "responses.jsonl"

    def ask(self, *texts: str, **more: Any) -> list[str]:
        for text in texts:
            self.pending.add(CHAT, chat(text, **more))
        return [key_of(CHAT, chat(text, **more)) for text in texts]

    def take(self, *answers: dict[str, Any]) -> Imported:
        self.responses.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        return import_answers(self.responses, self.pending, self.recordings)


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    return Batch(tmp_path)


def answered(custom_id: str, response: Any = GOOD, error: Any = None) -> dict[str, Any]:
    return {"id": "batch_req_1", "custom_id": custom_id, "response": response, "error": error}


def test_answers_are_recorded_and_no_longer_pending(batch: Batch) -> None:
    one, two = batch.ask("one", "two")
    done = batch.take(answered(one))
    assert done == Imported(1, 0, {}, ())
    found = batch.recordings.find(CHAT, chat("one"))
    assert found is not None
    assert (found.status, found.content_type) == (200, "application/json")
    assert json.loads(found.body) == {"choices": [{"message": {"content": "Grüße ?"}}]}
    assert (len(batch.pending), batch.pending.find(one), batch.pending.find(two)) == (1, None, (CHAT, chat("two")))


@pytest.mark.parametrize(
    ("response", "error", "why"),
    [
        (None, {"code": "batch_expired", "message": "not in time"}, "no response (not in time)"),
        (None, None, "no response (without a reason)"),
        ({"status_code": 429, "body": {"error": {"message": "slow\ndown"}}}, None, "status 429 (slow down)"),
        ({"status_code": 400, "body": {"error": "too long"}}, None, "status 400 (too long)"),
        ({"status_code": 200, "body": {"error": {"code": 502}}}, None, "status 200 (502)"),
        ({"status_code": "200", "body": {}}, None, "no response (without a reason)"),
        ("text", None, "no response (without a reason)"),
    ],
)
def test_what_failed_stays_pending_with_its_reason(batch: Batch, response: Any, error: Any, why: str) -> None:
    (custom_id,) = batch.ask("one")
    assert batch.take(answered(custom_id, response, error)) == Imported(0, 0, {custom_id: why}, ())
    assert (len(batch.pending), len(batch.recordings)) == (1, 0)


def test_the_refusal_of_a_format_is_recorded(batch: Batch) -> None:
    (custom_id,) = batch.ask("one", response_format={"type": "json_schema"})
    refused = {"status_code": 400, "body": {"error": {"message": "json_schema is not supported"}}}
    assert batch.take(answered(custom_id, refused)).added == 1
    assert len(batch.pending) == 0


def test_files_may_overlap_and_come_again(batch: Batch) -> None:
    one, two = batch.ask("one", "two")
    failed = {"status_code": 500, "body": {}}
    assert batch.take(answered(one, failed), answered(one), answered(one)) == Imported(1, 1, {}, ())
    assert batch.take(answered(one), answered(two), answered("of another run")) == Imported(1, 1, {}, ("of another run",))
    assert len(batch.pending) == 0
    assert len(batch.recordings) == 2


@pytest.mark.parametrize("line", ["{half", "[]", '{"response": {}}', "\ud83d"])
def test_a_line_that_is_no_answer_is_named_and_nothing_is_taken(batch: Batch, line: str) -> None:
    (custom_id,) = batch.ask("one")
    content = json.dumps(answered(custom_id)) + "\n" + line + "\n"
    batch.responses.write_bytes(content.encode(errors="surrogatepass"))
    with pytest.raises(InputError, match="line 2"):
        import_answers(batch.responses, batch.pending, batch.recordings)
    assert (len(batch.pending), len(batch.recordings)) == (1, 0)


def test_responses_that_are_not_there_are_told(batch: Batch) -> None:
    with pytest.raises(InputError, match=r"responses\.jsonl: No such file"):
        import_answers(batch.responses, batch.pending, batch.recordings)
    assert not batch.pending.path.exists()


def test_a_request_that_was_changed_by_hand_is_refused(batch: Batch) -> None:
    batch.ask("one")
    batch.pending.path.write_text(batch.pending.path.read_text().replace('"m"', '"n"'))
    with pytest.raises(StoreRejected, match="line 1: no request of a batch"):
        PendingRequests(batch.pending.path)
