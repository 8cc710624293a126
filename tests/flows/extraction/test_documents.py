from datetime import UTC, datetime

import pytest

from flows.extraction import LocalExtractor
from tests.flows.extraction.cuts import document

TEXT = """# Holidays
- Every employee has 28 days of paid leave. Leave must be requested two weeks ahead.
See below.
年假须提前两周申请。"""


def test_the_paragraphs_of_a_chunk_are_facts_with_vectors_of_their_own():
    facts = LocalExtractor().extract(document(TEXT)).facts
    assert [fact.quote.words for fact in facts] == [
        "Every employee has 28 days of paid leave. Leave must be requested two weeks ahead.",
        "See below.",
        "年假须提前两周申请。",
    ]
    assert facts[0].statement == f"handbook.md, Holidays: {facts[0].quote.words}"
    assert {(fact.topic, fact.sources, fact.same_as_source) for fact in facts} == {("Holidays", (0,), False)}


def test_the_section_is_the_subject_and_the_narrative_has_date_and_place_in_front():
    extraction = LocalExtractor().extract(document(TEXT))
    assert extraction.subject == "Holidays"
    assert extraction.narrative == f"2026年3月2日, handbook.md, Holidays\n{TEXT}"
    assert "28 days" in extraction.summary


def test_a_document_without_sections_is_about_its_file():
    assert LocalExtractor().extract(document("The invoice covers hosting and support.", section=None)).subject == "handbook.md"


def test_dates_of_a_document_are_resolved_against_its_own_date():
    [fact] = LocalExtractor().extract(document("The office moved to Lyon on 3 May 2025.")).facts
    assert fact.event_at == datetime(2025, 5, 3, tzinfo=UTC)


def test_an_empty_chunk_yields_an_episode_without_facts():
    extraction = LocalExtractor().extract(document("---"))
    assert extraction.facts == ()
    assert extraction.summary == "---"


def statements(text, **fields):
    quotes = [fact.quote for fact in LocalExtractor().extract(document(text, **fields)).facts]
    return [f"{quote.context.words} {quote.words}" if quote.context else quote.words for quote in quotes]


def test_what_only_says_the_day_or_stands_in_the_head_of_a_mail_is_no_fact():
    text = """Stuttgart, 6 May 2025

2025年3月8日

Subject: New delivery window

Date: Tue, 03 Jun 2025 10:12:00 +0200

Deadline: 30 June 2025 for every supplier"""
    assert statements(text, section=None) == ["Deadline: 30 June 2025 for every supplier"]


def test_a_short_whole_sentence_is_a_fact_and_a_heading_is_none():
    assert statements("Ward three\n\nShe is allergic to penicillin.", section=None) == ["She is allergic to penicillin."]


def test_a_field_of_a_form_is_a_fact() -> None:
    assert statements("Rooms\n\nKitchen: 12 m2\nBath: 5 m2", section=None) == ["Kitchen: 12 m2", "Bath: 5 m2"]


@pytest.mark.parametrize(
    ("place", "places"),
    [
        ("rows 4-6", ["row 4", "row 6"]),
        ("sheet Stock, rows 12-14", ["sheet Stock, row 12", "sheet Stock, row 14"]),
        ("line 7", ["line 7", "line 9"]),
        ("page 3", ["page 3", "page 3"]),
    ],
)
def test_a_fact_cites_its_own_row_or_line(place: str, places: list[str]) -> None:
    text = "Item: Desk; Price: 120; Valid until: 3 May 2031\n\nItem: Lamp; Price: 35; Valid until: 4 May 2031"
    extraction = LocalExtractor().extract(document(text, place=place))
    assert [fact.place for fact in extraction.facts] == places
    assert [foresight.place for foresight in extraction.foresights] == places
    assert [fact.statement.partition(": ")[0] for fact in extraction.facts] == [
        f"handbook.md, Holidays, {each}" for each in places
    ]


def test_a_short_chinese_sentence_is_a_fact():
    assert statements("项目会议纪要\n\n预算为三十万元。", section=None) == ["预算为三十万元。"]


def test_a_relationship_to_nobody_who_is_named_is_left_out():
    extraction = LocalExtractor().extract(document("Next appointment with Dr. Adler on 22 May 2025 at 9:30."))
    assert extraction.relationships == ()
    assert [fact.quote.words for fact in extraction.facts] == ["Next appointment with Dr. Adler on 22 May 2025 at 9:30."]


def test_lines_that_were_wrapped_by_hand_are_one_paragraph():
    text = """Rental cars are booked in the compact class; an electric car is
preferred where the route allows it. The next review is planned for October
2025. The limit rises then."""
    assert statements(text, section=None) == [
        "Rental cars are booked in the compact class; an electric car is preferred where the route allows it. "
        "The next review is planned for October 2025. The limit rises then.",
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


def test_a_quote_is_shown_under_its_document_and_section():
    [fact] = LocalExtractor().extract(document("It applies to everybody.", section="Handbook > 7. Meals")).facts
    assert fact.statement == "handbook.md, Handbook > 7. Meals: It applies to everybody."


def test_a_weekday_in_a_document_is_any_of_its_kind():
    [fact] = LocalExtractor().extract(document("Claims are paid on Friday by Finance.", section=None)).facts
    assert fact.event_at is None


def test_a_row_of_a_table_is_one_fact():
    text = "Item: Desk; Quantity: 4; Price: 120 EUR. Net.\nItem: Chair; Quantity: 2; Price: 80 EUR"
    assert statements(text, section="Offer > 3. Furniture") == [
        "Item: Desk; Quantity: 4; Price: 120 EUR. Net.",
        "Item: Chair; Quantity: 2; Price: 80 EUR",
    ]


def test_rows_are_whole_in_chinese_too():
    assert statements("项目：桌子；数量：4；价格：120元\n项目：椅子；数量：2；价格：80元", section="报价") == [
        "项目：桌子；数量：4；价格：120元",
        "项目：椅子；数量：2；价格：80元",
    ]


def test_every_row_of_a_chunk_is_a_fact():
    rows = [f"Country: Land{number}; Capital: City{number}" for number in range(40)]
    assert statements("\n".join(rows), section=None) == rows


def test_a_row_too_long_for_a_fact_is_several_that_begin_with_its_first_cell():
    row = "Country: Norway; " + "; ".join(f"Indicator {number}: value {number} of the year" for number in range(60))
    facts = statements(row, section=None)
    assert len(facts) > 1
    assert all(fact.startswith("Country: Norway; ") and len(fact) <= 600 for fact in facts)
    assert all(sum(f"Indicator {number}: " in fact for fact in facts) == 1 for number in range(60))


def test_an_item_is_a_fact_however_short():
    assert statements("- Budget of 2027\n- Move of the office", section="Board > Agenda") == [
        "Budget of 2027",
        "Move of the office",
    ]


def test_noise_of_a_scan_is_no_fact():
    noise = (";._ |  -- . e a s o n 3 l", "||| __ ,,, .. ~~", "丨一、。，··｜ －－ 。， 、，")
    sentence = "The invoice is payable by bank transfer."
    assert statements("\n\n".join((*noise, sentence)), section=None) == [sentence]


def test_numbers_of_things_do_not_end_a_sentence():
    [fact] = statements("Offer No. 2026-114 replaces offer no. 98 of Acme Furniture.", section=None)
    assert fact == "Offer No. 2026-114 replaces offer no. 98 of Acme Furniture."


def test_a_duration_begins_with_something_else_than_the_document():
    [fact] = LocalExtractor().extract(document("Claims are paid back within ten days.", section=None)).facts
    assert fact.event_at is None


def test_the_header_names_the_page():
    narrative = LocalExtractor().extract(document("Leave is 28 days.", place="page 3")).narrative
    assert narrative == "2 March 2026, handbook.md, Holidays, page 3\nLeave is 28 days."


def test_what_was_not_read_is_said_with_its_name():
    assert statements("[file: scan[1].png, not read: tesseract is not installed] Kitchen plans", section=None) == [
        "[file: scan[1].png, not read: tesseract is not installed] Kitchen plans",
    ]


class TestWhatIsExpected:
    def foresights(self, text, **fields):
        return [
            (each.statement, each.start.date().isoformat())
            for each in LocalExtractor().extract(document(text, section=None, **fields)).foresights
        ]

    @pytest.mark.parametrize(
        ("text", "day"),
        [
            ("The offer is valid until 30 June 2026.", "2026-06-30"),
            ("The deadline for objections is 15 May.", "2026-05-15"),
            ("Payment is due on 31.07.2026 by bank transfer.", "2026-07-31"),
            ("本报价有效期至2026年6月30日。", "2026-06-30"),
            ("Licence: Editor; Valid until: 30 June 2026", "2026-06-30"),
        ],
    )
    def test_deadlines_are(self, text, day):
        assert [found for _, found in self.foresights(text)] == [day]

    @pytest.mark.parametrize(
        "text",
        [
            "The office moved to Lyon on 3 May 2024.",
            "Claims are paid back within ten days.",
            "Open the valve on Monday and close it again.",
            "We expect revenue of five million euros in 2027.",
            "Month: July 2026; Revenue: 120 EUR",
            "The fair of 3 May 2027 was cancelled by the city.",
        ],
    )
    def test_what_is_over_vague_or_a_figure_is_not(self, text):
        assert self.foresights(text) == []


class TestPeople:
    def edges(self, text):
        extraction = LocalExtractor().extract(document(text, section=None))
        names = {entity.name for entity in extraction.entities}
        edges = [(edge.source, edge.relation, edge.target) for edge in extraction.relationships]
        assert names == {name for source, _, target in edges for name in (source, target)}
        return edges

    @pytest.mark.parametrize(
        ("text", "edge"),
        [
            ("Priya Shah works at Dockside since 2021.", ("Priya Shah", "works_at", "Dockside")),
            ("Maria Lopez was born in Seville.", ("Maria Lopez", "born_in", "Seville")),
        ],
    )
    def test_what_a_sentence_states_of_them_is_kept(self, text, edge):
        assert self.edges(text) == [edge]

    @pytest.mark.parametrize(
        "text",
        [
            "Priya Shah opened the meeting. Anna Berg joined. Her husband Lars works at Maersk.",
            "Borealis is based in Bergen.",
            "Contact: Jan Petersen, Acme Furniture, Hauptstrasse 12, Berlin",
            "We live in Oslo and our manager works at Acme.",
            "Press the button until the light turns green. Java is developed by Oracle.",
        ],
    )
    def test_what_may_mean_anybody_or_no_person_is_not(self, text):
        assert self.edges(text) == []


def test_each_line_of_a_log_is_a_fact_of_its_own_line_and_day_however_short_or_strange() -> None:
    log = """2026-01-09  pressure 0.9 bar, flow 48 degrees, second floor complains of cold rooms
2026-01-13  Rikke Hansen changed the expansion vessel, invoice goes to the cooperative
2026-01-16  rain
2026-01-17  [gw_1] {id=7} c4ll <ok>"""
    facts = LocalExtractor().extract(document(log, section=None, place="line 6")).facts
    assert [(fact.quote.words, fact.place) for fact in facts] == [
        (line, f"line {number}") for number, line in enumerate(log.split("\n"), start=6)
    ]
    assert [fact.event_at for fact in facts] == [datetime(2026, 1, day, tzinfo=UTC) for day in (9, 13, 16, 17)]
