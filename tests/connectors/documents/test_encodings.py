"""Texts are read in whatever encoding they were saved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.documents.encodings import first_text, is_text, text_of

SIMPLIFIED = "我们在会议上决定把第二季度的截止日期推迟到六月三十日。王芳负责通知客户。"
TRADITIONAL = "我們在會議上決定把第二季度的截止日期推遲到六月三十日。王芳負責通知客戶。"
JAPANESE = "会議では第二四半期の締め切りを六月三十日に延期することを決めました。田中さんが連絡します。"
FRENCH = "Nous avons décidé de reporter l'échéance du deuxième trimestre à la fin du mois de juin. Où êtes-vous né ?"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SIMPLIFIED, "gb18030"),
        (TRADITIONAL, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        ("Мы решили перенести срок второго квартала на конец июня.", "cp1251"),
        (FRENCH, "latin-1"),
        ("café", "latin-1"),
        ("It’s “done” – 5 €", "cp1252"),
        *((FRENCH, encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")),
        *((SIMPLIFIED, encoding) for encoding in ("utf-8", "utf-16", "utf-32")),
    ],
)
def test_the_encoding_is_found(text: str, encoding: str):
    assert text_of(text.encode(encoding)) == text
    assert is_text(text.encode(encoding))


@pytest.mark.parametrize("size", range(100, 104))
def test_the_beginning_of_a_text_is_cut_between_characters(size: int):
    text = "🙂" + SIMPLIFIED * 3
    first = first_text(text.encode(), size)
    assert text.startswith(first)
    assert len(first.encode()) > size - 4
    assert first_text(text.encode(), 10_000) == text


def test_lines_end_with_line_feeds():
    assert text_of(b"a\r\nb\rc\n") == "a\nb\nc\n"


def test_a_foreign_letter_far_down_is_found():
    text = "plain words\n" * 20_000 + FRENCH
    assert text_of(text.encode("latin-1")) == text


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_what_is_utf8_is_read_as_it_is(text: str):
    assert text_of(text.encode()) == text.removeprefix("\ufeff")


@given(st.binary(max_size=300))
def test_no_bytes_break_the_question_whether_they_are_text(content: bytes):
    assert is_text(content) in (True, False)


@pytest.mark.parametrize("content", [b"a\0b", bytes(range(256)), b"\x7fELF\x02\x01\x01\0\0"])
def test_binary_data_is_no_text(content: bytes):
    assert not is_text(content)
