"""Bombs are refused by what they declare, before a library opens them."""

import pytest

from connectors.documents.guards import check_pages, guard
from connectors.documents.kinds import KINDS
from mneme.errors import InputError
from mneme.settings import Documents
from tests.samples.office import zip_of

SETTINGS = Documents()
LAUGHS = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'
DOCUMENT = '<?xml version="1.0"?><w:document xmlns:w="w"><w:t>&lt;!DOCTYPE x [&lt;!ENTITY</w:t></w:document>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_office_file_with_entities_is_refused_whatever_its_members_are_called(encoding: str):
    for name in ("word/document.xml", "word/other.dat"):
        with pytest.raises(InputError, match="XML entities"):
            guard(KINDS["docx"], zip_of({name: LAUGHS.replace('?xml version="1.0"?', "!-- --").encode(encoding)}), SETTINGS)


def test_entities_behind_a_long_comment_are_found():
    member = b"<!--" + b" " * 300_000 + b"-->" + LAUGHS.partition("?>")[2].encode()
    with pytest.raises(InputError, match="XML entities"):
        guard(KINDS["xlsx"], zip_of({"member": member}), SETTINGS)


def test_what_only_speaks_of_entities_is_no_bomb():
    guard(KINDS["docx"], zip_of({"member": DOCUMENT.encode(), "picture": b"\x89PNG", "broken": b"<a><b>"}), SETTINGS)


def test_a_member_that_unpacks_to_very_much_more_is_refused():
    with pytest.raises(InputError, match="unpacks to more than 200 times"):
        guard(KINDS["docx"], zip_of({"member": b"0" * 30_000_000}), SETTINGS)


def test_more_than_is_allowed_in_all_is_refused():
    content = zip_of({"a": b"0" * 4_000_000, "b": b"0" * 4_000_000})
    guard(KINDS["xlsx"], content, Documents(largest_bytes=1_000_000))
    with pytest.raises(InputError, match="unpacked it has more than 2,000,000 bytes"):
        guard(KINDS["xlsx"], content, Documents(largest_bytes=100_000))


def test_a_table_of_equal_rows_is_no_bomb():
    rows = b"".join(b'<row r="%d"><c t="s"><v>%d</v></c></row>' % (number, number) for number in range(200_000))
    guard(KINDS["xlsx"], zip_of({"member": b"<sheet>" + rows + b"</sheet>"}), SETTINGS)


def test_too_many_pages_are_refused_and_the_setting_is_named():
    check_pages(2_000, SETTINGS)
    with pytest.raises(InputError, match="MNEME_DOCUMENTS__MOST_PAGES"):
        check_pages(2_001, SETTINGS)
