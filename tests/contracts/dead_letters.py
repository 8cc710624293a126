"""What every ``DeadLetters`` promises. A subclass supplies ``open_store`` and ``read_back``."""

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mneme.ports import DeadLetter, DeadLetters, Scope
from mneme.records import Owner, Position

AT = datetime(2026, 3, 1, 9, 30, 0, 123456, tzinfo=UTC)


def letter(number: int = 0, raw: bytes = b"{}", reason: str = "sent_at: no offset", partition: int = 0) -> DeadLetter:
    """A letter whose position counts."""
    return DeadLetter("decode", reason, raw, Position(topic="mneme.messages", partition=partition, offset=number), AT)


class DeadLettersContract(ABC):
    """The promises, one test each."""

    @abstractmethod
    def open_store(self) -> DeadLetters:
        """The store of this test, opened; each call opens the same one again."""

    @abstractmethod
    def read_back(self) -> list[DeadLetter]:
        """Everything that is kept now."""

    def keep(self, *letters: DeadLetter) -> None:
        store = self.open_store()
        store.send(letters)
        store.close()

    def test_a_letter_comes_back_with_everything_that_explains_it(self):
        self.keep(letter(41, b'{"event": "message"}', "user_id: missing; 需要一个"))
        assert self.read_back() == [letter(41, b'{"event": "message"}', "user_id: missing; 需要一个")]

    def test_its_position_tells_a_topic_that_was_made_anew(self):
        anew = Position(topic="mneme.messages", partition=0, offset=41, topic_id="ThvBc0q8QkaYJZKcvgcNKg")
        self.keep(letter(41), replace(letter(41), position=anew))
        assert [kept.position for kept in self.read_back()] == [letter(41).position, anew]

    @pytest.mark.parametrize("raw", [b"", b"\x00", b"\xff\xfe not utf-8 \x80", b"two\nlines\r\n", bytes(range(256)) * 300])
    def test_the_bytes_of_the_event_come_back_exactly(self, raw: bytes):
        self.keep(letter(raw=raw))
        assert [kept.raw for kept in self.read_back()] == [raw]

    def test_a_letter_needs_no_position(self):
        lost = DeadLetter("extract", "the model answered nonsense", b"x", None, AT)
        self.keep(lost)
        assert self.read_back() == [lost]

    def test_letters_of_one_source_partition_come_back_in_order(self):
        self.keep(*(letter(number) for number in range(50)))
        self.keep(*(letter(number) for number in range(50, 60)))
        assert [kept.position.offset for kept in self.read_back() if kept.position] == list(range(60))

    def test_a_letter_is_kept_before_send_returns(self):
        store = self.open_store()
        try:
            store.send([letter()])
            assert self.read_back() == [letter()]
        finally:
            store.close()

    def test_sending_nothing_keeps_nothing(self):
        self.keep()
        assert self.read_back() == []

    def test_letters_sent_from_several_threads_are_all_kept_whole(self):
        store = self.open_store()
        try:
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda number: store.send([letter(number, b"x" * 2000)]), range(40)))
        finally:
            store.close()
        kept = self.read_back()
        assert sorted(each.position.offset for each in kept if each.position) == list(range(40))
        assert {each.raw for each in kept} == {b"x" * 2000}

    @pytest.mark.parametrize(
        "secret",
        [
            "https://me:hunter2@models.example/v1",
            "Authorization: Bearer hunter2-hunter2",
            "api_key=hunter2",
            "password: hunter2",
        ],
    )
    def test_a_reason_is_kept_without_its_secrets(self, secret: str):
        self.keep(letter(reason=f"refused: {secret} (401)"))
        (kept,) = self.read_back()
        assert "hunter2" not in kept.reason
        assert kept.reason.startswith("refused: ")

    def test_a_very_long_reason_is_cut(self):
        self.keep(letter(reason="x" * 100_000))
        (kept,) = self.read_back()
        assert 100 < len(kept.reason) <= 2_000

    # --- erasing -----------------------------------------------------------------------------------------------------

    def erase(self, scope: Scope) -> int:
        store = self.open_store()
        try:
            return store.erase(scope)
        finally:
            store.close()

    def test_letters_of_an_erased_conversation_go_and_the_others_stay_whole_and_in_order(self):
        others = [letter(number, b'{"conversation_id": "other", "user_id": "ana", "x": "\xff"}') for number in range(0, 10, 2)]
        erased = [letter(number, b'{"conversation_id": "talk", "user_id": "ana", "content": 7}') for number in range(1, 11, 2)]
        self.keep(*(each for pair in zip(others, erased, strict=True) for each in pair))
        assert self.erase(Scope("default", ("talk",))) == 5
        assert self.read_back() == others

    def test_letters_of_an_erased_owner_go(self):
        ana, ben = (letter(raw=f'{{"conversation_id": "talk", "user_id": "{name}"}}'.encode()) for name in ("ana", "ben"))
        self.keep(ana, ben)
        assert self.erase(Scope("default", (), Owner(tenant_id="default", type="user", id="ana"))) == 1
        assert self.read_back() == [ben]

    def test_letters_of_another_tenant_stay(self):
        self.keep(letter(raw=b'{"tenant_id": "acme", "conversation_id": "talk", "user_id": "ana"}'))
        assert self.erase(Scope("default", ("talk",))) == 0
        assert len(self.read_back()) == 1

    def test_erasing_where_nothing_is_kept_erases_nothing(self):
        assert self.erase(Scope("default", ("talk",))) == 0
        assert self.read_back() == []

    def test_after_an_erasure_letters_are_kept_as_before(self):
        store = self.open_store()
        try:
            store.send([letter(1, b'{"conversation_id": "talk", "user_id": "ana"}'), letter(2)])
            assert store.erase(Scope("default", ("talk",))) == 1
            store.send([letter(3)])
            assert store.erase(Scope("default", ("talk",))) == 0
        finally:
            store.close()
        assert self.read_back() == [letter(2), letter(3)]
