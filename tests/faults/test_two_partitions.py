"""What one owner says in conversations on several partitions contradicts itself: it ends as if it had come in order."""

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from connectors.indices import open_index
from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Size
from evaluation.faults.verifier import verify
from mneme.events import Message
from mneme.rows import Collection
from mneme.settings import Settings
from tests.conftest import RunningKafka, RunningOpenSearch
from tests.faults.harmed import fault_settings, in_order

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
RUNS = {Size.SHORT: 1, Size.LONG: 10}
KILLS = {Size.SHORT: 1, Size.LONG: 2}
OWNERS = 3
CONVERSATIONS = 6  # of each owner
CHANGES = {  # what is said of an attribute, of which the last holds
    "employer": ("I work at {}.", ("Google", "Acme", "Siemens", "Nokia", "Bosch", "Philips")),
    "home": ("I live in {}.", ("Berlin", "Paris", "Oslo", "Rome", "Vienna", "Madrid")),
    "drink": ("My favourite drink is {}.", ("green tea", "black coffee", "cold milk", "red wine", "apple juice", "cocoa")),
}


@pytest.fixture
def deployment(tmp_path: Path, kafka_server: RunningKafka, opensearch_server: RunningOpenSearch) -> Iterator[Deployment]:
    with Deployment(fault_settings(kafka_server.bootstrap, opensearch_server.url), tmp_path) as deployment:
        yield deployment


def changes_of_mind(luck: random.Random, run: str) -> list[Message]:
    """What each owner says of each attribute, again and again, each time in another conversation; in order of time."""
    messages = []
    for owner in range(OWNERS):
        for form, values in CHANGES.values():
            for number in range(12):
                at = START + timedelta(days=number, minutes=luck.randrange(600))
                conversation = f"{owner}-{luck.randrange(CONVERSATIONS)}-{run}"
                messages.append(
                    Message(
                        conversation_id=conversation,
                        user_id=f"{owner}-{run}",
                        message_id=f"{owner}-{at.isoformat()}-{len(messages)}",
                        sender_name="Ann",
                        sent_at=at,
                        content=form.format(luck.choice(values)),
                    )
                )
    return sorted(messages, key=lambda message: message.sent_at)


def validities(settings: Settings) -> dict[str, tuple[str, dict[str, Any]]]:
    """What each fact says, and what became of it."""
    index = open_index(settings)
    try:
        index.refresh()
        facts = [row.body for row in index.scan(Collection.FACTS) if row.kind == "fact"]
    finally:
        index.close()
    return {fact["id"]: (fact["atomic_fact"], fact["validity"]) for fact in facts}


def test_what_holds_is_what_was_said_last_whatever_came_first(deployment: Deployment, size: Size) -> None:
    said = {f"run{seed}": changes_of_mind(random.Random(seed), f"run{seed}") for seed in range(RUNS[size])}
    deployment.start()
    for run, messages in said.items():
        luck = random.Random(run)
        by_conversation: dict[str, list[Message]] = {}
        for message in messages:
            by_conversation.setdefault(message.conversation_id, []).append(message)
        order = luck.sample(sorted(by_conversation), len(by_conversation))  # one is told to its end before others begin
        kills = luck.sample(range(len(order)), KILLS[size])
        for number, conversation in enumerate(order):
            deployment.publish(by_conversation[conversation])
            if number in kills:
                deployment.until_stored(deployment.stored() + 1)
                time.sleep(luck.uniform(0, 1))
                deployment.flow.kill()
                deployment.start()
    deployment.drain()
    deployment.stop()
    verification = verify(deployment.settings)
    assert verification.sound, verification.examples
    found = validities(deployment.settings)
    superseded = sum(1 for _, validity in found.values() if validity["superseded_by"])
    print(f"{RUNS[size]} runs, {KILLS[size]} kills each, {len(found)} facts, {superseded} superseded")
    assert superseded > len(found) // 4
    for run, messages in said.items():
        own = {identity: fact for identity, fact in found.items() if f"-{run}/" in identity}
        assert own == validities(in_order(messages, deployment.settings, deployment.settings.data / run))
