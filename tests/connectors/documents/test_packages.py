import io
import zipfile
from datetime import UTC, datetime

import pytest

from connectors.documents.office import Package, Properties, old_properties

pytest.importorskip("lxml", reason="documents are not installed")

_RELATIONSHIPS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="http://x/officeDocument" Target="word/document.xml"/>
<Relationship Id="rId2" Type="http://x/officeDocument" Target="http://evil.example/a.xml" TargetMode="External"/>
</Relationships>"""
_PROPERTIES = """<p:coreProperties xmlns:p="http://p" xmlns:d="http://d"><d:title>{title}</d:title><d:creator>Alice</d:creator>
<d:created>2025-03-01T10:00:00Z</d:created><d:modified>{modified}</d:modified></p:coreProperties>"""


def _package(title: str = "Report", modified: str = "", **parts: str) -> Package:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", _RELATIONSHIPS)
        archive.writestr("docProps/core.xml", _PROPERTIES.format(title=title, modified=modified))
        archive.writestr("word/document.xml", "<document>old</document>")
        for name, text in parts.items():
            archive.writestr(name, text)
    return Package(file.getvalue())


def test_properties_say_what_a_document_is() -> None:
    said = _package(modified="2025-03-02T10:00:00+08:00").properties()
    assert said == Properties("Report", datetime(2025, 3, 2, 2, tzinfo=UTC), {"author": "Alice"})


def test_a_file_that_was_never_changed_has_the_date_it_was_made() -> None:
    assert _package().properties().dated_at == datetime(2025, 3, 1, 10, tzinfo=UTC)


def test_the_date_of_a_template_is_not_that_of_what_was_made_of_it() -> None:
    assert _package(modified="2013-12-23T23:15:00Z").properties().dated_at == datetime(2025, 3, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("title", ["PowerPoint Presentation", "Microsoft Word - a.doc", "Untitled"])
def test_titles_that_programs_put_in_are_none(title: str) -> None:
    assert _package(title).properties().title == ""


def test_parts_outside_the_file_are_none() -> None:
    assert list(_package().related("", "officeDocument")) == ["word/document.xml"]


def test_a_part_can_be_replaced() -> None:
    package = _package(other="kept")
    changed = Package(package.replaced({"word/document.xml": b"<document>new</document>"}))
    assert changed.read("word/document.xml") == b"<document>new</document>"
    assert changed.read("other") == b"kept"
    assert package.read("word/document.xml") == b"<document>old</document>"


def test_entities_are_not_resolved() -> None:
    text = '<!DOCTYPE a [<!ENTITY secret SYSTEM "file:///etc/passwd">]><a>&secret;</a>'
    tree = _package(part=text).tree("part")
    assert tree is not None
    assert "root:" not in "".join(tree.itertext())


def test_an_old_file_that_is_broken_has_no_properties() -> None:
    pytest.importorskip("olefile", reason="documents are not installed")
    assert old_properties(b"\xd0\xcf\x11\xe0") == Properties()
