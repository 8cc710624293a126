"""Indices that are set for very many writes: while it lasts, afterwards, and when the process dies over it."""

import subprocess
import sys

import pytest

from connectors.opensearch.index import OpenSearchIndex
from mneme.ports import Put
from mneme.rows import Collection
from tests.contracts.rows import EMBEDDER, fact

pytestmark = [pytest.mark.slow, pytest.mark.opensearch]

DIES_OVER_IT = """
import os, signal
from connectors.opensearch.index import OpenSearchIndex
from mneme.ports import Put
from mneme.settings import OpenSearch
from tests.contracts.rows import EMBEDDER, fact

index = OpenSearchIndex(OpenSearch.from_json({settings!r}))
index.prepare(EMBEDDER)
with index.bulk():
    index.write([Put(fact("f"))])
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def index(opensearch_settings):
    index = OpenSearchIndex(opensearch_settings)
    index.prepare(EMBEDDER)
    yield index
    index._client.indices.delete(index=",".join(index._all()))
    index.close()


def settings_of(index):
    """The settings that can be changed, of all indices."""
    described = index._client.indices.get_settings(index=",".join(index._all()), params={"flat_settings": "true"})
    fixed = ("index.uuid", "index.provided_name", "index.creation_date")
    return {
        name: {key: value for key, value in each["settings"].items() if key not in fixed} for name, each in described.items()
    }


def test_the_settings_are_others_meanwhile_and_the_same_afterwards(index):
    before = settings_of(index)
    with index.bulk(10):
        within = settings_of(index)
        assert all(each["index.refresh_interval"] == "10s" for each in within.values())
        assert all("index.merge.policy.segments_per_tier" in each for each in within.values())
    assert settings_of(index) == before


def test_nothing_becomes_searchable_by_itself_unless_it_is_asked_for(index):
    with index.bulk():
        assert all(each["index.refresh_interval"] == "-1" for each in settings_of(index).values())


def test_a_setting_of_the_operator_is_put_back(index):
    of_facts = index._place(Collection.FACTS)
    index._client.indices.put_settings(index=of_facts, body={"index.merge.policy.segments_per_tier": "7"})
    before = settings_of(index)
    with index.bulk():
        assert settings_of(index) != before
    assert settings_of(index) == before
    assert before[of_facts]["index.merge.policy.segments_per_tier"] == "7"


def test_the_next_start_of_a_writer_puts_back_what_a_killed_one_left(index, opensearch_settings):
    before = settings_of(index)
    settings = opensearch_settings.model_dump_json(exclude={"password", "api_key"})
    died = subprocess.run([sys.executable, "-c", DIES_OVER_IT.format(settings=settings)], capture_output=True)
    assert died.returncode == -9, died.stderr
    assert settings_of(index) != before
    reader = OpenSearchIndex(opensearch_settings, read_only=True)
    reader.prepare(EMBEDDER)
    reader.close()
    assert settings_of(index) != before, "who only reads changes nothing"
    again = OpenSearchIndex(opensearch_settings)
    again.prepare(EMBEDDER)
    again.close()
    assert settings_of(index) == before
    assert index.get([fact("f").key]).keys() == {fact("f").key}


def test_one_that_writes_so_beside_another_does_not_take_its_settings_for_those_from_before(index, opensearch_settings):
    before = settings_of(index)
    other = OpenSearchIndex(opensearch_settings)
    with index.bulk(), other.bulk():
        other.write([Put(fact("f"))])
    other.close()
    assert settings_of(index) == before


def test_a_merge_leaves_one_segment_of_what_is_small(index):
    for number in range(5):
        index.write([Put(fact(f"f{number}"))])
        index.refresh()
    index.merge()
    index.refresh()
    segments = index._client.cat.segments(index=index._place(Collection.FACTS), params={"format": "json"})
    assert len(segments) == 1
    assert index.count(Collection.FACTS) == 5
