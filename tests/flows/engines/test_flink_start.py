"""Workers of Flink as copies of a template, with a worker and modules in place of PyFlink's."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from flows.engines.flink_start import _WORKER, _address
from tests.waiting import wait_until

ROOT = Path(__file__).parents[3]
WORKER = """
import json, os, pathlib, sys, time
told = {"pid": os.getpid(), "parent": os.getppid(), "words": sys.argv[1:], "folder": os.getcwd(), "of": os.environ.get("OF")}
print("begun", flush=True)
pathlib.Path("half").write_text(json.dumps(told))
os.replace("half", "told")
while not pathlib.Path("end").exists():
    time.sleep(0.02)
"""
# A shell that stands for the TaskManager, and the shell that this starts.
STARTED = f"sh -c '{sys.executable} -m start_worker -m {_WORKER} --id=1; :'; :"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a worker to import."""
    package = tmp_path / "path" / "pyflink" / "fn_execution" / "beam"
    package.mkdir(parents=True)
    (package / "beam_boot.py").write_text(WORKER)
    (tmp_path / "path" / "start_worker.py").write_text("from flows.engines.flink_start import main\nmain()\n")
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path / "path"), str(ROOT))))
    return tmp_path / "work"


@pytest.fixture
def template(home: Path) -> Iterator[int]:
    """One that ends when it had nothing to do for half a second; its process."""
    command = "from flows.engines.flink_start import serve; serve(('json',), 0.5)"
    process = subprocess.Popen([sys.executable, "-c", command])
    wait_until(lambda: _address()[1:] in Path("/proc/net/unix").read_text())
    yield process.pid
    wait_until(lambda: process.poll() == 0)


def start(home: Path, **environment: str) -> "subprocess.Popen[bytes]":
    with (home / "log").open("ab") as log:
        return subprocess.Popen(["sh", "-c", STARTED], cwd=home, env=os.environ | environment, stdout=log, stderr=log)


def told(home: Path) -> dict[str, Any]:
    wait_until((home / "told").exists)
    value: dict[str, Any] = json.loads((home / "told").read_text())
    return value


def test_a_worker_is_a_copy_of_the_template_with_its_own_words_folder_environment_and_output(home: Path, template: int) -> None:
    with start(home, OF="the first") as taskmanager:
        worker = told(home)
        assert worker | {"pid": 0} == {
            "pid": 0,
            "parent": template,
            "words": ["--id=1"],
            "folder": str(home),
            "of": "the first",
        }
        assert taskmanager.poll() is None, "who started it waits for its end"
        (home / "end").touch()
    assert (home / "log").read_text() == "begun\n"


def test_a_worker_ends_with_its_taskmanager_also_if_nobody_asks_how_that_ended(home: Path, template: int) -> None:
    taskmanager = start(home)
    worker = told(home)["pid"]
    taskmanager.send_signal(signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(worker))
    taskmanager.wait()


def test_without_a_template_that_works_a_worker_begins_on_its_own(home: Path) -> None:
    with start(home):
        assert told(home)["words"] == ["--id=1"]
        (home / "end").touch()
    assert (home / "log").read_text() == "begun\n"


def test_all_else_is_done_as_python_does_it(home: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "start_worker", "-c", "print(1)"], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_a_changed_program_has_another_template(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("flows.engines.flink_start._HOME", tmp_path)
    (tmp_path / "flows").mkdir()
    file = tmp_path / "flows" / "lane.py"
    file.write_text("")
    before = _address()
    os.utime(file, (0, 0))
    assert _address() != before
