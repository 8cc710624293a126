from datetime import UTC, datetime

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
