"""A chunk of a document: its paragraphs, rows and lines as quotes, its section as the subject. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, tzinfo

from connectors.documents.blocks import place_within
from flows.cuts import Cut, ExtractedEntity, ExtractedFact, ExtractedForesight, ExtractedRelationship, Extraction
from flows.extraction.entities import entities_of, relationships_of
from flows.extraction.episode_texts import central, subject_of
from flows.extraction.paragraphs import Paragraph, is_heading, is_noise, paragraphs
from flows.extraction.sentences import Sentence, event_of, is_question, sentence_spans
from mneme.dates import DateMention, DaySpan, certain_dates, resolve_dates
from mneme.languages import languages_of
from mneme.patterns import Patterns
from mneme.records import Quote, Spoken
from mneme.relations import claims_in
from mneme.text import has_cjk
from mneme.times import zone_or_utc

_LONGEST = 500  # characters of a quote
_MOST_FACTS = 80  # of one chunk of 1,600 characters: rows of 20 characters
_LONGEST_SPAN = 92  # days: a quarter; what is of a year is no deadline
_WORDS = Patterns(__file__)
_MOST_DATES = 16  # of one form in a sentence


def extract_document(cut: Cut) -> Extraction:
    """The memories of one chunk. Its facts need vectors of their own."""
    message = cut.utterances[0].message
    zone, [language] = zone_or_utc(message.timezone), languages_of([message.text])
    passages: list[tuple[Paragraph, list[Sentence]]] = []
    for paragraph in paragraphs(message.text):
        sentences = _sentences(paragraph, language, message.sent_at, zone)
        passages += ((paragraph, group) for group in _grouped(sentences))
    del passages[_MOST_FACTS:]
    sentences = [one for _, group in passages for one in group]
    subject = cut.section or cut.document_name or subject_of(sentences, ())
    relationships = tuple(edge for edge in relationships_of(sentences) if _is_full_name(edge.source))
    day = DaySpan.of_day(message.sent_at.astimezone(zone).date())
    return Extraction(
        subject=subject,
        summary=" ".join(one.text for one in central(sentences)) or message.text[:200],
        narrative=f"{_header(cut, day)}\n{message.text}",
        facts=tuple(_fact(cut, paragraph, group, subject, language) for paragraph, group in passages),
        entities=tuple(dict.fromkeys(_ends(relationships, entities_of(sentences)))),
        relationships=relationships,
        foresights=tuple(_deadlines(cut, passages)),
    )


def _sentences(paragraph: Paragraph, language: str, dated_at: datetime, zone: tzinfo) -> list[Sentence]:
    """The sentences of a paragraph; a row is one. What recognition makes of specks is left out."""
    text = paragraph.text
    words = list(_parts_of_row(text)) if paragraph.is_row else [span.of(text) for span in sentence_spans(text, language)]
    alone = len(words) == 1 and not (paragraph.is_row or paragraph.is_item)
    if alone and (is_heading(words[0]) or _only_dates(words[0], _dates(words[0], dated_at, zone, language))):
        return []
    return [
        Sentence(
            text=one,
            language=language,
            said_at=dated_at,
            zone=zone,
            is_question=is_question(one),
            dates=_dates(one, dated_at, zone, language),
            claims=() if paragraph.is_row or is_question(one) else claims_in(one, language),
        )
        for one in words
        if paragraph.is_entry or not is_noise(one)
    ]


def _only_dates(line: str, dates: Iterable[DateMention]) -> bool:
    """Tell whether a line says no more than what day it is, and where."""
    rest = line
    for each in dates:
        rest = rest.replace(each.text, "")
    return rest != line and _WORDS.place_before.fullmatch(rest) is not None


def _parts_of_row(row: str) -> Iterator[str]:
    """A row whole; one that is too long for a quote in several, each with its first cell, which mostly names it."""
    if len(row) <= _LONGEST:
        yield row
        return
    first, *cells = _WORDS.cells.split(row)
    part = first
    for cell in cells:
        if part != first and len(part) + len(cell) > _LONGEST:
            yield part
            part = first
        part = f"{part} {cell}"
    yield part


def _dates(sentence: str, dated_at: datetime, zone: tzinfo, language: str) -> tuple[DateMention, ...]:
    """The dates of a document: those in full, and others that are certain. A weekday is each of its kind there, and a
    duration begins with something else than the document.
    """
    full = [each for each in resolve_dates(sentence, dated_at, zone, _MOST_DATES) if _WORDS.in_full.search(each.text)]
    sure = [each for each in certain_dates(sentence, dated_at, zone, language) if re.search(r"\d", each.text)]
    by_place = {each.start_index: each for each in (*full, *sure) if not _WORDS.duration.match(each.text)}
    return tuple(by_place[at] for at in sorted(by_place))


def _is_full_name(name: str) -> bool:
    """Tell whether a name is certainly a person's: in a document one word may be anything."""
    return " " in name or has_cjk(name)


def _ends(relationships: Iterable[ExtractedRelationship], entities: Iterable[ExtractedEntity]) -> Iterator[ExtractedEntity]:
    """The entities at the ends of relationships: a document names many things once, and a graph of all would be a register."""
    named = {entity.name: entity for entity in entities}
    for edge in relationships:
        for name, kind in ((edge.source, "person"), (edge.target, "object")):
            yield named.get(name) or ExtractedEntity(name, kind, "", edge.sources)


def _grouped(sentences: Sequence[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences of one paragraph together, as long as they are not too long."""
    group: list[Sentence] = []
    for one in sentences:
        if group and sum(len(each.text) + 1 for each in group) + len(one.text) > _LONGEST:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _fact(cut: Cut, paragraph: Paragraph, group: Sequence[Sentence], subject: str, language: str) -> ExtractedFact:
    """A quote of the document: where it stands, the line that introduces it, and the words."""
    name = cut.document_name or cut.utterances[0].message.sender_name
    words = ("" if has_cjk(group[0].text) else " ").join(one.text for one in group)
    context = (
        Spoken(speaker=name, words=paragraph.introduction, message_id=cut.utterances[0].message.message_id)
        if paragraph.introduction
        else None
    )
    event = event_of(group)
    place = _place(cut, paragraph)
    head = ", ".join(part for part in dict.fromkeys((name, cut.section or "", place)) if part)
    return ExtractedFact(
        statement=f"{head}: {f'{paragraph.introduction} ' if paragraph.introduction else ''}{words}",
        topic=subject,
        sources=(0,),
        event_at=event.since if event else None,
        event_until=event.until if event else None,
        quote=Quote(speaker=name, words=words, language=language, context=context),
        claims=tuple(claim for one in group for claim in one.claims),
        place=place,
    )


def _place(cut: Cut, paragraph: Paragraph) -> str:
    """The place of a paragraph: its own line or row, where the document counts them."""
    return place_within(cut.citation.place, paragraph.line) if cut.citation is not None else ""


def _deadlines(cut: Cut, passages: Sequence[tuple[Paragraph, Sequence[Sentence]]]) -> Iterator[ExtractedForesight]:
    """The deadlines of a document: sentences that name, in full, a day after the document's own; a row needs a word for it."""
    dated_at = cut.utterances[0].message.sent_at
    for paragraph, group in passages:
        for one in group:
            if one.is_question or _WORDS.cancelled.search(one.text):
                continue
            if paragraph.is_row and not _WORDS.expects_in_a_row.search(one.text):
                continue
            ahead = [each for each in one.dates if each.since > dated_at and each.span.days <= _LONGEST_SPAN]
            day = next((each for each in ahead if each.lacks_year or _WORDS.in_full.search(each.text)), None)
            if day is not None:
                place = _place(cut, paragraph)
                yield ExtractedForesight(one.text, one.text, (0,), day.since, day.until, one.claims, place)


def _header(cut: Cut, day: DaySpan) -> str:
    """``8 May 2023, handbook.pdf, Holidays, page 3``."""
    date = day.in_chinese() if has_cjk(cut.utterances[0].message.text) else day.in_english()
    place = cut.citation.place if cut.citation is not None else ""
    return ", ".join(part for part in dict.fromkeys((date, cut.document_name or "", cut.section or "", place)) if part)
