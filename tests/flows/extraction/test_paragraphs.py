"""Lines of a text that stand apart, and lines that belong together."""

import pytest

from flows.extraction.paragraphs import paragraphs


def lines_of(text: str) -> list[str]:
    return [each.text for each in paragraphs(text)]


@pytest.mark.parametrize(
    "log",
    [
        "2026-01-05  pressure 1.5 bar, flow 60 degrees, all well\n2026-01-09  filled up to 1.7 bar",
        "12:30 lunch with Ana at the harbour, she pays this time I think\n14:00 dentist",
        "9.30am the delegates arrive and are shown to their places\n11.00am coffee",
        "3 March: the beans went into the south bed, under fleece for now\n9 March: frost",
        "12. Mai 2026: Treffen mit dem Vorstand im Hinterzimmer der Krone\n13. Mai 2026: Pumpe",
        "Mon 4 May  the choir rehearses in the parish hall, all voices\nTue 5 May  no rehearsal",
        "5/3/26, 10:03 - Ana: shall we take the early ferry or the late one\n5/3/26, 10:04 - Bo: the late one",
        "2026年5月4日 下雨，在家看书，给妈妈打了电话，晚上早早就睡了，没有出门\n2026年5月5日 晴，去公园散步",
        "2026-03-04T12:00:01.25Z [main] ERROR c.a.Pool{id=7} no answer from db_2\n2026-03-04T12:00:02.01Z [main] INFO ok",
        "Mar  4 12:00:01 rosvik sshd[811]: Accepted publickey for harbour\nMar  4 12:00:07 rosvik cron[9]: started",
        "<34>Oct 11 22:14:15 rosvik su: failed for the harbour master\n<34>Oct 11 22:14:19 rosvik su: gave up",
        "ERROR the database did not answer within the thirty seconds\nINFO a second try begins",
        '10.0.0.3 - - [10/Oct/2025:13:55:36] "GET /tides" 200 2326\n10.0.0.9 - - [10/Oct/2025:13:55:41] "GET /map" 404 -',
        "level=info msg=harbour-gate-opened by=rosvik for=ferry-2 at=quay\nlevel=warn msg=late",
    ],
)
def test_each_entry_of_a_log_is_one(log: str) -> None:
    assert lines_of(log) == log.split("\n")
    assert all(each.is_entry for each in paragraphs(log))


def test_an_entry_keeps_its_place_below_a_head_and_its_own_wrapped_lines() -> None:
    log = """Log of the boiler in the cellar of Larkfield Road 14 in Lisbon
2026-01-12  pressure 1.1 bar again, so that we called the people of
            Hansen Heating
2026-01-13  vessel changed"""
    assert [(each.line, each.text) for each in paragraphs(log)] == [
        (0, "Log of the boiler in the cellar of Larkfield Road 14 in Lisbon"),
        (1, "2026-01-12  pressure 1.1 bar again, so that we called the people of Hansen Heating"),
        (3, "2026-01-13  vessel changed"),
    ]


def test_a_date_that_begins_a_line_of_wrapped_prose_begins_no_entry() -> None:
    prose = """We had decided in the first meeting of the association that the new roof begins on
4 March 2026 and that the old one, which has stood since the flood, is taken down on
12 May 2026 at the latest. The next review is planned in the spring of the year after
2026. Then the board decides."""
    assert lines_of(prose) == [prose.replace("\n", " ")]


def test_a_line_with_room_for_the_next_word_was_ended() -> None:
    notes = """Broad beans sown under fleece on the south bed
Potatoes (Charlotte) planted along the whole fence, twelve rows, three of them late
Leeks to be thinned by the end of the month
Nets are in the shed"""
    assert lines_of(notes) == notes.split("\n")


def test_a_wrapped_paragraph_is_one_however_its_lines_begin() -> None:
    prose = """Der Verein mietet für das Sommerfest wie in jedem Jahr die
Halle an der Weststraße. Die Getränke kommen aus dem
Keller von Herrn Özdemir, der auch die Tische und die
Bänke bringt."""
    assert lines_of(prose) == [prose.replace("\n", " ")]


def test_every_line_of_a_narrow_block_is_one_and_only_the_first_may_be_a_heading() -> None:
    assert [(each.text, each.is_item) for each in paragraphs("Shopping\noat milk\ntwo lemons\n\nBread")] == [
        ("Shopping", False),
        ("oat milk", True),
        ("two lemons", True),
        ("Bread", False),
    ]


def test_a_numbered_list_is_no_log() -> None:
    assert lines_of("1. Install the pump\n2. May contain nuts\n3. Mark the place") == [
        "Install the pump",
        "May contain nuts",
        "Mark the place",
    ]
