"""record, replay and offline import as a user runs them: processes, signals, exit codes, and what they print."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from evaluation.recording.recordings import Recordings, key_of
from evaluation.recording.replayer import PendingRequests
from serving.cli import app
from tests.evaluation.recording.recording_help import KEY, chat, post, same
from tests.servers.models import ModelServer

pytestmark = pytest.mark.slow

CHAT = "/v1/chat/completions"


class Command:
    """A command that runs; ``url`` is the address that it printed."""

    def __init__(self, *words: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "serving", "--debug", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if not name.startswith("MNEME_")},
        )
        assert self._process.stdout is not None
        self.first_line = self._process.stdout.readline()
        self.url = self.first_line.strip().removeprefix("MNEME_MODELS__BASE_URL=")

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """The exit code, and all that was printed after the address."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        output, errors = self._process.communicate(timeout=300)
        return self._process.returncode, output + errors


@contextmanager
def running(*words: str) -> Iterator[Command]:
    command = Command(*words)
    try:
        yield command
    finally:
        command.end(signal.SIGKILL)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recordings.jsonl"


def mneme(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, " ".join(result.output.split())


def test_a_recording_is_made_and_replayed(file: Path) -> None:
    bodies = [chat("b"), chat("a", stream=True)]
    with ModelServer(api_key=KEY) as server, running("bench", "record", "--to", str(file), "--upstream", server.url) as record:
        assert record.first_line == f"MNEME_MODELS__BASE_URL={record.url}\n"
        recorded = [same(post(record.url, json=body)) for body in bodies]
        code, told = record.end(signal.SIGINT)
    assert code == 0
    assert f"2 recordings in {file}; requests: 2 recorded\n" in told
    asked = [each.request["messages"][0]["content"] for each in Recordings(file)]
    assert asked == ["a", "b"], "sorted"
    with running("bench", "replay", str(file)) as replay:
        assert [same(post(replay.url, headers={}, json=body)) for body in bodies] == recorded
        code, told_again = replay.end(signal.SIGTERM)
    assert code == 0
    assert f"2 requests answered from {file}, 0 not recorded\n" in told_again
    for content in (file.read_text(encoding="utf-8"), told, told_again):
        assert KEY not in content


def test_a_replay_that_was_asked_something_else_fails(file: Path) -> None:
    Recordings(file).add()
    with running("bench", "replay", str(file)) as replay:
        for _ in range(2):
            assert post(replay.url, json=chat("canary text")).status_code == 404
        code, told = replay.end()
    assert code == 1
    assert f"0 requests answered from {file}, 2 not recorded" in told
    assert f"2 x no recording of POST {CHAT} for m" in told
    assert "canary" not in told


def test_a_killed_recording_is_continued_and_nothing_is_asked_twice(file: Path) -> None:
    bodies = [chat(f"Question {n}", stream=n % 3 == 0) for n in range(30)]
    with ModelServer(latency=0.05) as server:
        with running("bench", "record", "--to", str(file), "--upstream", server.url) as record, ThreadPoolExecutor(4) as pool:
            enough = threading.Semaphore(0)

            def ask(body: dict[str, object]) -> None:
                try:
                    post(record.url, json=body)
                    enough.release()
                except httpx.TransportError:
                    return  # it was killed

            asked = [pool.submit(ask, body) for body in bodies]
            for _ in range(8):
                assert enough.acquire(timeout=300)
            assert record.end(signal.SIGKILL)[0] == -signal.SIGKILL
            for each in asked:
                each.result()
        kept = len(Recordings(file))
        assert 8 <= kept < 30
        server.reset()
        server.received = 0
        with running("bench", "record", "--to", str(file), "--upstream", server.url) as record:
            assert {post(record.url, json=body).status_code for body in bodies} == {200}
            code, told = record.end()
        assert code == 0
        assert f"30 recordings in {file}; requests: {kept} from the file, {30 - kept} recorded" in told
        assert server.received == 30 - kept


def test_a_recording_waits_for_what_is_under_way_and_ends(file: Path) -> None:
    with (
        ModelServer(latency=1.0) as server,
        running("bench", "record", "--to", str(file), "--upstream", server.url) as record,
        ThreadPoolExecutor(1) as pool,
        httpx.Client() as idle,
    ):
        idle.get(f"{record.url}/files")
        answer = pool.submit(post, record.url, json=chat("Hi"))
        while not server.received:
            threading.Event().wait(0.01)
        code, told = record.end()
        assert answer.result().status_code == 200
    assert (code, len(Recordings(file))) == (0, 1)
    assert "1 recording in" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bench", "replay", "nothing.jsonl"], "nothing.jsonl is not there"),
        (["bench", "record", "--to", "a.jsonl", "--upstream", "host/v1"], "--upstream is no http(s) URL"),
        (["bench", "record", "--to", "/dev/null/a.jsonl", "--upstream", "http://127.0.0.1:1/v1"], "not a directory"),
        (["bench", "offline", "import", "nothing.jsonl", "--into", "a.jsonl"], "nothing.jsonl: No such file"),
    ],
)
def test_what_is_wrong_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, told = mneme(*words)
    assert code != 0
    assert said in told


def test_the_answers_of_a_batch_are_imported(file: Path) -> None:
    pending = PendingRequests(file.with_suffix(".pending.jsonl"))
    keys = [key_of(CHAT, chat(text)) for text in "ab"]
    for text in "ab":
        pending.add(CHAT, chat(text))
    responses = file.parent / "responses.jsonl"
    good, bad = {"status_code": 200, "body": {"choices": []}}, {"status_code": 500, "body": {"error": {"message": "too busy"}}}
    write(responses, (keys[0], good), (keys[1], bad))
    code, told = mneme("bench", "offline", "import", str(responses), "--into", str(file))
    assert code == 1
    assert f"1 answer recorded in {file}, 0 known before; 1 request pending in {pending.path}" in told
    assert f"{keys[1]}: status 500 (too busy) 1 request failed and stay pending" in told
    write(responses, (keys[0], good), (keys[1], good))
    code, told = mneme("bench", "offline", "import", str(responses), "--into", str(file))
    assert (code, told) == (0, f"1 answer recorded in {file}, 1 known before; 0 requests pending in {pending.path}")
    assert len(Recordings(file)) == 2


def write(path: Path, *answers: tuple[str, object]) -> None:
    lines = [{"custom_id": custom_id, "response": response, "error": None} for custom_id, response in answers]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
