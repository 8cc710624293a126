"""How a row lies in OpenSearch: one mapping for all collections, and a document for each row.

The fields are the columns of ``Row`` under their names. ``tokens`` are analysed at blanks only, because mneme/text.py
has done the rest; ``body`` is kept and never indexed. Times are searched to the millisecond and kept exactly.

``packed`` is the document once more, without its vectors, as doc values: what a search reads. For each hit of ``_source`` the
server decompresses a block of documents and reads a vector in digits; measured for the 600 facts of a question, that takes
it 106 ms of processor time, and 11 ms this way.
"""

import base64
from collections.abc import Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any

import numpy as np
import orjson

from connectors.aging_cache import Derived
from connectors.json_bytes import encoded
from mneme import settings as mneme_settings
from mneme import text
from mneme.ports import EmbedderIdentity
from mneme.rows import Collection, Row, Vector
from mneme.store_format import FORMAT

_KEYWORDS = (
    *("id", "kind", "tenant_id", "owner_key", "owner_type", "owner_id", "conversation_id", "document_id"),
    *("parent_id", "agent_id", "people", "message_ids", "labels"),
)
_TIMES = ("at", "until", "event_at", "valid_to")
_keywords_of, _times_of = attrgetter(*_KEYWORDS), attrgetter(*_TIMES)
_LISTS = ("people", "message_ids", "labels")
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
        "_meta": {**meta(embedder), "format": FORMAT},
        "properties": {
            **{name: {"type": "keyword", "ignore_above": _LONGEST_KEYWORD} for name in _KEYWORDS},
            **{name: {"type": "date", "format": "strict_date_optional_time"} for name in _TIMES},
            "version": {"type": "long", "index": False},
            "tokens": {"type": "text", "analyzer": "whitespace", "index_options": "freqs"},
            "vector": vector,
            "body": {"type": "object", "enabled": False},
            "packed": {"type": "binary", "doc_values": True},
            "token_vectors": {"type": "binary", "doc_values": True},  # an index of an earlier version lacks it
        },
    }


def meta(embedder: EmbedderIdentity) -> dict[str, str]:
    """What an index was made for, beside its format; all of it must be equal for the index to be used."""
    return {"embedder": embedder.fingerprint, "tokeniser": text.TOKENISER}


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
    document = encoded(fields)
    parts = [document[:-1], b',"packed":"', base64.b64encode(document), b'"']
    if row.vector is not None:
        parts += [b',"vector":', _encoded_vector_lately(row.vector)]
    if row.token_vectors:
        parts += [b',"token_vectors":"', base64.b64encode(row.token_vectors), b'"']
    return b"".join([*parts, b"}"])


def row_of_document(collection: Collection, document: Mapping[str, Any]) -> Row:
    """The row of a document, with its vectors where the document brings them."""
    columns: dict[str, Any] = {name: document[name] for name in _KEYWORDS if name in document and name not in _LISTS}
    columns |= {name: tuple(document[name]) for name in _LISTS if name in document}
    columns |= {name: datetime.fromisoformat(document[name]) for name in _TIMES if name in document}
    vector = document.get("vector")
    return Row(
        collection=collection,
        version=document["version"],
        tokens=document["tokens"],
        body=document["body"],
        vector=None if vector is None else np.asarray(vector, dtype=np.float32),
        token_vectors=base64.b64decode(document.get("token_vectors", "")),
        **columns,
    )


def row_of_packed(collection: Collection, packed: str) -> Row:
    """The row of a document's field ``packed``, without its vectors."""
    return row_of_document(collection, orjson.loads(bytes_of(packed)))


def bytes_of(field: str) -> bytes:
    """The bytes of a field that was read from doc values: the server leaves padding out; what is too much does no harm."""
    return base64.b64decode(field + "==")


def digits(vector: Vector) -> list[float]:
    """A vector as numbers that are short in JSON, and exactly the same when they are read as float32."""
    numbers: list[float] = orjson.loads(_encoded_vector(vector))
    return numbers


def _encoded_vector(vector: Vector) -> bytes:
    """A vector as JSON: of each number the fewest digits that are read as the same float32. What is not finite is null."""
    return orjson.dumps(np.ascontiguousarray(vector, dtype=np.float32), option=orjson.OPT_SERIALIZE_NUMPY)


# The vector of a message is written with it, and soon again with the fact that is its text.
_encoded_vector_lately: Derived[Vector, bytes] = Derived(_encoded_vector, most=1024, seconds=30.0)
