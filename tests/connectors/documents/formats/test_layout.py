"""Words to lines in reading order, ruled grids, and paragraphs, headings and running headers from lines."""

from connectors.documents.blocks import Block
from connectors.documents.formats.layout import Rule, Word, grids_of, lines_of
from connectors.documents.formats.paragraphs import Page, blocks_of


def written(text: str, left: float, top: float, size: float = 10.0, bold: bool = False) -> list[Word]:
    """Words on one line, half a font size wide for each letter."""
    words = []
    for word in text.split():
        right = left + len(word) * size / 2
        words.append(Word(word, left, top, right, top + size, size, bold))
        left = right + size / 2
    return words


def ruled(columns: list[float], rows: list[float]) -> list[Rule]:
    level = [Rule(columns[0], y, columns[-1], y) for y in rows]
    return level + [Rule(x, rows[0], x, rows[-1]) for x in columns]


def test_words_are_ordered_by_line_whatever_order_they_come_in():
    words = written("the second line", 50, 114) + written("the first line", 50, 100)
    assert [line.text for line in lines_of(words[::-1])] == ["the first line", "the second line"]


def test_columns_are_read_one_after_the_other_below_a_title_that_spans_them():
    words = written("A title that goes over both of the columns of the page", 60, 50)
    for row in range(5):
        words += written(f"left column number {row} of the text", 50, 80 + 12 * row)
        words += written(f"right column number {row} of the text", 260, 83 + 12 * row)
    lines = [line.text for line in lines_of(words)]
    assert lines[0].startswith("A title")
    assert [line.split()[0] for line in lines[1:]] == ["left"] * 5 + ["right"] * 5


def test_short_cells_of_a_table_without_rules_stay_in_their_rows():
    words = [
        word for row in range(5) for word in written(f"Item{row}", 50, 80 + 12 * row) + written(f"{row}20", 260, 80 + 12 * row)
    ]
    assert [line.text for line in lines_of(words)] == [f"Item{row} {row}20" for row in range(5)]


def test_cells_of_a_grid_hold_the_words_between_its_rules():
    words = written("Item", 55, 105) + written("Price", 155, 105) + written("Oak desk", 55, 125) + written("120", 155, 125)
    (grid,) = grids_of(ruled([50, 150, 250], [100, 120, 140]))
    assert grid.cells(words) == [["Item", "Price"], ["Oak desk", "120"]]


def test_a_cell_over_two_columns_is_repeated_in_both():
    rules = [rule for rule in ruled([50, 150, 250], [100, 120, 140]) if rule.left != 150]
    (grid,) = grids_of([*rules, Rule(150, 120, 150, 140)])
    words = written("Both of them", 55, 105) + written("a", 55, 125) + written("b", 155, 125)
    assert grid.cells(words) == [["Both of them", "Both of them"], ["a", "b"]]


def test_a_box_around_a_text_and_rules_apart_are_no_tables():
    assert grids_of(ruled([50, 250], [100, 140])) == []
    assert grids_of([Rule(50, 100, 250, 100), Rule(300, 200, 300, 400)]) == []


def blocks(*pages: list[Word], rules: tuple[Rule, ...] = ()) -> list[Block]:
    return list(blocks_of([Page(f"page {number}", 800, words, rules) for number, words in enumerate(pages, start=1)]))


BODY = "this is a line of the text that is as wide as all the others"


def body(top: float, lines: int = 4) -> list[Word]:
    return [word for line in range(lines) for word in written(BODY, 50, top + 12 * line)]


def test_larger_letters_are_headings_and_the_largest_the_highest():
    words = written("The Guide", 50, 100, 24) + body(140) + written("Installing", 50, 200, 16) + body(230)
    assert [(block.kind, block.level) for block in blocks(words)] == [("title", 1), ("text", 1), ("title", 2), ("text", 1)]


def test_a_bold_line_is_a_heading_but_bold_words_in_a_paragraph_are_not():
    words = written("In short", 50, 100, bold=True) + body(130) + written("A bold start", 50, 200, bold=True)
    words += written("and then what is not bold", 120, 200)
    assert [block.kind for block in blocks(words)] == ["title", "text", "text"]


def test_lines_make_a_paragraph_and_a_hyphenated_word_is_whole():
    words = written("The committee met in the old har-", 50, 100) + written("bour office to review the budget.", 50, 112)
    assert [block.text for block in blocks(words)] == ["The committee met in the old harbour office to review the budget."]


def test_chinese_lines_are_joined_without_blanks():
    words = written("委员会在旧港口办公室开会讨", 50, 100) + written("论新图书馆的预算。", 50, 112)
    assert [block.text for block in blocks(words)] == ["委员会在旧港口办公室开会讨论新图书馆的预算。"]


def test_bullets_and_numbers_begin_items():
    words = written("• the first of them", 50, 100) + written("• the second", 50, 112) + written("1. a step", 50, 124)
    found = blocks(words)
    assert [(block.kind, block.text) for block in found] == [
        ("item", "the first of them"),
        ("item", "the second"),
        ("item", "1. a step"),
    ]


def test_running_headers_footers_and_page_numbers_are_left_out():
    pages = [
        written("Harbour Library, annual report", 50, 20) + body(200) + written(f"Page {number} of 4", 250, 770)
        for number in range(1, 5)
    ]
    texts = " ".join(block.text for block in blocks(*pages))
    assert texts.count(BODY) == 16
    assert "Harbour" not in texts
    assert "Page" not in texts


def test_what_differs_from_page_to_page_is_no_header():
    pages = [written(f"The {name} case", 50, 20) + body(200) for name in ("first", "second", "third")]
    assert "The second case" in " ".join(block.text for block in blocks(*pages))


def test_a_page_is_not_left_empty_for_its_header():
    pages = [written("The same on all pages", 50, 20) for _ in range(4)]
    assert [block.place for block in blocks(*pages)] == ["page 1", "page 2", "page 3", "page 4"]


def test_a_table_stands_where_it_is_in_the_text_and_its_cells_are_told_once():
    rules = tuple(ruled([50, 150, 250], [200, 220, 240, 260]))
    cells = [("Item", "Price"), ("Desk", "120"), ("Chair", "40")]
    table = [
        word
        for row, (item, price) in enumerate(cells)
        for word in written(item, 55, 205 + 20 * row) + written(price, 155, 205 + 20 * row)
    ]
    found = blocks(body(100) + table + body(300), rules=rules)
    assert [block.kind for block in found] == ["text", "row", "row", "text"]
    assert [block.text for block in found[1:3]] == ["Item: Desk; Price: 120", "Item: Chair; Price: 40"]


def test_a_table_that_goes_on_over_a_page_keeps_its_header():
    def page(rows: list[tuple[str, str]]) -> tuple[list[Word], tuple[Rule, ...]]:
        words = [
            word
            for row, (item, price) in enumerate(rows)
            for word in written(item, 55, 105 + 20 * row) + written(price, 155, 105 + 20 * row)
        ]
        return words, tuple(ruled([50, 150, 250], [100.0 + 20 * row for row in range(len(rows) + 1)]))

    pages = [page([("Item", "Price"), ("Desk", "120"), ("Chair", "40")]), page([("Lamp", "15"), ("Map", "7")])]
    found = list(blocks_of([Page(f"page {number}", 800, *content) for number, content in enumerate(pages, start=1)]))
    assert [(block.place, block.text) for block in found[2:]] == [
        ("page 2", "Item: Lamp; Price: 15"),
        ("page 2", "Item: Map; Price: 7"),
    ]
