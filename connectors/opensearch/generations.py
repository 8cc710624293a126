"""The ``Generations`` of an index in OpenSearch: the next set of indices beside the one in use, and the aliases moved at once.

1. ``begin`` blocks writes to the indices in use: from there on the next ones can be filled without missing a row. A flow that
   still runs somewhere waits for the block to be lifted, and is stopped by an error when that takes too long.
2. ``switch`` moves all aliases in one request. The old indices stay blocked: who opened them never writes to the new ones.
"""

from collections.abc import Iterable, Mapping

from connectors.opensearch.client import open_client, refusal
from connectors.opensearch.index import OpenSearchIndex
from connectors.opensearch.mapping import alias_of, drop_generations, generation_in_use, index_of, indices_by_generation
from mneme import settings as mneme_settings
from mneme.errors import StoreRejected
from mneme.ports import EmbedderIdentity
from mneme.rows import Collection
from mneme.store_format import as_texts


class OpenSearchGenerations:
    """See ``Generations``."""

    def __init__(self, settings: mneme_settings.OpenSearch) -> None:
        self._settings = settings
        self._client = open_client(settings)

    def made_for(self) -> Mapping[str, str]:
        """See ``Generations``."""
        return self._made_for(self._in_use())

    def unfinished(self) -> Mapping[str, str] | None:
        """See ``Generations``."""
        number = self._next()
        return self._made_for(number) if number is not None else None

    def begin(self, embedder: EmbedderIdentity) -> OpenSearchIndex:
        """See ``Generations``."""
        number = self._next() or self._in_use() + 1
        index = OpenSearchIndex(self._settings, generation=number)
        try:
            index.prepare(embedder)
            self._block_writes(True)
        except BaseException:
            index.close()
            raise
        return index

    def switch(self) -> None:
        """See ``Generations``."""
        before, after = self._in_use(), self._next()
        if after is None:
            raise StoreRejected("there is no generation to switch to; begin one with `mneme admin reindex`")
        prefix, actions = self._settings.index_prefix, []
        for collection in Collection:
            alias = alias_of(prefix, collection)
            actions.append({"remove": {"index": index_of(prefix, collection, before), "alias": alias}})
            actions.append({"add": {"index": index_of(prefix, collection, after), "alias": alias}})
        self._client.indices.update_aliases(body={"actions": actions})

    def abandon(self) -> bool:
        """See ``Generations``."""
        in_use = self._in_use()
        dropped = drop_generations(self._client, self._settings.index_prefix, in_use + 1, max(self._numbers(), default=0))
        self._block_writes(False)
        return dropped > 0

    def drop_old(self) -> int:
        """See ``Generations``."""
        in_use = self._in_use()
        return drop_generations(self._client, self._settings.index_prefix, 0, in_use - 1)

    def close(self) -> None:
        """See ``Generations``."""
        self._client.close()

    def _numbers(self) -> Iterable[int]:
        return indices_by_generation(self._client, self._settings.index_prefix).keys()

    def _in_use(self) -> int:
        number = generation_in_use(self._client, self._settings.index_prefix)
        if number is None:
            reason = f"no such index [{alias_of(self._settings.index_prefix, Collection.CONTROL)}]"
            raise refusal(404, "index_not_found_exception", reason, self._settings.url)
        return number

    def _next(self) -> int | None:
        """The generation that is being filled."""
        in_use = self._in_use()
        return next((number for number in self._numbers() if number > in_use), None)

    def _made_for(self, number: int) -> Mapping[str, str]:
        names = indices_by_generation(self._client, self._settings.index_prefix)[number]
        described = self._client.indices.get_mapping(index=",".join(names.values()))
        return as_texts(next(iter(described.values()))["mappings"].get("_meta", {}))

    def _block_writes(self, is_blocked: bool) -> None:
        prefix, in_use = self._settings.index_prefix, self._in_use()
        names = ",".join(index_of(prefix, collection, in_use) for collection in Collection)
        self._client.indices.put_settings(index=names, body={"index.blocks.write": is_blocked or None})
        self._client.indices.refresh(index=names)  # what came in before the block is found from here on
