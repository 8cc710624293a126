"""The systems beside Mneme (systems.toml). Each has an adapter, and an environment and a process of its own.

An adapter is a script that is asked through a pipe and answers through it (adapters/pipe.py):

    {"do": "open", "base_url": ..., "model": ..., "dimension": ...}  ->  {}
    {"do": "ingest", "messages": [{"id", "speaker", "text", "sent_at"}]}  ->  {}
    {"do": "search", "query": ..., "limit": ...}  ->  {"found": [{"text": ..., "turns": [...] where the system knows them}]}

``ingest`` answers when everything can be found. An answer ``{"error": ...}`` is the system's own failure.
"""

import os
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, NamedTuple

from mneme.ids import short_hash

_INSTALL_SECONDS, _START_SECONDS = 1800.0, 600.0
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE")
_ALONE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OPENAI_API_KEY": "stub"}
_ALONE |= {"DO_NOT_TRACK": "1", "MEM0_TELEMETRY": "false", "GRAPHITI_TELEMETRY_ENABLED": "false"}


class Peer(NamedTuple):
    """A system: ``adapter`` is a script for the environment that ``python`` makes of ``requirements``; ``note`` is said beside
    its row."""

    name: str
    adapter: Path
    note: str
    requirements: Sequence[str] = ()
    python: str = sys.executable


_HERE = Path(__file__).parent
_READ = tomllib.loads((_HERE / "systems.toml").read_text(encoding="utf-8"))
NOTES: Mapping[str, str] = {name: fields["note"] for name, fields in _READ.items()}
"""A note beside the row of each system, in the order of the rows."""

PEERS = tuple(
    Peer(name, _HERE / "adapters" / f"{name.lower()}_adapter.py", **fields)
    for name, fields in _READ.items()
    if "requirements" in fields
)

Asked = Callable[[Mapping[str, Any], float], dict[str, Any]]


class PeerUnavailable(Exception):
    """A system that cannot be measured here; the text is the reason in its row."""


def environment_of(peer: Peer, folder: Path) -> Path:
    """The Python that has the system's packages; made in ``folder`` if it is not there yet.

    Raises:
        PeerUnavailable: its Python is not there, or the packages cannot be installed, with the last line of what was said.
    """
    own = folder / f"{peer.name.lower()}-{short_hash(' '.join(peer.requirements))}"
    interpreter, mark = own / "bin" / "python", own / "installed.txt"
    if not mark.exists():
        shutil.rmtree(own, ignore_errors=True)
        _run([peer.python, "-I", "-m", "venv", str(own)], "no environment")
        _run([str(interpreter), "-I", "-m", "pip", "install", "--quiet", *peer.requirements], "not installed")
        mark.write_text("\n".join(peer.requirements), encoding="utf-8")
    return interpreter


def _run(command: list[str], failed: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerUnavailable(f"{failed}: {error}") from error
    if done.returncode:
        raise PeerUnavailable(f"{failed}: {_last_line(done.stderr or done.stdout)}")


def _last_line(text: str) -> str:
    """The last line that says something, shortened for a table."""
    return (text.strip() or "nothing was said").splitlines()[-1].strip()[:300]


@contextmanager
def started(peer: Peer, environments: Path, homes: Path, endpoint: Mapping[str, Any]) -> Iterator[Asked]:
    """The process of a system, which is asked for a request and the seconds that it may take.

    At the end it is killed with everything that it has started. Its home is a folder of its own, and it knows no other address
    than the ``base_url`` of the endpoint: model hubs are off.

    Raises:
        PeerUnavailable: it cannot be installed. By each question: it failed, ended, or took too long.
    """
    python, folder = environment_of(peer, environments), homes / peer.name
    folder.mkdir()
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    pipe, its = Pipe()
    with (folder / "printed.txt").open("w+", encoding="utf-8", errors="replace") as printed, pipe:
        with its:
            process = subprocess.Popen(
                [str(python), str(peer.adapter), str(its.fileno())],
                pass_fds=[its.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                cwd=folder,
                env={**environment, **_ALONE, "HOME": str(folder), "OPENAI_BASE_URL": endpoint["base_url"]},
                start_new_session=True,
            )

        def ask(request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
            try:
                pipe.send(request)
                if not pipe.poll(seconds):
                    raise PeerUnavailable(f"{request['do']} took longer than {seconds:.0f} s")
                answer: dict[str, Any] = pipe.recv()
            except (OSError, EOFError) as error:
                process.wait(5)
                printed.seek(0)
                raise PeerUnavailable(f"{request['do']} ended it: {_last_line(printed.read())}") from error
            if "error" in answer:
                raise PeerUnavailable(f"{request['do']} failed: {_last_line(answer['error'])}")
            return answer

        try:
            ask({"do": "open", **endpoint}, _START_SECONDS)
            yield ask
        finally:
            with suppress(ProcessLookupError):  # it has ended by itself
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
