"""Search requests: legs, filters and scores in OpenSearch's language. Pure.

Tenant and owners are part of every request that has a filter, here at the lowest place, so that nothing above can
forget them; they route it too, to the shards of these owners. ``None`` stands for a request that cannot find
anything, which is never sent.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import orjson

from connectors.opensearch.mapping import VECTORS
from mneme.labels import AnyOf, Between, Containing, LabelCondition
from mneme.ports import MOST_PEOPLE, Filter, Place, TextLeg, VectorLeg
from mneme.rows import HIDDEN_KINDS, Vector, whole_numbers
from mneme.times import to_milliseconds

# What hits bring: nothing that is stored, which is slow to read, or the whole row.
_BARE: dict[str, Any] = {"_source": False, "stored_fields": "_none_", "track_total_hits": False}
_WHOLE: dict[str, Any] = {"_source": True, "track_total_hits": False}
WITH_VECTORS: dict[str, Any] = {"_source": True, "stored_fields": list(VECTORS)}
_NUMBERED: dict[str, Any] = {**_BARE, "seq_no_primary_term": True}  # see connectors/opensearch/hit_rows.py
LARGEST_WINDOW = 10_000  # index.max_result_window, and the largest k of a k-NN search
# A query has at most 1,024 clauses in all (indices.query.bool.max_clause_count); these are for the tokens, the rest for
# the filter. Of a longer query, a pasted page, the first tokens count.
_MOST_TERMS = 900
_LONGEST_TERM = 255  # the whitespace tokeniser cuts longer ones, in rows and in queries alike
MOST_COUNTED = 500  # groups of which everything is asked for at once, each with up to 50 people
_MOST_GROUPS = 50_000  # an answer has at most 65,535 (search.max_buckets)
_HIDDEN = {"terms": {"kind": list(HIDDEN_KINDS)}}

Request = dict[str, Any]


def routing(filter: Filter | None) -> dict[str, str]:
    """The parameter that sends a request to the shards of the filter's owners only."""
    return {"routing": ",".join(filter.owner_keys)} if filter is not None else {}


def matches(filter: Filter | None) -> Request:
    """The query for the rows that pass a filter; without one, for every row. The metadata has no owner, and is left out."""
    return {"bool": {"filter": _clauses(filter) if filter is not None else [{"exists": {"field": "owner_key"}}]}}


def search_of(leg: TextLeg | VectorLeg, ef_search: int) -> Request | None:
    """The search of a leg, best first, ties by id. Hits have the score, then the id as sort values, and ``_seq_no``."""
    if not leg.filter.owner_keys or leg.limit < 1:
        return None
    size = min(leg.limit, LARGEST_WINDOW)
    if isinstance(leg, TextLeg):
        words = _any_of(leg.tokens)
        query = None if words is None else {"bool": {"must": [words], "filter": _clauses(leg.filter)}}
    else:
        query = _nearest(leg, size, ef_search)
    if query is None:
        return None
    return {
        "size": size,
        "query": query,
        "sort": [{"_score": "desc"}, {"id": "asc"}],
        **_NUMBERED,
    }


def written(request: Request) -> bytes:
    """A request as JSON; half of a surrogate pair in it is escaped, and found nowhere."""
    try:
        return orjson.dumps(request)
    except TypeError:
        return json.dumps(request).encode()


def cosine_of(score: float) -> float:
    """The cosine behind the score of a k-NN search, which is ``(1 + cosine) / 2``."""
    return 2.0 * score - 1.0


def exact_cosine_of(score: float) -> float:
    """The cosine behind the score of ``exact_cosines_of``, which is ``1 + cosine`` for vectors of bytes."""
    return score - 1.0


def scoring_of(filter: Filter, tokens: Sequence[str], limit: int) -> Request | None:
    """The first rows that pass the filter, by id, with their BM25: 0 without a common token. Hits have ``_seq_no``."""
    if not filter.owner_keys or limit < 1:
        return None
    words = _any_of(tokens)
    query = {"bool": {"filter": _clauses(filter), "should": [words] if words else [], "minimum_should_match": 0}}
    return {
        "size": min(limit, LARGEST_WINDOW),
        "query": query,
        "sort": [{"id": "asc"}],
        "track_scores": True,
        **_NUMBERED,
    }


def exact_cosines_of(filter: Filter, vector: Vector | None, limit: int) -> Request | None:
    """The first rows that pass the filter and have a vector, by id, scored by ``exact_cosine_of``; the id is the sort value."""
    if vector is None or not _has_direction(vector) or not filter.owner_keys or limit < 1:
        return None
    with_vector = {"bool": {"filter": [*_clauses(filter), {"exists": {"field": "vector"}}]}}
    parameters = {"field": "vector", "query_value": whole_numbers(vector).tolist(), "space_type": "cosinesimil"}
    return {
        "size": min(limit, LARGEST_WINDOW),
        "query": {
            "script_score": {
                "query": with_vector,
                "script": {"lang": "knn", "source": "knn_score", "params": parameters},
            }
        },
        "sort": [{"id": "asc"}],
        "track_scores": True,
        **_BARE,
    }


def rows_of(filter: Filter) -> Request:
    """The rows that pass a filter by ids. Hits have the id, ``_seq_no`` and ``_source``."""
    size = min(len(filter.ids) * len(filter.owner_keys), LARGEST_WINDOW)
    return {"size": size, "query": matches(filter), "sort": [{"id": "asc"}], "seq_no_primary_term": True, **_WHOLE}


def embeddings_of(owner_keys: Sequence[str], ids: Sequence[str]) -> Request:
    """Rows by ids. Hits have the owner's key, the id, and the vectors of the row and its tokens where there are any."""
    chosen = [{"terms": {"owner_key": list(owner_keys)}}, {"terms": {"id": list(ids)}}]
    size = min(len(ids) * len(owner_keys), LARGEST_WINDOW)
    read = {"_source": False, "stored_fields": list(VECTORS), "docvalue_fields": ["owner_key", "id"]}
    return {"size": size, "query": {"bool": {"filter": chosen}}, "track_total_hits": False, **read}


def page_of(filter: Filter, limit: int, after: Place | None) -> Request | None:
    """The newest rows that pass the filter, ties by id. Hits have ``_source``."""
    if not filter.owner_keys or limit < 1:
        return None
    request = {
        "size": min(limit, LARGEST_WINDOW),
        "query": matches(filter),
        "sort": [{"at": "desc"}, {"id": "asc"}],
        **_WHOLE,
    }
    return request if after is None else {**request, "search_after": [to_milliseconds(after[0]), after[1]]}


def latest_of(filter: Filter, limit: int, after: Place | None) -> Request:
    """The conversations of the newest rows, without anything about them; all, where those behind a place are wanted."""
    groups = {
        "field": "conversation_id",
        "size": min(limit, _MOST_GROUPS) if after is None else _MOST_GROUPS,
        "order": [{"last": "desc"}, {"_key": "asc"}],
    }
    return _counted(matches(filter), groups, {"last": {"max": {"field": "at"}}})


def groups_of(filter: Filter) -> Request:
    """All about the rows of the filter's conversations, at most ``MOST_COUNTED``; the newest of each has ``_source``."""
    newest = {"size": 1, "sort": [{"at": "desc"}, {"id": "asc"}], "_source": True}
    about = {
        "messages": {"value_count": {"field": "message_ids"}},
        "people": {"terms": {"field": "people", "size": MOST_PEOPLE}},
        "first": {"min": {"field": "at"}},
        "newest": {"top_hits": newest},
    }
    return _counted(matches(filter), {"field": "conversation_id", "size": len(filter.conversation_ids)}, about)


def owners_of(tenant_id: str, limit: int) -> Request:
    """The owners of a tenant's rows, that of the newest first. It crosses owners, and says nothing but who they are."""
    query = {"bool": {"filter": [{"term": {"tenant_id": tenant_id}}], "must_not": [_HIDDEN]}}
    owners = {
        "terms": [{"field": "owner_type"}, {"field": "owner_id"}],
        "size": min(limit, _MOST_GROUPS),
        "order": [{"last": "desc"}, {"_key": "asc"}],
    }
    return _counted(query, owners, {"last": {"max": {"field": "at"}}}, "multi_terms")


def _counted(query: Request, groups: Request, about: Request, how: str = "terms") -> Request:
    return {"size": 0, "query": query, "track_total_hits": False, "aggs": {"groups": {how: groups, "aggs": about}}}


def _any_of(tokens: Iterable[str]) -> Request | None:
    """A BM25 query for any of the tokens, each counted once. They are data: nothing in them is syntax."""
    kept, terms = [], 0
    for token in dict.fromkeys(tokens):
        terms += 1 + len(token) // _LONGEST_TERM
        if terms > _MOST_TERMS:
            break
        kept.append(token)
    return {"match": {"tokens": {"query": " ".join(kept)}}} if kept else None


def _nearest(leg: VectorLeg, size: int, ef_search: int) -> Request | None:
    if not _has_direction(leg.vector):
        return None
    nearest = {
        "vector": whole_numbers(leg.vector).tolist(),
        "k": size,
        "filter": {"bool": {"filter": _clauses(leg.filter)}},
        "method_parameters": {"ef_search": max(ef_search, size)},
    }
    return {"knn": {"vector": nearest}}


def _has_direction(vector: Vector) -> bool:
    return bool(np.isfinite(vector).all() and np.any(vector))


def _clauses(filter: Filter) -> list[Request]:
    clauses: list[Request] = [
        {"term": {"tenant_id": filter.tenant_id}},
        {"terms": {"owner_key": list(filter.owner_keys)}},
    ]
    clauses += [{"terms": {field: list(values)}} for field, values in filter.allowed_values().items()]
    clauses += [_labelled(each) for each in filter.labels]
    if filter.since is not None:
        clauses.append({"range": {"at": {"gte": filter.since.isoformat()}}})
    if filter.before is not None:
        clauses.append({"range": {"at": {"lt": filter.before.isoformat()}}})
    if filter.valid_at is not None:
        ended = {"range": {"valid_to": {"lte": filter.valid_at.isoformat()}}}
        clauses.append({"bool": {"must_not": [ended]}})
    if not filter.hidden:
        clauses.append({"bool": {"must_not": [_HIDDEN]}})
    if filter.outside_documents:
        clauses.append({"bool": {"must_not": [{"exists": {"field": "document_id"}}]}})
    if filter.ended:
        clauses.append({"exists": {"field": "valid_to"}})
    return clauses


def _labelled(condition: LabelCondition) -> Request:
    match condition.test:
        case AnyOf(labels):
            test: Request = {"terms": {"labels": list(labels)}}
        case Between(low, high):
            test = {"range": {"labels": {"gte": low, "lt": high}}}
        case Containing(start, text):
            test = {"wildcard": {"labels": {"value": f"{_plain(start)}*{_plain(text)}*"}}}
    return {"bool": {"must_not": [test]}} if condition.negated else test


def _plain(text: str) -> str:
    """A text of which nothing is a wildcard."""
    return re.sub(r"[\\*?]", r"\\\g<0>", text)
