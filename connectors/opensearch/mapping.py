"""Rows in OpenSearch: the names of the indices, one mapping for all collections, and a document for each row.

Each collection has numbered generations of an index, one of them in use behind an alias: ``mneme-facts`` is the alias by
which the facts are found, ``mneme-facts-2`` the index behind it, ``mneme-facts-2-writes`` an alias of this index alone. Whoever
writes does so by the last one: to the generation that it was opened with, whichever takes its place, and never to an index that
is gone and would be made anew.

The fields are the columns of ``Row`` under their names. ``tokens`` are analysed at blanks only, because mneme/text.py
has done the rest; ``body`` is kept and never indexed. Times are searched to the millisecond and kept exactly.
``_source`` is what a row is read from, and has no vectors: they are stored beside it, as bytes. ``vector`` is only searched.
"""

import base64
import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
import orjson
from opensearchpy import OpenSearch

from connectors.clients import encoded
from mneme import settings as mneme_settings
from mneme.ids import long_hash
from mneme.ports import EmbedderIdentity
from mneme.rows import COLUMNS, Collection, Embedding, Key, Row, Vector, directions, whole_numbers
from mneme.store_format import made_for


def alias_of(prefix: str, collection: Collection) -> str:
    """The name under which a collection is found."""
    return f"{prefix}-{collection}"


def index_of(prefix: str, collection: Collection, generation: int) -> str:
    """The index of a generation."""
    return f"{alias_of(prefix, collection)}-{generation}"


def writes_of(index: str) -> str:
    """The alias under which an index is written."""
    return f"{index}-writes"


_hash_of = lru_cache(maxsize=4096)(long_hash)


def document_id_of(key: Key) -> str:
    """The ``_id`` of a row's document.

    The sender chooses the id of a message. With its owner in the ``_id``, nobody's message takes the place of another's.
    """
    return f"{key.id}|{_hash_of(key.owner_key)}" if key.collection is Collection.MESSAGES else key.id


def indices_by_generation(client: OpenSearch, prefix: str) -> Mapping[int, Mapping[Collection, str]]:
    """The names of all indices that there are, by generation, the oldest first."""
    found: dict[int, dict[Collection, str]] = {}
    names = client.indices.get(index=f"{prefix}-*")
    for collection in Collection:
        for name in names:
            if match := re.fullmatch(rf"{re.escape(alias_of(prefix, collection))}-(\d+)", name):
                found.setdefault(int(match[1]), {})[collection] = name
    return dict(sorted(found.items()))


def generation_in_use(client: OpenSearch, prefix: str) -> int | None:
    """The generation behind the alias; None where there is no index."""
    alias = alias_of(prefix, Collection.CONTROL)
    names = client.indices.get(index=alias, params={"ignore_unavailable": "true"})
    numbers = [int(match[1]) for name in names if (match := re.fullmatch(rf"{re.escape(alias)}-(\d+)", name))]
    return max(numbers, default=None)


def drop_generations(client: OpenSearch, prefix: str, first: int, last: int) -> int:
    """Delete the indices of the generations from ``first`` to ``last``; how many generations there were."""
    there = [names for number, names in indices_by_generation(client, prefix).items() if first <= number <= last]
    for names in there:
        client.indices.delete(index=",".join(names.values()), params={"ignore_unavailable": "true"})
    return len(there)


_LISTS = [name for name, of in COLUMNS.items() if of == tuple[str, ...]]
_KEYWORDS = [*(name for name, of in COLUMNS.items() if of is str and name != "tokens"), *_LISTS]
_TIMES = [name for name, of in COLUMNS.items() if of is datetime]
_keywords_of, _times_of = attrgetter(*_KEYWORDS), attrgetter(*_TIMES)
VECTORS = ("numbers", "token_vectors")  # stored, as bytes: the whole numbers of the vector, and the vectors of tokens
_LONGEST_KEYWORD = 8191  # characters; Lucene takes 32,766 bytes of a term, a row with more would be refused whole


def index_settings(settings: mneme_settings.OpenSearch) -> dict[str, Any]:
    """Settings of a new index."""
    return {
        "index": {
            "knn": True,
            "number_of_shards": settings.shards,
            # so long a late write meets the version of what was deleted, instead of bringing it back
            "gc_deletes": "1h",
            "similarity": {"default": {"type": "BM25", "k1": 1.2, "b": 0.75}},
            # the rows of an owner lie side by side: what a search looks through is not spread over the whole index
            "sort": {"field": "owner_key", "order": "asc"},
            **changeable_settings(settings),
        }
    }


def changeable_settings(settings: mneme_settings.OpenSearch) -> dict[str, Any]:
    """Settings that an index takes over at the next start."""
    return {"number_of_replicas": str(settings.replicas), "refresh_interval": settings.refresh_interval}


def mapping(embedder: EmbedderIdentity) -> dict[str, Any]:
    """The mapping of every collection. Whoever writes must route by owner."""
    vector = {
        "type": "knn_vector",
        "dimension": embedder.dimension,
        "data_type": "byte",
        "method": {
            "name": "hnsw",
            "engine": "lucene",  # the default engine needs native libraries, without which the node ends
            "space_type": "cosinesimil",
            "parameters": {"m": 16, "ef_construction": 100},
        },
    }
    return {
        "dynamic": "strict",
        "_routing": {"required": True},
        "_source": {"excludes": ["vector", *VECTORS]},
        "_meta": made_for(embedder),
        "properties": {
            **{name: {"type": "keyword", "ignore_above": _LONGEST_KEYWORD} for name in _KEYWORDS},
            **{name: {"type": "date", "format": "strict_date_optional_time"} for name in _TIMES},
            "version": {"type": "long", "index": False},
            "tokens": {"type": "text", "analyzer": "whitespace", "index_options": "freqs"},
            "vector": vector,
            "body": {"type": "object", "enabled": False},
            **{name: {"type": "binary", "store": True} for name in VECTORS},
        },
    }


def document_of(row: Row) -> bytes:
    """The document of a row, as JSON.

    Raises:
        UnicodeEncodeError: a text holds half of a surrogate pair.
    """
    fields: dict[str, Any] = {"version": row.version, "tokens": row.tokens, "body": row.body}
    for name, value in zip(_KEYWORDS, _keywords_of(row), strict=True):
        if value is not None and value != ():
            fields[name] = value
    for name, moment in zip(_TIMES, _times_of(row), strict=True):
        if moment is not None:
            fields[name] = moment.isoformat()
    parts = [encoded(fields)[:-1]]
    if row.vector is not None:
        parts.append(_vector_fields(row.vector))
    if row.token_vectors:
        parts += [b',"token_vectors":"', base64.b64encode(row.token_vectors), b'"']
    return b"".join([*parts, b"}"])


def row_of_hit(collection: Collection, hit: Mapping[str, Any]) -> Row:
    """The row of a hit or of a document that was got by its id, with its vectors where these were asked for."""
    document, embedding = hit["_source"], embedding_of(hit.get("fields", {}))
    columns: dict[str, Any] = {name: document[name] for name in _KEYWORDS if name in document and name not in _LISTS}
    columns |= {name: tuple(document[name]) for name in _LISTS if name in document}
    columns |= {name: datetime.fromisoformat(document[name]) for name in _TIMES if name in document}
    return Row(
        collection=collection,
        version=document["version"],
        tokens=document["tokens"],
        body=document["body"],
        vector=embedding.vector if embedding else None,
        token_vectors=embedding.token_vectors if embedding else b"",
        **columns,
    )


def embedding_of(fields: Mapping[str, Any]) -> Embedding | None:
    """The vectors among the stored fields of a hit; None where there are none."""
    numbers, token_vectors = (base64.b64decode(fields.get(name, [""])[0]) for name in VECTORS)
    return Embedding(directions(np.frombuffer(numbers, np.int8)), token_vectors) if numbers else None


def _vector_fields(vector: Vector) -> bytes:
    """A vector as the end of a document: to be searched, and to be read."""
    numbers = whole_numbers(vector)
    searched = orjson.dumps(numbers, option=orjson.OPT_SERIALIZE_NUMPY)
    return b',"vector":%b,"numbers":"%b"' % (searched, base64.b64encode(numbers.tobytes()))
