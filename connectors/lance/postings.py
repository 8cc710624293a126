"""Which rows hold a text, and how often: an inverted index over one column, in memory."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]

_TERM_BYTES = 120  # of a text among the keys of a dictionary


class Postings:
    """For each text of a column the places of the rows that hold it, in order, with how often each does.

    Args:
        column: a text, or a list of texts, for each row; None is no text.
    """

    def __init__(self, column: pa.Array) -> None:
        self._rows = len(column)
        if pa.types.is_list(column.type):
            texts, places = column.flatten(), pc.list_parent_indices(column).to_numpy()
        else:
            texts, places = column.drop_null(), np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        coded = texts.dictionary_encode()
        codes = coded.indices.to_numpy().astype(np.int64)
        # A term and a row as one number: sorted, the rows of a term lie side by side.
        pairs, counts = np.unique(codes * max(self._rows, 1) + places, return_counts=True)
        terms, held_by = np.divmod(pairs, max(self._rows, 1))
        self._places = held_by.astype(np.int32)  # half the bytes, and no owner has two thousand million rows
        self._counts = counts.astype(np.int32)
        self._starts = np.searchsorted(terms, np.arange(len(coded.dictionary) + 1)).astype(np.int32)
        self._texts: list[str] = coded.dictionary.to_pylist()
        self._terms: dict[str, int] = {term: code for code, term in enumerate(self._texts)}

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._places.nbytes + self._counts.nbytes + self._starts.nbytes + _TERM_BYTES * len(self._terms)

    def of(self, text: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The places of the rows that hold a text, and how often each does."""
        code = self._terms.get(text)
        span = slice(0, 0) if code is None else slice(self._starts[code], self._starts[code + 1])
        return self._places[span], self._counts[span]

    def own(self, text: str) -> str:
        """A text of the column as it is held here, so that it need not be held twice."""
        return self._texts[self._terms[text]]

    def any_of(self, texts: Iterable[str]) -> Mask:
        """Which rows hold one of the texts."""
        mask = np.zeros(self._rows, dtype=np.bool_)
        for text in texts:
            mask[self.of(text)[0]] = True
        return mask

    def lengths(self) -> Numbers:
        """How many texts each row holds, repetitions counted."""
        lengths: Numbers = np.bincount(self._places, self._counts, self._rows).astype(np.float64)
        return lengths
