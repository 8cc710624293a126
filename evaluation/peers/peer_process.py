"""A system that runs in its own environment: a script that is asked in lines of JSON and answers in them.

    {"do": "open", "base_url": ..., "model": ..., "dimension": ...}  ->  {}
    {"do": "ingest", "messages": [{"id", "speaker", "text", "sent_at", "session"}]}  ->  {}
    {"do": "search", "query": ..., "limit": ...}  ->  {"found": [{"text": ..., "turns": [...] where the system knows them}]}

``ingest`` answers when everything can be found. An answer ``{"error": ...}`` is the system's own failure.
"""

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from evaluation.peers.environments import PeerUnavailable, last_line
from evaluation.peers.systems import Peer

_OWN = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE")
_LOG_END = 4000  # characters of what it printed that a reason is looked for in


class PeerProcess:
    """The process of a system; a context manager that ends it with everything that it has started.

    Its home is a folder of its own, and it is told of no other address than the stub's: model hubs are off.
    """

    def __init__(self, peer: Peer, python: Path, folder: Path, base_url: str) -> None:
        """Start it.

        Raises:
            PeerUnavailable: the script cannot be started.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "printed.txt"
        offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "DO_NOT_TRACK": "1"}
        endpoint = {"OPENAI_API_KEY": "stub", "OPENAI_BASE_URL": base_url}
        own = {name: os.environ[name] for name in _OWN if name in os.environ}
        try:
            with self._log.open("w", encoding="utf-8") as printed:
                self._process = subprocess.Popen(
                    [str(python), str(peer.adapter)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=printed,
                    text=True,
                    cwd=folder,
                    env={**own, **offline, **endpoint, "HOME": str(folder), **peer.environment},
                    start_new_session=True,
                )
        except OSError as error:
            raise PeerUnavailable(f"its adapter does not start: {error}") from error
        self._answers: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="peer", daemon=True)
        self._reader.start()

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to one request.

        Raises:
            PeerUnavailable: it failed, ended, or took longer than ``seconds``.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=seconds)
            answer: dict[str, Any] = json.loads(line)
        except queue.Empty as error:
            raise PeerUnavailable(f"{request['do']} took longer than {seconds:.0f} s") from error
        except (OSError, ValueError) as error:
            self._process.wait(5)
            said = last_line(self._log.read_text(encoding="utf-8", errors="replace")[-_LOG_END:])
            raise PeerUnavailable(f"{request['do']} ended it: {said}") from error
        if "error" in answer:
            raise PeerUnavailable(f"{request['do']} failed: {last_line(str(answer['error']))}")
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _read(self) -> None:
        """Its lines, and an empty one when there are no more."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")
