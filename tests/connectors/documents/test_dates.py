"""Dates at the top of a document."""

from datetime import UTC, datetime

import pytest

from connectors.documents.dates import date_in, moment_of

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
