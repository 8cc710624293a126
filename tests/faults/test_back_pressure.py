"""What is down or slow makes the sources wait, and nobody else: memory stays flat, and live traffic comes first."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from connectors.kafka.sinks import read_dead_letters
from connectors.publisher import Publisher
from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Size
from evaluation.faults.texts import EXAMPLES, Volume, read_templates
from evaluation.faults.verifier import verify
from mneme.events import Message
from mneme.ids import message_id
from mneme.rows import Collection, Key
from mneme.settings import EmbedderSettings, Extraction, Flow, Models
from mneme.times import utc_now
from tests.conftest import RunningKafka, RunningOpenSearch
from tests.faults.harmed import fault_settings
from tests.servers.models import Fault, ModelServer

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

EMBEDDINGS, CHAT = "/v1/embeddings", "/v1/chat/completions"
PENDING, BATCH = 200, 20  # messages unfinished at most, and read at a time
MEMORY_GROWTH = 1.1
LIVE = 3  # messages while a backfill runs


@dataclass(frozen=True)
class Outage:
    """How much comes in, how fast (messages a second; 0: at once), and how long the endpoint is down from then on (seconds)."""

    volume: Volume
    rate: float
    seconds: float


OUTAGES = {Size.SHORT: Outage(Volume(600, 40), 0, 3.0), Size.LONG: Outage(Volume(40_000, 800), 100, 300.0)}
# Several times what is taken in while the live messages are: a backfill that ends before them shows nothing.
BACKFILLS = {Size.SHORT: Volume(700, 40), Size.LONG: Volume(20_000, 400)}


@pytest.fixture
def deployment(
    tmp_path: Path, kafka_server: RunningKafka, opensearch_server: RunningOpenSearch, model_server: ModelServer
) -> Iterator[Deployment]:
    """A flow that embeds and extracts by an endpoint, and takes in little at a time."""
    settings = fault_settings(kafka_server.bootstrap, opensearch_server.url).model_copy(
        update={
            "embedder": EmbedderSettings(provider="openai", base_url=model_server.url, dimension=64),
            "models": Models(provider="openai", base_url=model_server.url).model_copy(update={"retry_base_seconds": 0.2}),
            "extraction": Extraction(extractor="model"),
            "flow": Flow().model_copy(
                update={"pending_limit": PENDING, "source_batch": BATCH, "recovery_partitions": 4, "buckets": 64}
            ),
        }
    )
    # A text that was embedded before the outage needs no endpoint: long conversations repeat themselves late.
    templates = read_templates([EXAMPLES / f"{name}.jsonl" for name in ("agent", "chinese", "friends", "team")])
    with Deployment(settings, tmp_path, templates=templates) as deployment:
        yield deployment


@pytest.mark.parametrize("path", [EMBEDDINGS, CHAT], ids=["embedder", "model"])
def test_an_endpoint_that_is_down_is_waited_for(
    path: str, deployment: Deployment, model_server: ModelServer, size: Size
) -> None:
    if size is Size.SHORT and path == CHAT:
        pytest.skip("the long form: episodes do not wait for a model, they are extracted without it")
    outage = OUTAGES[size]
    traffic = deployment.traffic(outage.volume, seed=4)
    deployment.publish(islice(traffic, outage.volume.messages // 3))
    with deployment.sampling(0.5) as seen:
        deployment.start()
        deployment.drain()
        process, before, stored = deployment.flow.pid, seen.seconds(), deployment.stored()
        model_server.meets = lambda asked, body: Fault("status", status=503) if asked == path else None
        with deployment.publishing(traffic, outage.rate):
            deployment.until_stored(stored + 1)
            time.sleep(outage.seconds)
            taken_in = deployment.stored() - stored
            model_server.meets = None
        back = seen.seconds()
        caught_up = deployment.drain()
    memory = seen.peak_mb(until=before), seen.peak_mb(since=before, until=back)
    assert deployment.flow.is_running
    assert deployment.flow.pid == process
    deployment.stop()
    letters = [str(letter.position) for letter in read_dead_letters(deployment.settings.kafka)]
    found = verify(deployment.settings, refused=dict.fromkeys(letters, "the model was down"))
    print(f"{path} down {outage.seconds:.0f} s: {taken_in} taken in, {memory[0]:.0f} -> {memory[1]:.0f} MB, ", end="")
    print(f"all there {caught_up:.0f} s later; {len(letters)} letters")
    assert found.sound, found.examples
    if path == EMBEDDINGS:  # episodes do not wait for a model that is down: what needs none extracts them
        partitions = deployment.settings.kafka.partitions
        assert 0 < taken_in <= PENDING + partitions * BATCH, "more was taken in than the limit says"
        assert letters == []
    assert memory[1] <= MEMORY_GROWTH * memory[0]


def test_calls_that_hang_hold_up_their_own_conversations_only(deployment: Deployment, model_server: ModelServer) -> None:
    hanging = {EMBEDDINGS: "quicksand", CHAT: "avalanche"}

    def meets(asked: str, body: dict[str, Any]) -> Fault | None:
        return Fault("hang", seconds=300.0) if hanging[asked] in str(body) else None

    model_server.meets = meets
    with deployment.in_thread() as flow:
        deployment.publish(
            _message(number, f"Ann and Bob saw {word} near the river on Monday.", word)
            for number, word in enumerate(hanging.values())
        )
        stuck = deployment.flush_all()
        flow.until(
            lambda: all(any(word in str(request.body) for request in model_server.requests) for word in hanging.values())
        )
        deployment.publish(_message(number, "It rained in Lisbon all morning and Ann stayed at home.") for number in range(12))
        others = deployment.flush_all()[len(stuck) :]
        seconds = deployment.wait_for_markers(others)
        held_up = len(stuck) - len(deployment.index.get(stuck))
        model_server.meets = None
        deployment.drain()
    print(f"{len(others)} others were done in {seconds:.1f} s")
    assert held_up == len(stuck), "the others were done while it hung"
    letters = [str(letter.position) for letter in read_dead_letters(deployment.settings.kafka)]
    found = verify(deployment.settings, refused=dict.fromkeys(letters, "the model hung"))
    assert found.sound, found.examples


def test_a_backfill_gives_way_to_live_traffic(deployment: Deployment, model_server: ModelServer, size: Size) -> None:
    volume = BACKFILLS[size]
    old = [event for event in deployment.traffic(volume, seed=6) if isinstance(event, Message)]
    live = [_message(number, "Ann moved to Lisbon in March and works at Acme now.", "live") for number in range(LIVE)]
    with Publisher(deployment.settings.kafka) as publisher:
        publisher.send_many(old, backfill=True)
    model_server.meets = lambda asked, body: Fault("status", status=503) if asked == EMBEDDINGS else None
    with deployment.in_thread() as flow:
        deployment.until_stored(PENDING // 4)
        deployment.publish(live[:1])
        key = Key(Collection.MESSAGES, live[0].owner.key, message_id("default", "live", live[0].message_id))
        flow.until(lambda: bool(deployment.index.get([key])))  # a backfill that cannot go on leaves it room
        model_server.meets = None
        waits = [deployment.drain()]
        for message in live[1:]:
            deployment.publish([message])
            waits.append(deployment.drain())
        behind = volume.messages - deployment.stored()
        deployment.until_stored(len(old) + LIVE)
    print(f"live while {volume.messages} are filled in: {[round(wait, 1) for wait in waits]} s, {behind} were still to come")
    assert behind > 0, "the backfill was over before"


def _message(number: int, text: str, conversation: str = "") -> Message:
    return Message(
        conversation_id=conversation or f"other-{number}",
        user_id=f"owner-{conversation or number}",  # a conversation has one owner
        message_id=str(number),
        sender_name="Ann",
        sent_at=utc_now(),
        content=text,
    )
