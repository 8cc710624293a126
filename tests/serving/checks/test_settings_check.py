"""Settings that contradict one another, and what is not safe."""

import os
from pathlib import Path
from typing import Any

import pytest

from mneme.settings import Settings
from serving.checks import Check
from serving.checks.settings import settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(**values: Any) -> dict[str, Check]:
    return {check.name: check for check in settings(Settings.model_validate(values))}


def test_the_defaults_have_no_fault():
    assert {name: check.state for name, check in found().items()} == {"environment and .env": "ready", "data folder": "ready"}


@pytest.mark.parametrize(
    ("values", "name", "state", "remedy"),
    [
        (
            {"extraction": {"extractor": "model"}},
            "MNEME_EXTRACTION__EXTRACTOR=model",
            "missing",
            "MNEME_MODELS__PROVIDER=openai",
        ),
        ({"models": {"provider": "openai"}}, "MNEME_MODELS__API_KEY", "missing", "api.openai.com needs one"),
        ({"models": {"by_role": {"poet": "m"}}}, "MNEME_MODELS__BY_ROLE", "missing", "poet is no role"),
        ({"embedder": {"provider": "openai"}}, "MNEME_EMBEDDER__API_KEY", "missing", "BASE_URL"),
        ({"rerank": {"provider": "endpoint"}}, "MNEME_RERANK__BASE_URL", "missing", "set it"),
        ({"flow": {"processes": 2}}, "MNEME_FLOW__PROCESSES", "missing", "to 1"),
        ({"service": {"host": "0.0.0.0"}}, "MNEME_SERVICE__KEYS", "missing", "lets others in"),
        ({"service": {"keys": {"short": "acme"}}}, "MNEME_SERVICE__KEYS", "missing", "acme"),
        (
            {"index": {"backend": "opensearch"}, "opensearch": {"url": "http://search.example:9200"}},
            "MNEME_OPENSEARCH__URL",
            "partly",
            "https",
        ),
        (
            {"index": {"backend": "opensearch"}, "opensearch": {"url": "https://h:9200", "verify_certs": False}},
            "MNEME_OPENSEARCH__VERIFY_CERTS",
            "partly",
            "CA_CERTS",
        ),
        (
            {"index": {"backend": "opensearch"}, "kafka": {"bootstrap_servers": "broker.example:9092"}},
            "MNEME_KAFKA__SECURITY_PROTOCOL",
            "partly",
            "SSL",
        ),
    ],
)
def test_a_fault_is_named_with_its_remedy(values: dict[str, Any], name: str, state: str, remedy: str):
    check = found(**values)[name]
    assert check.state == state
    assert check.needed == (state == "missing")
    assert remedy in check.remedy


def test_a_key_is_in_no_remedy():
    assert "canary" not in str(found(service={"keys": {"canary": "acme"}}))


def test_an_environment_file_that_others_may_read_is_a_risk(folder: Path):
    file = folder / ".env"
    file.write_text("MNEME_MODELS__API_KEY=sk-canary\n")
    file.chmod(0o644)
    assert "chmod 600 .env" in found()[".env"].remedy
    file.chmod(0o600)
    assert ".env" not in found()


def test_a_data_folder_that_cannot_be_written_is_missing(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    check = found(data=folder / "data")["data folder"]
    assert (check.state, check.needed) == ("missing", True)
    assert f"{folder} cannot be written" in check.remedy
