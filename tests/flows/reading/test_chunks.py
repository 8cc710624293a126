"""Chunks: nothing lost, bounded, overlapping, cut where a reader would cut."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.reading.editions import chunk, spans

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
    assert chunk(text, *bounds) == [piece for piece in pieces if piece]


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
    assert chunk(text, size=15, overlap=0)[0] == first


def test_a_sentence_in_the_first_half_is_no_place_to_cut():
    assert chunk("Yes. " + "word " * 20, size=40, overlap=0)[0] == "Yes. word word word word word word word"


def test_an_overlap_begins_with_a_sentence_where_there_is_one():
    text = "Alpha beta gamma delta. Short one. Then comes more text that goes on."
    first, second, *_ = chunk(text, size=40, overlap=15)
    assert first == "Alpha beta gamma delta. Short one."
    assert second.startswith("Short one. Then")


def test_a_short_text_is_one_chunk_and_an_empty_one_none():
    assert chunk(" A short note.\n") == ["A short note."]
    assert chunk(" \n ") == chunk("") == []


@pytest.mark.parametrize("overlap", [-1, 50, 100])
def test_an_overlap_of_half_the_size_or_more_is_refused(overlap):
    with pytest.raises(ValueError, match="overlap"):
        chunk("text", size=100, overlap=overlap)
