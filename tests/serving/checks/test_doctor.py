"""The doctor as a command: it never fails itself, waits for nobody for long, and its exit code tells."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mneme.errors import StoreUnavailable
from mneme.settings import Settings
from serving.checks import Check, examination, is_fit
from serving.checks.examination import Group, examine
from serving.cli import app
from tests.servers.models import ModelServer

AWAY = "http://127.0.0.1:1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MNEME_EMBEDDER__PROVIDER", "hash")
    monkeypatch.setenv("MNEME_SERVICE__PORT", "0")
    return tmp_path


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *arguments])


def checks(result: Result) -> dict[tuple[str, str], dict[str, object]]:
    return {(check["group"], check["name"]): check for check in json.loads(result.stdout)}


def test_without_servers_the_defaults_are_fit_and_what_is_missing_is_said_below():
    result = doctor()
    assert result.exit_code == 0
    for group in ("settings", "index", "kafka", "models", "documents"):
        assert f"\n{group} " in f"\n{result.stdout}"
    assert "docx" in result.stdout
    assert "MNEME_TRANSCRIPTION__PROVIDER" in result.stderr
    assert "`mneme ingest FILE` does too" in result.stderr


def test_servers_that_do_not_answer_are_unknown_with_the_remedy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MNEME_INDEX__BACKEND", "opensearch")
    monkeypatch.setenv("MNEME_OPENSEARCH__URL", AWAY)
    monkeypatch.setenv("MNEME_KAFKA__BOOTSTRAP_SERVERS", "127.0.0.1:1")
    result = doctor("index", "kafka", "--json")
    assert result.exit_code == 1
    found = checks(result)
    assert found["index", "OpenSearch"]["state"] == found["kafka", "broker"]["state"] == "unknown"
    assert "MNEME_OPENSEARCH__URL" in str(found["index", "OpenSearch"]["remedy"])
    assert "MNEME_KAFKA__BOOTSTRAP_SERVERS" in str(found["kafka", "broker"]["remedy"])


def test_settings_that_do_not_load_are_each_a_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MNEME_SERVICE__PORT", "a door")
    monkeypatch.setenv("MNEME_FLOW__PROCESSES", "many")
    result = doctor("--json")
    assert result.exit_code == 1
    assert set(checks(result)) == {("settings", "MNEME_SERVICE__PORT"), ("settings", "MNEME_FLOW__PROCESSES")}


def test_a_group_that_is_none_is_refused():
    result = doctor("heart")
    assert result.exit_code == 2
    assert "heart is not known" in result.stderr


def test_models_are_asked_only_where_that_is_wanted(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MNEME_MODELS__PROVIDER", "openai")
    monkeypatch.setenv("MNEME_MODELS__BASE_URL", model_server.url)
    assert "not asked" in str(checks(doctor("models", "--json"))["models", "chat model"]["by"])
    assert model_server.calls() == 0
    asked = doctor("models", "--call", "--json")
    assert asked.exit_code == 0
    assert checks(asked)["models", "chat model"]["state"] == "ready"
    assert model_server.calls() == 1
    monkeypatch.setenv("MNEME_MODELS__BASE_URL", f"{AWAY}/v1")
    away = doctor("models", "--call", "--json")
    assert away.exit_code == 1
    assert "MNEME_MODELS__BASE_URL" in str(checks(away)["models", "chat model"]["remedy"])


def test_a_check_that_fails_or_hangs_is_a_line_and_takes_no_other_with_it(monkeypatch: pytest.MonkeyPatch):
    released = threading.Event()

    def hangs(settings: Settings) -> Iterator[Check]:
        yield Check("hangs", "first", "", "ready")
        released.wait(60)

    def fails(settings: Settings) -> Iterator[Check]:
        raise ZeroDivisionError("with a secret")

    def away(settings: Settings) -> Iterator[Check]:
        raise StoreUnavailable("the store is away; start it")

    made_up = {"hangs": Group(hangs), "fails": Group(fails), "away": Group(away, needed=False)}
    monkeypatch.setattr(examination, "groups", lambda call: made_up)
    began = time.monotonic()
    found = {check.name: check for check in examine(seconds=0.3)}
    released.set()
    assert time.monotonic() - began < 30
    assert found["first"].state == "ready"
    assert (found["hangs"].state, is_fit([found["hangs"]])) == ("unknown", False)
    assert "no answer within 0.3 s" in found["hangs"].remedy
    assert "again when this machine is less busy" in found["hangs"].remedy
    assert "ZeroDivisionError" in found["fails"].remedy
    assert "secret" not in found["fails"].remedy
    assert found["away"] == Check("away", "away", "", "unknown", "the store is away; start it", needed=False)
