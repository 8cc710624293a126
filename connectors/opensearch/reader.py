"""Reading an index in OpenSearch: realtime gets, searches, whole collections."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from connectors.opensearch.client import open_client, reason_of, refusal
from connectors.opensearch.hit_rows import MOST_ROWS, ROW_BYTES, HitRows
from connectors.opensearch.mapping import alias_of, document_id_of, embedding_of, row_of_hit
from connectors.opensearch.queries import (
    MOST_COUNTED,
    WITH_VECTORS,
    Request,
    cosine_of,
    embeddings_of,
    exact_cosine_of,
    exact_cosines_of,
    groups_of,
    latest_of,
    matches,
    owners_of,
    page_of,
    routing,
    scoring_of,
    search_of,
    written,
)
from mneme import settings as mneme_settings
from mneme.ports import Filter, Group, Hit, Owned, Place, Scored, Selection, TextLeg, VectorLeg
from mneme.rows import Collection, Embedding, Key, Row, Vector
from mneme.store_format import check_format
from mneme.times import from_milliseconds, to_milliseconds

_PAGE = 1000  # rows of one realtime get or one page of a scan: about 5 MB with vectors
_SNAPSHOT = "10m"  # how long a scan may pause between two pages: while a slow endpoint embeds the rows of one
METADATA_ID = "mneme:metadata"  # a document of the control index without an owner, so that no search sees it


class OpenSearchReader:
    """The half of ``OpenSearchIndex`` that reads.

    Scores of a leg count the frequencies of tokens over the shards of the filter's owners. A leg or a score has at
    most 10,000 rows.

    Args:
        settings: where the cluster is, and the names of the indices.
        cache_bytes: how much memory rows that were found may take (connectors/opensearch/hit_rows.py); None: some 240 MB.
        any_format: also read a store of another format. For a rebuild.
    """

    def __init__(self, settings: mneme_settings.OpenSearch, cache_bytes: int | None, any_format: bool) -> None:
        self._settings = settings
        self._client = open_client(settings)
        self._is_checked = any_format
        self._names: dict[Collection, str] = {}
        self._kept = HitRows(self._search, MOST_ROWS if cache_bytes is None else cache_bytes // (2 * ROW_BYTES))

    def _alias(self, collection: Collection) -> str:
        return alias_of(self._settings.index_prefix, collection)

    def _place(self, collection: Collection) -> str:
        """The index to read: the one that was prepared, else whatever is behind the alias now, if it has our format."""
        if name := self._names.get(collection):
            return name
        if not self._is_checked:
            described = self._client.indices.get(index=self._alias(Collection.CONTROL), params={"ignore_unavailable": "true"})
            for name, index in described.items():
                check_format(f"index {name}", index["mappings"].get("_meta", {}).get("format"))
            self._is_checked = bool(described)
        return self._alias(collection)

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """The newest acknowledged rows, refreshed or not; see the port."""
        wanted = list(dict.fromkeys(keys))
        rows: dict[Key, Row] = {}
        for start in range(0, len(wanted), _PAGE):
            page = wanted[start : start + _PAGE]
            places = [(self._place(key.collection), document_id_of(key), key.owner_key) for key in page]
            for key, document in zip(page, self._documents(places, with_vectors), strict=True):
                if document is not None and document["_source"]["owner_key"] == key.owner_key:
                    rows[key] = row_of_hit(key.collection, document)
        return rows

    def _documents(self, places: Sequence[tuple[str, str, str]], with_vectors: bool) -> list[dict[str, Any] | None]:
        """The documents at (index, id, routing), None where there is none."""
        read = WITH_VECTORS if with_vectors else {}
        wanted = [{"_index": index, "_id": id, "routing": owner, **read} for index, id, owner in places]
        answer = self._client.mget(body={"docs": wanted})
        documents: list[dict[str, Any] | None] = []
        for one in answer["docs"]:
            if "error" in one:
                raise refusal(one.get("status", 404), *reason_of(one["error"]), self._settings.url)
            documents.append(one if one["found"] else None)
        return documents

    # --- searching ---------------------------------------------------------------------------------------------------

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        """Run searches in one round trip; see the port. Of a query with over 900 tokens the first 900 count."""
        return self.ask(legs, (), (), None)[0]

    def ask(
        self,
        legs: Sequence[TextLeg | VectorLeg],
        selections: Sequence[Selection],
        tokens: Sequence[str],
        vector: Vector | None,
    ) -> tuple[list[list[Hit]], list[list[Scored]]]:
        """Searches of legs and scores of selections, in one round trip; see the port."""
        asked = [
            *((leg.collection, leg.filter, search_of(leg, self._settings.ef_search)) for leg in legs),
            *((each.collection, each.filter, scoring_of(each.filter, tokens, each.limit)) for each in selections),
        ]
        by_meaning = [(each.collection, each.filter, exact_cosines_of(each.filter, vector, each.limit)) for each in selections]
        answers = self._search([*asked, *by_meaning])
        answers, near = answers[: len(asked)], answers[len(asked) :]
        found = list(zip(self._kept.of(asked, answers), answers, strict=True))
        recalled = []
        for leg, (rows, hits) in zip(legs, found[: len(legs)], strict=True):
            scores = [hit["sort"][0] if isinstance(leg, TextLeg) else cosine_of(hit["sort"][0]) for hit in hits]
            recalled.append([Hit(row, score) for row, score in zip(rows, scores, strict=True) if row is not None])
        scored = []
        for (rows, hits), nearness in zip(found[len(legs) :], near, strict=True):
            cosines = {hit["sort"][0]: exact_cosine_of(hit["_score"]) for hit in nearness}
            present = ((row, hit["_score"]) for row, hit in zip(rows, hits, strict=True) if row is not None)
            scored.append([Scored(row, bm25, cosines.get(row.id)) for row, bm25 in present])
        return recalled, scored

    def _search(self, requests: Sequence[tuple[Collection, Filter, Request | None]]) -> list[list[Any]]:
        """The hits of each request, in one round trip. A request that is None finds nothing."""
        lines: list[bytes] = []
        sent: list[int] = []
        for number, (collection, filter, request) in enumerate(requests):
            if request is None:
                continue
            header = {"index": self._place(collection), "allow_partial_search_results": False, **routing(filter)}
            if self._settings.shards > 1 and "knn" not in request["query"]:
                header["search_type"] = "dfs_query_then_fetch"  # one count of token frequencies for all shards
            lines += [written(header), written(request)]
            sent.append(number)
        hits: list[list[Any]] = [[] for _ in requests]
        for number, answer in zip(sent, self._answers(lines), strict=True):
            hits[number] = answer
        return hits

    def _answers(self, lines: Sequence[bytes]) -> list[list[Any]]:
        """The hits of requests that are written in lines, a header and a request each, in one round trip."""
        if not lines:
            return []
        answer = self._client.msearch(body=b"\n".join(lines))
        for one in answer["responses"]:
            if "error" in one:
                raise refusal(one["status"], *reason_of(one["error"]), self._settings.url)
        return [one["hits"]["hits"] for one in answer["responses"]]

    def embeddings(self, keys: Sequence[Key]) -> dict[Key, Embedding]:
        """See ``MemoryIndex``: one round trip."""
        wanted: dict[Collection, list[Key]] = {}
        for key in keys:
            wanted.setdefault(key.collection, []).append(key)
        lines: list[bytes] = []
        for collection, own in wanted.items():
            owners = list({key.owner_key for key in own})
            header = {"index": self._place(collection), "allow_partial_search_results": False, "routing": ",".join(owners)}
            lines += [written(header), written(embeddings_of(owners, [key.id for key in own]))]
        embeddings: dict[Key, Embedding] = {}
        for collection, hits in zip(wanted, self._answers(lines), strict=True):
            for fields in (hit["fields"] for hit in hits):
                if (embedding := embedding_of(fields)) is not None:
                    embeddings[Key(collection, fields["owner_key"][0], fields["id"][0])] = embedding
        return {key: embeddings[key] for key in keys if key in embeddings}

    # --- whole collections -------------------------------------------------------------------------------------------

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        """Every searchable row as of the first, by id; see the port."""
        if filter is not None and not filter.owner_keys:
            return
        opened = {"keep_alive": _SNAPSHOT, **routing(filter)}
        snapshot = self._client.create_pit(index=self._place(collection), params=opened)["pit_id"]
        request = {
            "size": _PAGE,
            "query": matches(filter),
            "pit": {"id": snapshot, "keep_alive": _SNAPSHOT},
            "sort": [{"id": "asc"}, {"owner_key": "asc"}],
            "track_total_hits": False,
            **(WITH_VECTORS if with_vectors else {}),
        }
        try:
            while True:
                page = self._client.search(body=request, params={"allow_partial_search_results": "false"})["hits"]["hits"]
                for hit in page:
                    yield row_of_hit(collection, hit)
                if len(page) < _PAGE:
                    return
                request["search_after"] = page[-1]["sort"]
        finally:
            self._client.delete_pit(body={"pit_id": [snapshot]})

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        """Count the searchable rows; see the port."""
        if filter is not None and not filter.owner_keys:
            return 0
        answer = self._client.count(index=self._place(collection), body={"query": matches(filter)}, params=routing(filter))
        return int(answer["count"])

    def page(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Row]:
        """See ``MemoryIndex``. At most 10,000."""
        (hits,) = self._search([(collection, filter, page_of(filter, limit, after))])
        return [row_of_hit(collection, hit) for hit in hits]

    def conversations(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Group]:
        """The rows of each conversation, in two round trips: which conversations, then all about them; see the port."""
        if not filter.owner_keys or limit < 1:
            return []
        found = self._counted(collection, latest_of(filter, limit, after), routing(filter))
        if after is not None:
            behind = (-to_milliseconds(after[0]), after[1])
            found = [each for each in found if (-each["last"]["value"], each["key"]) > behind]
        order = [str(each["key"]) for each in found[:limit]]
        groups: dict[str, Group] = {}
        for start in range(0, len(order), MOST_COUNTED):
            narrowed = replace(filter, conversation_ids=tuple(order[start : start + MOST_COUNTED]))
            for each in self._counted(collection, groups_of(narrowed), routing(filter)):
                groups[each["key"]] = self._group(collection, each)
        return [groups[each] for each in order if each in groups]

    def owners(self, tenant_id: str, limit: int) -> list[Owned]:
        """The owners of a tenant's messages; see the port. At most 50,000."""
        if limit < 1:
            return []
        return [
            Owned(each["key"][0], each["key"][1], each["doc_count"], from_milliseconds(int(each["last"]["value"])))
            for each in self._counted(Collection.MESSAGES, owners_of(tenant_id, limit), {})
        ]

    def _counted(self, collection: Collection, request: Request, where: Mapping[str, str]) -> list[Any]:
        """The buckets of an aggregation."""
        parameters = {"allow_partial_search_results": "false", **where}
        answer = self._client.search(index=self._place(collection), body=request, params=parameters)
        buckets: list[Any] = answer["aggregations"]["groups"]["buckets"]
        return buckets

    def _group(self, collection: Collection, bucket: Mapping[str, Any]) -> Group:
        newest = row_of_hit(collection, bucket["newest"]["hits"]["hits"][0])
        return Group(
            conversation_id=bucket["key"],
            rows=bucket["doc_count"],
            messages=int(bucket["messages"]["value"]),
            people=tuple(each["key"] for each in bucket["people"]["buckets"]),
            first_at=from_milliseconds(int(bucket["first"]["value"])),
            last_at=newest.at,
            newest=newest,
        )

    def metadata(self) -> dict[str, str]:
        """Small facts about the index as a whole."""
        (document,) = self._documents([(self._place(Collection.CONTROL), METADATA_ID, METADATA_ID)], with_vectors=False)
        return dict(document["_source"]["body"]) if document else {}

    def close(self) -> None:
        """Release connections."""
        self._client.close()
