from datetime import UTC, datetime

import pytest

from flows.extraction import LocalExtractor
from tests.flows.extraction.cuts import document

TEXT = """# Holidays
- Every employee has 28 days of paid leave. Leave must be requested two weeks ahead.
See below.
年假须提前两周申请。"""


def test_the_sentences_of_a_chunk_are_facts_with_vectors_of_their_own():
    facts = LocalExtractor().extract(document(TEXT)).facts
    assert [fact.statement for fact in facts] == [
        "Every employee has 28 days of paid leave.",
        "Leave must be requested two weeks ahead.",
        "年假须提前两周申请。",
    ]
    assert {(fact.topic, fact.sources, fact.same_as_source) for fact in facts} == {("Holidays", (0,), False)}


def test_the_section_is_the_subject_and_the_narrative_has_date_and_place_in_front():
    extraction = LocalExtractor().extract(document(TEXT))
    assert extraction.subject == "Holidays"
    assert extraction.narrative == f"2026年3月2日, handbook.md, Holidays\n{TEXT}"
    assert "28 days" in extraction.summary


def test_a_document_without_sections_is_about_its_file():
    assert LocalExtractor().extract(document("The invoice covers hosting and support.", section=None)).subject == "handbook.md"


def test_dates_of_a_document_are_resolved_against_its_own_date():
    [fact] = LocalExtractor().extract(document("The office moved to Lyon last year.")).facts
    assert fact.statement == "The office moved to Lyon last year (2025)."
    assert fact.event_at == datetime(2025, 1, 1, tzinfo=UTC)


def test_an_empty_chunk_yields_an_episode_without_facts():
    extraction = LocalExtractor().extract(document("---"))
    assert extraction.facts == ()
    assert extraction.summary == "---"


def statements(text, **fields):
    return [fact.statement for fact in LocalExtractor().extract(document(text, **fields)).facts]


def test_lines_that_were_wrapped_by_hand_are_one_sentence():
    text = """Rental cars are booked in the compact class; an electric car is
preferred where the route allows it. The next review is planned for October
2025. The limit rises then."""
    assert statements(text, section=None) == [
        "Rental cars are booked in the compact class; an electric car is preferred where the route allows it.",
        "The next review is planned for October 2025.",
    ]


def test_lines_that_were_ended_stay_apart():
    assert statements(
        "Opening hours: 9 to 17\nClosed on public holidays\n| Monday | open 9 to 17 |\n| Sunday | closed for repairs |",
        section=None,
    ) == [
        "Opening hours: 9 to 17",
        "Closed on public holidays",
        "Monday | open 9 to 17",
        "Sunday | closed for repairs",
    ]


def test_an_item_of_a_list_has_the_line_that_introduces_it():
    text = """The limits for a night are:

- Oslo and Bergen: 140 euros
- All other places: 90 euros, breakfast
  included

The rooms are booked by the traveller alone."""
    assert statements(text, section=None) == [
        "The limits for a night are: Oslo and Bergen: 140 euros",
        "The limits for a night are: All other places: 90 euros, breakfast included",
        "The rooms are booked by the traveller alone.",
    ]


@pytest.mark.parametrize(
    ("sentence", "statement"),
    [
        ("Alcohol is part of these limits.", "Meals: Alcohol is part of these limits."),
        ("It applies to everybody with a contract and a badge.", "Meals: It applies to everybody with a contract and a badge."),
        ("Breakfast costs five euros in every canteen.", "Breakfast costs five euros in every canteen."),
        ("This meal is paid in full by the host.", "This meal is paid in full by the host."),
    ],
)
def test_a_sentence_that_leans_on_its_section_has_the_heading_in_front(sentence, statement):
    assert statements(sentence, section="Handbook > 7. Meals") == [statement]


def test_a_weekday_in_a_document_is_any_of_its_kind():
    [fact] = LocalExtractor().extract(document("Claims are paid on Friday by Finance.", section=None)).facts
    assert fact.statement == "Claims are paid on Friday by Finance."
    assert fact.event_at is None
