"""Models that fail, hang, refuse and talk nonsense: every episode ends as memories or a dead letter, at few calls."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.kafka.sinks import read_dead_letters
from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Size
from evaluation.faults.texts import Volume
from evaluation.faults.verifier import verify
from mneme.rows import Collection
from mneme.settings import Extraction, Models
from tests.conftest import RunningKafka, RunningOpenSearch
from tests.faults.harmed import fault_settings
from tests.servers.models import Fault, ModelServer

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

MISHAPS = {
    Fault("hang"): 0.10,  # until the time of the call is over
    Fault("rate_limited", retry_after="0.2"): 0.10,
    Fault("malformed"): 0.05,
    Fault("refusal"): 0.05,
    Fault("empty"): 0.02,
    Fault("wrong_schema"): 0.01,
}
MOST_CALLS = 1.7  # of an episode: a third of the calls fail, so 1.5 are to be expected, and 80 episodes vary by 0.1
VOLUMES = {Size.SHORT: Volume(500, 40), Size.LONG: Volume(10_000, 400)}


@pytest.fixture
def deployment(
    tmp_path: Path, kafka_server: RunningKafka, opensearch_server: RunningOpenSearch, model_server: ModelServer
) -> Iterator[Deployment]:
    """A flow that extracts with a model."""
    settings = fault_settings(kafka_server.bootstrap, opensearch_server.url).model_copy(
        update={
            "models": Models(provider="openai", base_url=model_server.url, deadline_seconds=2.0).model_copy(
                update={"retry_base_seconds": 0.1}
            ),
            "extraction": Extraction(extractor="model"),
        }
    )
    with Deployment(settings, tmp_path) as deployment:
        yield deployment


def test_every_episode_ends_as_memories_and_what_failed_as_a_letter(
    deployment: Deployment, model_server: ModelServer, size: Size
) -> None:
    model_server.shares = MISHAPS
    deployment.publish(deployment.traffic(VOLUMES[size], seed=3))
    with deployment.in_thread():
        deployment.drain()
    found = verify(deployment.settings, refused={"None": "the model failed"})
    assert found.sound, found.examples
    letters = list(read_dead_letters(deployment.settings.kafka))
    failed = Counter(json.loads(letter.raw)["id"] for letter in letters)
    episodes = {row.id: row.body["extractor"] for row in deployment.index.scan(Collection.EPISODES)}
    assert failed == {identity: 1 for identity, extractor in episodes.items() if extractor == "local"}
    calls, kinds = model_server.calls(), Counter(request.fault.kind for request in model_server.requests if request.fault)
    print(f"{len(episodes)} episodes, {calls} calls, {calls / len(episodes):.2f} each; {len(failed)} local; {dict(kinds)}")
    assert set(kinds) >= {"hang", "rate_limited", "malformed", "refusal"}
    assert calls <= MOST_CALLS * len(episodes)
