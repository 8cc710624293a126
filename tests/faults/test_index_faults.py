"""The index refuses, loses answers, goes away: what may pass is waited out, what is refused for good is kept once."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import httpx
import pytest

from connectors.kafka.sinks import read_dead_letters
from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Size
from evaluation.faults.texts import Volume
from evaluation.faults.verifier import contents, read_rows, verify
from tests.conftest import RunningKafka, RunningOpenSearch
from tests.faults.harmed import fault_settings
from tests.faults.opensearch_proxy import OpenSearchProxy

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

_SMALL_BULKS = 100_000  # bytes: so that a small stream has many of them
VOLUMES = {Size.SHORT: Volume(200, 10), Size.LONG: Volume(5000, 200)}
REJECTED = {Size.SHORT: 0.03, Size.LONG: 0.01}  # of the rows; of so few messages 1 % may be none
SHARES = {Size.SHORT: (0.3, 0.2), Size.LONG: (0.5, 0.05)}  # of bulks that are refused whole, and whose answer is lost


@pytest.fixture
def proxy(opensearch_server: RunningOpenSearch) -> Iterator[OpenSearchProxy]:
    with OpenSearchProxy(opensearch_server.url, seed=5) as proxy:
        yield proxy


@pytest.fixture
def deployment(tmp_path: Path, kafka_server: RunningKafka, proxy: OpenSearchProxy) -> Iterator[Deployment]:
    """A flow that reaches its index through the proxy."""
    settings = fault_settings(kafka_server.bootstrap, proxy.url)
    small_bulks = settings.opensearch.model_copy(update={"bulk_bytes": _SMALL_BULKS})
    with Deployment(settings.model_copy(update={"opensearch": small_bulks}), tmp_path) as deployment:
        yield deployment


def test_of_bulks_that_are_refused_or_lost_each_row_gets_what_it_deserves(
    deployment: Deployment, proxy: OpenSearchProxy, size: Size
) -> None:
    (proxy.refuse, proxy.lose), proxy.busy, proxy.reject = SHARES[size], 0.01, REJECTED[size]
    deployment.publish(deployment.traffic(VOLUMES[size], seed=2))
    with deployment.in_thread():
        seconds = deployment.drain()
    proxy.calm()
    print(f"{VOLUMES[size].messages} messages in {seconds:.0f} s, {len(proxy.rejected)} rows rejected: {dict(proxy.did)}")
    assert min(proxy.did[what] for what in ("bulks 429", "bulks 503", "answers lost", "items 429")) > 1, proxy.did
    assert {identity.count("/f/") for identity in proxy.rejected} == {0, 1}, "messages and facts are among them"
    letters = list(read_dead_letters(deployment.settings.kafka))
    assert {letter.stage for letter in letters} == {"write"}
    assert all("failed to parse field [text]" in letter.reason for letter in letters)
    assert Counter(json.loads(letter.raw)["id"] for letter in letters) == dict.fromkeys(proxy.rejected, 1)
    there, proxy.reject = contents(read_rows(deployment.settings)), 0.0
    undisturbed = deployment.run_undisturbed()
    found = verify(undisturbed)
    assert found.sound, found.examples
    whole = contents(read_rows(undisturbed))
    assert {identity.split(":", 2)[2] for identity in whole.keys() - there.keys()} == proxy.rejected
    assert there.items() <= whole.items(), "all others are as they would be"


def test_a_block_of_the_cluster_is_waited_for_until_it_is_lifted(
    deployment: Deployment, proxy: OpenSearchProxy, opensearch_server: RunningOpenSearch
) -> None:
    def block_writes(value: bool | None) -> None:  # as the server does by itself when a disk is almost full
        indices = f"{deployment.settings.opensearch.index_prefix}-*"
        setting = {"index.blocks.read_only_allow_delete": value}
        httpx.put(f"{opensearch_server.url}/{indices}/_settings", json=setting).raise_for_status()

    traffic = deployment.traffic(Volume(90, 6), seed=3)
    with deployment.in_thread() as flow:  # nobody starts it again
        deployment.publish(islice(traffic, 30))
        deployment.drain()
        refused = proxy.did["bulks"]
        block_writes(True)
        deployment.publish(islice(traffic, 30))
        flow.until(lambda: proxy.did["bulks"] >= refused + 4)
        assert deployment.stored() == 30
        proxy.full = True
        block_writes(None)
        deployment.publish(traffic)
        flow.until(lambda: proxy.did["items over the shard limit"] > 0)
        proxy.full = False
        deployment.drain()
    found = verify(deployment.settings)
    assert found.sound, found.examples
    assert (found.messages, found.dead_letters) == (90, 0)
