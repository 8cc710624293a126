"""Dead letters in a file."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.database import empty_log
from connectors.dead_letters import FileDeadLetters, safe_reason
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ports import DeadLetter, Scope
from tests.contracts.dead_letters import AT, DeadLettersContract, letter

TALK = b'{"conversation_id": "talk", "user_id": "ana"}'


class TestFileDeadLetters(DeadLettersContract):
    @pytest.fixture(autouse=True)
    def _file(self, tmp_path: Path):
        self.path = tmp_path / "not-yet" / "dead-letters.sqlite"

    def open_store(self) -> FileDeadLetters:
        return FileDeadLetters(self.path)

    def read_back(self) -> list[DeadLetter]:
        return list(FileDeadLetters(self.path).read())

    def test_a_damaged_file_is_named(self):
        self.path.parent.mkdir()
        self.path.write_bytes(b"no database, but long enough to be taken for one" * 20)
        with pytest.raises(StoreRejected, match=r"dead-letters\.sqlite"):
            self.read_back()

    def test_a_file_from_before_positions_told_the_id_of_their_topic_is_read_and_written(self):
        self.keep(letter(1))
        with closing(sqlite3.connect(self.path)) as database:
            database.execute("ALTER TABLE letters DROP COLUMN topic_id")
        assert self.read_back() == [letter(1)]
        with closing(sqlite3.connect(self.path)) as database:
            database.execute("ALTER TABLE letters DROP COLUMN topic_id")
        self.keep(letter(2))
        assert self.read_back() == [letter(1), letter(2)]

    def test_a_file_that_cannot_be_written_is_named(self):
        self.path.mkdir(parents=True)
        with pytest.raises(StoreUnavailable, match=r"dead-letters\.sqlite"):
            self.open_store().send([letter()])

    def test_nobody_else_may_read_the_file(self):
        self.keep(letter(1, TALK), letter(2))
        assert self.path.stat().st_mode & 0o077 == 0
        assert self.erase(Scope("default", ("talk",))) == 1
        assert self.path.stat().st_mode & 0o077 == 0

    def test_no_file_holds_an_erased_letter(self):
        self.keep(letter(1, TALK), letter(2))
        assert self.erase(Scope("default", ("talk",))) == 1
        assert TALK not in b"".join(path.read_bytes() for path in self.path.parent.iterdir())

    def test_a_reader_of_what_is_taken_away_is_told_of(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("connectors.database._WAIT_SECONDS", 0.05)
        self.keep(letter(1, TALK))
        reader = sqlite3.connect(self.path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM letters").fetchall()
        with pytest.raises(StoreUnavailable, match="do it again"):
            self.erase(Scope("default", ("talk",)))
        reader.close()
        assert self.erase(Scope("default", ("talk",))) == 0
        assert TALK not in b"".join(path.read_bytes() for path in self.path.parent.iterdir())

    def test_two_that_empty_the_log_wait_for_each_other(self):
        self.keep(letter(1, TALK))
        connections = [sqlite3.connect(self.path, isolation_level=None, check_same_thread=False) for _ in range(3)]
        writer, *others = connections
        writer.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(2) as pool:
            emptying = [pool.submit(empty_log, other) for other in others]
            assert not wait(emptying, timeout=0.3).done
            writer.execute("COMMIT")
            assert all(each.result() for each in emptying)
        for connection in connections:
            connection.close()

    def test_what_one_process_sends_while_another_erases_is_kept(self):
        def send(numbers: range) -> None:
            store = self.open_store()
            for number in numbers:
                store.send([letter(number, TALK if number % 2 else b"{}")])

        def erase(_: int) -> int:
            return sum(self.erase(Scope("default", ("talk",))) for _ in range(20))

        with ThreadPoolExecutor(4) as pool:
            sending = [pool.submit(send, range(start, start + 50)) for start in (0, 50)]
            erased = sum(pool.map(erase, range(2)))
            for each in sending:
                each.result()
        erased += self.erase(Scope("default", ("talk",)))
        assert erased == 50
        assert sorted(kept.position.offset for kept in self.read_back() if kept.position) == list(range(0, 100, 2))


@given(st.binary(), st.text(max_size=300), st.text(max_size=20))
def test_any_bytes_and_any_text_come_back(tmp_path_factory: pytest.TempPathFactory, raw: bytes, reason: str, stage: str):
    store = FileDeadLetters(tmp_path_factory.getbasetemp() / "letters" / "file.sqlite")
    store.send([DeadLetter(stage, reason, raw, None, AT)])
    *_, last = store.read()
    store.close()
    assert last == DeadLetter(stage, safe_reason(reason), raw, None, AT)


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
