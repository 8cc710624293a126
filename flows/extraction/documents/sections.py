"""What a chunk of a document yields: its sentences, rows and items as facts, its section as the subject."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from flows.cuts import Cut, ExtractedFact, Extraction
from flows.extraction.documents.deadlines import deadlines
from flows.extraction.documents.paragraphs import Paragraph, paragraphs
from flows.extraction.documents.people import graph_of_document
from flows.extraction.facts.messages import event_time
from flows.extraction.subjects import subject_of
from flows.extraction.summaries import central
from flows.extraction.wording.attachments import attachment_of
from flows.extraction.wording.noise import is_noise
from flows.extraction.wording.retelling import Kind, Said, with_dates, zone_of
from flows.extraction.wording.sentences import is_question, split_sentences
from flows.extraction.wording.substance import weight
from mneme.caseless import Caseless
from mneme.dates import DateMention, DaySpan, resolve_dates
from mneme.dates.spans import WEEKDAYS
from mneme.records import StoredMessage
from mneme.text import has_cjk, tokenise

_LEAST_WEIGHT = 3.0  # words of content in a line that is worth a fact
_LEAST_SENTENCE, _WORDS_OF_A_SENTENCE = 2.0, 5  # the same of a whole sentence: "She is allergic to penicillin."
_LEAST_ROW = 2.0  # the same of a row of a table, whose columns say what its cells are
_LEAST_CHINESE = 7 / 3  # 预算为三十万元 is a fact; most headings are shorter
_LONGEST_FACT = 600  # characters
_MOST_FACTS = 80  # of one chunk of 1,600 characters: rows of 20 characters
_SHORT = 5.0  # weight under which a sentence says too little to stand without its section
_NUMBERING = re.compile(r"^(?:§\s*)?(?:\d++[.)]?+)++\s+|^[一二三四五六七八九十]+、\s*")
_LEANS = Caseless(
    r"^(?:it|its|they|their|these|those|this|that|such|others?|otherwise|then|the (?:same|former|latter|only|first|second)|"
    r"and|but|however)\b|\b(?:these|those|this|such)\b|\bthen\b|^(?:其|此|该|这|那)",
)
_DURATION = Caseless(
    r"^(?:with)?in (?:the next |at most )?(?:an?|\d+|[a-z]+) (?:hour|(?:working |business )?day|week|month|year)s?$"
    r"|^(?:\d+|[一二三四五六七八九十两]+)个?(?:天|日|周|星期|月|年)(?:之?内|以?后)$",
)
_IN_THE_HEAD = re.compile(r"Subject: |Date: (?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d")  # of a mail
_PLACE_BEFORE = re.compile(r"(?:[A-Z][^\W\d]+[, ]*|[\u4e00-\u9fff]{2,6}[,，]\s*)?[\s.,，。]*")  # "Lyon, 1 March 2026"
_CELLS = re.compile(r"(?<=[;；])\s*")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence, an item or a row, and the fact that tells it."""

    said: Said
    told: str
    is_row: bool = False


def extract_document(cut: Cut) -> Extraction:
    """The memories of one chunk. Its facts need vectors of their own."""
    message = cut.utterances[0].message
    section = cut.section or ""
    statements = [each for one in paragraphs(message.text) for each in _statements(one, section, message)][:_MOST_FACTS]
    sentences = [each.said for each in statements]
    subject = section or cut.document_name or subject_of([one.text for one in sentences], ())
    entities, relationships = graph_of_document(message, [each.said for each in statements if not each.is_row])
    day = DaySpan.of_day(message.sent_at.astimezone(zone_of(message)).date())
    return Extraction(
        subject=subject,
        summary=_joined([one.told for one in central(sentences)]) or message.text[:200],
        narrative=f"{_header(cut, day)}\n{message.text}",
        facts=tuple(ExtractedFact(each.told[:_LONGEST_FACT], subject, (0,), *event_time([each.said])) for each in statements),
        entities=entities,
        relationships=relationships,
        foresights=tuple(
            deadlines(((each.said, each.told[:_LONGEST_FACT], each.is_row) for each in statements), message.sent_at)
        ),
    )


def _statements(paragraph: Paragraph, section: str, message: StoredMessage) -> Iterator[_Statement]:
    """What of a paragraph is worth a fact, each so that it stands alone."""
    texts = _parts_of_row(paragraph.text) if paragraph.is_row else split_sentences(paragraph.text)
    for text in texts:
        attachment = attachment_of(text)
        if attachment is not None and attachment.is_unread:
            told = attachment.not_read()
            yield _Statement(Said(Kind.STATEMENT, text, told, told, True), told)
            continue
        if text.endswith((":", "：")) or is_noise(text):
            continue
        dates = tuple(each for each in resolve_dates(text, message.sent_at, zone_of(message)) if _is_meant(each))
        if not paragraph.is_item and not paragraph.is_row and _only_dates(text, dates):
            continue
        dated = with_dates(text, dates)
        if paragraph.introduction:
            told = f"{paragraph.introduction} {dated}"
        elif paragraph.is_row:
            told = _under(section, dated, names_all=True)
        else:
            told = _standing_alone(dated, section)
        weighed = told if paragraph.is_item else dated
        if weight(weighed) >= _least(paragraph, text):
            kind = Kind.QUESTION if is_question(text) else Kind.STATEMENT
            yield _Statement(Said(kind, text, dated, dated, True, dates), told, paragraph.is_row)


def _least(paragraph: Paragraph, text: str) -> float:
    if paragraph.is_row:
        return _LEAST_ROW
    if has_cjk(text):
        return _LEAST_CHINESE
    return _LEAST_SENTENCE if text.endswith(".") and len(text.split()) >= _WORDS_OF_A_SENTENCE else _LEAST_WEIGHT


def _parts_of_row(row: str) -> Iterator[str]:
    """A row whole; one that is too long for a fact in several, each with its first cell, which mostly names it."""
    if len(row) <= _LONGEST_FACT:
        yield row
        return
    first, *cells = _CELLS.split(row)
    room = _LONGEST_FACT * 3 // 4  # beside the section in front
    part = first
    for cell in cells:
        if part != first and len(part) + len(cell) > room:
            yield part
            part = first
        part = f"{part} {cell}"
    yield part


def _standing_alone(sentence: str, section: str) -> str:
    """The sentence with the heading in front where it leans on what is around it."""
    if weight(sentence) >= _SHORT and not _LEANS.search(sentence):
        return sentence
    return _under(section, sentence)


def _under(section: str, sentence: str, names_all: bool = False) -> str:
    """The sentence with the innermost heading, without its number, in front.

    Without it where the sentence names something of the section, or, if ``names_all``, everything that the heading does.
    """
    heading = _NUMBERING.sub("", section.rpartition(" > ")[2].strip())
    if not heading or has_cjk(heading) != has_cjk(sentence):
        return sentence
    words = set(tokenise(sentence))
    if words.issuperset(tokenise(heading)) if names_all else words.intersection(tokenise(section)):
        return sentence
    return f"{heading}{'：' if has_cjk(sentence) else ': '}{sentence}"


def _is_meant(mention: DateMention) -> bool:
    """Whether a date is one: a weekday of a document is each of its kind, and a duration begins with something else."""
    if _DURATION.match(mention.text):
        return False
    is_weekday = mention.text.lower().split()[0] in WEEKDAYS and mention.span.days == 1
    return not is_weekday or re.search(r"\d", mention.text) is not None


def _only_dates(text: str, dates: Iterable[DateMention]) -> bool:
    """Whether a line says no more than what day it is, or stands in the head of a mail: the document's own date and title."""
    if _IN_THE_HEAD.match(text):
        return True
    rest = text
    for each in dates:
        rest = rest.replace(each.text, "")
    return rest != text and _PLACE_BEFORE.fullmatch(rest) is not None


def _header(cut: Cut, day: DaySpan) -> str:
    """``8 May 2023, handbook.pdf, Holidays, page 3``."""
    date = day.in_chinese() if has_cjk(cut.utterances[0].message.text) else day.in_english()
    place = cut.citation.place if cut.citation is not None else ""
    return ", ".join(part for part in dict.fromkeys((date, cut.document_name or "", cut.section or "", place)) if part)


def _joined(sentences: list[str]) -> str:
    return ("" if sentences and has_cjk(sentences[0]) else " ").join(sentences)
