"""What this machine can read, and how to install what is missing."""

import shutil

import pytest

from connectors.documents.kinds import KINDS
from mneme.settings import Settings
from serving.checks import Check, is_fit
from serving.checks import models as documents_check
from serving.checks.models import documents


def found(settings: Settings | None = None) -> dict[str, Check]:
    return {name: check for check in documents(settings or Settings()) for name in check.name.split(", ")}


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
    assert is_fit(documents(Settings()))  # the rest works without


def test_a_package_that_is_missing_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(documents_check, "find_spec", lambda module: None)
    assert found()["vtt"] == Check(
        "documents",
        "vtt, srt",
        "webvtt-py",
        "missing",
        "webvtt is not installed: pip install 'mneme-river[documents]'",
    )


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_a_language_of_ocr_that_is_missing_is_named():
    settings = Settings.model_validate({"documents": {"ocr_languages": ["eng", "tlh"]}})
    [check] = [check for check in documents(settings) if check.name.startswith("languages")]
    assert check.state == "partly"
    assert "tesseract-ocr-tlh" in check.remedy


def test_sound_is_ready_with_an_endpoint():
    assert "MNEME_TRANSCRIPTION__PROVIDER" in found()["mp3"].remedy
    settings = Settings.model_validate({"transcription": {"provider": "openai", "base_url": "http://127.0.0.1:9"}})
    assert found(settings)["mp3"].state == "ready"
