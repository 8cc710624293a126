"""What bytes are is told by the bytes: a name only breaks a tie. What is not read is refused with a remedy."""

import gzip
from pathlib import Path

import pytest

from connectors.documents import formats
from connectors.documents.kinds import KINDS, kind_of, media_kind
from connectors.files.files import read_file
from mneme.errors import InputError
from tests.samples.office import zip_of

MAIL = b"Received: from x\r\nFrom: a@example.org\r\nTo: b@example.org\r\nSubject: Plan\r\n\r\nHello\r\n"


def office(part: str) -> bytes:
    return zip_of({"[Content_Types].xml": b"<x/>", part: b"<x/>"})


READ = {
    "pdf": b"%PDF-1.7\n1 0 obj",
    "png": b"\x89PNG\r\n\x1a\n" + bytes(20),
    "jpg": b"\xff\xd8\xff\xe0" + bytes(20),
    "gif": b"GIF89a" + bytes(20),
    "tiff": b"II*\0" + bytes(20),
    "bmp": b"BM" + (70).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little") + bytes(50),
    "webp": b"RIFF\0\0\0\0WEBPVP8 ",
    "wav": b"RIFF\0\0\0\0WAVEfmt ",
    "mp3": b"\xff\xfb\x90\x64" + bytes(200),
    "flac": b"fLaC" + bytes(20),
    "ogg": b"OggS" + bytes(20),
    "m4a": b"\0\0\0\x20ftypM4A \0\0\0\0" + bytes(20),
    "webm": b"\x1a\x45\xdf\xa3" + bytes(8) + b"webm...A_OPUS",
    "docx": office("word/document2.xml"),
    "xlsx": office("xl/workbook.xml"),
    "pptx": office("ppt/presentation.xml"),
    "eml": MAIL,
    "html": b"<!-- a page -->\n<!DOCTYPE html><html><body>hi</body></html>",
    "svg": b'<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"><svg xmlns="http://www.w3.org/2000/svg"/>',
    "vtt": b"\xef\xbb\xbfWEBVTT - talk\n\n00:01.000 --> 00:02.000\nhi\n",
    "srt": b"1\r\n00:00:01,000 --> 00:00:02,000\r\nhi\r\n",
    "csv": b"name,city,year\nAnn,Rome,2020\nBob,Oslo,2021\nCy,Bonn,2022\n",
    "tsv": b"name\tcity\nAnn\tRome\nBob\tOslo\n",
    "txt": b"Just a text, nothing else.\n",
}


@pytest.mark.parametrize("name", ["notes", "notes.txt", "notes.docx", "notes.png"])
@pytest.mark.parametrize("format", READ)
def test_a_format_is_told_by_its_content_whatever_its_name(format: str, name: str):
    assert kind_of(READ[format], name, "application/octet-stream").name == format


@pytest.mark.parametrize(
    ("content", "name", "media_type", "format"),
    [
        (b"# Notes\nhi", "notes.md", None, "md"),
        (b"# Notes\nhi", "notes", "text/markdown; charset=utf-8", "md"),
        (b"# Notes\nhi", "notes.txt", "text/markdown", "txt"),
        (b"<h1 align=center>Tool</h1>\nhi", "README.md", None, "md"),
        (b"<h1>Tool</h1>\nhi", "page.html", None, "html"),
        (b"a,b\n1,2\n", "t.csv", None, "csv"),
        (b"a,b\n1,2\n", "t.txt", None, "txt"),
        (b"From: Ann\n\nhi", "m.eml", None, "eml"),
        (b"From: Ann\nTo: Bob\nDate: 2026-03-01\n\nhi", "notes.txt", None, "txt"),
        (b"<note><to>Bob</to></note>", "n.xml", None, "txt"),
        (b"\0\0\0\x20ftypisom" + bytes(20), "talk.m4a", None, "m4a"),
    ],
)
def test_a_name_breaks_a_tie(content: bytes, name: str, media_type: str | None, format: str):
    assert kind_of(content, name, media_type).name == format


REFUSED = {
    "empty": b"",
    "ZIP archive, which is not read": zip_of({"a.txt": b""}),
    "cut off": office("word/document.xml")[:60],
    "EPUB": zip_of({"mimetype": b"application/epub+zip"}),
    "OpenDocument": zip_of({"mimetype": b"application/vnd.oasis.opendocument.text"}),
    "xlsb": office("xl/workbook.bin"),
    "gzip": gzip.compress(b"0" * 10_000_000),
    "RAR": b"Rar!\x1a\x07\x01\0",
    "7-Zip": b"7z\xbc\xaf\x27\x1c\0\x04",
    "old Office file that cannot be opened": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    "RTF": b"{\\rtf1 hello}",
    "program": b"\x7fELF\x02\x01\x01" + bytes(60),
    "a program, ": b"MZ\x90\0" + bytes(60),
    "database": b"SQLite format 3\0" + bytes(60),
    "Parquet": b"PAR1" + bytes(60),
    "HEIF": b"\0\0\0\x20ftypheic" + bytes(20),
    "film": b"\0\0\0\x20ftypisom" + bytes(20) + b"hdlr" + bytes(8) + b"vide",
    "binary data": b"text\0text",
    "binary data of no format": bytes(range(256)) * 10,
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_not_read_is_refused_with_a_remedy_whatever_its_name(reason: str):
    for name in ("notes.txt", "notes.docx", "../../notes", "a\0b.pdf", "x" * 10_000):
        with pytest.raises(InputError, match=rf"{reason}.*; |{reason}: send"):
            kind_of(REFUSED[reason], name, "text/plain")


@pytest.mark.parametrize("ending", [".txt", ".md", ".docx", ".jsonl.gz", ""])
def test_a_file_of_such_content_is_refused_before_it_is_unpacked(tmp_path: Path, ending: str):
    path = tmp_path / f"notes{ending}"
    path.write_bytes(REFUSED["gzip"])
    with pytest.raises(InputError, match="gzip"):
        list(read_file(path, user_id="ann"))


SPOKEN_OF = [
    "WEBVTTs",
    "GIF89a is a format",
    "ID3 tags",
    "OggS",
    "A PDF begins with %PDF-1.7",
    "PAR1",
    "fLaC",
    "MZ",
    "II*",
    "ARROW1",
]


@pytest.mark.parametrize(
    "text", ["PKK", "BZh is a name", "GIF", "{rtf}", "%PD", "\ufeffHello", "你好", "a\tb\r\n", "WEBVTTs", *SPOKEN_OF]
)
def test_a_text_that_begins_almost_like_one_of_them_is_a_text(text: str):
    assert kind_of(text.encode(), "notes.txt", None).name == "txt"


@pytest.mark.timeout(120)  # a pattern that tries all ways would take years
@pytest.mark.parametrize(
    "text", ["<!-- x -->" * 5_000, "<!--" * 10_000, "<?xml " * 8_000, " " * 60_000 + "<", "<!DOCTYPE a [" * 4_000]
)
def test_strange_beginnings_are_judged_in_linear_time(text: str):
    assert kind_of(text.encode(), "x", None).name in ("txt", "html")


@pytest.mark.parametrize("more", range(3))
def test_a_long_text_is_judged_by_its_beginning_wherever_that_is_cut(more: int):
    assert kind_of(("x" * more + "会议纪要。" * 20_000).encode(), "x.md", None).name == "md"


def test_pictures_and_recordings_are_known_by_their_first_bytes():
    families = {format: media_kind(READ[format]) for format in READ}
    assert {format for format, kind in families.items() if kind is not None} == {
        kind.name for kind in KINDS.values() if kind.family in ("picture", "sound") and kind.name != "svg"
    }


def test_every_format_has_a_parser_a_media_type_and_a_line_for_people():
    folder = Path(formats.__file__).parent
    for kind in KINDS.values():
        module, _, function = kind.parser.partition(":")
        assert kind.parsed_by
        assert kind.media_type
        if kind.family != "sound":
            assert f"def {function}(content: bytes, task: Task)" in (folder / f"{module}.py").read_text()
