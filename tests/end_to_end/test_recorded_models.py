"""A whole ingestion with models, recorded once: anyone repeats it without them, and it comes out the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from connectors.endpoints.backoff import Retries
from connectors.endpoints.openai_client import OpenAiClient
from evaluation.recording.recordings import Recordings
from evaluation.recording.replayer import PendingRequests, import_answers, pending_path
from flows import ingest
from flows.maintenance.transfer import export_owner
from mneme.records import Owner
from mneme.settings import Boundaries, EmbedderSettings, Extraction, Models, Settings
from tests.evaluation.recording.recording_help import recording, replaying
from tests.servers.models import ModelServer

pytestmark = pytest.mark.slow

FRIENDS = Path(__file__).parents[2] / "examples" / "friends.jsonl"
MESSAGES = 50
MIRA = Owner(tenant_id="default", type="user", id="mira")


def remembered(folder: Path, models: dict[str, Any], embedder: EmbedderSettings) -> tuple[list[dict[str, Any]], int]:
    """What an ingestion into a new folder writes, and how many events it could not take in."""
    settings = Settings(_env_file=None).model_copy(
        update={
            "data": folder,
            "models": Models(provider="openai", **models),
            "embedder": embedder,
            "boundaries": Boundaries(detector="llm"),
            "extraction": Extraction(extractor="model"),
        }
    )
    talk = folder / "talk.jsonl"
    folder.mkdir()
    talk.write_text("\n".join(FRIENDS.read_text(encoding="utf-8").splitlines()[:MESSAGES]), encoding="utf-8")
    report = ingest([talk], settings)
    export_owner(MIRA, folder / "mira.jsonl", settings)
    _, *rows, _ = map(json.loads, (folder / "mira.jsonl").read_text(encoding="utf-8").splitlines())
    for row in rows:  # the number of a write is given when it is made
        del row["version"]
        row["body"].pop("version", None)
    return rows, report.dead_letters


def test_an_ingestion_is_repeated_from_its_recordings(tmp_path: Path) -> None:
    file = tmp_path / "recordings.jsonl"
    embedder = EmbedderSettings(provider="hash")
    with ModelServer() as server, recording(server.url, file) as (url, recorder):
        before = remembered(tmp_path / "one", {"base_url": url}, embedder)
        assert recorder.counts["recorded"] == server.received > 5
    with replaying(file) as (url, replayer):
        after = remembered(tmp_path / "two", {"base_url": url}, embedder)
    assert (replayer.unknown, before[1]) == ({}, 0)
    assert after == before


def test_an_ingestion_comes_to_the_same_by_batches(tmp_path: Path) -> None:
    """Each round asks in files what it lacks; the last is the run that counts."""
    file, embedder = tmp_path / "answers.jsonl", EmbedderSettings(provider="hash")
    with ModelServer() as server:
        expected = remembered(tmp_path / "online", {"base_url": server.url}, embedder)
        for number in range(30):
            with replaying(file, pending=True) as (url, _):
                found = remembered(tmp_path / f"round-{number}", {"base_url": url}, embedder)
            if not len(PendingRequests(pending_path(file))):
                break
            answer_batch(server.url, file)
        else:
            pytest.fail("there was always something pending")
    assert number > 0
    assert found == expected


def answer_batch(url: str, file: Path) -> None:
    """What a batch API does with the pending requests."""
    endpoint = OpenAiClient(url, None, Retries(0, 0.0, 20.0), "MNEME_MODELS")
    pending, responses = pending_path(file), file.parent / "responses.jsonl"
    with responses.open("w") as answers:
        for line in pending.read_text(encoding="utf-8").splitlines():
            asked = json.loads(line)
            body = endpoint.chat(asked["body"])
            response = {"status_code": 200, "body": body}
            answers.write(json.dumps({"custom_id": asked["custom_id"], "response": response, "error": None}) + "\n")
    endpoint.close()
    assert not import_answers(responses, PendingRequests(pending), Recordings(file)).failed
