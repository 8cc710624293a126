"""WhatsApp's export of a chat: who said what, and when, in both forms and in the dates of many phones."""

from collections.abc import Callable
from pathlib import Path

import pytest

from connectors.files.files import read_file
from mneme.errors import InputError
from mneme.events import Message, parse_event

IPHONE = """\u200e[03.10.26, 18:04:11] Mama: \u200eNachrichten sind Ende-zu-Ende-verschlüsselt.
[03.10.26, 18:04:11] Jonas: Hallo Mama, bist du da?
Ich rufe an.
\u200e[03.10.26, 18:05:00] Jonas: \u200eBild weggelassen
[04.10.26, 18:05:40] Mama: Ja: ich wohne jetzt in Konstanz.
"""
ANDROID = """10/3/26, 6:04\u202fPM - Messages and calls are end-to-end encrypted.
10/3/26, 6:04\u202fPM - Jonas: Hello
10/3/26, 6:05\u202fPM - Mama: <Media omitted>
10/14/26, 12:05\u202fAM - Mama: Hello
"""

Read = Callable[..., list[Message]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(text: str, name: str = "_chat.txt", **given: str) -> list[Message]:
        path = tmp_path / "Mama" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        events = [parse_event(each.raw, None) for each in read_file(path, **{"user_id": "jonas", **given})]
        return [event for event in events if isinstance(event, Message)]

    return read


def told(messages: list[Message]) -> list[tuple[str, str, str]]:
    return [(each.sent_at.isoformat()[:16], each.sender_name, each.text) for each in messages]


def test_an_iphones_export_is_a_chat_with_speakers_and_times(read: Read):
    messages = read(IPHONE)
    assert told(messages) == [
        ("2026-10-03T18:04", "Jonas", "Hallo Mama, bist du da?\nIch rufe an."),
        ("2026-10-04T18:05", "Mama", "Ja: ich wohne jetzt in Konstanz."),
    ]
    assert [each.sender_id for each in messages] == ["jonas", "Mama"]
    assert {(each.conversation_id, each.owner.key) for each in messages} == {("jonas/Mama", "default/user/jonas")}


def test_an_androids_export_is_too_and_the_whole_file_tells_which_number_is_the_month(read: Read):
    assert told(read(ANDROID, "WhatsApp Chat with Mama.txt")) == [
        ("2026-10-03T18:04", "Jonas", "Hello"),
        ("2026-10-14T00:05", "Mama", "Hello"),
    ]


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (["2026-10-03", "2026-10-04"], ["2026-10-03", "2026-10-04"]),
        (["2026/10/3", "2026/10/4"], ["2026-10-03", "2026-10-04"]),
        (["3/10/2026", "31/10/2026"], ["2026-10-03", "2026-10-31"]),
        (["03/10/26", "01/11/26"], ["2026-10-03", "2026-11-01"]),  # else it would run back
        (["3.4.26", "5.6.26"], ["2026-04-03", "2026-06-05"]),  # with points the day is first
    ],
)
def test_dates_are_read_as_phones_write_them(read: Read, dates: list[str], days: list[str]):
    text = "".join(f"{date}, 18:04 - Mama: Hello\n" for date in dates)
    assert [each.sent_at.date().isoformat() for each in read(text)] == days


@pytest.mark.parametrize("dates", [["3/4/26", "5/6/26"], ["13/4/26", "4/13/26"]])
def test_dates_that_no_line_decides_are_refused_with_the_remedy(read: Read, dates: list[str]):
    with pytest.raises(InputError, match="write them with the year first, as in 2026-10-03"):
        read("".join(f"{date}, 18:04 - Mama: Hello\n" for date in dates))


def test_a_later_export_without_the_oldest_lines_has_the_same_messages(read: Read):
    later = IPHONE.splitlines(keepends=True)[4] + "[05.10.26, 09:00:00] Jonas: Bis dann\n"
    assert read(IPHONE)[-1].message_id == read(later)[0].message_id


def test_a_text_that_only_begins_with_a_date_stays_a_document(tmp_path: Path):
    note = tmp_path / "note.txt"
    note.write_text("03.10.26, Konstanz: we met and talked.\n")
    (event,) = [parse_event(each.raw, None) for each in read_file(note, user_id="jonas")]
    assert event.event == "document"
