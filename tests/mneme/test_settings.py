"""Settings: an unknown or wrong variable stops the program with its name; secrets stay secret."""

import traceback
from pathlib import Path

import pytest

from mneme.errors import SettingsError
from mneme.settings import Documents, load_settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("MNEME_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_SERVICE__URL", "")
    monkeypatch.setenv("MNEME_SERVICE__KEYS", "")
    service = load_settings().service
    assert (service.url, service.keys) == (None, {})


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
        ("MNEME_FLOW__PENDING_LIMIT", "many"),
        ("MNEME_FLOW__BUCKETS", "8"),
        ("MNEME_BOUNDARIES__DETECTOR", "guess"),
        ("MNEME_DOCUMENTS__MOST_PAGES", "-1"),
    ],
)
def test_an_unknown_or_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=name):
        load_settings()


def test_a_secret_is_neither_printed_nor_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_MODELS__API_KEY", "sk-very-secret")
    assert "sk-very-secret" not in repr(load_settings())
    monkeypatch.setenv("MNEME_MODELS__CALLS_IN_FLIGHT", "sk-very-secret")
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


KEY = "a-key-that-nobody-may-see"
BROKEN = {
    "cut": f'{{"{KEY}": "*"',
    "without quotes": f"{{{KEY}: *}}",
    "single quotes": f"{{'{KEY}': '*'}}",
    "a text": KEY,
    "a list": f'["{KEY}"]',
    "a number as tenant": f'{{"{KEY}": 5}}',
    "a mapping as tenant": f'{{"{KEY}": {{"{KEY}": 1}}}}',
    "too many digits": "1" * 5_000,
    "too deep": "[" * 100_000,
}


@pytest.mark.parametrize(
    ("variable", "value"),
    [("MNEME_SERVICE__KEYS", value) for value in BROKEN.values()]
    + [("mneme_service__keys", BROKEN["cut"]), ("MNEME_SERVICE", BROKEN["cut"]), ("MNEME_SERVICE", BROKEN["a text"])],
    ids=[*BROKEN, "small letters", "the group", "the group as a text"],
)
def test_a_mapping_of_keys_that_is_broken_is_named_and_no_key_is_told(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError, match=r"^MNEME_SERVICE") as error:
        load_settings()
    assert KEY not in "".join(traceback.format_exception(error.value)).lower()  # what --debug shows


def test_json_that_is_broken_in_the_env_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MNEME_DOCUMENTS__OCR_LANGUAGES=[eng]\n")
    with pytest.raises(SettingsError, match=r"^MNEME_DOCUMENTS__OCR_LANGUAGES: is not JSON"):
        load_settings()


def test_a_group_that_was_written_is_read_with_its_constants() -> None:
    group = Documents(seconds=5).model_copy(update={"attachment_depth": 1})
    read = Documents.from_json(group.model_dump_json())
    assert (read.seconds, read.attachment_depth, read.most_rows) == (5, 1, Documents.most_rows)
