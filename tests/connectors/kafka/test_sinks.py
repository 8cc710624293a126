"""Dead letters and the change feed on a real broker."""

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest
from kafka import KafkaConsumer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.errors import KafkaConnectionError

from connectors.kafka import sinks
from connectors.kafka.client import connection_arguments, create_topics
from connectors.kafka.producer import ReliableProducer
from connectors.kafka.replay import event_to_replay
from connectors.kafka.sinks import KafkaChangeFeed, KafkaDeadLetters, _reading, _records, read_dead_letters
from mneme.errors import InputError, StoreUnavailable
from mneme.ports import Change, DeadLetter, Scope
from mneme.records import Owner
from mneme.rows import Collection, Key
from mneme.settings import Kafka
from tests.connectors.kafka_help import read_topic, write_raw
from tests.contracts.dead_letters import DeadLettersContract, letter
from tests.contracts.rows import axis, fact

pytestmark = pytest.mark.kafka

TALK = b'{"conversation_id": "talk", "user_id": "ana"}'


class TestKafkaDeadLetters(DeadLettersContract):
    @pytest.fixture(autouse=True)
    def _topics(self, kafka_settings: Kafka, tmp_path: Path):
        create_topics(kafka_settings)
        self.settings, self.lock = kafka_settings, tmp_path / "lock"

    def open_store(self) -> KafkaDeadLetters:
        return KafkaDeadLetters(self.settings, self.lock)

    def read_back(self) -> list[DeadLetter]:
        return list(read_dead_letters(self.settings))

    def test_a_record_is_the_events_own_bytes_so_that_replaying_is_copying(self):
        self.keep(letter(7, b"\xff not json"))
        (record,) = read_topic(self.settings, self.settings.topics.dead_letters, 1)
        assert record.raw == b"\xff not json"

    def test_what_another_program_wrote_on_the_topic_is_listed_as_unknown(self):
        write_raw(self.settings, self.settings.topics.dead_letters, [b"not ours"])
        (found,) = self.read_back()
        assert (found.stage, found.raw, found.position) == ("unknown", b"not ours", None)

    def test_letters_are_moved_with_everything_they_had(self):
        others = [b"\x00\xff", b"", b'{"conversation_id": "other", "user_id": "ana"}']
        self.keep(letter(1, TALK), *(letter(number, raw, "content: 需要", number % 2) for number, raw in enumerate(others)))
        before = self._records()
        assert self.erase(Scope("default", ("talk",))) == 1
        assert [each for each in before if each[1] != TALK] == self._records()

    def test_where_nothing_is_to_go_nothing_is_written(self):
        self.keep(letter(1), letter(2))
        before = self._ends()
        assert self.erase(Scope("default", ("talk",))) == 0
        assert self._ends() == before

    def test_an_erasure_that_dies_before_its_end_loses_no_letter_and_can_be_done_again(self, monkeypatch):
        self.keep(letter(1, TALK), letter(2))

        def die(*_: object) -> None:
            raise KafkaConnectionError("the broker is gone")

        with monkeypatch.context() as broken:
            broken.setattr(KafkaAdminClient, "delete_records", die)
            with pytest.raises(StoreUnavailable):
                self.erase(Scope("default", ("talk",)))
        assert set(self.read_back()) == {letter(1, TALK), letter(2)}
        assert self.erase(Scope("default", ("talk",))) == 1
        assert set(self.read_back()) == {letter(2)}

    def test_processes_that_share_a_lock_take_letters_away_one_after_the_other(self):
        names = [f"talk-{number}" for number in range(3)]
        self.keep(*(letter(n, f'{{"conversation_id": "{name}", "user_id": "ana"}}'.encode()) for n, name in enumerate(names)))

        def erase(name: str) -> int:
            store = self.open_store()
            try:
                return store.erase(Scope("default", (name,)))
            finally:
                store.close()

        with ThreadPoolExecutor(3) as pool:
            assert sum(pool.map(erase, names)) == 3
        assert self.read_back() == []

    def _records(self) -> list[tuple[object, ...]]:
        with _reading(self.settings) as (consumer, ends):
            found = [(each.key, each.value, each.headers, each.partition) for each in _records(consumer, ends)]
        return sorted(found, key=repr)

    def _ends(self) -> list[int]:
        with _reading(self.settings) as (_, ends):
            return list(ends.values())

    def test_the_largest_event_can_become_a_dead_letter(self):
        self.keep(letter(raw=b"x" * (10 * 1024 * 1024 + 60_000)))
        (kept,) = self.read_back()
        assert len(kept.raw) == 10 * 1024 * 1024 + 60_000

    def test_of_a_letter_that_is_too_large_the_beginning_stays_with_a_reason_that_says_so_and_the_others_are_whole(self):
        event = json.dumps({"content": "my words " * 2_000_000, "conversation_id": "talk", "user_id": "ana"}).encode()
        self.keep(letter(1), letter(2, event, "content: too long"), letter(3))
        first, cut, last = self.read_back()
        assert (first, last) == (letter(1), letter(3))
        assert cut.position == letter(2).position
        assert cut.raw.startswith(b'{"user_id": "ana", "conversation_id": "talk", "content": "my words my words')
        assert cut.reason == f"too large for the topic, cut from {len(event)} to {len(cut.raw)} bytes; content: too long"
        with pytest.raises(InputError):
            event_to_replay(cut)

    def test_an_erasure_finds_a_letter_that_was_cut(self):
        event = {"content": "x" * 12_000_000, "tenant_id": "acme", "conversation_id": "talk", "user_id": "ana"}
        self.keep(letter(1, json.dumps(event).encode()))
        assert self.erase(Scope("acme", ("another",))) == 0
        assert self.erase(Scope("other", ("talk",))) == 0
        assert self.erase(Scope("acme", ("talk",))) == 1

    def test_of_large_bytes_that_do_not_say_whom_they_are_about_only_the_reason_stays(self):
        self.keep(letter(1, b"{" + b"x" * 12_000_000))
        (cut,) = self.read_back()
        assert cut.raw == b""
        assert "cut from 12000001 to 0 bytes" in cut.reason

    def test_a_topic_that_takes_less_than_we_ask_for_gets_shorter_letters(self):
        self._limit(1_048_588)  # Kafka's own
        event = json.dumps({"conversation_id": "talk", "user_id": "ana", "content": "x" * 2_000_000}).encode()
        fits = letter(3, b"x" * 1_000_000)
        self.keep(letter(1, event), letter(2), fits)
        cut, *others = self.read_back()
        assert others == [letter(2), fits]
        assert cut.raw.startswith(b'{"user_id": "ana", "conversation_id": "talk", "content": "xxx')
        assert 100_000 < len(cut.raw) < 1_000_000

    def test_a_broker_that_goes_away_when_it_has_refused_a_letter_gets_all_others_when_it_is_back(self, monkeypatch):
        self._limit(1_048_588)
        letters = [letter(1, json.dumps({"conversation_id": "talk", "content": "x" * 2_000_000}).encode()), letter(2)]
        store = self.open_store()

        def gone(*_: object) -> ReliableProducer:
            raise StoreUnavailable("the broker is gone")

        try:
            with monkeypatch.context() as away:
                away.setattr(sinks, "ReliableProducer", gone)
                with pytest.raises(StoreUnavailable, match="gone"):
                    store.send(letters)
            store.send(letters[1:])
            store.send(letters[:1])
        finally:
            store.close()
        second, cut = self.read_back()
        assert second == letters[1]
        assert cut.raw.startswith(b'{"conversation_id": "talk", "content": "xxx')

    def _limit(self, size: int) -> None:
        topic = ConfigResource(ConfigResourceType.TOPIC, self.settings.topics.dead_letters, {"max.message.bytes": str(size)})
        with KafkaAdminClient(**connection_arguments(self.settings)) as admin:
            admin.alter_configs([topic])

    def test_a_lock_that_cannot_be_had_is_named_and_may_be_had_later(self, tmp_path: Path):
        (tmp_path / "data").touch()
        letters = KafkaDeadLetters(self.settings, lock=tmp_path / "data" / "dead-letters.lock")
        with pytest.raises(StoreUnavailable, match=r"dead-letters\.lock"):
            letters.erase(Scope("default", ("talk",)))
        letters.close()


class TestKafkaChangeFeed:
    def published(self, settings: Kafka, count: int) -> list[tuple[bytes, dict[str, object]]]:
        consumer = KafkaConsumer(**connection_arguments(settings), auto_offset_reset="earliest", consumer_timeout_ms=20_000)
        consumer.assign([TopicPartition(settings.topics.memories, partition) for partition in (0, 1)])
        found = [(record.key, json.loads(record.value)) for record in islice(consumer, count)]
        consumer.close()
        return found

    def test_a_written_record_is_published_whole_without_its_vector(self, kafka_settings: Kafka):
        create_topics(kafka_settings)
        row = fact("f1", "the sky is blue", version=3, vector=axis(0))
        feed = KafkaChangeFeed(kafka_settings)
        feed.send([(Change.WRITTEN, row.key, row)])
        ((key, change),) = self.published(kafka_settings, 1)
        feed.close()
        assert key == row.owner_key.encode()
        assert change == {
            "change": "written",
            "collection": row.collection,
            "id": row.id,
            "owner": row.owner_key,
            "version": 3,
            "record": row.body,
        }

    def test_an_erased_record_is_published_by_its_key(self, kafka_settings: Kafka):
        create_topics(kafka_settings)
        feed = KafkaChangeFeed(kafka_settings)
        feed.send([(Change.ERASED, Key(Collection.FACTS, "acme/user/ana", "acme/c/1/f/0"), None)])
        feed.close()
        ((_, change),) = self.published(kafka_settings, 1)
        assert (change["change"], change["id"], change["record"]) == ("erased", "acme/c/1/f/0", None)

    def test_a_change_whose_record_is_too_large_is_published_in_its_place_without_it(self, kafka_settings: Kafka):
        create_topics(kafka_settings)
        large = fact("f1", '"said" ' * 2_000_000, version=2)
        rows = [fact("f1", version=1), large, fact("f1", version=3)]
        feed = KafkaChangeFeed(kafka_settings)
        feed.send([(Change.WRITTEN, row.key, row) for row in rows])
        feed.close()
        first, second, third = (change for _, change in self.published(kafka_settings, 3))
        assert [each["record"] for each in (first, second, third)] == [rows[0].body, None, rows[2].body]
        assert (second["change"], second["id"], second["version"]) == ("written", large.id, 2)

    def test_changes_of_an_owner_stay_in_order(self, kafka_settings: Kafka):
        create_topics(kafka_settings)
        owners = {name: Owner(tenant_id="acme", type="user", id=name) for name in ("ana", "ben", "eva")}
        rows = [fact("f1", version=version, owner=owner) for version in range(1, 101) for owner in owners.values()]
        feed = KafkaChangeFeed(kafka_settings)
        feed.send([(Change.WRITTEN, row.key, row) for row in rows])
        feed.close()
        published = self.published(kafka_settings, len(rows))
        for owner in owners.values():
            assert [each["version"] for key, each in published if key == owner.key.encode()] == list(range(1, 101))
