"""A section of a document as chunks that overlap. Pure."""

from collections.abc import Callable, Iterator, Sequence

_ENDS = (". ", "。"), ("\n",), (" ",)  # where to cut, best first: after a sentence, a line, a word


def chunk(text: str, size: int, overlap: int) -> list[tuple[int, str]]:
    """The text as chunks of at most ``size`` characters, each with where it begins: with the end of the one before.

    A cut lies after a sentence, else after a line, else after a word, else anywhere, in the second half of the chunk.
    An overlap begins in the same way and has between half of ``overlap`` and ``overlap`` characters. White space
    around chunks is dropped, and nothing else.

    >>> chunk("Tea is green. Coffee is black. Milk is white.", size=32, overlap=15)
    [(0, 'Tea is green. Coffee is black.'), (21, 'is black. Milk is white.')]

    Raises:
        ValueError: an overlap that is negative or not smaller than half of the size.
    """
    pieces = ((start, text[start:end]) for start, end in spans(text, size, overlap))
    return [(start + len(piece) - len(piece.lstrip()), stripped) for start, piece in pieces if (stripped := piece.strip())]


def spans(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """The begin and end of each chunk of a text, before white space is dropped; see ``chunk``."""
    if not 0 <= overlap < size / 2:
        raise ValueError(f"overlap: {overlap} is not from 0 to under half of the size, which is {size}")
    start = 0
    while len(text) - start > size:
        end = _last_end(text, start + (size + 1) // 2, start + size)
        yield start, end
        start = _first_end(text, end - overlap, end - (overlap + 1) // 2)
    if start < len(text):
        yield start, len(text)


def _last_end(text: str, low: int, high: int) -> int:
    """The last good place to cut from ``low`` to ``high``; ``high`` if there is none."""
    for separators in _ENDS:
        if ends := _ends(text.rfind, separators, low, high):
            return max(ends)
    return high


def _first_end(text: str, low: int, high: int) -> int:
    """The first good place to begin from ``low`` to ``high``; ``low`` if there is none."""
    for separators in _ENDS:
        if ends := _ends(text.find, separators, low, high):
            return min(ends)
    return low


def _ends(find: Callable[[str, int, int], int], separators: Sequence[str], low: int, high: int) -> list[int]:
    """For each separator that ends between ``low`` and ``high``, where it ends: the first or the last, as ``find`` does."""
    places = [(find(separator, max(0, low - len(separator)), high), len(separator)) for separator in separators]
    return [at + length for at, length in places if at >= 0]
