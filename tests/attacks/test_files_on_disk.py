"""What Mneme writes is for its own user alone, whatever the umask: folders 0700, files 0600."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx
import pytest

import flows
from connectors import Publisher
from mneme.settings import load_settings
from queries import Memories
from tests.serving.service_process import environment, serving

Tried = Callable[[Sequence[Path]], Sequence[Path]]
TALK = [
    {"conversation_id": "c", "user_id": "mira", "message_id": str(number), "content": text, "sent_at": "2026-03-02T09:00:00Z"}
    for number, text in enumerate(("I work in Lisbon since May.", "Tom moved to Berlin.", "My birthday is on 4 May."))
]


def files(folder: Path) -> Path:
    """A talk with a line that is no event, and a document."""
    (folder / "talk.jsonl").write_text("".join(json.dumps(each) + "\n" for each in TALK) + '{"conversation_id": "c"}\n')
    (folder / "lease.txt").write_text("Lease of the flat in Hamburg.\n\nThe rent is 900 euro a month.")
    return folder


def mneme(folder: Path, umask: int, *arguments: str, code: int = 0) -> str:
    call = [sys.executable, "-m", "serving", *arguments]
    done = subprocess.run(call, cwd=folder, env=environment(folder), capture_output=True, text=True, umask=umask, timeout=150)
    assert done.returncode == code, done.stderr
    return done.stdout


def open_to_others(folder: Path) -> Iterator[str]:
    """Everything below a folder, and it, that has rights for the group or others."""
    for path in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & 0o077 or (path.is_file() and mode & 0o100):
            yield f"{path.relative_to(folder)}: {mode:o}"


@pytest.mark.slow
def test_nothing_that_mneme_writes_can_be_read_by_others(tmp_path: Path, tried: Tried) -> None:
    """Ingest, serve with a document and a message, export and the console's secret: the whole tree is walked.

    A data folder that was open is closed by the next start.
    """
    umask, data = 0o000, tmp_path / "data"
    files(tmp_path)
    mneme(tmp_path, umask, "ingest", "talk.jsonl", "lease.txt", "--user", "mira", code=1)  # one line is no event
    assert list(open_to_others(data)) == []
    data.chmod(0o777)
    key = "a-key-of-the-operator-01"
    with (
        serving(tmp_path, umask, SERVICE__KEYS=json.dumps({key: "*"}), FLOW__EPOCH_SECONDS="0.2") as service,
        httpx.Client(base_url=service.url, headers={"X-API-Key": key}, timeout=90) as client,
    ):
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        message = {"conversation_id": "d", "user_id": "mira", "content": "The scanner app is late."}
        assert client.post("/api/v1/memories", json={"messages": [message]}).status_code == 202
        sent = client.post("/api/v1/documents", files={"file": ("a.txt", b"A letter.")}, data={"user_id": "mira"})
        assert sent.status_code in (200, 202), sent.text
        assert client.post("/api/v1/flush", json={"user_id": "mira", "timeout": 60}).json()["searchable"] is True
        assert client.post("/console/login", data={"key": key}).status_code == 303
        client.post("/console/logout")
    mneme(tmp_path, umask, "admin", "export", "export.jsonl", "--user", "mira")

    written = tried(list(data.rglob("*")))
    assert {"index", "inbox", "recovery", "uploads", "console", "dead-letters.sqlite"} <= {path.name for path in written}
    assert list(open_to_others(data)) == []
    assert stat.S_IMODE((tmp_path / "export.jsonl").stat().st_mode) == 0o600


def test_from_python_the_data_folder_is_closed_and_the_program_keeps_its_umask(tmp_path: Path) -> None:
    files(tmp_path)
    before = os.umask(0o022)
    try:
        settings = load_settings({}, data=tmp_path / "deep" / "data", embedder={"provider": "hash"})
        with Publisher.connect(settings) as publisher:
            publisher.flush()
        assert stat.S_IMODE(settings.data.stat().st_mode) == 0o700
        settings.data.chmod(0o755)
        flows.ingest([tmp_path / "talk.jsonl"], settings)
        assert stat.S_IMODE(settings.data.stat().st_mode) == 0o700
        settings.data.chmod(0o755)
        with Memories.open(settings) as memories:
            memories.search("Lisbon", filters={"user_id": "mira"})
        assert stat.S_IMODE(settings.data.stat().st_mode) == 0o700
    finally:
        assert os.umask(before) == 0o022


def test_a_folder_for_everybody_stays_one(tmp_path: Path) -> None:
    """MNEME_DATA=/tmp by mistake must not close /tmp"""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    with Publisher.connect(load_settings({}, data=shared, embedder={"provider": "hash"})) as publisher:
        publisher.flush()
    assert stat.S_IMODE(shared.stat().st_mode) == 0o1777
