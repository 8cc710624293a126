"""Dates at the top of a document."""

from datetime import UTC, datetime

import pytest

from connectors.documents.dates import date_in, date_in_name, moment_of

MARCH = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01",
        "March 1st, 2026",
        "1 Mar 2026",
        "Sunday, 1 March 2026",
        "01.03.2026",
        "2026年3月1日",
        "2026-03-01T01:00+01:00",
    ],
)
def test_a_moment_is_read_as_people_write_it(text: str):
    assert moment_of(text) == MARCH


@pytest.mark.parametrize("text", ["", "soon", "2026-13-45", "0001-01-01T00:00+23:00", "x" * 10_000])
def test_no_moment_is_made_up(text: str):
    assert moment_of(text) is None


def test_the_first_line_with_a_date_counts():
    assert date_in(["Minutes", "Date: soon", "*Dated*: 1 March 2026", "Date: 2027-01-01"]) == MARCH
    assert date_in(["We met on 2026-03-01"]) is None


@pytest.mark.parametrize(
    "line", ["2026年3月1日", "1 March 2026", "Lyon, 1 March 2026", "Discharge letter, 1 March 2026", "上海，2026年3月1日"]
)
def test_a_line_that_is_a_date_or_ends_in_one_after_a_comma_counts(line: str):
    assert date_in(["City Hospital", line, "2 April 2026"][:2]) == MARCH


def test_a_line_with_a_label_goes_first():
    assert date_in(["2 April 2026", "Date: 2026-03-01"]) == MARCH


@pytest.mark.parametrize("line", ["20260301", "Offer, 20260301", "The lease ends on 1 March 2026", "Starts at 9, 1 March 2026"])
def test_a_number_and_a_sentence_are_no_date_of_the_document(line: str):
    assert date_in([line]) is None


@pytest.mark.parametrize(
    ("name", "hour"),
    [
        ("standup-2026-03-01.wav", 0),
        ("IMG_20260301_090000.jpg", 9),
        ("GMT20260301-090000_Recording.vtt", 9),
        ("Screenshot 2026-03-01 at 09.00.00.png", 9),
        ("2026.03.01 minutes.txt", 0),
    ],
)
def test_the_name_of_a_file_says_its_day_and_maybe_its_time(name: str, hour: int):
    assert date_in_name(name) == MARCH.replace(hour=hour)


@pytest.mark.parametrize("name", ["offer.pdf", "4820260301.pdf", "2026-02-31.txt", "v2026-03.txt", "20260301123.txt"])
def test_no_day_is_read_out_of_other_numbers(name: str):
    assert date_in_name(name) is None
