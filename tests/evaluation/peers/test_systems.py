"""Environments of other systems, without a network."""

import sys
from pathlib import Path

import pytest

from evaluation.peers.systems import Peer, PeerUnavailable, environment_of


def test_what_cannot_be_installed_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_an_environment_is_made_once(tmp_path: Path) -> None:
    empty = Peer("empty", ("pip",), tmp_path / "adapter.py", "none")
    first = environment_of(empty, tmp_path, sys.executable)
    made = first.stat().st_mtime_ns
    assert environment_of(empty, tmp_path, "no-such-python") == first
    assert first.stat().st_mtime_ns == made
