"""Environments of other systems, without a network."""

import shutil
import sys
from pathlib import Path

import pytest

from evaluation.peers import systems
from evaluation.peers.systems import Peer, PeerUnavailable, environment_of

EMPTY = Peer("empty", ("pip",), Path("adapter.py"), "none")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment in it: to make one takes a Python ten seconds."""
    folder = tmp_path_factory.mktemp("environments")
    environment_of(EMPTY, folder, sys.executable)
    return folder


def test_what_cannot_be_installed_says_why(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [environment] = made.iterdir()
    run = systems._run

    def copied(command: list[str], failed: str) -> None:
        if "venv" in command:
            shutil.copytree(environment, command[-1], symlinks=True, ignore=shutil.ignore_patterns("installed.txt"))
        else:
            run(command, failed)

    monkeypatch.setattr(systems, "_run", copied)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    missing = Peer("missing", ("no-such-package-of-mneme==1",), tmp_path / "adapter.py", "none")
    for _ in range(2):  # a failed environment is not taken for one that is there
        with pytest.raises(PeerUnavailable, match=r"not installed: .*no-such-package-of-mneme"):
            environment_of(missing, tmp_path, sys.executable)


def test_a_python_that_is_too_old_or_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    future = Peer("future", (), tmp_path / "adapter.py", "none", least_python=(3, 99))
    with pytest.raises(PeerUnavailable, match=r"no Python 3\.99 or newer is here; name one with --python"):
        environment_of(future, tmp_path)
    with pytest.raises(PeerUnavailable, match="no environment"):
        environment_of(future, tmp_path, "no-such-python")


def test_an_environment_is_made_once(made: Path) -> None:
    first = environment_of(EMPTY, made, sys.executable)
    at = first.stat().st_mtime_ns
    assert environment_of(EMPTY, made, "no-such-python") == first
    assert first.stat().st_mtime_ns == at
