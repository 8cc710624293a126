"""Environments of other systems, without a network: what makes one is only begun, for it takes a Python ten seconds."""

import sys
from pathlib import Path

import pytest

from evaluation.peers import systems
from evaluation.peers.systems import Peer, PeerUnavailable, environment_of

REFUSED = "import sys; sys.exit('Looking in indexes\\nERROR: no such-package')"
PEER = Peer("missing", Path("adapter.py"), "none", ("such-package==1",))


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were given; packages with "such" in their name cannot be installed."""
    commands: list[list[str]] = []
    run = systems._run

    def begin(command: list[str], failed: str) -> None:
        commands.append(command)
        if "venv" in command:
            Path(command[-1]).mkdir(parents=True, exist_ok=True)
        elif "such" in command[-1]:
            run([sys.executable, "-c", REFUSED], failed)

    monkeypatch.setattr(systems, "_run", begin)
    return commands


def test_what_cannot_be_installed_says_why(begun: list[list[str]], tmp_path: Path) -> None:
    for _ in range(2):  # a failed environment is not taken for one that is there
        with pytest.raises(PeerUnavailable, match=r"^not installed: ERROR: no such-package$"):
            environment_of(PEER, tmp_path)
    assert ["venv" in command for command in begun] == [True, False, True, False]


def test_an_environment_is_made_once_with_its_packages(begun: list[list[str]], tmp_path: Path) -> None:
    peer = Peer("good", Path("adapter.py"), "none", ("one==1", "two==2"), "some-python")
    first = environment_of(peer, tmp_path)
    own = first.parents[1]
    assert begun == [
        ["some-python", "-I", "-m", "venv", str(own)],
        [str(first), "-I", "-m", "pip", "install", "--quiet", "one==1", "two==2"],
    ]
    assert environment_of(peer, tmp_path) == first
    assert len(begun) == 2


def test_a_python_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(PeerUnavailable, match=r"no environment: .*'no-such-python'"):
        environment_of(PEER._replace(python="no-such-python"), tmp_path)
