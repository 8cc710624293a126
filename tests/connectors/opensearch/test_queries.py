import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.opensearch.queries import exact_cosines_of, matches, routing, scoring_of, search_of, written
from mneme.ports import Filter, TextLeg, VectorLeg
from mneme.rows import Collection
from tests.contracts.rows import NOON, axis, of

names = st.text(min_size=1, max_size=5)
several = st.lists(names, max_size=3).map(tuple)
filters = st.builds(
    Filter,
    tenant_id=names,
    owner_keys=several,
    kinds=several,
    ids=several,
    parent_ids=several,
    people=several,
    since=st.none() | st.just(NOON),
    valid_at=st.none() | st.just(NOON),
    hidden=st.booleans(),
)


@given(filter=filters, tokens=several)
def test_no_request_leaves_out_the_tenant_and_the_owners(filter, tokens):
    for request in (
        search_of(TextLeg(Collection.FACTS, filter, tokens, 10), 100),
        search_of(VectorLeg(Collection.FACTS, filter, axis(0), 10), 100),
        scoring_of(filter, tokens, 10),
        exact_cosines_of(filter, axis(0), 10),
        {"query": matches(filter)} if filter.owner_keys else None,
    ):
        if request is None:
            assert not filter.owner_keys or not tokens
            continue
        clauses = clauses_of(request["query"])
        assert {"term": {"tenant_id": filter.tenant_id}} in clauses
        assert {"terms": {"owner_key": list(filter.owner_keys)}} in clauses


def clauses_of(query):
    """The filter that every hit of a query must pass."""
    if "knn" in query:
        return clauses_of(query["knn"]["vector"]["filter"])
    if "script_score" in query:
        return clauses_of(query["script_score"]["query"])
    return query["bool"]["filter"]


def test_a_search_goes_to_the_shards_of_its_owners_only():
    assert routing(Filter("acme", ("acme/user/a", "acme/agent/b"))) == {"routing": "acme/user/a,acme/agent/b"}
    assert routing(None) == {}


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_sends_nothing(limit):
    assert search_of(TextLeg(Collection.FACTS, of(), ("tea",), limit), 100) is None
    assert search_of(VectorLeg(Collection.FACTS, of(), axis(0), limit), 100) is None
    assert scoring_of(of(), ("tea",), limit) is None


def test_of_a_very_long_query_the_first_tokens_count():
    request = search_of(TextLeg(Collection.FACTS, of(), tuple(f"w{number}" for number in range(3000)), 10), 100)
    sent = request["query"]["bool"]["must"][0]["match"]["tokens"]["query"].split()
    assert sent == [f"w{number}" for number in range(900)]


def test_at_least_as_many_neighbours_are_visited_as_are_wanted():
    def visited(limit, ef_search):
        request = search_of(VectorLeg(Collection.FACTS, of(), axis(0), limit), ef_search)
        return request["query"]["knn"]["vector"]["method_parameters"]["ef_search"]

    assert (visited(10, 100), visited(500, 100)) == (100, 500)


def test_no_request_asks_for_more_than_the_server_gives():
    assert search_of(TextLeg(Collection.FACTS, of(), ("tea",), 50_000), 100)["size"] == 10_000
    assert scoring_of(of(), (), 50_000)["size"] == 10_000


@pytest.mark.parametrize("text", ["plain", "schön", "寿司", "half \ud800 of a pair"])
def test_a_request_is_sent_as_it_is(text):
    request = search_of(TextLeg(Collection.FACTS, Filter("t", ("t/user/u",)), (text,), 3), ef_search=10)
    sent = written(request)
    assert json.loads(sent) == request
    sent.decode("utf-8")
