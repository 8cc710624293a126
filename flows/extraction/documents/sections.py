"""What a chunk of a document yields: its sentences as facts, its section as the subject."""

import re

from flows.cuts import Cut, ExtractedFact, Extraction
from flows.extraction.documents.paragraphs import paragraphs
from flows.extraction.facts.messages import event_time
from flows.extraction.subjects import subject_of
from flows.extraction.summaries import central
from flows.extraction.wording.retelling import Kind, Said, with_dates, zone_of
from flows.extraction.wording.sentences import is_question, split_sentences
from flows.extraction.wording.substance import weight
from mneme.dates import DateMention, DaySpan, resolve_dates
from mneme.dates.spans import WEEKDAYS
from mneme.text import has_cjk, tokenise

_LEAST_WEIGHT = 3.0  # words of content in a sentence that is worth a fact
_LONGEST_FACT = 600  # characters
_MOST_FACTS = 12  # of one chunk of 1,600 characters: more are the cells of a table
_SHORT = 5.0  # weight under which a sentence says too little to stand without its section
_NUMBERING = re.compile(r"^(?:§\s*)?(?:\d++[.)]?+)++\s+|^[一二三四五六七八九十]+、\s*")
_LEANS = re.compile(
    r"^(?:it|its|they|their|these|those|this|that|such|others?|otherwise|then|the (?:same|former|latter|only|first|second)|"
    r"and|but|however)\b|\b(?:these|those|this|such)\b|\bthen\b|^(?:其|此|该|这|那)",
    re.IGNORECASE,
)


def extract_document(cut: Cut) -> Extraction:
    """The memories of one chunk. Its facts need vectors of their own."""
    message = cut.utterances[0].message
    zone = zone_of(message)
    informative: list[Said] = []
    told: list[str] = []
    for paragraph in paragraphs(message.text):
        for text in split_sentences(paragraph.text):
            dates = tuple(mention for mention in resolve_dates(text, message.sent_at, zone) if not _is_any_weekday(mention))
            dated = with_dates(text, dates)
            kind = Kind.QUESTION if is_question(text) else Kind.STATEMENT
            context = f"{paragraph.introduction} {dated}" if paragraph.introduction else dated
            if weight(context) >= _LEAST_WEIGHT and not text.endswith((":", "：")):
                informative.append(Said(kind, text, dated, dated, True, dates))
                told.append(context if paragraph.introduction else _standing_alone(dated, cut.section or ""))
    section = cut.section or cut.document_name or ""
    subject = section or subject_of([one.text for one in informative], ())
    topic = section or subject
    facts = []
    for said, statement in zip(informative[:_MOST_FACTS], told, strict=False):
        event_at, event_until = event_time([said])
        facts.append(ExtractedFact(statement[:_LONGEST_FACT], topic, (0,), event_at, event_until))
    day = message.sent_at.astimezone(zone).date()
    return Extraction(
        subject=subject,
        summary=_joined([one.told for one in central(informative)]) or message.text[:200],
        narrative=f"{_header(cut, DaySpan.of_day(day))}\n{message.text}",
        facts=tuple(facts),
    )


def _standing_alone(sentence: str, section: str) -> str:
    """The sentence with the innermost heading, without its number, in front where it leans on what is around it."""
    if not section or set(tokenise(section)) & set(tokenise(sentence)) or has_cjk(section) != has_cjk(sentence):
        return sentence
    if weight(sentence) >= _SHORT and not _LEANS.search(sentence):
        return sentence
    heading = _NUMBERING.sub("", section.rpartition(" > ")[2].strip())
    return f"{heading}{'：' if has_cjk(sentence) else ': '}{sentence}"


def _is_any_weekday(mention: DateMention) -> bool:
    """Whether a date is only a weekday: in a document it means each of them."""
    return mention.text.lower().split()[0] in WEEKDAYS and mention.span.days == 1 and not re.search(r"\d", mention.text)


def _header(cut: Cut, day: DaySpan) -> str:
    """``8 May 2023, handbook.pdf, Holidays``."""
    date = day.in_chinese() if has_cjk(cut.utterances[0].message.text) else day.in_english()
    return ", ".join(part for part in dict.fromkeys((date, cut.document_name or "", cut.section or "")) if part)


def _joined(sentences: list[str]) -> str:
    return ("" if sentences and has_cjk(sentences[0]) else " ").join(sentences)
