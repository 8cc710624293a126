"""A clock that is put back is noticed; one that runs, or is put forward, is not."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from itertools import chain, repeat
from pathlib import Path

import pytest

from connectors.indices import open_index
from flows.running.clock_watch import seconds_back
from mneme.rows import Collection
from mneme.settings import Settings
from serving.service.flow_process import FlowProcess

YEAR = 365 * 24 * 3600.0


def watched(*ahead: float) -> float:
    """What is told of a clock that is ahead by so many seconds at each look, and then for good."""
    stopping, looks = threading.Event(), chain(ahead, repeat(None))

    def wall() -> float:
        if (by := next(looks)) is None:
            stopping.set()
            by = ahead[-1]
        return time.monotonic() + by

    return seconds_back(stopping, wall, look_seconds=0.0)


def test_a_clock_that_is_put_back_is_noticed() -> None:
    assert 3599 < watched(0.0, 0.0, -3600.0) < 3601


def test_a_clock_that_was_wrong_for_a_while_is_noticed_when_it_is_put_right() -> None:
    assert watched(0.0, YEAR, YEAR, 0.0) > YEAR - 1


def test_a_clock_that_is_put_forward_or_runs_a_little_late_is_let_be() -> None:
    assert watched(0.0, YEAR, YEAR - 4.0, YEAR - 8.0, YEAR - 12.0) == 0.0


# `mneme`, whose clock goes back as soon as a file is read to its end.
_PUT_BACK = """
import threading
from flows.running import clock_watch, feeds
end_all, is_read = feeds.FeedLimits.end_all, threading.Event()
feeds.FeedLimits.end_all = lambda limits: is_read.set() or end_all(limits)
clock_watch.seconds_back = lambda stopping: 3600.0 * is_read.wait(60)
from serving.cli import main
main()
"""


def mneme(data: Path, *words: str, program: tuple[str, ...] = ("-m", "serving")) -> "subprocess.CompletedProcess[str]":
    own = {"MNEME_DATA": str(data), "MNEME_EMBEDDER__PROVIDER": "hash"}
    return subprocess.run([sys.executable, *program, *words], env=os.environ | own, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_an_ingestion_of_files_says_why_it_ends_and_goes_on_when_it_is_repeated(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    about = {"conversation_id": "c", "user_id": "u", "sent_at": "2026-03-02T09:00:00Z"}
    lines = [about | {"message_id": f"m{at}", "content": f"I have {at} cats."} for at in range(40)]
    file.write_text("\n".join(map(json.dumps, lines)))
    ended = mneme(tmp_path / "data", "ingest", str(file), program=("-c", _PUT_BACK))
    assert ended.returncode == 1
    assert ended.stderr.count("the clock of this machine went back by 3600 s") == 1, ended.stderr
    repeated = mneme(tmp_path / "data", "ingest", str(file))
    assert repeated.returncode == 0, repeated.stderr
    with closing(open_index(Settings(_env_file=None).replace(data=tmp_path / "data"), read_only=True)) as index:
        assert index.count(Collection.MESSAGES) == len(lines)


# A process, whose clock goes back when a file is there.
_CLOCK = """
import os, time
now = time.time
time.time = lambda: now() - 3600.0 * os.path.exists({mark!r})
"""


@pytest.mark.slow
def test_a_service_says_that_the_clock_ended_its_flow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(_env_file=None).replace(data=tmp_path / "data", embedder={"provider": "hash"})
    mark = tmp_path / "put back"
    (tmp_path / "sitecustomize.py").write_text(_CLOCK.format(mark=str(mark)))
    monkeypatch.syspath_prepend(tmp_path)  # and so of the processes that are started
    flow = FlowProcess(settings)
    try:
        until(lambda: not flow.is_starting)
        mark.touch()
        until(lambda: "the flow ended" in caplog.text)
    finally:
        flow.stop()
    assert "(status 1): the clock of this machine went back by 3600 s" in caplog.text


def until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
