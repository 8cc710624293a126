"""The index of a deployment: ``MemoryIndex`` on OpenSearch 2.19 or later with the k-NN plugin.

One index for each collection, numbered, behind an alias: ``mneme-facts`` is ``mneme-facts-1``. A new generation is
filled beside the old one and the alias then moved, without a reader noticing. Rows are routed by owner.
"""

import base64
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from opensearchpy.exceptions import RequestError

from connectors.embedders.precision import how_to_set
from connectors.opensearch import bulk_mode
from connectors.opensearch.bulk import BulkWriter
from connectors.opensearch.client import mapped_errors, open_client, reason_of, refusal, shown
from connectors.opensearch.kept_rows import MOST_ROWS, ROW_BYTES, KeptRows
from connectors.opensearch.mapping import (
    changeable_settings,
    index_settings,
    mapping,
    meta,
    row_of_hit,
)
from connectors.opensearch.names import alias_of, drop_generations, generation_in_use, index_of, writes_of
from connectors.opensearch.purge import DelayedPurge
from connectors.opensearch.queries import (
    MOST_COUNTED,
    WITH_VECTORS,
    Request,
    cosine_of,
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
    token_vectors_of,
    written,
)
from mneme import settings as mneme_settings
from mneme.errors import StoreError, StoreRejected, StoreUnavailable
from mneme.ports import (
    EmbedderIdentity,
    Filter,
    Group,
    Hit,
    Owned,
    Place,
    Scored,
    Selection,
    TextLeg,
    VectorLeg,
    Write,
    WriteResult,
)
from mneme.rows import Collection, Key, Row, Vector
from mneme.store_format import check_format
from mneme.times import from_milliseconds, to_milliseconds

_SHARDS_SECONDS = 10.0  # that the shards of a new index may take to start
_PAGE = 1000  # rows of one realtime get or one page of a scan: about 5 MB with vectors
_SNAPSHOT = "10m"  # how long a scan may pause between two pages: while a slow endpoint embeds the rows of one
_METADATA_ID = "mneme:metadata"  # a document of the control index without an owner, so that no search sees it
_PURGE, _DUE, _ASKED_FOR = "purge", "due", "asked for"  # in the metadata: whether what was removed is still to be merged away


class OpenSearchIndex:
    """A ``MemoryIndex`` on an OpenSearch cluster.

    Scores of a leg count the frequencies of tokens over the shards of the filter's owners. A leg or a score has at
    most 10,000 rows.

    Args:
        settings: where the cluster is, and the names of the indices.
        sleep: waits some seconds before a refused write is tried again.
        read_only: for searching; nothing is created or changed.
        generation: the number of a next generation that is to be filled (connectors/opensearch/generations.py); None for
            the one in use. That is looked up by ``prepare``, and kept also when another takes its place.
        cache_bytes: how much memory rows that were found may take (connectors/opensearch/kept_rows.py); None: some 240 MB.
        any_format: also read a store of another format. For a rebuild.
    """

    def __init__(
        self,
        settings: mneme_settings.OpenSearch,
        sleep: Callable[[float], None] = time.sleep,
        read_only: bool = False,
        generation: int | None = None,
        cache_bytes: int | None = None,
        any_format: bool = False,
    ) -> None:
        self._settings = settings
        self._read_only = read_only
        self._client = open_client(settings)
        self._generation = generation
        self._is_checked = any_format
        self._names: dict[Collection, str] = {}
        self._kept = KeptRows(self._search, MOST_ROWS if cache_bytes is None else cache_bytes // (2 * ROW_BYTES))
        self._bulk = BulkWriter(self._send_bulk, settings, sleep, index_of=self._target)
        self._purging = DelayedPurge(self._merge_away)

    # --- the indices -------------------------------------------------------------------------------------------------

    def prepare(self, embedder: EmbedderIdentity) -> None:
        """Create what is missing, and take over replicas and refresh interval from the settings; see the port.

        A reader creates and changes nothing: it raises StoreRejected while there is no index.
        """
        with mapped_errors(self._settings.url):
            indices = self._indices()
            if self._read_only:
                self._check_all(indices, embedder)
                self._names = {collection: name for collection, (name, _) in indices.items()}
                return
            missing = [collection for collection in Collection if collection not in indices]
            for collection in missing:
                self._create(collection, embedder)
            indices = self._indices() if missing else indices
            for collection in Collection:
                name, index = indices.get(collection, ("", {}))
                if not name:
                    alias = self._alias(collection)
                    raise StoreRejected(f"index {alias}-1 exists without its alias {alias}; add the alias or remove the index")
                self._check(name, index["mappings"].get("_meta", {}), meta(embedder))
                self._update_settings(name, index["settings"]["index"])
            self._names = {collection: name for collection, (name, _) in indices.items()}
        self._wait_for_shards()
        metadata = self.metadata()
        if metadata.get(bulk_mode.NOTE):  # a process died over very many writes
            self._end_bulk(metadata[bulk_mode.NOTE])
        if metadata.get(_PURGE) == _DUE:
            self._purging.ask()

    def _wait_for_shards(self) -> None:
        """Return when all indices can be read; another process may have made them a moment ago, and a read would fail."""
        deadline = time.monotonic() + _SHARDS_SECONDS
        while True:
            try:
                self._documents([(self._place(each), _METADATA_ID, _METADATA_ID) for each in Collection], with_vectors=False)
                return
            except StoreUnavailable:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_SHARDS_SECONDS / 100)

    def _indices(self) -> dict[Collection, tuple[str, dict[str, Any]]]:
        """Name and description of the index behind each alias that there is, or of the generation that is to be filled."""
        if self._generation is not None:
            names = {index_of(self._settings.index_prefix, each, self._generation): each for each in Collection}
            there = self._client.indices.get(index=",".join(names), params={"ignore_unavailable": "true"})
            return {names[name]: (name, index) for name, index in there.items()}
        aliases = {self._alias(collection): collection for collection in Collection}
        described = self._client.indices.get(index=",".join(aliases), params={"ignore_unavailable": "true"})
        indices = {}
        for name, index in described.items():
            if name in aliases:
                raise StoreRejected(
                    f"{name} is an index where Mneme needs an alias; remove it, or set MNEME_OPENSEARCH__INDEX_PREFIX"
                )
            for alias in index["aliases"].keys() & aliases.keys():
                indices[aliases[alias]] = (name, index)
        return indices

    def _create(self, collection: Collection, embedder: EmbedderIdentity) -> None:
        name = index_of(self._settings.index_prefix, collection, self._generation or 1)
        aliases: dict[str, Any] = {writes_of(name): {}}
        if self._generation is None:
            aliases[self._alias(collection)] = {}
        body = {"settings": index_settings(self._settings), "mappings": mapping(embedder), "aliases": aliases}
        try:
            self._client.indices.create(index=name, body=body)
        except RequestError as error:
            if error.error != "resource_already_exists_exception":  # another process was first: its index is checked next
                raise

    def _check(self, name: str, there: Mapping[str, Any], needed: Mapping[str, str]) -> None:
        check_format(f"index {name}", there.get("format"))
        for what, value in needed.items():
            if there.get(what) != value:
                raise StoreRejected(
                    f"index {name} was made for {what} {there.get(what, 'unknown')!r}, this program has {value!r}: "
                    f"set it back{how_to_set(str(there.get(what)))}, or move the index to it with `mneme admin reindex`"
                )

    def _check_all(self, indices: Mapping[Collection, tuple[str, Mapping[str, Any]]], embedder: EmbedderIdentity) -> None:
        for collection in Collection:
            if collection not in indices:
                reason = f"no such index [{self._alias(collection)}]"
                raise refusal(404, "index_not_found_exception", reason, self._settings.url)
            name, index = indices[collection]
            self._check(name, index["mappings"].get("_meta", {}), meta(embedder))

    def _update_settings(self, name: str, there: Mapping[str, Any]) -> None:
        wanted = changeable_settings(self._settings)
        if any(there.get(setting) != value for setting, value in wanted.items()):
            self._client.indices.put_settings(index=name, body={"index": wanted})

    def _must_write(self) -> None:
        if self._read_only:
            raise StoreRejected(f"OpenSearch at {shown(self._settings.url)}: opened for reading only; open it to write")

    def _alias(self, collection: Collection) -> str:
        return alias_of(self._settings.index_prefix, collection)

    def _place(self, collection: Collection) -> str:
        """What is read: the index that was prepared, else whatever is behind the alias now, if it has our format."""
        if name := self._names.get(collection):
            return name
        if not self._is_checked:
            described = self._client.indices.get(index=self._alias(Collection.CONTROL), params={"ignore_unavailable": "true"})
            for name, index in described.items():
                check_format(f"index {name}", index["mappings"].get("_meta", {}).get("format"))
            self._is_checked = bool(described)
        return self._alias(collection)

    def _target(self, collection: Collection) -> str:
        """What is written."""
        name = self._names.get(collection)
        return writes_of(name) if name else self._alias(collection)

    # --- writing and realtime reading --------------------------------------------------------------------------------

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Apply writes in order, in bulk (connectors/opensearch/bulk.py); see the port.

        A created row counts as version 1 for the writes that follow, whatever its ``version`` is.
        """
        self._must_write()
        return self._bulk.write(writes)

    def _send_bulk(self, body: bytes) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self._client.bulk(
            body=body, params={"require_alias": "true", "filter_path": "items.*.status,items.*.error"}
        )
        return answer

    @contextmanager
    def bulk(self, visible_after_seconds: float | None = None) -> Iterator[None]:
        """Few refreshes and merges (connectors/opensearch/bulk_mode.py); see the port."""
        self._must_write()
        if not self.metadata().get(bulk_mode.NOTE):  # else another process is at it, and knows what was before
            with mapped_errors(self._settings.url):
                note = bulk_mode.note_of(self._client, self._all())
            self.set_metadata({bulk_mode.NOTE: note})
        with mapped_errors(self._settings.url):
            bulk_mode.begin(self._client, self._all(), visible_after_seconds)
        try:
            yield
        except BaseException:
            with suppress(StoreError):  # the next start sees to it
                self._end_bulk(self.metadata().get(bulk_mode.NOTE, ""))
            raise
        self._end_bulk(self.metadata().get(bulk_mode.NOTE, ""))
        self.refresh()

    def _end_bulk(self, note: str) -> None:
        if note:
            with mapped_errors(self._settings.url):
                bulk_mode.end(self._client, note, changeable_settings(self._settings))
            self.set_metadata({bulk_mode.NOTE: ""})

    def merge(self) -> None:
        """Merge to segments of about 4 GB; see the port."""
        self._must_write()
        with mapped_errors(self._settings.url):
            bulk_mode.merge(self._client, self._all())

    def _all(self) -> list[str]:
        return list(map(self._place, Collection))

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """The newest acknowledged rows, refreshed or not; see the port."""
        wanted = list(dict.fromkeys(keys))
        rows: dict[Key, Row] = {}
        for start in range(0, len(wanted), _PAGE):
            page = wanted[start : start + _PAGE]
            places = [(self._place(key.collection), key.id, key.owner_key) for key in page]
            for key, document in zip(page, self._documents(places, with_vectors), strict=True):
                if document is not None and document["_source"]["owner_key"] == key.owner_key:
                    rows[key] = row_of_hit(key.collection, document)
        return rows

    def _documents(self, places: Sequence[tuple[str, str, str]], with_vectors: bool) -> list[dict[str, Any] | None]:
        """The documents at (index, id, routing), None where there is none."""
        read = WITH_VECTORS if with_vectors else {}
        wanted = [{"_index": index, "_id": id, "routing": owner, **read} for index, id, owner in places]
        with mapped_errors(self._settings.url):
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

    def score(
        self, collection: Collection, filter: Filter, tokens: Sequence[str], vector: Vector | None, limit: int
    ) -> list[Scored]:
        """The first ``limit`` rows by id that pass the filter, with both scores, in one round trip; see the port."""
        return self.ask((), [Selection(collection, filter, limit)], tokens, vector)[1][0]

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
        with mapped_errors(self._settings.url):
            answer = self._client.msearch(body=b"\n".join(lines))
        for one in answer["responses"]:
            if "error" in one:
                raise refusal(one["status"], *reason_of(one["error"]), self._settings.url)
        return [one["hits"]["hits"] for one in answer["responses"]]

    def token_vectors(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """See ``MemoryIndex``: one round trip."""
        wanted: dict[Collection, list[Key]] = {}
        for key in keys:
            wanted.setdefault(key.collection, []).append(key)
        lines: list[bytes] = []
        for collection, own in wanted.items():
            owners = list({key.owner_key for key in own})
            header = {"index": self._place(collection), "allow_partial_search_results": False, "routing": ",".join(owners)}
            lines += [written(header), written(token_vectors_of(owners, [key.id for key in own]))]
        found: dict[Key, bytes] = {}
        for collection, hits in zip(wanted, self._answers(lines), strict=True):
            for fields in (hit["fields"] for hit in hits):
                if "token_vectors" in fields:
                    key = Key(collection, fields["owner_key"][0], fields["id"][0])
                    found[key] = base64.b64decode(fields["token_vectors"][0])
        return {key: found[key] for key in keys if key in found}

    # --- whole collections -------------------------------------------------------------------------------------------

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        """Every searchable row as of the first, by id; see the port."""
        if filter is not None and not filter.owner_keys:
            return
        with mapped_errors(self._settings.url):
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
                with mapped_errors(self._settings.url):
                    page = self._client.search(body=request, params={"allow_partial_search_results": "false"})["hits"]["hits"]
                for hit in page:
                    yield row_of_hit(collection, hit)
                if len(page) < _PAGE:
                    return
                request["search_after"] = page[-1]["sort"]
        finally:
            with mapped_errors(self._settings.url):
                self._client.delete_pit(body={"pit_id": [snapshot]})

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        """How many searchable rows there are; see the port."""
        if filter is not None and not filter.owner_keys:
            return 0
        with mapped_errors(self._settings.url):
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
        """Whose messages a tenant has; see the port. At most 50,000."""
        if limit < 1:
            return []
        return [
            Owned(each["key"][0], each["key"][1], each["doc_count"], from_milliseconds(int(each["last"]["value"])))
            for each in self._counted(Collection.MESSAGES, owners_of(tenant_id, limit), {})
        ]

    def _counted(self, collection: Collection, request: Request, where: Mapping[str, str]) -> list[Any]:
        """The buckets of an aggregation."""
        with mapped_errors(self._settings.url):
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

    def refresh(self) -> None:
        """Make everything written so far searchable."""
        with mapped_errors(self._settings.url):
            self._client.indices.refresh(index=",".join(map(self._place, Collection)))

    def purge(self) -> None:
        """Have the server merge away what was removed by now, within a minute (connectors/opensearch/purge.py); see the port.

        If this process ends before that, its next start sees to it (``prepare``). Generations that are not in use any more
        go at once.
        """
        with mapped_errors(self._settings.url):
            if in_use := generation_in_use(self._client, self._settings.index_prefix):
                drop_generations(self._client, self._settings.index_prefix, 0, in_use - 1)
        self.set_metadata({_PURGE: _DUE})
        self._purging.ask()

    def _merge_away(self) -> None:
        """Merge every segment that has deleted documents; the server does it in the background."""
        indices = ",".join(map(self._place, Collection))
        with mapped_errors(self._settings.url):
            self._client.indices.flush(index=indices)  # what is not flushed yet is kept by the merge
            # The server's own threshold leaves segments alone of which less than a tenth is deleted.
            self._client.indices.put_settings(index=indices, body={"index.merge.policy.expunge_deletes_allowed": "0"})
            self._client.indices.forcemerge(
                index=indices, params={"only_expunge_deletes": "true", "wait_for_completion": "false"}
            )
        self.set_metadata({_PURGE: _ASKED_FOR})

    # --- metadata ----------------------------------------------------------------------------------------------------

    def metadata(self) -> dict[str, str]:
        """Small facts about the index as a whole."""
        (document,) = self._documents([(self._place(Collection.CONTROL), _METADATA_ID, _METADATA_ID)], with_vectors=False)
        return dict(document["_source"]["body"]) if document else {}

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """Merge into the metadata, durably; two processes may do so at once."""
        self._must_write()
        with mapped_errors(self._settings.url):
            self._client.update(
                index=self._target(Collection.CONTROL),
                id=_METADATA_ID,
                body={"doc": {"version": 1, "tokens": "", "body": dict(values)}, "doc_as_upsert": True},
                params={"routing": _METADATA_ID, "retry_on_conflict": 5, "require_alias": "true"},
            )

    def close(self) -> None:
        """Release connections."""
        self._purging.cancel()
        self._client.close()
