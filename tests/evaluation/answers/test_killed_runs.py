"""``mneme bench eval`` on the protocol server, slow and with faults: killed, it goes on, and asks nothing twice."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evaluation.faults import with_constants
from mneme.settings import Models
from serving.cli import app
from tests.evaluation.answers.made_up_gold import write_talks
from tests.servers.model_answers import fill
from tests.servers.models import RATE_LIMITED, SERVER_ERROR, Fault, ModelServer

pytestmark = pytest.mark.slow

TALKS = 2
FAULTS = {RATE_LIMITED: 0.12, SERVER_ERROR: 0.08, Fault("malformed"): 0.08, Fault("drop"): 0.05}
SOON = {"models": {"retry_base_seconds": 0.05}}  # a call that failed is made again: a third of them fail
KILLS = (2, 7)  # requests that have come in, counted from the start of each process; the first is in ingestion


def answer(user: str) -> str:
    """What the writer says: a memory that has a word of the question, cited."""
    question = next(line for line in user.splitlines() if line.startswith("Question: "))
    words = set(question.lower().strip("?").split()) - {"question:", "what", "did", "in", "is", "and", "the", "his"}
    lines = [line for line in user.splitlines() if line.startswith("[")]
    found = max(lines, key=lambda line: len(words & set(line.lower().split())), default="")
    if not words & set(found.lower().split()):
        return "Reasoning: nothing tells of it.\nAnswer: [not remembered] This was not said."
    return f"Reasoning: one memory tells it.\nAnswer: {found.split(': ', 1)[-1]} {found.split(']')[0]}]"


def verdict(schema: dict[str, Any], user: str) -> dict[str, Any]:
    """What the judge says: by the words of the gold. Asked to repair, it gives what it gave."""
    data = {name: json.loads(value) for name, value in (line.split(": ", 1) for line in user.splitlines())}
    return {"reason": "by its words", "correct": str(data.get("gold", "not")).split()[-1] in data["answer"]}


class Evaluation:
    """The command, as somebody runs it, with a server that may kill it."""

    def __init__(self, server: ModelServer, talks: Path, out: Path) -> None:
        self.server, self.out = server, out
        self._kill_at = 0
        self._since_start = 0
        self._lock = threading.Lock()
        self._due = threading.Event()
        server.latency = 0.05
        server.answer = lambda schema, user: (verdict if "correct" in schema["properties"] else fill)(schema, user)
        server.write, server.shares = answer, FAULTS
        self._receive = server.receive
        server.receive = self._received  # type: ignore[method-assign]
        options = ["--out", str(out), "--writer", "model", "--judge", "model", "--concurrency", "3"]
        self._command = ["bench", "eval", "locomo", str(talks), *options]
        self._environment = {
            "MNEME_MODELS__PROVIDER": "openai",
            "MNEME_MODELS__BASE_URL": server.url,
            "MNEME_EMBEDDER__PROVIDER": "hash",
            "MNEME_EXTRACTION__EXTRACTOR": "model",
            with_constants.VARIABLE: json.dumps(SOON),
        }

    def run(self) -> str:
        """Its output. In this process, since a start takes seconds."""
        unset = dict.fromkeys(name for name in os.environ if name.startswith("MNEME_"))
        result = CliRunner().invoke(app, self._command, env=unset | self._environment)
        assert result.exit_code in (0, 1), result.output
        return result.output

    def run_killed(self, kill_at: int) -> bool:
        """Whether it was killed, with its ``kill_at``-th request under way, and did not end before."""
        with self._lock:
            self._kill_at, self._since_start = kill_at, 0
            self._due.clear()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
        with subprocess.Popen(
            [sys.executable, "-m", with_constants.__name__, *self._command],
            env=inherited | self._environment,
            stdout=subprocess.DEVNULL,
        ) as process:
            while process.poll() is None and not self._due.wait(0.01):
                pass
            process.kill()
        return process.returncode == -signal.SIGKILL

    def _received(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Fault | None:
        with self._lock:
            self._since_start += 1
            if self._since_start == self._kill_at:
                self._due.set()
        return self._receive(path, body, headers)

    def lines(self, name: str) -> dict[str, dict[str, Any]]:
        """What lies in a file of the run, by question, but for times."""
        found = {}
        for line in (self.out / name).read_text().splitlines():
            kept = json.loads(line)
            for timed in ("milliseconds", "search_milliseconds", "notes"):
                kept.pop(timed, None)
            for cost in [kept.get("cost", {}), *kept.get("costs", {}).values()]:
                cost.pop("milliseconds", None)
                cost.pop("calls", None)  # a malformed verdict is asked for again after a kill
                cost.pop("input_tokens", None)
                cost.pop("output_tokens", None)
            found[kept["question"]] = kept
        return found

    def answered_well(self) -> Counter[str]:
        """How often each request got an answer that is worth keeping; without those that ask to correct one."""
        spoilt = ("malformed", "drop", "rate_limited", "error")
        return Counter(
            json.dumps(request.body, sort_keys=True)
            for request in self.server.requests
            if (request.fault is None or request.fault.kind not in spoilt) and len(request.body["messages"]) == 2
        )


def finished(evaluation: Evaluation) -> str:
    """The output of the start after which nothing is pending; what faults have left is asked again."""
    for _ in range(4):
        output = evaluation.run()
        if " pending=0 " in output.splitlines()[-1]:
            return output
    raise AssertionError(output)


def test_a_run_that_is_killed_again_and_again_gives_the_same_answers_and_asks_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Models, "retry_base_seconds", SOON["models"]["retry_base_seconds"])
    talks = write_talks(tmp_path / "talks.json", TALKS)
    with ModelServer(seed=4) as server, ModelServer(seed=4) as other:
        whole = Evaluation(server, talks, tmp_path / "whole")
        finished(whole)
        killed = Evaluation(other, talks, tmp_path / "killed")
        assert [killed.run_killed(kill_at) for kill_at in KILLS] == [True] * len(KILLS), "it was not killed"
        output = finished(killed)
        assert set(whole.answered_well().values()) == {1}
        assert set(killed.answered_well().values()) == {1}, "an answered question was asked again"
    for name, lines in (("answers.jsonl", TALKS * 5), ("votes.jsonl", TALKS * 5)):
        assert killed.lines(name) == whole.lines(name)
        assert len((killed.out / name).read_text().splitlines()) == lines, "a question is there twice"
    assert f" questions={TALKS * 5} pending=0 accuracy=" in output.splitlines()[-1]
    report = json.loads((killed.out / "eval-locomo.json").read_text())
    assert report["settings"]["requests"]["not recorded (429)"] > 0
    assert (killed.out / "eval-locomo.png").read_bytes().startswith(b"\x89PNG")
    assert "> a yellow kayak" in (killed.out / "answers.md").read_text()
    # Once more: everything is there.
    before = other.received
    assert finished(killed).splitlines()[-1].split(" search_ms")[0] == output.splitlines()[-1].split(" search_ms")[0]
    assert other.received == before
