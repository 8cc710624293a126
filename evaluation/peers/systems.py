"""The systems beside Mneme: package, version, adapter and handicaps. Each has an environment and a process of its own.

An adapter is a script that is asked in lines of JSON and answers in them (adapters/lines.py):

    {"do": "open", "base_url": ..., "model": ..., "dimension": ...}  ->  {}
    {"do": "ingest", "messages": [{"id", "speaker", "text", "sent_at"}]}  ->  {}
    {"do": "search", "query": ..., "limit": ...}  ->  {"found": [{"text": ..., "turns": [...] where the system knows them}]}

``ingest`` answers when everything can be found. An answer ``{"error": ...}`` is the system's own failure.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from mneme.ids import short_hash

_ADAPTERS = Path(__file__).parent / "adapters"
_INSTALL_SECONDS = 1800.0
_MARK = "installed.txt"
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE")
_LOG_END = 4000  # characters of the printed output in which a reason is looked for


@dataclass(frozen=True, slots=True)
class Peer:
    """A system and how it is run: ``adapter`` is a script for its own environment, which has ``requirements``.

    ``handicaps`` are said beside its row. ``least_python`` is that of its package.
    """

    name: str
    requirements: Sequence[str]
    adapter: Path
    handicaps: str
    least_python: tuple[int, int] = (3, 10)
    environment: Mapping[str, str] = field(default_factory=dict)


PEERS = (
    Peer(
        "mem0",
        ("mem0ai==2.2.1", "openai==3.57.0"),
        _ADAPTERS / "mem0_adapter.py",
        "without its spaCy model and without Qdrant/bm25, which want downloads: cosine alone ranks; statements carry no ids of "
        "messages, so that turns are recognised by their words",
        environment={"MEM0_TELEMETRY": "false"},
    ),
    Peer(
        "Graphiti",
        ("graphiti-core[kuzu]==0.31.2", "openai==3.57.0", "httpx==0.28.1"),
        _ADAPTERS / "graphiti_adapter.py",
        "on Kuzu, which needs no server and which it calls deprecated; its own full-text statements are run for it; no "
        "group_id, which that driver does not bear; each message names two things at most; an episode is "
        "awaited before the next, as its documentation asks",
        environment={"GRAPHITI_TELEMETRY_ENABLED": "false"},
    ),
    Peer(
        "EverOS",
        ("everos==1.5.1", "litellm==1.110.2"),
        _ADAPTERS / "everos_adapter.py",
        "without a reranker; a memory belongs to one speaker, so that both are asked; its episodes are whole sessions, since "
        "the stub sees no boundary; statements carry no ids of messages",
        least_python=(3, 12),
    ),
    Peer(
        "MemMachine",
        ("memmachine-server==0.4.0",),
        _ADAPTERS / "memmachine_adapter.py",
        "on SQLite, without Neo4j; BM25 with its simple tokenizer, since the default one wants a download; it finds messages "
        "as they were said, at once, and works at profiles afterwards, which no question here counts",
        least_python=(3, 12),
    ),
)


# --- environments ----------------------------------------------------------------------------------------------------


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


# --- processes -------------------------------------------------------------------------------------------------------


class PeerProcess:
    """The process of a system; a context manager that ends it with everything that it has started.

    Its home is a folder of its own, and it knows no other address than the stub's: model hubs are off.
    """

    def __init__(self, peer: Peer, python: Path, folder: Path, base_url: str) -> None:
        """Start it.

        Raises:
            PeerUnavailable: the script cannot be started.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "printed.txt"
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environment |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "DO_NOT_TRACK": "1", "HOME": str(folder)}
        environment |= {"OPENAI_API_KEY": "stub", "OPENAI_BASE_URL": base_url, **peer.environment}
        try:
            with self._log.open("w", encoding="utf-8") as printed:
                self._process = subprocess.Popen(
                    [str(python), str(peer.adapter)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=printed,
                    text=True,
                    cwd=folder,
                    env=environment,
                    start_new_session=True,
                )
        except OSError as error:
            raise PeerUnavailable(f"its adapter does not start: {error}") from error

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Return the answer to one request.

        Raises:
            PeerUnavailable: it failed, ended, or took longer than ``seconds``; in the last case it is killed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._kill()

        timer = threading.Timer(seconds, give_up)
        timer.start()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        except (OSError, ValueError) as error:
            if late.is_set():
                raise PeerUnavailable(f"{request['do']} took longer than {seconds:.0f} s") from error
            self._process.wait(5)
            said = last_line(self._log.read_text(encoding="utf-8", errors="replace")[-_LOG_END:])
            raise PeerUnavailable(f"{request['do']} ended it: {said}") from error
        finally:
            timer.cancel()
        if "error" in answer:
            raise PeerUnavailable(f"{request['do']} failed: {last_line(str(answer['error']))}")
        return answer

    def _kill(self) -> None:
        with suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(self._process.pid, signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        self._process.communicate()
