"""What is no text is refused by its content, before anything would unpack or parse it; what is a text stays one."""

import gzip
import io
import json
import time
import zipfile
from pathlib import Path

import pytest

from connectors.documents.content_formats import unread_format
from connectors.documents.plain_text import PlainTextParser
from connectors.files.files import read_file
from flows.decode import decode
from flows.items import Arrived
from mneme.errors import InputError
from mneme.ports import DeadLetter, Incoming
from mneme.records import Position

LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE lolz [\n <!ENTITY lol "lol">\n'
    + "".join(f' <!ENTITY lol{n} "{f"&lol{n - 1 or str()};" * 10}">\n' for n in range(1, 10))
    + ']>\n<!ENTITY xxe SYSTEM "file:///etc/passwd">\n<lolz>&lol9;&xxe;</lolz>\n'
)


def zip_bomb() -> bytes:
    """50 MB of zeros in 50 KB, as the first entry of an archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 50_000_000)
    return content.getvalue()


BINARIES = {
    "ZIP": zip_bomb(),
    "gzip": gzip.compress(b"0" * 10_000_000),
    "PDF": b"%PDF-1.7\n1 0 obj",
    "old Office": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "RTF": b"{\\rtf1 hello}",
    "picture": b"\x89PNG\r\n\x1a\n",
    "binary data": b"text\0text",
}


@pytest.mark.parametrize("kind", BINARIES)
def test_a_document_of_such_content_is_refused_whatever_its_name_and_type_say(kind):
    with pytest.raises(InputError, match=rf"notes\.txt: it is .*{kind}"):
        PlainTextParser().parse(BINARIES[kind], "notes.txt", "text/plain")


@pytest.mark.parametrize("ending", [".txt", ".md", ".docx", ".jsonl.gz", ""])
@pytest.mark.parametrize("kind", BINARIES)
def test_a_file_of_such_content_is_refused_whatever_its_ending(tmp_path: Path, kind, ending):
    path = tmp_path / f"notes{ending}"
    path.write_bytes(BINARIES[kind])
    began = time.process_time()
    with pytest.raises(InputError, match=kind):
        list(read_file(path, user_id="ann"))
    assert time.process_time() - began < 2


def test_a_document_by_reference_is_judged_by_its_content_too(tmp_path: Path):
    from connectors.documents.references import FileReferences

    path = tmp_path / "notes.txt"
    path.write_bytes(BINARIES["ZIP"])
    event = {"event": "document", "document_id": "d", "name": "notes.txt", "user_id": "ann", "uri": path.as_uri()}
    incoming = Incoming(json.dumps(event).encode(), Position(topic="t", partition=0, offset=0), None)
    [letter] = decode(incoming, PlainTextParser(), 1, FileReferences((tmp_path,), 100_000))
    assert isinstance(letter, DeadLetter)
    assert "ZIP" in letter.reason
    path.write_text("Trains are the default.")
    [arrived] = decode(incoming, PlainTextParser(), 1, FileReferences((tmp_path,), 100_000))
    assert isinstance(arrived, Arrived)
    assert arrived.message.text == "Trains are the default."
    [refused] = decode(incoming, PlainTextParser(), 1)
    assert isinstance(refused, DeadLetter)
    assert "MNEME_DOCUMENTS__ROOTS" in refused.reason


def test_xml_with_entities_is_a_text_and_nothing_in_it_is_expanded(tmp_path: Path):
    path = tmp_path / "laughs.txt"
    path.write_text(LAUGHS)
    began = time.process_time()
    [incoming] = read_file(path, user_id="ann")
    texts = [item.message.text for item in decode(incoming, PlainTextParser(), 1) if isinstance(item, Arrived)]
    assert sum(map(len, texts)) < 3 * len(LAUGHS)
    assert any("&lol9;&xxe;" in text for text in texts)
    assert not any("root:" in text for text in texts)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("text", ["", "PKK", "BZh is a name", "GIF", "{rtf}", "%PD", "\ufeffHello", "你好", "a\tb\r\n"])
def test_a_text_that_begins_almost_like_one_of_them_is_a_text(text):
    assert unread_format(text.encode()) is None
