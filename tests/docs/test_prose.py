"""The rules of our prose linter. proselint itself runs in ``make lint``."""

from pathlib import Path

import pytest

from tests.docs.prose import MOST_WORDS, opens_with_a_question, passages_of_page, plain, prose_of, too_long


@pytest.mark.parametrize(
    ("docstring", "is_fault"),
    [
        ("Rank current statements above superseded ones.", False),
        ("Whatever is left.", False),
        ("What is so before what was so.", True),
        ("Whether it holds.", True),
        ("How a score is made.", True),
    ],
)
def test_no_docstring_opens_with_a_question_word(docstring: str, is_fault: bool) -> None:
    assert opens_with_a_question(docstring) is is_fault


def test_a_sentence_ends_at_a_stop_or_a_colon() -> None:
    words = " ".join(["word"] * MOST_WORDS)
    assert too_long(f"{words}. {words}: {words}") == []
    assert too_long(f"{words}, {words}") == [f"{words}, {words}"]


def test_code_is_one_word_and_a_link_is_its_label() -> None:
    assert plain("[a `b c` d](e.md#f) and `g h`") == "a codeA d and codeB"


def test_a_page_is_read_without_its_code(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\nOne\ntwo.\n\n```bash\ncode\n```\n\n| a | `b` |\n| --- | --- |\n- three\n  four\n")
    assert [(each.line, each.text.strip()) for each in passages_of_page(page)] == [
        (1, "Title"),
        (3, "One two."),
        (10, "a"),
        (10, "codeA"),
        (12, "three four"),
    ]


def test_examples_of_a_docstring_are_no_prose() -> None:
    assert prose_of("Count.\n\n>>> count()\n3\n\nArgs:\n    a: one\n    b: two") == [
        "Count.",
        "Args:",
        "    a: one",
        "    b: two",
    ]
