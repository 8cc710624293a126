"""Pages of lines as blocks: headings by their size, paragraphs, items of lists, rows of tables; no running headers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from connectors.documents.blocks import Block, join_lines, rows_of
from connectors.documents.formats.layout import Grid, Line, Rule, Word, grids_of, lines_of, weight

_MARGIN = 0.1  # of a page's height, above and below; headers and footers are there
_FEWEST_PAGES = 3  # that a header or footer is on
_LONGEST_HEADER = 80  # characters
_LONGEST_HEADING = 150  # characters
_STANDS_OUT = 1.25  # the size of a heading on a scan, where sizes are rough
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*+(?:page|seite|página|p\.|第)?\s*+\d{1,4}\s*+(?:(?:of|/|von|de|共)\s*+\d{1,4})?\s*+[页頁]?[-–—\s]*+", re.I
)
_BULLET = re.compile(r"(?:[•●○▪▫■□◦‣⁃∙·➢➤►✓✔❖\uf0b7\uf0a7]|\(cid:127\)|[-–—*o](?=\s))\s*(?=\S)")
_NUMBERED = re.compile(r"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|（?[一二三四五六七八九十]{1,3}[、）])\s*(?=\S)")
_END = re.compile(r"[.!?。！？…:：;；][\"'”’」』)）]*$")


@dataclass(frozen=True, slots=True)
class Page:
    """The words on a page, its ruling lines, and its height in points; ``place`` cites it.

    Sizes of letters are rough where a page ``is_scanned``: only much larger ones make a heading.
    """

    place: str
    height: float
    words: Sequence[Word]
    rules: Sequence[Rule] = ()
    is_scanned: bool = False


@dataclass(frozen=True, slots=True)
class _Laid:
    """A page as lines in reading order, and the tables among them."""

    page: Page
    lines: list[Line]
    tables: list["_Table"]


@dataclass(frozen=True, slots=True)
class _Table:
    """A ruled table as its rows; ``header`` is the first row of what it goes on from, if it began on a page before."""

    grid: Grid
    cells: list[list[str]]
    header: list[str] | None = None

    def after(self, broken: "_Table") -> "_Table":
        """The table as the rest of one that the end of a page broke; itself, if their columns differ."""
        if len(broken.grid.columns) != len(self.grid.columns):
            return self
        return _Table(self.grid, self.cells, broken.header or broken.cells[0])

    def blocks(self, place: str) -> Iterator[Block]:
        """Its rows."""
        if self.header is None or self.header == self.cells[0]:
            rows = list(rows_of(self.cells))
        else:
            rows = list(rows_of([self.header, *self.cells]))
            rows = rows[len(rows) > len(self.cells) :]  # it named no columns: it is a row, and was told before
        return (Block("row", text, place) for text in rows if text)


def blocks_of(pages: Sequence[Page]) -> Iterator[Block]:
    """The blocks of a document."""
    laid = [_laid(page) for page in pages]
    headers = _headers(laid)
    sizes = Counter[float]()
    for one in laid:
        for line in one.lines:
            sizes[_step(line.size)] += weight(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    bold = sum(weight(line.text) for one in laid for line in one.lines if line.bold)
    drafts = [(one, _drafts(one, [line for line in one.lines if line not in headers.get(one.page.place, ())])) for one in laid]
    headings = _Headings(body, bold_stands_out=bold < 0.4 * sizes.total())
    headings.learn(draft for one, ones in drafts for draft in ones if not one.page.is_scanned)
    broken: _Table | None = None  # at the foot of the page before
    for one, ones in drafts:
        tables = list(one.tables)
        if broken is not None and tables and (not ones or tables[0].grid.top < ones[0].lines[0].top):
            tables[0] = tables[0].after(broken)
        for draft in ones:
            while tables and tables[0].grid.top < draft.lines[0].top and draft.lines[0].column == 0:
                yield from tables.pop(0).blocks(one.page.place)
            yield from headings.block(draft, one)
        for table in tables:
            yield from table.blocks(one.page.place)
        broken = tables[-1] if tables else None


def largest_text(pages: Sequence[Page]) -> str:
    """The largest letters of the first page, where they stand out: what a document without any other title is called."""
    if not pages:
        return ""
    laid = _laid(pages[0])
    if not laid.lines:
        return ""
    drafts = _drafts(laid, laid.lines)
    largest = max(draft.size for draft in drafts)
    tallest = next(draft for draft in drafts if draft.size >= (0.85 if pages[0].is_scanned else 1.0) * largest)
    stands_out = tallest.size > (_STANDS_OUT if pages[0].is_scanned else 1.15) * _usual(laid)
    return tallest.text if stands_out and 2 <= len(tallest.text) <= _LONGEST_HEADING else ""


def first_lines(pages: Sequence[Page]) -> list[str]:
    """The lines of the first page that has any."""
    return next(([line.text for line in lines_of(page.words)] for page in pages if page.words), [])


def _laid(page: Page) -> _Laid:
    grids = grids_of(page.rules)
    words = list(page.words)
    tables = []
    for grid in grids:
        inside = [word for word in words if grid.holds(word)]
        cells = [row for row in grid.cells(inside) if any(row)]
        if len(cells) < 2 and sum(map(bool, cells[0] if cells else ())) < 2:  # a frame around a text
            continue
        tables.append(_Table(grid, cells))
        words = [word for word in words if not grid.holds(word)]
    return _Laid(page, lines_of(words), tables)


@dataclass(slots=True)
class _Draft:
    """A paragraph in the making."""

    lines: list[Line]

    @property
    def text(self) -> str:
        return join_lines(line.text for line in self.lines)

    @property
    def size(self) -> float:
        return self.lines[0].size

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)


def _drafts(laid: _Laid, lines: list[Line]) -> list[_Draft]:
    """Lines put together to paragraphs."""
    drafts: list[_Draft] = []
    leading = _leading(lines)
    ends = _column_ends(lines)
    for line in lines:
        if drafts and _goes_on(drafts[-1], line, leading, ends, laid):
            drafts[-1].lines.append(line)
        else:
            drafts.append(_Draft([line]))
    return drafts


def _leading(lines: list[Line]) -> float:
    """From line to line, in font sizes, as it is within paragraphs: the lower middle of what is there."""
    steps = sorted(
        (below.bottom - above.bottom) / above.size
        for above, below in pairwise(lines)
        if above.column == below.column and 0 < below.bottom - above.bottom < 3 * above.size
    )
    return steps[len(steps) // 3] if steps else 1.2


def _column_ends(lines: list[Line]) -> dict[int, float]:
    ends: dict[int, float] = {}
    for line in lines:
        ends[line.column] = max(line.right, ends.get(line.column, 0.0))
    return ends


def _goes_on(draft: _Draft, line: Line, leading: float, ends: dict[int, float], laid: _Laid) -> bool:
    """True if a line belongs to the paragraph above it."""
    last = draft.lines[-1]
    tolerance = 0.35 if laid.page.is_scanned else 0.08
    if abs(line.size - last.size) > tolerance * max(last.size, 1.0) or _BULLET.match(line.text):
        return False
    if not laid.page.is_scanned and line.bold != last.bold and (last.bold and draft.bold):
        return False
    is_full = last.right >= ends[last.column] - 0.2 * (ends[last.column] - last.left) - 2 * last.size
    if line.column != last.column or line.bottom < last.top:  # over to the next column
        return is_full and not _END.search(last.text) and not _NUMBERED.match(line.text)
    step = (line.bottom - last.bottom) / max(last.size, 1.0)
    if step > (leading * 1.22 if not laid.page.is_scanned else leading * 1.4) + 0.05:
        return False
    if any(last.top < table.grid.top < line.top for table in laid.tables):
        return False
    is_item = _BULLET.match(draft.text) or _NUMBERED.match(draft.text)
    if _NUMBERED.match(line.text) and (not is_full or _END.search(last.text) or is_item):
        return False
    if _END.search(last.text) and (not is_full or (line.left > last.left + 1.2 * last.size and len(draft.lines) > 1)):
        return False
    # Several short lines that do not end a sentence are lines of an address or of a poem, unless something hangs together.
    return is_full or is_item is not None or line.text[:1].islower() or line.size > 1.15 * _usual(laid)


def _usual(laid: _Laid) -> float:
    return median(line.size for line in laid.lines)


class _Headings:
    """Levels of headings: larger letters are higher, bold ones of the body's size the lowest."""

    def __init__(self, body: float, bold_stands_out: bool) -> None:
        self._body = body
        self._bold_stands_out = bold_stands_out
        self._sizes: list[float] = []

    def learn(self, drafts: Iterator[_Draft]) -> None:
        """Collect the sizes of headings."""
        self._sizes = sorted({_step(draft.size) for draft in drafts if self._is_larger(draft)}, reverse=True)[:5]

    def block(self, draft: _Draft, laid: _Laid) -> Iterator[Block]:
        """A draft as a block."""
        text = draft.text.strip()
        place = laid.page.place
        if not any(character.isalnum() for character in text):
            return
        level = self._scanned_level(draft, laid) if laid.page.is_scanned else self._level(draft)
        if level:
            yield Block("title", text, place, level)
        elif bullet := _BULLET.match(text):
            yield Block("item", text[bullet.end() :].strip(), place)
        elif _NUMBERED.match(text):
            yield Block("item", text, place)
        else:
            yield Block("text", text, place)

    def _is_larger(self, draft: _Draft) -> bool:
        return _step(draft.size) >= 1.12 * self._body and self._may_be(draft)

    def _may_be(self, draft: _Draft) -> bool:
        text = draft.text
        return 2 <= len(text) <= _LONGEST_HEADING and len(draft.lines) <= 4 and not _BULLET.match(text)

    def _level(self, draft: _Draft) -> int:
        if self._is_larger(draft):
            step = _step(draft.size)
            return next((level for level, size in enumerate(self._sizes, 1) if step >= size), len(self._sizes))
        is_bold = self._bold_stands_out and draft.bold and _step(draft.size) >= 0.95 * self._body and len(draft.lines) <= 2
        return len(self._sizes) + 1 if is_bold and self._may_be(draft) and not re.search(r"[.。,，;；]$", draft.text) else 0

    def _scanned_level(self, draft: _Draft, laid: _Laid) -> int:
        ratio = median(line.size for line in draft.lines) / max(_usual(laid), 1.0)
        if ratio < _STANDS_OUT or not self._may_be(draft) or re.search(r"[.。,，;；]$", draft.text):
            return 0
        return 1 if ratio >= 1.6 else 2


def _step(size: float) -> float:
    """Sizes that differ by less than half a point are one."""
    return round(size * 2) / 2


def _headers(laid: list[_Laid]) -> dict[str, list[Line]]:
    """Running headers, footers and page numbers, by page: lines in a margin, apart from the text, on several pages.

    A page is never left without text for it.
    """
    margins = [[(_template(line.text, number), line) for line in _marginal(one)] for number, one in enumerate(laid, start=1)]
    counts = Counter(template for margin in margins for template in {template for template, _ in margin})
    fewest = min(_FEWEST_PAGES, max(2, len(laid)))
    headers: dict[str, list[Line]] = {}
    for one, margin in zip(laid, margins, strict=True):
        lines = [line for template, line in margin if counts[template] >= fewest or _PAGE_NUMBER.fullmatch(line.text)]
        if len(lines) < len(one.lines) or one.tables:
            headers[one.page.place] = lines
    return headers


def _marginal(laid: _Laid) -> list[Line]:
    """Short lines in the margins of a page that stand apart from what is between them."""
    height = laid.page.height
    inner = [line for line in laid.lines if line.bottom > _MARGIN * height and line.top < (1 - _MARGIN) * height]
    first = min([line.top for line in inner] + [table.grid.rows[0] for table in laid.tables], default=height)
    last = max([line.bottom for line in inner] + [table.grid.rows[-1] for table in laid.tables], default=0.0)
    return [
        line
        for line in laid.lines
        if len(line.text) <= _LONGEST_HEADER
        and (
            (line.bottom <= _MARGIN * height and first - line.bottom > 0.6 * line.size)
            or (line.top >= (1 - _MARGIN) * height and line.top - last > 0.6 * line.size)
        )
    ]


def _template(text: str, number: int) -> str:
    """A line without the number of its page, which may count from another beginning."""
    return re.sub(r"(?<![\w.,-])\d{1,4}(?![\w.,-])", lambda found: f"#{int(found[0]) - number}", text)
