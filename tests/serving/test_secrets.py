"""Secrets are in nothing that is printed, logged or written: a canary is looked for in all of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mneme.settings import load_settings
from tests.servers.models import ModelServer

pytestmark = pytest.mark.slow

CANARY = "canary7f3a"
SECRETS = {
    "MNEME_KAFKA__SECURITY_PROTOCOL": "SASL_PLAINTEXT",
    "MNEME_KAFKA__SASL_MECHANISM": "PLAIN",
    "MNEME_KAFKA__SASL_USERNAME": "mneme",
    "MNEME_KAFKA__SASL_PASSWORD": f"kafka-{CANARY}",
    "MNEME_OPENSEARCH__USERNAME": "mneme",
    "MNEME_OPENSEARCH__PASSWORD": f"opensearch-{CANARY}",
    "MNEME_OPENSEARCH__API_KEY": f"opensearch-key-{CANARY}",
    "MNEME_MODELS__API_KEY": f"sk-models-{CANARY}",
    "MNEME_EMBEDDER__API_KEY": f"sk-embedder-{CANARY}",
    "MNEME_TRANSCRIPTION__API_KEY": f"sk-speech-{CANARY}",
}
NOBODY = "127.0.0.1:1"
MESSAGE = (
    '{"conversation_id": "c", "user_id": "ann", "message_id": "m", "sent_at": "2026-03-02T09:00:00Z", '
    '"content": "I work in Lisbon since May."}\n{"conversation_id": "c"}\n'
)


def test_settings_show_no_secret(monkeypatch: pytest.MonkeyPatch):
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.kafka.sasl_password is not None
    assert settings.kafka.sasl_password.get_secret_value().endswith(CANARY)
    for shown in (repr(settings), str(settings), settings.model_dump_json(), f"{settings.model_dump()}", repr(settings.kafka)):
        assert CANARY not in shown


@pytest.fixture
def model_server():
    """An endpoint that lets nobody in, and quotes the key that it was given."""
    with ModelServer(api_key="another") as server:
        yield server


OPENSEARCH = {"MNEME_INDEX__BACKEND": "opensearch"}
MODEL = {"MNEME_MODELS__PROVIDER": "openai", "MNEME_EXTRACTION__EXTRACTOR": "model"}


@pytest.mark.parametrize(
    ("command", "more"),
    [
        (["publish", "chat.jsonl"], {}),
        (["run"], OPENSEARCH),
        (["search", "Lisbon", "--user", "ann"], OPENSEARCH),
        (["ingest", "chat.jsonl"], MODEL),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_no_command_that_fails_tells_a_secret(tmp_path: Path, model_server: ModelServer, command, more):
    """Against servers that are not there or refuse, with a login in the URL as well"""
    (tmp_path / "chat.jsonl").write_text(MESSAGE)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
    environment |= {
        **SECRETS,
        "MNEME_DATA": str(tmp_path / "data"),
        "MNEME_KAFKA__BOOTSTRAP_SERVERS": NOBODY,
        "MNEME_OPENSEARCH__URL": f"http://someone:url-{CANARY}@{NOBODY}",
        "MNEME_MODELS__BASE_URL": model_server.url.replace("//", f"//someone:url-{CANARY}@"),
        "MNEME_MODELS__DEADLINE_SECONDS": "2",
        **more,
    }
    call = [sys.executable, "-m", "serving", "--debug", *command]
    result = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, timeout=150, check=False)
    shown = result.stdout + result.stderr
    assert shown, "it says something"
    for what, content in {
        "output": shown,
        **{str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()},
    }.items():
        assert CANARY.encode() not in content, f"{what}: {content[max(0, content.find(CANARY.encode()) - 300) :][:400]!r}"
