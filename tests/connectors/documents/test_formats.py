"""Every format, on the samples of ``tests/samples``: what is read of it, and what becomes of hostile files."""

import re
from functools import cache

import pytest

from connectors.documents.local import LocalParser
from connectors.documents.pool import ParserPool
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from mneme.settings import Documents
from tests.samples import FORMATS, Hostile, Sample, hostile, samples
from tests.samples.fonts import FontMissing
from tests.samples.known_text import cited, recall, text_of
from tests.samples.office import OfficeMissing
from tests.samples.scans import PICTURES
from tests.samples.table import TEXT_BAR

MOST_OF_A_FORMAT = {"doc": 2, "ppt": 1}  # LibreOffice takes seconds for each
GOOD_SCAN = 0.94  # of the worst of these; one that is read without being cleaned has less
SCANS = [
    ("png", "scan-skewed.png"),
    ("jpg", "scan-noisy.jpg"),
    ("tiff", "fax-manual.tiff"),
    ("svg", "framed.svg"),
    ("pdf", "scan-table-worn.pdf"),
    ("pdf", "scan-two-columns-noisy.pdf"),
    ("pdf", "scan-chinese.pdf"),
    ("png", "scan-chinese-skewed.png"),
    ("png", "scan-chinese-noisy.png"),
]


def made(format: str) -> tuple[Sample, ...]:
    """The samples of a format, as far as this machine can make them."""
    try:
        return samples(format)
    except (FontMissing, OfficeMissing) as error:
        pytest.skip(str(error))


@cache
def parsed(sample: Sample) -> ParsedDocument:
    return LocalParser(Documents()).parse(sample.content, sample.name, None)


def of_text(format: str) -> list[Sample]:
    return [sample for sample in made(format) if not sample.scan][: MOST_OF_A_FORMAT.get(format)]


TEXT_FORMATS = [format for format in FORMATS if format not in PICTURES]


@pytest.mark.parametrize("format", TEXT_FORMATS)
def test_the_text_of_a_file_is_read(format: str) -> None:
    missed = {
        sample.name: found for sample in of_text(format) if (found := recall(sample.text, text_of(parsed(sample)))) < TEXT_BAR
    }
    assert missed == {}


@pytest.mark.parametrize("format", TEXT_FORMATS)
def test_a_file_is_what_it_is_and_says_its_title_and_its_date(format: str) -> None:
    for sample in of_text(format):
        document = parsed(sample)
        assert (sample.name, document.format) == (sample.name, format)
        if sample.title:
            assert document.title == sample.title
        if sample.dated_at:
            assert document.dated_at is not None, sample.name
            assert document.dated_at.date() == sample.dated_at.date()


@pytest.mark.parametrize("format", ["pdf", "docx", "doc", "xlsx", "xls", "pptx", "ppt", "eml"])
def test_a_sentence_is_cited_where_it_stands(format: str) -> None:
    places = [(line, place, found) for sample in of_text(format) for line, place, found in cited(sample, parsed(sample))]
    assert len(places) >= 2
    assert [(line, found) for line, _, found in places] == [(line, place) for line, place, _ in places]


@pytest.mark.parametrize("format", ["vtt", "srt"])
def test_speech_has_its_speakers(format: str) -> None:
    for sample in made(format):
        spoken = parsed(sample).spoken
        assert list(dict.fromkeys(each.speaker for each in spoken)) == list(dict.fromkeys(who for who, _ in sample.spoken))
        for who, text in sample.spoken:
            assert any(each.speaker == who and text in each.text for each in spoken)


@pytest.mark.slow
@pytest.mark.parametrize(("format", "name"), SCANS)
def test_a_scan_is_read(format: str, name: str) -> None:
    sample = next(sample for sample in made(format) if sample.name == name)
    document = parsed(sample)
    assert document.unread == ()
    assert recall(sample.text, text_of(document)) >= GOOD_SCAN
    assert [place for _, place, found in cited(sample, document) if place != found] == []
    unread = "noisy" in name and document.dated_at is None  # a stroke less, and it is no date
    assert unread or document.dated_at == sample.dated_at


# --- hostile files ----------------------------------------------------------------------------------------------------


def test_a_hostile_file_is_refused_with_its_reason_or_read_and_nothing_more_and_the_pool_still_reads() -> None:
    pool = ParserPool(Documents(seconds=120).model_copy(update={"processes": 1}))
    wrong = {each.name: complaint for each in hostile() if (complaint := complaint_about(each, pool))}
    assert wrong == {}
    assert pool.parse(b"still here", "notes.txt", None).sections[0].text == "still here"
    pool.close(grace_seconds=0)


def complaint_about(each: Hostile, pool: ParserPool) -> str:
    """What the pool did wrong with a file; empty where nothing."""
    try:
        text = " ".join(text_of(pool.parse(each.content, each.name, None)).split())
    except InputError as refused:
        reason = str(refused)
        known = each.refusal is not None and all(re.search(words, reason, re.IGNORECASE) for words in each.refusal)
        return "" if known else f"refused: {reason}"
    if each.refusal is not None:
        return f"read: {text[:200]}"
    if each.text not in text:
        return f"not found: {each.text}"
    return f"found: {each.never}" if each.never and each.never in text else ""
