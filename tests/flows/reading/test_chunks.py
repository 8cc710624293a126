"""Chunks: nothing lost, bounded, overlapping, cut where a reader would cut, and cited by their own lines and rows."""

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.reading.editions import About, chunk, edition_of, spans
from mneme.ports import ParsedDocument, Section
from mneme.records import Owner, Position
from mneme.settings import Documents

NOW = datetime(2026, 3, 1, tzinfo=UTC)
texts = st.text(alphabet="ab. \n。é我", max_size=400)
sizes = st.integers(4, 60).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, (size - 1) // 2)))


@given(texts, sizes)
def test_every_character_is_in_a_chunk(text, bounds):
    covered = 0
    for start, end in spans(text, *bounds):
        assert start <= covered
        assert end > covered
        covered = end
    assert covered == len(text)


@given(texts, sizes)
def test_no_chunk_is_longer_than_the_size_and_only_the_last_is_under_half(text, bounds):
    size, _ = bounds
    lengths = [end - start for start, end in spans(text, *bounds)]
    assert all(length <= size for length in lengths)
    assert all(length >= size / 2 for length in lengths[:-1])


@given(texts, sizes)
def test_an_overlap_has_between_half_and_all_of_what_is_asked(text, bounds):
    _, overlap = bounds
    for (_, end), (start, _) in itertools.pairwise(spans(text, *bounds)):
        assert overlap / 2 <= end - start <= overlap


@given(texts, sizes)
def test_only_white_space_around_chunks_is_dropped(text, bounds):
    pieces = [text[start:end].strip() for start, end in spans(text, *bounds)]
    assert [piece for _, piece in chunk(text, *bounds)] == [piece for piece in pieces if piece]


@given(texts, sizes)
def test_a_chunk_begins_where_it_says(text, bounds):
    assert all(text.startswith(piece, begin) for begin, piece in chunk(text, *bounds))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("one two. three\nfour five six", "one two."),
        ("one two three\nfour five six", "one two three"),
        ("one two three four five six", "one two three"),
        ("onetwothreefourfivesix", "onetwothreefour"),
        ("我们今天去上海。然后我们去北京见朋友们", "我们今天去上海。"),
    ],
    ids=["sentence", "line", "word", "anywhere", "Chinese sentence"],
)
def test_a_cut_is_after_a_sentence_else_a_line_else_a_word_else_anywhere(text, first):
    assert chunk(text, size=15, overlap=0)[0] == (0, first)


def test_a_sentence_in_the_first_half_is_no_place_to_cut():
    assert chunk("Yes. " + "word " * 20, size=40, overlap=0)[0][1] == "Yes. word word word word word word word"


def test_an_overlap_begins_with_a_sentence_where_there_is_one():
    text = "Alpha beta gamma delta. Short one. Then comes more text that goes on."
    (_, first), (begin, second), *_ = chunk(text, size=40, overlap=15)
    assert begin == text.index("Short one")
    assert first == "Alpha beta gamma delta. Short one."
    assert second.startswith("Short one. Then")


def test_a_short_text_is_one_chunk_and_an_empty_one_none():
    assert chunk(" A short note.\n", 1600, 320) == [(1, "A short note.")]
    assert chunk(" \n ", 1600, 320) == chunk("", 1600, 320) == []


@pytest.mark.parametrize("overlap", [-1, 50, 100])
def test_an_overlap_of_half_the_size_or_more_is_refused(overlap):
    with pytest.raises(ValueError, match="overlap"):
        chunk("text", size=100, overlap=overlap)


@pytest.mark.parametrize(
    ("place", "places"),
    [
        ("line 5", ["line 5", "line 8", "line 11"]),
        ("rows 2-11", ["rows 2-5", "rows 5-8", "rows 8-11"]),
        ("page 1", ["page 1"] * 3),
    ],
)
def test_the_settings_say_how_large_a_chunk_is_and_it_cites_its_own_lines(place, places):
    lines = [f"Item: Desk number {number}; Price: {number}; Room: B{number}; Remark: oak" for number in range(10)]
    parsed = ParsedDocument("prices", (Section("prices", "\n".join(lines), place),), format="csv")
    about = About(
        Owner(tenant_id="t", type="tenant", id="t"), "d", "prices.csv", Position(topic="d", partition=0, offset=0), NOW
    )
    documents = Documents(chunk_size=250, chunk_overlap=80)
    edition = edition_of(about, parsed, "e", documents)
    assert [message.citation.place for message in edition.messages] == places
    assert all(len(message.text) <= 250 for message in edition.messages)
    assert about.edition("hash", documents) != about.edition("hash", Documents())


def test_an_overlap_of_half_a_chunk_is_no_setting():
    with pytest.raises(ValueError, match="chunk_overlap: 300 is not under half of chunk_size, which is 600"):
        Documents(chunk_size=600, chunk_overlap=300)
