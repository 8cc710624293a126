"""What happens when the broker crashes, stands still or is away. These tests have a broker of their own."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from connectors import Publisher
from connectors.kafka.client import create_topics
from connectors.kafka.sinks import KafkaDeadLetters, read_dead_letters
from mneme.errors import StoreUnavailable
from mneme.settings import Kafka
from tests.connectors.kafka_help import message, read, read_topic, reading
from tests.contracts.dead_letters import letter
from tests.servers import KafkaServer
from tests.servers.isolated import isolated_kafka
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.slow,
    # A client of a broker that is killed leaves a socket to the garbage collector (kafka-python).
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaServer]:
    with KafkaServer() as server:
        yield server


@pytest.fixture
def settings(broker: KafkaServer) -> Kafka:
    if not broker.ready():
        broker.start()
    settings = isolated_kafka(broker.bootstrap)
    create_topics(settings)
    return settings


def published_ids(settings: Kafka, count: int) -> list[str]:
    return [json.loads(event.raw)["message_id"] for event in read_topic(settings, settings.topics.messages, count)]


def test_a_broker_killed_while_publishing_loses_nothing_and_doubles_nothing(settings: Kafka, broker: KafkaServer):
    acknowledged = 0

    def publish() -> None:
        nonlocal acknowledged
        with Publisher(settings) as publisher:
            for start in range(0, 6000, 100):
                publisher.send_many(message(number) for number in range(start, start + 100))
                publisher.flush()
                acknowledged = start + 100

    publishing = Thread(target=publish)
    publishing.start()
    wait_until(lambda: acknowledged >= 1000)
    broker.kill()
    at_the_crash = acknowledged
    broker.start()
    publishing.join(90)
    assert 1000 <= at_the_crash < 6000, "the crash came in the middle"
    assert published_ids(settings, 6000) == [message(number).message_id for number in range(6000)]


def test_a_reader_goes_on_by_itself_when_the_broker_is_back(settings: Kafka, broker: KafkaServer):
    with Publisher(settings) as publisher:
        publisher.send_many(message(number) for number in range(200))
    (partition,) = {event.position.partition for event in read_topic(settings, settings.topics.messages, 200)}
    with reading(settings, settings.topics.messages, partition) as reader:
        before = read(reader, 50)
        broker.kill()
        for _ in range(100):
            before += reader.poll(10)
            time.sleep(0.01)
        broker.start()
        with Publisher(settings) as publisher:
            publisher.send(message(200))
        after = read(reader, 201 - len(before))
    assert [event.position.offset for event in before + after] == list(range(201))


def test_what_a_standing_broker_does_not_acknowledge_in_time_is_said_and_still_written(settings: Kafka, broker: KafkaServer):
    with Publisher(settings) as publisher:
        publisher.send(message(0))
        publisher.flush()
        broker.pause()
        try:
            publisher.send(message(1))
            started = time.monotonic()
            with pytest.raises(StoreUnavailable, match="waiting for acknowledgements"):
                publisher.flush(timeout=1)
            assert time.monotonic() - started < 60
        finally:
            broker.resume()
        publisher.flush()
    assert published_ids(settings, 2) == ["m00000", "m00001"]


def test_what_was_never_written_is_raised_once_whatever_else_failed_and_the_publisher_serves_again(
    settings: Kafka, broker: KafkaServer
):
    failing, closing, serving = publishers = [Publisher(settings, delivery_seconds=3) for _ in range(3)]
    for number, publisher in enumerate(publishers):
        publisher.send(message(number))
        publisher.flush()
    broker.kill()

    def publish() -> None:
        with failing:
            failing.send(message(3))
            raise ZeroDivisionError

    with pytest.raises(StoreUnavailable, match="1 of the records") as raised:
        publish()
    assert isinstance(raised.value.__context__, ZeroDivisionError)
    closing.send(message(4))
    closing.send(message(5))
    started = time.monotonic()
    with pytest.raises(StoreUnavailable, match=rf"2 of the records.*{settings.topics.messages}"):
        closing.close()
    assert time.monotonic() - started < 60
    serving.send(message(6))
    with pytest.raises(StoreUnavailable):
        serving.flush()
    broker.start()
    serving.send(message(7))
    serving.flush()
    serving.close()
    assert published_ids(settings, 4) == ["m00000", "m00001", "m00002", "m00007"]


def test_dead_letters_wait_for_a_broker_that_is_away_for_a_moment(settings: Kafka, broker: KafkaServer, tmp_path: Path):
    store = KafkaDeadLetters(settings, tmp_path / "lock")
    store.send([letter(0)])
    broker.kill()
    sending = Thread(target=store.send, args=([letter(1)],))
    sending.start()
    sending.join(0.5)
    assert sending.is_alive(), "nothing is durable yet"
    broker.start()
    sending.join(60)
    store.close()
    assert sorted(read_dead_letters(settings), key=lambda each: str(each.position)) == [letter(0), letter(1)]
