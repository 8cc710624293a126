"""The doctor says what this machine can read, and how to install what is missing."""

import shutil

import pytest
from typer.testing import CliRunner

from connectors.documents.kinds import KINDS
from mneme.settings import Settings
from serving import checks
from serving.checks import Check, checks_of, worst
from serving.cli import app


def found(settings: Settings | None = None) -> dict[str, Check]:
    return {name: check for check in checks_of(settings or Settings()) for name in check.name.split(", ")}


def test_every_format_is_listed():
    assert set(KINDS) <= set(found())


def test_text_is_always_ready():
    assert found()["md"].state == "ready"
    assert found()["csv"].remedy == ""


def test_a_program_that_is_missing_is_named_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "which", lambda program: None)
    monkeypatch.setattr("sys.platform", "linux")
    assert found()["doc"].state == "missing"
    assert "apt-get install libreoffice-writer-nogui" in found()["doc"].remedy
    assert found()["pdf"].state == "partly"
    assert "apt-get install tesseract-ocr" in found()["pdf"].remedy
    monkeypatch.setattr("sys.platform", "darwin")
    assert "brew install tesseract" in found()["png"].remedy
    assert worst(checks_of(Settings())) == "missing"


def test_a_package_that_is_missing_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checks, "find_spec", lambda module: None)
    assert found()["vtt"] == Check(
        "documents",
        "vtt, srt",
        "webvtt-py",
        "missing",
        "webvtt is not installed: pip install 'mneme[documents]'",
    )


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_a_language_of_ocr_that_is_missing_is_named():
    settings = Settings.model_validate({"documents": {"ocr_languages": ["eng", "tlh"]}})
    [check] = [check for check in checks_of(settings) if check.name.startswith("languages")]
    assert check.state == "partly"
    assert "tesseract-ocr-tlh" in check.remedy


def test_sound_is_ready_with_an_endpoint():
    assert "MNEME_TRANSCRIPTION__PROVIDER" in found()["mp3"].remedy
    settings = Settings.model_validate({"transcription": {"provider": "openai", "base_url": "http://127.0.0.1:9"}})
    assert found(settings)["mp3"].state == "ready"


def test_the_command_prints_the_table_and_the_remedies():
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 0
    assert "docx" in result.stdout
    assert "MNEME_TRANSCRIPTION__PROVIDER" in result.stderr
