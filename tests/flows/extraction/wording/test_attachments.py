"""Attachments in the text of a message: what was read in them is told, and does not drown what was said."""

import pytest

from flows.extraction import LocalExtractor
from flows.extraction.wording.attachments import attachment_of
from flows.extraction.wording.sentences import split_sentences
from tests.flows.extraction.cuts import talk

WHITEBOARD = "[image: whiteboard.png: Q3 budget 40,000 EUR\nHire two engineers\nLaunch on 8 August]"
LINES = [f"Item: model {number}; Price: {number}0 EUR; Warehouse: Lyon" for number in range(1, 41)]
LONG = "[file: offer.pdf, 12 pages: " + "\n".join(LINES) + " …]"


def facts(*lines: str) -> list[str]:
    return [fact.statement for fact in LocalExtractor().extract(talk(*lines)).facts]


def test_what_was_read_in_a_picture_is_told_of_who_shared_it() -> None:
    assert facts("Alice: [image: whiteboard.png: Q3 budget 40,000 EUR]") == [
        "Alice shared the picture whiteboard.png: Q3 budget 40,000 EUR"
    ]


def test_its_lines_are_told_beside_the_words_of_the_message() -> None:
    assert facts(f"Alice: I adopted a dog called Rex {WHITEBOARD} I moved to Lyon in 2024.") == [
        "Alice adopted a dog called Rex. Alice shared the picture whiteboard.png: Q3 budget 40,000 EUR; Hire two engineers; "
        "Launch on 8 August. Alice moved to Lyon in 2024."
    ]


def test_in_chinese_too() -> None:
    assert facts("小明: [image: 白板.png: 第三季度预算四万欧元\n八月八日发布]") == [
        "小明分享了图片白板.png：第三季度预算四万欧元；八月八日发布"
    ]


def test_a_long_text_does_not_drown_the_message() -> None:
    told = facts(f"Alice: I moved to Lyon in 2024.\n{LONG}\nI work at Acme now.")
    assert told[0] == "Alice moved to Lyon in 2024."
    assert told[-1] == "Alice works at Acme now."
    assert all(fact.startswith("Alice shared the file offer.pdf: ") and len(fact) < 1_000 for fact in told[1:-1])
    assert all(any(line in fact for fact in told) for line in LINES)


def test_what_was_read_gives_the_subject_where_nothing_was_said() -> None:
    assert "budget" in LocalExtractor().extract(talk("Alice: [image: whiteboard.png: Q3 budget 40,000 EUR]")).subject


def test_what_could_not_be_read_is_told_by_its_name() -> None:
    assert facts("Alice: [file: offer.pdf, not read: the password is missing]") == [
        "Alice shared the file offer.pdf, which could not be read."
    ]


def test_noise_of_a_picture_is_not_told() -> None:
    assert facts("Alice: [image: a.png: ;._ |  -- . e a s o n 3 l\nBudget of 40,000 EUR for Lyon]") == [
        "Alice shared the picture a.png: Budget of 40,000 EUR for Lyon"
    ]


def test_a_picture_without_a_text_stays_beside_the_words() -> None:
    assert facts("Alice: I adopted a dog called Rex! [image: a photo of a dog]") == [
        "Alice adopted a dog called Rex! Alice shared an image: a photo of a dog."
    ]


@pytest.mark.parametrize(
    ("text", "kind", "name", "pieces", "is_unread"),
    [
        ("[image: a.png]", "image", "a.png", (), False),
        ("[file: a: b.pdf]", "file", "a", ("b.pdf",), False),
        ("[file: offer.pdf, 12 pages: Desk]", "file", "offer.pdf", ("Desk",), False),
        ("[audio: talk.mp3, not read: nobody listens]", "audio", "talk.mp3", (), True),
        ("[image: https://example.org/kite.png]", "image", "https://example.org/kite.png", (), False),
    ],
)
def test_the_form_names_what_it_is(text: str, kind: str, name: str, pieces: tuple[str, ...], is_unread: bool) -> None:
    found = attachment_of(text)
    assert found is not None
    assert (found.kind, found.name, found.pieces, found.is_unread) == (kind, name, pieces, is_unread)


def test_other_texts_are_no_attachments() -> None:
    assert attachment_of("[shared a photo: a dog]") is None
    assert attachment_of("I sent [image: a.png: b] to you") is None


def test_an_attachment_is_one_sentence_whatever_it_holds() -> None:
    assert split_sentences(f"Look! {WHITEBOARD} Is it right?") == ["Look!", WHITEBOARD, "Is it right?"]


def test_a_bracket_that_never_ends_is_text() -> None:
    hostile = "[image: " * 2_000
    assert attachment_of(hostile) is None
    assert "".join(split_sentences(hostile)).count("[image:") == 2_000
