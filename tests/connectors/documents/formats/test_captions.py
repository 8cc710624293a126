"""Captions: who speaks when, and sections by time where nobody is named."""

import pytest

from connectors.documents.local import LocalParser
from mneme.errors import InputError
from mneme.ports import ParsedDocument

VTT = """WEBVTT

NOTE recorded by the printer

STYLE
::cue { color: red }

1
00:00:01.000 --> 00:00:02.500 align:start
<v Alice>Hello <b>everyone</b> &amp; welcome.

00:00:03.000 --> 00:00:04.000
<v Alice>Let us begin.

00:01:30.000 --> 00:01:32.000
<v.loud Bob>The budget is 400.
<v Alice>Thank you.
"""


def parse(text: str, name: str = "standup.vtt") -> ParsedDocument:
    return LocalParser().parse(text.encode(), name, None)


def cues(*texts: str, step: int = 10) -> str:
    """SubRip captions, one each ``step`` seconds."""
    lines = []
    for number, text in enumerate(texts):
        begins, ends = number * step, number * step + 4
        times = [f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02},000" for at in (begins, ends)]
        lines.append(f"{number + 1}\n{' --> '.join(times)}\n{text}\n")
    return "\n".join(lines)


def test_voices_are_speakers_with_times():
    document = parse(VTT)
    assert [(piece.speaker, piece.begins, piece.ends, piece.text) for piece in document.spoken] == [
        ("Alice", 1.0, 4.0, "Hello everyone & welcome. Let us begin."),
        ("Bob", 90.0, 92.0, "The budget is 400."),
        ("Alice", 90.0, 92.0, "Thank you."),
    ]
    assert document.sections == ()
    assert (document.format, document.title) == ("vtt", "standup")


def test_names_in_front_of_most_captions_are_speakers():
    document = parse(cues("Alice: We ship in May.", "and not before.", "Bob Stone: Agreed."), "call.srt")
    assert [(piece.speaker, piece.text) for piece in document.spoken] == [
        ("Alice", "We ship in May."),
        ("Alice", "and not before."),
        ("Bob Stone", "Agreed."),
    ]


def test_a_colon_now_and_then_names_nobody():
    document = parse(cues("We need three things.", "First: money.", "Time.", "People."), "talk.srt")
    assert document.spoken == ()
    assert "First: money." in document.sections[0].text


def test_without_speakers_there_is_a_section_for_each_minute_cited_by_its_time():
    document = parse(cues(*(f"Line {number}." for number in range(20))), "talk.srt")
    assert [section.place for section in document.sections] == ["00:00:00", "00:01:00", "00:02:00", "00:03:00"]
    assert document.sections[1].text.split("\n")[0] == "Line 6."
    assert {section.title for section in document.sections} == {"talk"}


def test_lines_that_rolling_captions_show_again_are_said_once():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nfirst line\n\n00:02.000 --> 00:03.000\nfirst line\nsecond line\n"
    assert parse(text).sections[0].text == "first line\nsecond line"


def test_chinese_is_joined_without_blanks():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v 吴敏>今天讨论\n\n00:02.000 --> 00:03.000\n<v 吴敏>发布时间。\n"
    assert [piece.text for piece in parse(text).spoken] == ["今天讨论发布时间。"]


@pytest.mark.parametrize("text", ["WEBVTT\n", "WEBVTT\n\nNOTE nothing\n", "WEBVTT\n\n00:xx --> 1\nhello\n"])
def test_captions_without_any_are_refused(text: str):
    with pytest.raises(InputError, match=r"standup\.vtt: it holds no captions"):
        parse(text)
