"""A recorder or a replayer behind HTTP, and what clients ask it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx

from evaluation.recording.local_endpoint import local_endpoint
from evaluation.recording.recorder import ModelRecorder
from evaluation.recording.recordings import Recordings
from evaluation.recording.replayer import ModelReplayer, PendingRequests, pending_path

KEY = "sk-canary-7f3a-0123456789"
HEADERS = {"Authorization": f"Bearer {KEY}"}


def chat(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


@contextmanager
def recording(upstream: str, file: Path, seconds: float = 20.0) -> Iterator[tuple[str, ModelRecorder]]:
    """The base URL of a recorder, and the recorder."""
    with closing(ModelRecorder(Recordings(file), upstream, seconds)) as recorder, local_endpoint(recorder.answer) as url:
        yield url, recorder


@contextmanager
def replaying(file: Path, pending: bool = False) -> Iterator[tuple[str, ModelReplayer]]:
    """The base URL of a replayer, and the replayer, which may write down what is not recorded."""
    replayer = ModelReplayer(Recordings(file), PendingRequests(pending_path(file)) if pending else None)
    with local_endpoint(replayer.answer) as url:
        yield url, replayer


def post(base_url: str, path: str = "/chat/completions", headers: Any = HEADERS, **sent: Any) -> httpx.Response:
    return httpx.post(
        f"{base_url}{path}", headers=headers, timeout=120.0, verify=False, **sent
    )  # no TLS: certificates take long to load


def same(response: httpx.Response) -> tuple[int, str, bytes]:
    """What must be the same in a recording and its replay."""
    return response.status_code, response.headers["Content-Type"], response.content
