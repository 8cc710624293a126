"""Messages that come shuffled, again, and hours late, through the real flow: it ends as if they had come in order."""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Size
from evaluation.faults.texts import Volume
from evaluation.faults.verifier import read_rows, verify
from mneme.events import Message
from mneme.rows import Collection
from mneme.settings import Settings
from tests.conftest import RunningKafka, RunningOpenSearch
from tests.faults.harmed import fault_settings, in_order

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

HOLD_BACK = 600.0  # seconds
LATE = timedelta(hours=1)
VOLUMES = {Size.SHORT: Volume(400, 10), Size.LONG: Volume(20_000, 400)}
_HISTORY = ("version", "closed_by", "provisional", "position", "edited_by", "created_at")  # of a record: how it came to be


@pytest.fixture
def deployment(tmp_path: Path, kafka_server: RunningKafka, opensearch_server: RunningOpenSearch) -> Iterator[Deployment]:
    settings = fault_settings(kafka_server.bootstrap, opensearch_server.url)
    held = settings.boundaries.model_copy(update={"hold_back_seconds": HOLD_BACK})
    with Deployment(settings.model_copy(update={"boundaries": held}), tmp_path) as deployment:
        yield deployment


def as_they_arrive(messages: Sequence[Message], late: float, luck: random.Random) -> list[Message]:
    """The messages in the order of their arrival: each within the hold-back, some an hour later, 5 % again at the end."""

    def arrival(message: Message) -> datetime:
        delay = LATE if luck.random() < late else timedelta(0)
        return message.sent_at + delay + timedelta(seconds=luck.uniform(0, HOLD_BACK))

    return sorted(messages, key=arrival) + luck.sample(messages, len(messages) // 20)


def records(settings: Settings) -> dict[str, dict[str, Any]]:
    """Everything that can be found, without how it came to be."""
    rows = [row for row in read_rows(settings) if row.collection is not Collection.CONTROL]
    return {row.id: {name: value for name, value in row.body.items() if name not in _HISTORY} for row in rows}


@pytest.mark.parametrize("late", [0.0, 0.05], ids=["shuffled", "an hour late"])
def test_whatever_the_order_of_arrival_the_memory_is_that_of_the_order(late: float, deployment: Deployment, size: Size) -> None:
    if size is Size.SHORT and not late:
        pytest.skip("the short form is shuffled and late at once")
    messages = [event for event in deployment.traffic(VOLUMES[size], seed=8) if isinstance(event, Message)]
    deployment.publish(as_they_arrive(messages, late, random.Random(8)))
    with deployment.in_thread():
        deployment.drain()
    found = verify(deployment.settings)
    assert found.sound, found.examples
    assert (found.messages, found.dead_letters) == (len(messages), 0)
    undisturbed = in_order(messages, deployment.settings, deployment.settings.data / "in-order")
    assert records(deployment.settings) == records(undisturbed)
    print(f"{found.messages} messages, {late:.0%} late, 5 % again: {found.episodes} episodes and {found.records} records alike")
