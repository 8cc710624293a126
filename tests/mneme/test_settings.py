"""Settings: an unknown or wrong variable stops the program with its name; secrets stay secret."""

from pathlib import Path

import pytest

from mneme.errors import SettingsError
from mneme.settings import load_settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("MNEME_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]


def test_a_nested_variable_reaches_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_OPENSEARCH__URL", "http://search:9200")
    monkeypatch.setenv("MNEME_KAFKA__TOPICS__MESSAGES", "chat")
    settings = load_settings()
    assert settings.opensearch.url == "http://search:9200"
    assert settings.kafka.topics.messages == "chat"
    assert settings.kafka.topics.documents == "mneme.documents"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MNEME_OPENSERCH__URL", "http://x"),
        ("MNEME_OPENSEARCH__URI", "http://x"),
        ("MNEME_FLOW__BUCKETS", "many"),
        ("MNEME_BOUNDARIES__DETECTOR", "guess"),
        ("MNEME_RETRIEVAL__ALPHA", "1.5"),
    ],
)
def test_an_unknown_or_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=name):
        load_settings()


def test_a_secret_is_neither_printed_nor_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_MODELS__API_KEY", "sk-very-secret")
    assert "sk-very-secret" not in repr(load_settings())
    monkeypatch.setenv("MNEME_MODELS__RETRIES", "sk-very-secret")
    with pytest.raises(SettingsError) as error:
        load_settings()
    assert "sk-very-secret" not in str(error.value)


def test_variables_of_the_tests_are_none_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_TEST_KAFKA", "127.0.0.1:9092")
    load_settings()


def test_an_unknown_variable_is_told_the_settings_of_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_KAFKA__TOPICS__MESAGES", "chat")
    with pytest.raises(SettingsError, match=r"^MNEME_KAFKA__TOPICS__MESAGES is not a setting; .* backfill, .* messages \("):
        load_settings()


def test_an_unknown_variable_of_the_env_file_is_named_as_it_is_written_there(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MNEME_TYPO=1\n")
    with pytest.raises(SettingsError, match=r"^MNEME_TYPO is not a setting; .* opensearch"):
        load_settings()
