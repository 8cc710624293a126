"""What a chunk of a document yields: its sentences as facts, its section as the subject."""

import re

from flows.cuts import Cut, ExtractedFact, Extraction
from flows.extraction.facts import event_time
from flows.extraction.retelling import Kind, Said, with_dates, zone_of
from flows.extraction.sentences import is_question, split_sentences
from flows.extraction.subjects import subject_of
from flows.extraction.substance import weight
from flows.extraction.summaries import central
from mneme.dates import DaySpan, resolve_dates
from mneme.text import has_cjk

_LEAST_WEIGHT = 3.0  # words of content in a sentence that is worth a fact
_LONGEST_FACT = 600  # characters
_MOST_FACTS = 12  # of one chunk of 1,600 characters: more are the cells of a table
_MARKUP = re.compile(r"^(?:[#>*•\-–|]+|\d+[.)])\s+")


def extract_document(cut: Cut) -> Extraction:
    """The memories of one chunk. Its facts need vectors of their own."""
    message = cut.utterances[0].message
    zone = zone_of(message)
    sentences = []
    for text in split_sentences(message.text):
        text = _MARKUP.sub("", text)
        dates = tuple(resolve_dates(text, message.sent_at, zone))
        dated = with_dates(text, dates)
        kind = Kind.QUESTION if is_question(text) else Kind.STATEMENT
        sentences.append(Said(kind, text, dated, dated, weight(text) >= _LEAST_WEIGHT, dates))
    section = cut.section or cut.document_name or ""
    subject = section or subject_of([one.text for one in sentences], ())
    topic = section or subject
    informative = [one for one in sentences if one.informative]
    facts = []
    for said in informative[:_MOST_FACTS]:
        event_at, event_until = event_time([said])
        facts.append(ExtractedFact(said.told[:_LONGEST_FACT], topic, (0,), event_at, event_until))
    day = message.sent_at.astimezone(zone).date()
    return Extraction(
        subject=subject,
        summary=_joined([one.told for one in central(informative)]) or message.text[:200],
        narrative=f"{_header(cut, DaySpan.of_day(day))}\n{message.text}",
        facts=tuple(facts),
    )


def _header(cut: Cut, day: DaySpan) -> str:
    """``8 May 2023, handbook.pdf, Holidays``."""
    date = day.in_chinese() if has_cjk(cut.utterances[0].message.text) else day.in_english()
    return ", ".join(part for part in dict.fromkeys((date, cut.document_name or "", cut.section or "")) if part)


def _joined(sentences: list[str]) -> str:
    return ("" if sentences and has_cjk(sentences[0]) else " ").join(sentences)
