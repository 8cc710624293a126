import pytest

from connectors.documents.blocks import Block, join_lines, rows_of, sections_of


def _texts(*blocks: Block) -> list[tuple[str, str, str]]:
    return [(section.title, section.place, section.text) for section in sections_of(blocks, "Document")]


def test_titles_give_the_path_of_a_section() -> None:
    found = _texts(
        Block("text", "Before."),
        Block("title", "Guide"),
        Block("title", "Installing", level=2),
        Block("text", "Do this."),
        Block("title", "Using"),
        Block("text", "Do that."),
    )
    assert found == [("Document", "", "Before."), ("Guide > Installing", "", "Do this."), ("Using", "", "Do that.")]


def test_a_title_with_nothing_below_is_its_own_text() -> None:
    assert _texts(Block("title", "One"), Block("title", "Two"), Block("title", "Three", level=2)) == [
        ("One", "", "One"),
        ("Two > Three", "", "Three"),
    ]


def test_an_empty_title_ends_the_path() -> None:
    found = _texts(Block("title", "One"), Block("text", "a"), Block("title", ""), Block("text", "b"))
    assert found == [("One", "", "a"), ("Document", "", "b")]


def test_paragraphs_are_lines_apart_and_items_and_rows_are_lines() -> None:
    blocks = [Block("text", "First."), Block("text", "Second."), Block("item", "• one"), Block("item", "two")]
    blocks += [Block("row", "a: 1"), Block("row", "a: 2"), Block("text", "Last.")]
    assert _texts(*blocks)[0][2] == "First.\n\nSecond.\n\n- one\n- two\n\na: 1\na: 2\n\nLast."


@pytest.mark.parametrize(
    ("above", "below", "whole", "rest"),
    [
        ("The fence is very", "old. It was built in 1990.", "The fence is very old.", "It was built in 1990."),
        ("We must re-", "pair it. Soon.", "We must repair it.", "Soon."),
        ("She came with Bob,", "Alice and Carol. Nobody else.", "She came with Bob, Alice and Carol.", "Nobody else."),
        ("All of this is for the", "Members. They pay.", "All of this is for the Members.", "They pay."),
        ("It costs 3.5 or", "even e.g. 4.2 dollars. No more.", "It costs 3.5 or even e.g. 4.2 dollars.", "No more."),
        ("公司在二〇二五年决定扩大", "在上海的办公室。然后招人。", "公司在二〇二五年决定扩大在上海的办公室。", "然后招人。"),
        ("他们要求，", "修好它。然后付款。", "他们要求，修好它。", "然后付款。"),
    ],
)
def test_a_sentence_that_goes_on_over_a_page_stays_where_it_began(above: str, below: str, whole: str, rest: str) -> None:
    found = _texts(Block("text", above, "page 1"), Block("text", below, "page 2"))
    assert found == [("Document", "page 1", whole), ("Document", "page 2", rest)]


def test_a_sentence_may_go_on_over_several_pages() -> None:
    found = _texts(Block("text", "It goes", "page 1"), Block("text", "on and", "page 2"), Block("text", "on. End.", "page 3"))
    assert found == [("Document", "page 1", "It goes on and on."), ("Document", "page 3", "End.")]


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("It is done.", "and so on"),
        ("Our plans", "We hire two people."),
        ("我们的计划", "招两个人。"),
        ("He asked “why?”", "nobody knew"),
        ("结束了。", "然后开始"),
    ],
)
def test_what_is_whole_or_begins_anew_stays_on_its_page(above: str, below: str) -> None:
    assert _texts(Block("text", above, "slide 1"), Block("text", below, "slide 2")) == [
        ("Document", "slide 1", above),
        ("Document", "slide 2", below),
    ]


def test_no_page_is_moved_that_has_no_end_of_a_sentence() -> None:
    found = _texts(Block("text", "It begins with", "page 1"), Block("text", "word " * 400, "page 2"))
    assert [place for _, place, _ in found] == ["page 1", "page 2"]


def test_a_title_between_pages_keeps_them_apart() -> None:
    found = _texts(Block("text", "It is the", "page 1"), Block("title", "New", "page 2"), Block("text", "end of it.", "page 2"))
    assert [text for _, _, text in found] == ["It is the", "end of it."]


def test_control_characters_are_left_out() -> None:
    assert _texts(Block("text", "a\x01b")) == [("Document", "", "ab")]


def test_lines_of_a_paragraph_are_joined() -> None:
    assert join_lines(["A hyphen-", "ated word", "and", "more."]) == "A hyphenated word and more."
    assert join_lines(["North Rhine-", "Westphalia"]) == "North Rhine-Westphalia"
    assert join_lines(["花园委员会", "开会。"]) == "花园委员会开会。"


@pytest.mark.parametrize(
    ("table", "lines"),
    [
        ([["Item", "Price"], ["Desk", "120"], ["", "80"]], ["Item: Desk; Price: 120", "Price: 80"]),
        ([["项目", "价格"], ["书桌", "120"]], ["项目：书桌；价格：120"]),
        ([["Name", "City"], ["Bob", "Rome"]], ["Name: Bob; City: Rome"]),
        ([["", "2023", "2024"], ["Sales", "1,200", "n/a"]], ["Sales; 2023: 1,200; 2024: n/a"]),
        ([["Year 2025", "Year 2025"], ["Item", "Sum"], ["Desk", "1"]], ["Year 2025", "Item: Desk; Sum: 1"]),
        (
            [["Region", "2023", "2023"], ["Region", "Plan", "Actual"], ["North", "1", "2"]],
            ["Region: North; 2023 Plan: 1; 2023 Actual: 2"],
        ),
        (
            [["Item", "Price"], ["Desk", "120"], ["Item", "Price"], ["Lamp", "9"]],
            ["Item: Desk; Price: 120", "Item: Lamp; Price: 9"],
        ),
        (
            [["Item", "Price", ""], ["Desk", "120", ""], ["Lamp", "9", ""], ["Rug", "7", "old"]],
            ["Item: Desk; Price: 120", "Item: Lamp; Price: 9", "Item: Rug; Price: 7; old"],
        ),
        ([["Name", "Alice"], ["Born", "1990"], ["City", "Paris"]], ["Name: Alice", "Born: 1990", "City: Paris"]),
        ([["1", "2"], ["3", "4"]], ["1 | 2", "3 | 4"]),
        ([["only one row", "of words"]], ["only one row: of words"]),
        ([["a"], ["b"]], ["a", "b"]),
        ([["Kitchen", "12 m2"], ["Bath", "5 m2"]], ["Kitchen: 12 m2", "Bath: 5 m2"]),
        ([["Kitchen", "Bath"], ["12 m2", "5 m2"]], ["Kitchen: 12 m2; Bath: 5 m2"]),
        ([["Room", "Size"], ["Kitchen", "12 m2"]], ["Room: Kitchen; Size: 12 m2"]),
        ([["Height", "1.80 m"], ["Owner", "Alice"]], ["Height: 1.80 m", "Owner: Alice"]),
        ([["Item", "2025 Plan"], ["Desk", "1,200"]], ["Item: Desk; 2025 Plan: 1,200"]),
        ([], []),
        ([["", ""]], []),
    ],
)
def test_rows_name_their_columns(table: list[list[str]], lines: list[str]) -> None:
    assert list(rows_of(table)) == lines


def test_how_many_rows_are_headers_can_be_told() -> None:
    table = [["1", "2"], ["x", "y"], ["3", "4"]]
    assert list(rows_of(table, headers=2)) == ["1 x: 3; 2 y: 4"]
    assert list(rows_of(table, headers=0)) == ["1 | 2", "x: y", "3 | 4"]
