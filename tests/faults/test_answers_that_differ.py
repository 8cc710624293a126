"""A model that never says the same twice, and a flow that dies between its answers and their writing."""

import random
import string
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Size
from evaluation.faults.texts import Volume
from evaluation.faults.verifier import verify
from mneme.rows import Collection
from mneme.settings import Boundaries, Extraction, Models
from tests.conftest import RunningKafka, RunningOpenSearch
from tests.faults.harmed import fault_settings
from tests.servers.model_answers import fill
from tests.servers.models import ModelServer

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

KILLS = {Size.SHORT: 2, Size.LONG: 50}
MESSAGES = 60  # between two kills
CONVERSATIONS = 8


class Fickle:
    """Answers of which each is another: some of what the text says, in words of its own, and boundaries anywhere.

    Every fact of an answer ends with a word that no other answer has, and so does its subject.
    """

    def __init__(self, seed: int) -> None:
        self.answered = threading.Semaphore(0)
        self._luck = random.Random(seed)
        self._lock = threading.Lock()

    def __call__(self, schema: dict[str, Any], user: str) -> Any:
        answer = fill(schema, user)
        with self._lock:
            if "boundaries" in answer:
                turns = [int(line.split()[0]) for line in user.splitlines() if line.split()[0].isdecimal()]
                [template] = fill(schema, user)["boundaries"][:1] or [{"reason": "a feeling"}]
                lines = sorted(self._luck.sample(turns, self._luck.randint(0, min(2, len(turns)))))
                answer["boundaries"] = [template | {"line": line} for line in lines]
            if "facts" in answer:
                self._differ(answer)
                self.answered.release()
        return answer

    def _differ(self, answer: dict[str, Any]) -> None:
        word = "".join(self._luck.choices(string.ascii_lowercase, k=12))
        for name in ("facts", "entities", "relationships", "foresights", "profile"):
            answer[name] = self._luck.sample(answer[name], self._luck.randint(0, len(answer[name])))
        for fact in answer["facts"]:
            fact["statement"] += f" {word}"
        answer["subject"] = f"about {word}"


@pytest.fixture
def deployment(
    tmp_path: Path, kafka_server: RunningKafka, opensearch_server: RunningOpenSearch, model_server: ModelServer
) -> Iterator[Deployment]:
    """A flow that cuts and extracts with a model."""
    settings = fault_settings(kafka_server.bootstrap, opensearch_server.url).model_copy(
        update={
            "models": Models(provider="openai", base_url=model_server.url),
            "extraction": Extraction(extractor="model"),
            "boundaries": Boundaries(detector="llm", hold_back_seconds=0.0),
        }
    )
    with Deployment(settings, tmp_path) as deployment:
        yield deployment


def test_every_episode_has_the_facts_of_one_answer(deployment: Deployment, model_server: ModelServer, size: Size) -> None:
    fickle, luck, kills = Fickle(seed=11), random.Random(11), KILLS[size]
    model_server.answer, model_server.latency = fickle, 0.02
    traffic = deployment.traffic(Volume((kills + 1) * MESSAGES, CONVERSATIONS), seed=11)
    deployment.start()
    for _ in range(kills):
        deployment.publish(islice(traffic, MESSAGES))
        deployment.flush_all()
        assert fickle.answered.acquire(timeout=120), deployment.flow.log()
        for _ in range(luck.randrange(CONVERSATIONS)):
            fickle.answered.acquire(timeout=1)
        time.sleep(luck.choice([0.0, 0.005, 0.1, 1.0]))  # before it is stored, before it is written, before the epoch ends
        deployment.flow.kill()
        while fickle.answered.acquire(blocking=False):
            pass
        deployment.start()
    deployment.publish(traffic)
    deployment.drain()
    deployment.stop()
    found = verify(deployment.settings)
    assert found.sound, found.examples
    assert found.dead_letters == 0
    facts = [row.body for row in deployment.index.scan(Collection.FACTS) if row.kind == "fact" and not row.body["quote"]]
    words = Counter((fact["parent_episode_id"], fact["atomic_fact"].split()[-1]) for fact in facts)
    subjects: Mapping[str, str] = {row.id: row.body["subject"] for row in deployment.index.scan(Collection.EPISODES)}
    assert {(identity, f"about {word}") for identity, word in words} <= set(subjects.items())
    print(
        f"{kills} kills, {found.messages} messages, {len(subjects)} episodes, {len(facts)} facts, {model_server.calls()} calls"
    )
