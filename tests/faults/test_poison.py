"""Poison in the stream: the good is taken in whole, each broken event is one dead letter, and the flow never stops."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from connectors.indices import open_index
from connectors.kafka.client import create_topics
from connectors.kafka.producer import Record, ReliableProducer
from connectors.kafka.sinks import read_dead_letters
from evaluation.faults.scenario import Size
from mneme.errors import InputError
from mneme.events import Message, parse_event
from mneme.ids import message_id
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Kafka, OpenSearch, Settings
from tests.end_to_end.flow_process import FlowThread, settings_for, stored
from tests.faults.poison import KINDS, poison_events

STARTED = datetime(2026, 3, 1, 9, tzinfo=UTC)
WORDS = ("harbour", "lantern", "orchard", "violin", "granite", "saffron", "kayak", "meadow", "pepper", "telescope")


@pytest.fixture
def settings(tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch) -> Settings:
    create_topics(kafka_settings)
    settings = settings_for(tmp_path / "data", kafka_settings, opensearch_settings)
    by_hash = settings.embedder.model_copy(update={"provider": "hash"})
    return settings.model_copy(update={"embedder": by_hash})


@pytest.fixture
def index(settings: Settings) -> Iterator[MemoryIndex]:
    index = open_index(settings)
    yield index
    index.close()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_refused_with_its_reason(kind: str):
    with pytest.raises(InputError, match=KINDS[kind].reason):
        parse_event(KINDS[kind].of(7), datetime.now(UTC))


def test_poison_is_the_same_for_a_seed_and_of_every_kind():
    assert poison_events(100, 3) == poison_events(100, 3)
    assert {kind for kind, _ in poison_events(100, 3)} == set(KINDS)
    assert len(KINDS) >= 12


@pytest.mark.kafka
@pytest.mark.opensearch
@pytest.mark.slow
def test_the_good_is_taken_in_and_every_broken_event_is_one_dead_letter(settings: Settings, index: MemoryIndex, size: Size):
    total, broken = (10_000, 500) if size is Size.LONG else (1_000, 50)
    good = [said(number) for number in range(total - broken)]
    poison = poison_events(broken, seed=7)
    records = [(message.key, message.to_bytes()) for message in good] + [(None, raw) for _, raw in poison]
    Random(7).shuffle(records)
    producer = ReliableProducer(settings.kafka)
    with FlowThread(settings) as flow:
        for key, raw in records:
            producer.send(Record(settings.kafka.topics.messages, key or f"default/talk-{len(raw) % 40}", raw))
        producer.close()
        flow.until(lambda: stored(index) == len(good), timeout=600)
        flow.until(lambda: len(list(read_dead_letters(settings.kafka))) >= broken, timeout=60)

    index.refresh()
    expected = {message_id("default", message.conversation_id, message.message_id) for message in good}
    assert hash_of({row.id for row in index.scan(Collection.MESSAGES)}) == hash_of(expected)
    letters = list(read_dead_letters(settings.kafka))
    assert Counter(letter.raw for letter in letters) == Counter(raw for _, raw in poison)
    reasons = {raw: KINDS[kind].reason for kind, raw in poison}
    assert [letter.reason for letter in letters if not re.search(reasons[letter.raw], letter.reason)] == []
    assert all(letter.position and letter.position.topic == settings.kafka.topics.messages for letter in letters)
    assert len({letter.position for letter in letters}) == broken


def said(number: int) -> Message:
    talk, place = number % 40, number // 40
    content = f"{WORDS[number % 10]} and {WORDS[number // 10 % 10]}, number {number}"
    sent_at = STARTED + timedelta(minutes=place)
    return Message(conversation_id=f"talk-{talk}", user_id="ana", message_id=f"m{place}", content=content, sent_at=sent_at)


def hash_of(ids: set[str]) -> str:
    return sha256("\n".join(sorted(ids)).encode()).hexdigest()
