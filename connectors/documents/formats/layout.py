"""The layout of a page: words as lines in reading order, and ruled tables as rows of cells."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from connectors.documents.blocks import join_lines

_CJK = re.compile("[\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")  # scripts without blanks
_FEWEST_LINES = 3  # of a column
_FEWEST_LETTERS = 10  # of a column's usual line; those of a table's cells are shorter
_NARROWEST_FILL = 0.35  # of a column's width by its usual line


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its box in points, from the upper left corner of the page; ``size`` is that of its font."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool = False

    @property
    def middle(self) -> float:
        """The height at which it stands."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True)
class Line:
    """Words that stand beside each other; ``column`` counts the columns of text on the page, from 0."""

    words: tuple[Word, ...]
    column: int = 0

    @cached_property
    def text(self) -> str:
        """Its words, joined as their script does."""
        texts = [word.text for word in self.words]
        plain = " ".join(texts)
        return plain if plain.isascii() else join_lines(texts)

    @property
    def left(self) -> float:
        """Its beginning."""
        return self.words[0].left

    @cached_property
    def right(self) -> float:
        """Its end."""
        return max(word.right for word in self.words)

    @cached_property
    def top(self) -> float:
        """The top of its highest word."""
        return min(word.top for word in self.words)

    @cached_property
    def bottom(self) -> float:
        """The bottom of its lowest word."""
        return max(word.bottom for word in self.words)

    @cached_property
    def size(self) -> float:
        """The font size of most of its letters."""
        sizes: dict[float, int] = {}
        for word in self.words:
            sizes[word.size] = sizes.get(word.size, 0) + len(word.text)
        return max(sizes, key=lambda size: (sizes[size], size))

    @cached_property
    def bold(self) -> bool:
        """True if all of it is."""
        return all(word.bold for word in self.words)


def weight(text: str) -> int:
    """The length of a text in letters; a Chinese character counts as two."""
    return len(text) if text.isascii() else len(text) + len(_CJK.findall(text))


def lines_of(words: Sequence[Word]) -> list[Line]:
    """A page's words as lines, columns one after the other.

    A gutter between two columns of text is looked for; what crosses it (a title, a wide figure's caption) ends the columns
    above it and begins those below. Cells of a table that has no rules are short: they stay beside each other in one line.
    """
    return _in_order(_runs(words), first_column=0)


def _runs(words: Sequence[Word]) -> list[Line]:
    """Words on one base line without a wide gap."""
    runs: list[Line] = []
    for row in _rows(words):
        begin = 0
        for at in range(1, len(row) + 1):
            if at == len(row) or row[at].left - row[at - 1].right > max(row[at].size, row[at - 1].size):
                runs.append(Line(tuple(row[begin:at])))
                begin = at
    return runs


def _rows(words: Iterable[Word]) -> list[list[Word]]:
    """Words that stand at one height, each row from left to right, from the top."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.middle):
        if rows:
            last = rows[-1][-1]
            if word.middle - last.middle < 0.3 * max(word.size, last.size) or (
                word.middle - rows[-1][0].middle < 0.5 * min(word.size, rows[-1][0].size)
            ):
                rows[-1].append(word)
                continue
        rows.append([word])
    return [sorted(row, key=lambda word: word.left) for row in rows]


def _in_order(runs: list[Line], first_column: int) -> list[Line]:
    gutter = _gutter(runs)
    if gutter is None:
        rows = _rows(word for run in runs for word in run.words)
        return [Line(tuple(row), first_column) for row in rows]
    lines: list[Line] = []
    by_height = sorted(runs, key=lambda run: (run.top + run.bottom) / 2)
    for crosses, group in groupby(by_height, lambda run: run.left < gutter < run.right):
        if crosses:
            lines += [Line(run.words, first_column) for run in group]
            continue
        beside = list(group)
        left, right = [run for run in beside if run.right <= gutter], [run for run in beside if run.left >= gutter]
        for column, side in enumerate((left, right)):
            lines += _in_order(side, first_column + column) if side else []
    return lines


def _gutter(runs: list[Line]) -> float | None:
    """The position of the blank between two columns, the one that fewest runs cross; None for a page of one column."""
    edges = [(run.left, run.right, run.top, run.bottom, weight(run.text)) for run in runs]
    best: tuple[float, float] | None = None
    starts = sorted(left for left, *_ in edges)
    for at in range(len(starts) - _FEWEST_LINES + 1):
        x = starts[at] - 1.0
        if starts[at + _FEWEST_LINES - 1] - x > 12 or (at and starts[at] - starts[at - 1] < 0.5):  # nothing lines up here
            continue
        left = [edge for edge in edges if edge[1] <= x]
        right = [edge for edge in edges if edge[0] >= x]
        if not (_is_column(left) and _is_column(right)):
            continue
        above, below = (
            max(min(e[2] for e in left), min(e[2] for e in right)),
            min(max(e[3] for e in left), max(e[3] for e in right)),
        )
        crossing = sum(left_edge < x < right_edge for left_edge, right_edge, *_ in edges)
        if below <= above or crossing > min(len(left), len(right)):
            continue
        balance = min(sum(e[4] for e in left), sum(e[4] for e in right))
        if best is None or (crossing, -balance) < (best[0], -best[1]):
            best, found = (crossing, balance), x
    return found if best is not None else None


def _is_column(edges: list[tuple[float, float, float, float, int]]) -> bool:
    """True if most of what runs say, each with left, right, top, bottom and weight, is said in lines as wide as a column."""
    if len(edges) < _FEWEST_LINES:
        return False
    width = max(edge[1] for edge in edges) - min(edge[0] for edge in edges)
    full = [edge[4] for edge in edges if edge[4] >= _FEWEST_LETTERS and edge[1] - edge[0] >= _NARROWEST_FILL * width]
    return len(full) >= _FEWEST_LINES and 2 * sum(full) > sum(edge[4] for edge in edges)


_NEAR = 4.0  # points; lines so near each other are one, and lines that end so near to another one meet it
_MOST_RULES = 4_000  # of a page; a drawing has more
_MOST_CELLS = 20_000  # of a page; graph paper has more


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line, level or upright, in points from the upper left corner of the page."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def is_level(self) -> bool:
        """True if it goes from left to right."""
        return self.right - self.left >= self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Grid:
    """A ruled table: where its columns and rows begin and end, and the rules that make it."""

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    rules: tuple[Rule, ...]

    @property
    def top(self) -> float:
        """Its beginning."""
        return self.rows[0]

    def holds(self, word: Word) -> bool:
        """True if the middle of a word is in it."""
        middle = (word.left + word.right) / 2
        return self.columns[0] <= middle <= self.columns[-1] and self.rows[0] <= word.middle <= self.rows[-1]

    def cells(self, words: Iterable[Word]) -> list[list[str]]:
        """The texts of its cells, row by row; a cell over several rows or columns is repeated in each."""
        width, height = len(self.columns) - 1, len(self.rows) - 1
        owner = self._merged(width, height)
        inside: dict[int, list[Word]] = {}
        for word in words:
            column, row = _slot(self.columns, (word.left + word.right) / 2), _slot(self.rows, word.middle)
            inside.setdefault(owner[row * width + column], []).append(word)
        texts = {cell: join_lines(line.text for line in lines_of(within)) for cell, within in inside.items()}
        return [[texts.get(owner[row * width + column], "") for column in range(width)] for row in range(height)]

    def _merged(self, width: int, height: int) -> list[int]:
        """For each cell the first that no rule separates it from."""
        owner = list(range(width * height))
        beside: list[list[Rule]] = [[] for _ in self.columns]  # the rules at each edge
        above: list[list[Rule]] = [[] for _ in self.rows]
        for rule in self.rules:
            edges, at = (above, (rule.top + rule.bottom) / 2) if rule.is_level else (beside, (rule.left + rule.right) / 2)
            places = self.rows if rule.is_level else self.columns
            for edge in edges[bisect_left(places, at - _NEAR) : bisect_right(places, at + _NEAR)]:
                edge.append(rule)
        for row in range(height):
            middle = (self.rows[row] + self.rows[row + 1]) / 2
            for column in range(1, width):
                if not any(rule.top <= middle <= rule.bottom for rule in beside[column]):
                    owner[row * width + column] = owner[row * width + column - 1]
        for row in range(1, height):
            for column in range(width):
                middle = (self.columns[column] + self.columns[column + 1]) / 2
                if not any(rule.left <= middle <= rule.right for rule in above[row]):
                    owner[row * width + column] = owner[(row - 1) * width + column]
        return owner


def grids_of(rules: Sequence[Rule]) -> list[Grid]:
    """The ruled tables of a page, from the top: rules that meet, with at least two cells, unlike a box around a text."""
    if len(rules) > _MOST_RULES:
        return []
    grids = []
    for group in _meeting(rules):
        columns = _places((rule.left + rule.right) / 2 for rule in group if not rule.is_level)
        rows = _places((rule.top + rule.bottom) / 2 for rule in group if rule.is_level)
        if len(columns) >= 2 and len(rows) >= 2 and 2 <= (len(columns) - 1) * (len(rows) - 1) <= _MOST_CELLS:
            grids.append(Grid(columns, rows, tuple(group)))
    return sorted(grids, key=lambda grid: grid.top)


def _meeting(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Rules that touch each other, directly or through others."""
    left, top, right, bottom = np.array([(rule.left, rule.top, rule.right, rule.bottom) for rule in rules]).reshape(-1, 4).T
    is_new = np.ones(len(rules), dtype=bool)
    groups: list[list[Rule]] = []
    for first in range(len(rules)):
        if not is_new[first]:
            continue
        is_new[first] = False
        members = [first]
        for at in members:  # grows while it is walked
            met = is_new & (left <= right[at] + _NEAR) & (right >= left[at] - _NEAR)
            met &= (top <= bottom[at] + _NEAR) & (bottom >= top[at] - _NEAR)
            is_new &= ~met
            members += np.flatnonzero(met).tolist()
        groups.append([rules[member] for member in members])
    return groups


def _places(positions: Iterable[float]) -> tuple[float, ...]:
    """Positions in order, near ones as one."""
    places: list[float] = []
    for position in sorted(positions):
        if not places or position - places[-1] > _NEAR:
            places.append(position)
    return tuple(places)


def _slot(edges: Sequence[float], position: float) -> int:
    return max(0, min(len(edges) - 2, sum(edge <= position for edge in edges) - 1))
