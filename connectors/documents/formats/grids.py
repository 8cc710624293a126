"""Ruled tables: the lines drawn on a page as grids, and the words in them as rows of cells."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from connectors.documents.blocks import join_lines
from connectors.documents.formats.layout import Word, lines_of

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
        """Whether it goes from left to right."""
        return self.right - self.left >= self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Grid:
    """A ruled table: where its columns and rows begin and end, and the rules that make it."""

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    rules: tuple[Rule, ...]

    @property
    def top(self) -> float:
        """Where it begins."""
        return self.rows[0]

    def holds(self, word: Word) -> bool:
        """Whether the middle of a word is in it."""
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
        """Of each cell the first that no rule separates it from."""
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
    """The ruled tables of a page, from the top: rules that meet, with at least two cells. A box around a text is none."""
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
