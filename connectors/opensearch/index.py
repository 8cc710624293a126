"""The index of a deployment: ``MemoryIndex`` on OpenSearch 2.19 or later with the k-NN plugin.

One index for each collection, numbered, behind an alias: ``mneme-facts`` is ``mneme-facts-1``. A new generation is
filled beside the old one and the alias then moved, without a reader noticing. Rows are routed by owner.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from connectors.background import BackgroundJob
from connectors.clients import without_credentials
from connectors.embedders import check_made_for
from connectors.opensearch.bulk import BulkWriter
from connectors.opensearch.client import Refusal, refusal
from connectors.opensearch.mapping import (
    changeable_settings,
    drop_generations,
    generation_in_use,
    index_of,
    index_settings,
    mapping,
    writes_of,
)
from connectors.opensearch.reader import METADATA_ID, OpenSearchReader
from mneme import settings as mneme_settings
from mneme.errors import StoreError, StoreRejected, StoreUnavailable
from mneme.ports import EmbedderIdentity, Write, WriteResult
from mneme.rows import Collection

_SHARDS_SECONDS = 10.0  # that the shards of a new index may take to start
PURGE_AFTER_SECONDS = 45.0  # from a removal to the merge
_BYTES_OF_A_SEGMENT = 4_000_000_000  # to merge to: the server leaves one of more than 5 GB alone until most of it is deleted
_LOOK_SECONDS = 0.5
_PURGE, _DUE, _ASKED_FOR = "purge", "due", "asked for"  # in the metadata: whether what was removed is still to be merged away


class OpenSearchIndex(OpenSearchReader):
    """A ``MemoryIndex`` on an OpenSearch cluster.

    Args:
        settings: where the cluster is, and the names of the indices.
        sleep: waits some seconds before a refused write is tried again.
        read_only: for searching; nothing is created or changed.
        generation: the number of a next generation that is to be filled (connectors/opensearch/generations.py); None for
            the one in use. That is looked up by ``prepare``, and kept also when another takes its place.
        cache_bytes: how much memory rows that were found may take (connectors/opensearch/hit_rows.py); None: some 240 MB.
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
        super().__init__(settings, cache_bytes, any_format)
        self._read_only = read_only
        self._generation = generation
        self._bulk = BulkWriter(self._send_bulk, settings, sleep, index_of=self._target)
        self._purging = BackgroundJob(
            self._merge_away, "deleted documents are not merged away yet", PURGE_AFTER_SECONDS, tries_again=True
        )

    # --- the indices -------------------------------------------------------------------------------------------------

    def prepare(self, embedder: EmbedderIdentity) -> None:
        """Create what is missing, and take over replicas and refresh interval from the settings; see the port.

        A reader creates and changes nothing: it raises StoreRejected while there is no index.
        """
        indices = self._indices()
        if not self._read_only and (missing := [each for each in Collection if each not in indices]):
            for collection in missing:
                self._create(collection, embedder)
            indices = self._indices()
        for collection in Collection:
            if collection not in indices:
                raise self._not_there(self._alias(collection))
            name, index = indices[collection]
            check_made_for(f"index {name}", index["mappings"].get("_meta", {}), embedder)
            if not self._read_only:
                self._update_settings(name, index["settings"]["index"])
        self._names = {collection: name for collection, (name, _) in indices.items()}
        if self._read_only:
            return
        self._wait_for_shards()
        if self.metadata().get(_PURGE) == _DUE:
            self._purging.ask()

    def _wait_for_shards(self) -> None:
        """Return when all indices can be read; another process may have made them a moment ago, and a read would fail."""
        deadline = time.monotonic() + _SHARDS_SECONDS
        while True:
            try:
                self._documents([(self._place(each), METADATA_ID, METADATA_ID) for each in Collection], with_vectors=False)
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
        except Refusal as error:
            if error.type != "resource_already_exists_exception":  # another process was first: its index is checked next
                raise

    def _not_there(self, alias: str) -> StoreError:
        if self._read_only:
            return refusal(404, "index_not_found_exception", f"no such index [{alias}]", self._settings.url)
        return StoreRejected(f"index {alias}-1 exists without its alias {alias}; add the alias or remove the index")

    def _update_settings(self, name: str, there: Mapping[str, Any]) -> None:
        wanted = changeable_settings(self._settings)
        if any(there.get(setting) != value for setting, value in wanted.items()):
            self._client.indices.put_settings(index=name, body={"index": wanted})

    def _must_write(self) -> None:
        if self._read_only:
            raise StoreRejected(
                f"OpenSearch at {without_credentials(self._settings.url)}: opened for reading only; open it to write"
            )

    def _target(self, collection: Collection) -> str:
        """The index or alias that is written."""
        name = self._names.get(collection)
        return writes_of(name) if name else self._alias(collection)

    # --- writing -----------------------------------------------------------------------------------------------------

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Apply writes in order, in bulk (connectors/opensearch/bulk.py); see the port.

        A created row counts as version 1 for the writes that follow, or as one above its removal, whatever its ``version`` is.
        """
        self._must_write()
        return self._bulk.write(writes)

    def _send_bulk(self, body: bytes) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self._client.bulk(
            body=body, params={"require_alias": "true", "filter_path": "items.*.status,items.*.error"}
        )
        return answer

    def merge(self) -> None:
        """Merge to segments of about 4 GB; see the port."""
        self._must_write()
        for collection in Collection:
            self._merge_segments(self._place(collection))

    def _merge_segments(self, name: str) -> None:
        """Merge an index, and wait for it.

        Raises:
            StoreUnavailable: the server has given it up.
        """
        (shard,) = self._client.cat.indices(index=name, params={"format": "json", "bytes": "b", "h": "pri,pri.store.size"})
        segments = 1 + int(shard["pri.store.size"]) // (int(shard["pri"]) * _BYTES_OF_A_SEGMENT)
        asked = {"max_num_segments": segments, "wait_for_completion": "false"}
        task = self._client.indices.forcemerge(index=name, params=asked)["task"]
        while not (found := self._client.tasks.get(task_id=task))["completed"]:
            time.sleep(_LOOK_SECONDS)
        if error := found.get("error"):
            raise StoreUnavailable(f"{name} was not merged ({error.get('reason', error)}); ask again")

    def refresh(self) -> None:
        """Make everything written so far searchable."""
        self._client.indices.refresh(index=",".join(map(self._place, Collection)))

    def purge(self) -> None:
        """Have the server merge away what was removed by now, within a minute; see the port.

        A shard keeps deleted documents, whole, for copies of it that may have to catch up. It learns only every 30 s that no
        copy needs them any more (its retention lease): a merge before that leaves them all, one after it none (2.19). So the
        merge comes later, once for all who asked meanwhile.

        If this process ends before that, its next start sees to it (``prepare``). Generations that are not in use any more
        go at once.
        """
        if in_use := generation_in_use(self._client, self._settings.index_prefix):
            drop_generations(self._client, self._settings.index_prefix, 0, in_use - 1)
        self.set_metadata({_PURGE: _DUE})
        self._purging.ask()

    def _merge_away(self) -> None:
        """Merge every segment that has deleted documents; the server does it in the background."""
        indices = ",".join(map(self._place, Collection))
        self._client.indices.flush(index=indices)  # what is not flushed yet is kept by the merge
        # The server's own threshold leaves segments alone of which less than a tenth is deleted.
        self._client.indices.put_settings(index=indices, body={"index.merge.policy.expunge_deletes_allowed": "0"})
        self._client.indices.forcemerge(index=indices, params={"only_expunge_deletes": "true", "wait_for_completion": "false"})
        self.set_metadata({_PURGE: _ASKED_FOR})

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """Merge into the metadata, durably; two processes may do so at once."""
        self._must_write()
        self._client.update(
            index=self._target(Collection.CONTROL),
            id=METADATA_ID,
            body={"doc": {"version": 1, "tokens": "", "body": dict(values)}, "doc_as_upsert": True},
            params={"routing": METADATA_ID, "retry_on_conflict": 5, "require_alias": "true"},
        )

    def close(self) -> None:
        """Release connections."""
        self._purging.close(finish=False)
        super().close()
