"""Dead letters in a file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.dead_letters import FileDeadLetters, safe_reason
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ports import DeadLetter
from tests.contracts.dead_letters import AT, DeadLettersContract, letter


class TestFileDeadLetters(DeadLettersContract):
    @pytest.fixture(autouse=True)
    def _file(self, tmp_path: Path):
        self.path = tmp_path / "not-yet" / "dead-letters.jsonl"

    def open_store(self) -> FileDeadLetters:
        return FileDeadLetters(self.path)

    def read_back(self) -> list[DeadLetter]:
        return list(FileDeadLetters(self.path).read())

    def test_a_line_torn_by_a_crash_is_dropped_and_the_next_letter_stays_whole(self):
        self.keep(letter(1), letter(2))
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[:-10])
        assert self.read_back() == [letter(1)]
        self.keep(letter(3))
        assert self.read_back() == [letter(1), letter(3)]

    def test_a_torn_line_longer_than_any_buffer_is_dropped(self):
        self.keep(letter(1))
        with self.path.open("ab") as file:
            file.write(b"x" * 300_000)
        self.keep(letter(2))
        assert self.read_back() == [letter(1), letter(2)]

    def test_a_damaged_line_is_named(self):
        self.keep(letter(1), letter(2))
        first, _ = self.path.read_text().splitlines()
        self.path.write_text(f'{first}\n{{"stage": "decode"}}\n')
        with pytest.raises(StoreRejected, match=r"dead-letters\.jsonl, line 2"):
            self.read_back()

    def test_a_file_that_cannot_be_written_is_named(self):
        self.path.mkdir(parents=True)
        with pytest.raises(StoreUnavailable, match=r"dead-letters\.jsonl"):
            self.open_store().send([letter()])

    def test_nobody_else_may_read_the_file(self):
        self.keep(letter())
        assert self.path.stat().st_mode & 0o077 == 0


@given(st.binary(), st.text(max_size=300), st.text(max_size=20))
def test_any_bytes_and_any_text_come_back(tmp_path_factory: pytest.TempPathFactory, raw: bytes, reason: str, stage: str):
    store = FileDeadLetters(tmp_path_factory.mktemp("letters") / "file.jsonl")
    store.send([DeadLetter(stage, reason, raw, None, AT)])
    store.close()
    assert list(store.read()) == [DeadLetter(stage, safe_reason(reason), raw, None, AT)]


@pytest.mark.parametrize(
    "reason",
    [
        "content: Input should be a valid string; tokens: 12 of 10",
        "sent_at: 2026-03-01T09:30:00+00:00 is more than a day after 2026-02-01T09:30:00+00:00",
        "document.uri: https://example.org:8080/a@b is not served",
    ],
)
def test_a_reason_without_secrets_stays_as_it_is(reason: str):
    assert safe_reason(reason) == reason


def test_a_reason_that_utf_8_cannot_write_is_kept_without_what_it_cannot():
    assert safe_reason("content: \ud800 is half a character") == "content: ? is half a character"


def test_making_a_reason_safe_twice_changes_nothing_more():
    once = safe_reason("https://me:hunter2@models.example with api_key=abc and Bearer abcdefghijk " + "x" * 3000)
    assert safe_reason(once) == once
