"""Rows of one owner in memory, as columns: which of them pass a filter, their BM25, their cosines."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from connectors.lance.rows import ADDRESS, EPOCH, ROW_COLUMNS, labels_pass, to_rows, vectors_of
from mneme.ports import Filter
from mneme.rows import HIDDEN_KINDS, Collection, Embedding, Key, Row, Vector

Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]

K1, B = 1.2, 0.75

_FILTERED = ("tenant_id", "owner_key", "owner_id", "kind", "id", "parent_id", "conversation_id", "document_id", "agent_id")
_FILTERED_LISTS = ("people", "message_ids")
_TIMES = ("at", "valid_to")
_MICROSECOND = timedelta(microseconds=1)
_ROW_BYTES = 3000  # of a Row that has been made with its body parsed, beside its columns
_TERM_BYTES = 160  # of a text among the keys of a dictionary


class InvertedIndex:
    """For each text of a column the places of the rows that hold it, in order, with how often each does.

    Args:
        column: a text, or a list of texts, for each row; None is no text.
    """

    def __init__(self, column: pa.Array) -> None:
        self._rows = len(column)
        if pa.types.is_list(column.type):
            texts, places = column.flatten(), pc.list_parent_indices(column).to_numpy()
        else:
            texts, places = column.drop_null(), np.flatnonzero(_present(column))
        coded = texts.dictionary_encode()
        codes = coded.indices.to_numpy().astype(np.int64)
        # A term and a row as one number: sorted, the rows of a term lie side by side.
        pairs, counts = np.unique(codes * max(self._rows, 1) + places, return_counts=True)
        terms, held_by = np.divmod(pairs, max(self._rows, 1))
        self._places = held_by.astype(np.int32)  # half the bytes, and no owner has two thousand million rows
        self._counts = counts.astype(np.int32)
        self._starts: list[int] = np.searchsorted(terms, np.arange(len(coded.dictionary) + 1)).tolist()
        self._texts: list[str] = coded.dictionary.to_pylist()
        self._terms: dict[str, int] = {term: code for code, term in enumerate(self._texts)}

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._places.nbytes + self._counts.nbytes + _TERM_BYTES * len(self._terms)

    def of(self, text: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The places of the rows that hold a text, and how often each does."""
        code = self._terms.get(text)
        span = slice(0, 0) if code is None else slice(self._starts[code], self._starts[code + 1])
        return self._places[span], self._counts[span]

    def stored(self, text: str) -> str:
        """A text of the column as it is stored here, so that it need not be stored twice."""
        return self._texts[self._terms[text]]

    def any_of(self, texts: Iterable[str]) -> Mask:
        """A mask of the rows that hold one of the texts."""
        terms, places, starts = self._terms, self._places, self._starts
        codes = [terms[text] for text in texts if text in terms]
        held_by = [places[starts[code] : starts[code + 1]] for code in codes]
        mask = np.zeros(self._rows, dtype=np.bool_)
        if held_by:
            mask[np.concatenate(held_by)] = True
        return mask

    def lengths(self) -> Numbers:
        """Count the texts of each row, repetitions too."""
        lengths: Numbers = np.bincount(self._places, self._counts, self._rows).astype(np.float64)
        return lengths


class OwnerRows:
    """Rows of a collection as they were read, in order of their ids. Immutable, shared by all threads.

    Args:
        collection: where they lie.
        table: their columns (connectors/lance/rows.py), those of vectors and ``ADDRESS``.
    """

    def __init__(self, collection: Collection, table: pa.Table) -> None:
        table = table.take(pc.sort_indices(table, sort_keys=[("id", "ascending"), ("owner_key", "ascending")])).combine_chunks()
        self.collection = collection
        self.addresses: npt.NDArray[np.uint64] = table[ADDRESS].to_numpy()
        self._alive: Mask = np.ones(table.num_rows, dtype=np.bool_)
        self._columns = table.select(ROW_COLUMNS)
        self._filtered = {name: InvertedIndex(_column(table, name)) for name in (*_FILTERED, *_FILTERED_LISTS)}
        self._hidden = self._filtered["kind"].any_of(HIDDEN_KINDS)
        self._times = {name: _times(_column(table, name)) for name in _TIMES}
        self._words = InvertedIndex(pc.utf8_split_whitespace(_column(table, "tokens")))
        self._lengths = self._words.lengths()
        self._texts = self._count_texts()
        self._vectors, self._vector_of = vectors_of(table["vector"])
        self._token_vectors = _column(table, "token_vectors")
        self._made: list[Row | None] = [None] * table.num_rows

    @property
    def size(self) -> int:
        """About how many bytes they take when all rows have been asked for."""
        size = sum(index.size for index in (*self._filtered.values(), self._words)) + self._vectors.nbytes
        size += sum(times.nbytes + present.nbytes for times, present in self._times.values())
        return int(size + self._token_vectors.nbytes + self._columns.nbytes + _ROW_BYTES * len(self._alive))

    def without(self, gone: Sequence[int] | npt.NDArray[np.uint64]) -> "OwnerRows":
        """The same rows but those at these addresses; everything that is large is shared."""
        kept = copy.copy(self)
        kept._alive = self._alive & ~np.isin(self.addresses, np.asarray(gone, dtype=np.uint64))
        kept._texts = kept._count_texts()
        return kept

    def live_addresses(self) -> npt.NDArray[np.uint64]:
        """The addresses of the rows."""
        return self.addresses[self._alive]

    # --- which rows --------------------------------------------------------------------------------------------------

    def passing(self, filter: Filter) -> Places:
        """The places of the rows that pass, in order of their ids: what ``rows.condition`` says in SQL."""
        mask = self._alive & self._filtered["tenant_id"].any_of([filter.tenant_id])
        mask &= self._filtered["owner_key"].any_of(filter.owner_keys)
        for column, values in filter.allowed_values().items():
            mask &= self._filtered[column].any_of(values)
        if filter.since:
            mask &= self._compared("at", np.greater_equal, filter.since)
        if filter.before:
            mask &= self._compared("at", np.less, filter.before)
        if filter.valid_at is not None:
            mask &= ~self._compared("valid_to", np.less_equal, filter.valid_at)
        if not filter.hidden:
            mask &= ~self._hidden
        if filter.outside_documents:
            mask &= ~_present(_column(self._columns, "document_id"))
        if filter.ended:
            mask &= self._times["valid_to"][1]
        places = np.flatnonzero(mask)
        if filter.labels:
            places = places[labels_pass(filter, self._columns["labels"].take(pa.array(places)))]
        return places

    def rows(self, places: Places) -> list[Row]:
        """The rows at these places, without vectors."""
        made, wanted = self._made, places.tolist()
        if missing := [place for place in wanted if made[place] is None]:
            rows = to_rows(self.collection, self._columns.take(pa.array(missing)), self._shared)
            for place, row in zip(missing, rows, strict=True):
                made[place] = row
        return cast(list[Row], [made[place] for place in wanted])

    def embeddings(self, owner_keys: Sequence[str], ids: Sequence[str]) -> dict[Key, Embedding]:
        """The vectors of rows and of their tokens, by their keys; rows without a vector are left out."""
        mask = self._alive & self._filtered["owner_key"].any_of(owner_keys) & self._filtered["id"].any_of(ids)
        places = np.flatnonzero(mask & (self._vector_of >= 0))
        vectors = self._vectors[self._vector_of[places]]
        tokens = self._token_vectors.take(pa.array(places)).to_pylist()
        rows = zip(self.rows(places), vectors, tokens, strict=True)
        return {row.key: Embedding(vector, of_tokens or b"") for row, vector, of_tokens in rows}

    # --- scores ------------------------------------------------------------------------------------------------------

    def texts(self) -> tuple[int, float]:
        """The number of rows with tokens, and of their tokens."""
        return self._texts

    def frequency(self, token: str) -> int:
        """The number of rows that hold a token."""
        return int(np.count_nonzero(self._alive[self._words.of(token)[0]]))

    def bm25(self, weights: Mapping[str, float], average: float) -> Numbers:
        """The BM25 of every row (Robertson and Zaragoza 2009), 0 without a common token.

        Args:
            weights: of each token of the question, its inverse document frequency.
            average: tokens of a row.
        """
        held = [(*self._words.of(token), weight) for token, weight in weights.items()]
        held = [each for each in held if len(each[0])]
        if not held:
            return np.zeros(len(self._alive))
        places = np.concatenate([each for each, _, _ in held])
        counts = np.concatenate([each for _, each, _ in held])
        of_token = np.repeat([weight * (K1 + 1) for _, _, weight in held], [len(each) for each, _, _ in held])
        shares = of_token * counts / (counts + K1 * (1 - B + B * self._lengths[places] / average))
        scores: Numbers = np.bincount(places, shares, len(self._alive)).astype(np.float64, copy=False)
        return scores

    def cosines(self, unit: Vector, places: Places) -> Numbers:
        """The cosine of the rows at these places with a vector of length 1, as they are kept; NaN where there is no vector."""
        of = self._vector_of[places]
        present = of >= 0
        wanted = of[present]
        found = np.full(len(places), np.nan)
        # einsum takes each row alone, so that equal vectors have equal cosines wherever they lie; BLAS does not promise it.
        if 2 * len(wanted) > len(self._vectors):
            found[present] = np.einsum("ij,j->i", self._vectors, unit)[wanted]
        else:
            found[present] = np.einsum("ij,j->i", self._vectors[wanted], unit)
        return found

    def _shared(self, name: str, values: list[Any]) -> list[Any]:
        """The values of a column for ``Row``, their texts those that the column's index has anyway: half the bytes."""
        if name in _FILTERED:
            stored = self._filtered[name].stored
            return [None if each is None else stored(each) for each in values]
        if name in _FILTERED_LISTS:
            stored = self._filtered[name].stored
            return [tuple(map(stored, each)) for each in values]
        return values

    def _compared(self, column: str, compare: Callable[..., Mask], moment: datetime) -> Mask:
        """A mask of the rows whose time compares so with a moment; rows without a time do not."""
        times, present = self._times[column]
        return present & compare(times, (moment - EPOCH) // _MICROSECOND)

    def _count_texts(self) -> tuple[int, float]:
        lengths = self._lengths[self._alive]
        return int(np.count_nonzero(lengths)), float(lengths.sum())


def _column(table: pa.Table, name: str) -> pa.Array:
    column = table[name].combine_chunks()
    return column.chunk(0) if isinstance(column, pa.ChunkedArray) else column


def _times(column: pa.Array) -> tuple[npt.NDArray[np.int64], Mask]:
    """The times in microseconds since 1970, and where there is one."""
    return pc.fill_null(column.cast(pa.int64()), 0).to_numpy(), _present(column)


def _present(column: pa.Array) -> Mask:
    """A mask of the rows that have a value."""
    return np.asarray(column.is_valid().to_numpy(zero_copy_only=False), dtype=np.bool_)
