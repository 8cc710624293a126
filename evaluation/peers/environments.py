"""An environment of its own for each system, made once for its requirements, from the package index that pip is set to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from evaluation.peers.systems import Peer
from mneme.ids import short_hash

_INSTALL_SECONDS = 1800.0
_MARK = "installed.txt"


class PeerUnavailable(Exception):
    """A system that cannot be measured here; the text is the reason in its row."""


def environment_of(peer: Peer, folder: Path, python: str | None = None) -> Path:
    """The Python that has the system's packages; made in ``folder`` if it is not there yet.

    Args:
        peer: the system.
        folder: where environments lie, each under the name and the requirements of its system.
        python: the Python that they are made with; None for this one, or if it is too old, the oldest on the path that will do.

    Raises:
        PeerUnavailable: no Python will do, or the packages cannot be installed, with the last line of what was said.
    """
    own = folder / f"{peer.name.lower()}-{short_hash(' '.join(peer.requirements))}"
    interpreter = own / "bin" / "python"
    if not (own / _MARK).exists():
        shutil.rmtree(own, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        _run([python or _python_for(peer), "-m", "venv", str(own)], "no environment")
        _run([str(interpreter), "-m", "pip", "install", "--quiet", *peer.requirements], "not installed")
        (own / _MARK).write_text("\n".join(peer.requirements), encoding="utf-8")
    return interpreter


def _python_for(peer: Peer) -> str:
    if sys.version_info[:2] >= peer.least_python:
        return sys.executable
    major, least = peer.least_python
    for minor in range(least, least + 4):
        found = shutil.which(f"python{major}.{minor}")
        if found and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
            return found
    raise PeerUnavailable(f"no Python {major}.{least} or newer is here; name one with --python")


def _run(command: list[str], failed: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, env=environment, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerUnavailable(f"{failed}: {error}") from error
    if done.returncode:
        raise PeerUnavailable(f"{failed}: {last_line(done.stderr or done.stdout)}")


def last_line(text: str) -> str:
    """The last line that says something, shortened for a table."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "nothing was said"
