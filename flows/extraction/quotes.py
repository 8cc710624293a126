"""Quotes: the words of a message as facts, unchanged, with what they need to be read alone in fields of their own.

1. A message is cut into its parts (artifacts.py) and each part into sentences (sentences.py).
2. Sentences that stand together make a passage: short messages are one, long ones are cut at paragraphs.
3. The first passage of a reply takes along what it replies to: the question, or the message before it, as much of it as
   belongs together; and what is before that where it says too little alone. Another passage that leans on words before it takes
   the sentence before. One that corrects what was said takes that, of which it has the dates and claims with the right value.
4. What is shown and searched is put together from the fields: ``Mira to Paul, 19 April 2025 (Paul: "..."): ...``.

Nothing is replaced, glued or left out: every sentence of every message stands in one quote.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from flows.cuts import ExtractedFact, Utterance
from flows.extraction.artifacts import begins_a_story, is_made_up, parts_of
from flows.extraction.corrections import Corrected, corrections_of
from flows.extraction.sentences import Sentence, event_of, has_unresolved_reference, is_question, sentence_spans
from mneme.chinese_script import simplified
from mneme.dates import DateMention, DaySpan, certain_dates
from mneme.languages import languages_of
from mneme.patterns import Patterns
from mneme.records import Artifact, Claim, Quote, Spoken, StoredMessage
from mneme.relations import SAID, claims_in
from mneme.text import tokenise
from mneme.times import zone_or_utc

_LONGEST = 500  # characters of a passage of somebody's own words
_LONGEST_OF_ARTIFACT = 900  # the same of an artifact, and of a message that is as long as a document
_LONG_MESSAGE = 5_000
_ANSWERED_WITHIN = 3  # messages back in which a question may stand
_OCCASION_WITHIN = 10  # messages back in which the occasion or the month of a day may stand
_STORY_WITHIN = 6  # messages back in which a story may have been begun, in a conversation with an assistant
_LONGEST_BEFORE = 300  # characters of a question or context that are taken along
_LONGEST_BEHIND = 200  # the same of what is before those
_TELLS_LITTLE = 60  # characters taken along that need what is before them, whether they lean or not
_FIRST_SENTENCES = 2  # of a message that may answer the question before it
_LONGEST_ANSWER = 60  # characters of a sentence that is understood with its question
_LAST_SENTENCES = 3  # of a message among which its question may stand
_REPLIED_WITHIN = timedelta(hours=1)  # from what is no question: what comes later begins anew
_WORDS = Patterns(__file__)


class Passage(NamedTuple):
    """A stretch of a message that makes one quote; ``place`` is that of its sentences in those of the message."""

    words: str
    artifact: Artifact | None
    place: slice


@dataclass(frozen=True, slots=True)
class AnnotatedMessage:
    """One message of an episode, sentence by sentence, and in passages. ``index`` is its place in the cut."""

    index: int
    message: StoredMessage
    sentences: list[Sentence]
    passages: list[Passage]


class _Before(NamedTuple):
    """The words that a passage takes along, as in ``Quote``."""

    question: Spoken | None = None
    context: Spoken | None = None
    behind: Spoken | None = None


def annotated(utterances: Sequence[Utterance]) -> list[AnnotatedMessage]:
    """The messages of a cut that have words, with their sentences annotated by dates and claims."""
    languages = languages_of([utterance.message.text for utterance in utterances])
    names = list(dict.fromkeys(utterance.message.sender_name for utterance in utterances))
    stories = _stories([utterance.message for utterance in utterances])
    found = [
        _annotated(
            index, utterance.message, language, names, _before(utterances, index), _asked(utterances, index), index in stories
        )
        for index, (utterance, language) in enumerate(zip(utterances, languages, strict=True))
        if utterance.message.text.strip()
    ]
    for corrected in corrections_of([each.sentences for each in found]):
        _correct(found, corrected)
    _take_back(found)
    return found


def quotes_of(messages: Sequence[AnnotatedMessage], topic: str) -> Iterator[ExtractedFact]:
    """The facts of an episode, in order: one for each passage of each message."""
    for position, each in enumerate(messages):
        earlier = messages[max(0, position - _ANSWERED_WITHIN) : position]
        for number, passage in enumerate(each.passages):
            along = _taken_along(each, number, earlier)
            corrected = next((one.corrects for one in each.sentences[passage.place] if one.corrects is not None), None)
            if corrected is not None and corrected.words not in passage.words:
                along = _Before(context=corrected)
            yield _fact(each, passage, topic, along)


def _before(utterances: Sequence[Utterance], index: int) -> str:
    """The end of what was said shortly before a message."""
    nearest = utterances[max(0, index - _OCCASION_WITHIN) : index]
    return "\n".join(each.message.text[-_LONGEST_BEFORE:] for each in nearest)


def _asked(utterances: Sequence[Utterance], index: int) -> str:
    """The last question in the last message of somebody else, shortly before; without a mark, its last sentence."""
    sender = utterances[index].message.sender_id
    nearest = reversed(utterances[max(0, index - _ANSWERED_WITHIN) : index])
    other = next((each.message.text for each in nearest if each.message.sender_id != sender), "")
    asked = _WORDS.sentence_end.split(other[-_LONGEST_BEFORE:].strip())
    return next((each for each in reversed(asked) if is_question(each)), asked[-1])


def _stories(messages: Sequence[StoredMessage]) -> set[int]:
    """The places of messages that may tell a story: those that begin one, and with an assistant those shortly behind."""
    behind = _STORY_WITHIN if any(message.role == "assistant" for message in messages) else 0
    begun = [at for at, message in enumerate(messages) if begins_a_story(message.text)]
    return {place for at in begun for place in range(at, at + behind + 1)}


def _annotated(
    index: int, message: StoredMessage, language: str, names: Sequence[str], before: str, asked: str, of_a_story: bool
) -> AnnotatedMessage:
    """A message with its sentences; in one of a story nothing is claimed or dated."""
    zone = zone_or_utc(message.timezone)
    listener = _listener(message, names)
    text = message.text
    longest = _LONGEST_OF_ARTIFACT if len(text) > _LONG_MESSAGE else _LONGEST
    found, by_user = AnnotatedMessage(index, message, [], []), message.role == "user"
    for part in parts_of(text, message.role):
        first = len(found.sentences)
        for span in sentence_spans(text, language, part.start, part.end):
            words = span.of(text)
            earlier = f"{before}\n{text[max(0, span.start - _LONGEST_BEFORE) : span.start]}"
            follows = found.sentences[-1].text if found.sentences else before.rpartition("\n")[2]
            may_answer = len(found.sentences) < _FIRST_SENTENCES and len(words) <= _LONGEST_ANSWER
            sentence = Sentence(
                index=index,
                start=span.start,
                text=words,
                speaker=message.sender_name,
                listener=listener,
                language=language,
                said_at=message.sent_at,
                zone=zone,
                role="assistant" if message.role == "assistant" else "user",
                artifact=part.artifact is not None,
                is_question=is_question(words),
                dates=(),
                claims=(),
            )
            if len(found.sentences) > first and _WORDS.went.match(words):
                found.sentences[-1] = _over(found.sentences[-1])
            told = part.artifact is None and not of_a_story and not is_made_up(words)
            found.sentences.append(
                _understood(sentence, by_user, earlier, follows, asked if may_answer else "") if told else sentence
            )
        limit = longest if part.artifact is None else _LONGEST_OF_ARTIFACT
        for group in _grouped(text, found.sentences[first:], limit):
            place = slice(first, first + len(group))
            found.passages.append(Passage(text[group[0].start : group[-1].end], part.artifact, place))
            first = place.stop
    return found


def _understood(one: Sentence, by_user: bool, earlier: str, follows: str, question: str) -> Sentence:
    """A sentence with its certain dates and claims; where it has none by itself, those of an answer to a question.

    In Chinese a message that opens with a date, and not with "I", tells of what was asked: 几号开业？ 4月18号.
    """
    claiming = by_user and not one.is_question
    dates = certain_dates(one.text, one.said_at, one.zone, one.language, earlier)
    claims = claims_in(one.text, one.language, one.speaker, follows) if claiming else ()
    if one.language == "zh":
        opens = bool(dates) and one.start == 0 and not one.text.startswith(("我", "咱"))
        answers = question if opens and _WORDS.asks_when.search(simplified(question)) else ""
    elif answers := "" if dates or claims or one.language != "en" else question:
        dates = certain_dates(one.text, one.said_at, one.zone, one.language, earlier, answers)
        claims = claims_in(one.text, one.language, one.speaker, asked=answers) if claiming else ()
    return replace(one, dates=dates, claims=claims, answers=answers) if dates or claims else one


def _over(one: Sentence) -> Sentence:
    """An appointment without a verb whose next sentence tells how it was: "Dentist on Monday. It went fine." """
    if _WORDS.has_a_verb.search(one.text):
        return one
    return replace(one, dates=(), claims=tuple(claim for claim in one.claims if not claim.attribute.startswith("plan:")))


def _correct(messages: list[AnnotatedMessage], corrected: Corrected) -> None:
    """Annotate a sentence that corrects with what was meant, and end what was said.

    What was said is claimed itself ("said"), so that it ends also where no row of the table reads it.
    """
    (at, number), (target, place) = corrected.at, corrected.target
    by, of = messages[at].sentences[number], messages[target].sentences[place]
    dates, claims = by.dates, by.claims
    if corrected.meant:
        dates = certain_dates(corrected.meant, of.said_at, of.zone, of.language)
        meant = claims_in(corrected.meant, of.language, of.speaker)
        claims = tuple(claim.model_copy(update={"evidence": by.text}) for claim in meant)
    if by is of:
        messages[at].sentences[number] = replace(by, dates=dates, claims=claims, meant=corrected.meant)
        return
    said = Claim(subject=of.speaker, attribute=SAID, value=of.text, ends=False, evidence=of.text)
    kept = {(claim.about, claim.value) for claim in claims}
    ended = [claim for claim in (*of.claims, said) if not claim.ends and (claim.about, claim.value) not in kept]
    over = tuple(claim.model_copy(update={"ends": True, "evidence": by.text}) for claim in ended)
    words = Spoken(speaker=of.speaker, words=of.text[:_LONGEST_BEFORE], message_id=messages[target].message.message_id)
    own = () if at == target else of.dates  # a message is dated by what it comes to
    messages[target].sentences[place] = replace(of, dates=own, claims=(*of.claims, said), withdrawn=True)
    messages[at].sentences[number] = replace(by, dates=dates, claims=(*over, *claims), corrects=words, meant=corrected.meant)


def _take_back(messages: Sequence[AnnotatedMessage]) -> None:
    """Leave out the claims that their speaker takes back at once, in the same sentence or in the next one of his own."""
    said: dict[str, tuple[AnnotatedMessage, int]] = {}
    for each in messages:
        for number, one in enumerate(each.sentences):
            text = one.text.replace("’", "'")
            if one.claims and not one.meant and one.corrects is None and _WORDS.takes_back.search(text):
                each.sentences[number] = replace(one, claims=())
            elif one.speaker in said and one.corrects is None:
                message, place = said[one.speaker]
                before = message.sentences[place]
                again, thought = _WORDS.takes_back.search(text), _WORDS.thought.match(text)
                if before.claims and each.index - message.index <= _ANSWERED_WITHIN and (again or thought):
                    kept = tuple(claim for claim in before.claims if not again and claim.value not in text)
                    message.sentences[place] = replace(before, claims=kept)
            said[one.speaker] = each, number


def _grouped(text: str, sentences: Sequence[Sentence], longest: int) -> Iterator[list[Sentence]]:
    """Sentences in passages that are not too long; a blank line ends one that is half as long as it may be.

    A heading stands with what is below it.
    """
    group: list[Sentence] = []
    for one in sentences:
        if group:
            paragraph = one.start - group[0].start > longest // 2 and _WORDS.blank_line.search(text, group[-1].end, one.start)
            if paragraph or one.end - group[0].start > longest:
                heading = [group.pop()] if _WORDS.heading.fullmatch(group[-1].text) else []
                if group:
                    yield group
                group = heading
        group.append(one)
    if group:
        yield group


def _listener(message: StoredMessage, names: Sequence[str]) -> str:
    """The other of two; among several the one who is called by name at the start, or by @; else nobody."""
    others = [name for name in names if name != message.sender_name]
    if len(others) == 1:
        return others[0]
    called = _WORDS.addressed.match(message.text[:100]) or _WORDS.mentioned.search(message.text[:1_000])
    if not called:
        return ""
    name = called[1].casefold()
    return next((other for other in others if name in other.casefold().split()), "")


def _taken_along(each: AnnotatedMessage, number: int, before: Sequence[AnnotatedMessage]) -> _Before:
    """Find the words that a passage answers or replies to, and those before them if they say too little alone.

    A passage that replies to nothing, but leans or stands behind code, a list or the like, has the words before it.
    """
    passage = each.passages[number]
    replied = _replied_to(each, before) if number == 0 or each.message.role == "assistant" else None
    if replied is not None:
        taken, other, answers = replied
        return _Before(taken if answers else None, None if answers else taken, _behind(taken, other, before))
    interrupted = number > 0 and each.passages[number - 1].artifact is not None
    if passage.artifact is None and not interrupted and not has_unresolved_reference(each.sentences[passage.place][0]):
        return _Before()
    own = _own(each.sentences[: passage.place.start])
    source = each
    if not own and before:
        source, own = _last_with_words(before)
    return _Before(context=_stretch(own, len(own) - 1, source) if own else None)


def _replied_to(each: AnnotatedMessage, before: Sequence[AnnotatedMessage]) -> tuple[Spoken, AnnotatedMessage, bool] | None:
    """The last words of somebody else, their message, and whether they ask; a request to an assistant needs no mark."""
    for other in reversed(before):
        if other.message.sender_id == each.message.sender_id:
            break
        own = _own(other.sentences)
        if each.message.role == "assistant" and own:
            at = next((at for at in reversed(range(len(own))) if not has_unresolved_reference(own[at])), 0)
            return _stretch(own, at, other), other, True
        asked = next((at for at in reversed(range(len(own))) if own[at].is_question), None)
        if asked is not None and asked >= len(own) - _LAST_SENTENCES:
            return _stretch(own, asked, other), other, True
    if not before or before[-1].message.sender_id == each.message.sender_id:
        return None
    if each.message.sent_at - before[-1].message.sent_at > _REPLIED_WITHIN and not has_unresolved_reference(each.sentences[0]):
        return None
    other, own = _last_with_words(before)
    return (_stretch(own, _nearest(own, each), other), other, False) if own else None


def _last_with_words(before: Sequence[AnnotatedMessage]) -> tuple[AnnotatedMessage, list[Sentence]]:
    """The last message that has words of its own, and these; an answer made of artifacts has none."""
    with_words = ((other, own) for other in reversed(before) if (own := _own(other.sentences)))
    return next(with_words, (before[-1], []))


def _behind(taken: Spoken, source: AnnotatedMessage, before: Sequence[AnnotatedMessage]) -> Spoken | None:
    """The words before those taken along, if these are few or refer to them: in their message, else in the last with words."""
    own = _own(source.sentences)
    inside = [at for at, one in enumerate(own) if one.text in taken.words]
    if len(taken.words) > _TELLS_LITTLE and not all(has_unresolved_reference(own[at]) for at in inside):
        return None
    if inside and (first := inside[0]):
        return _stretch(own[:first], first - 1, source, _LONGEST_BEHIND)
    place = next(at for at, each in enumerate(before) if each is source)
    for other in reversed(before[:place]):
        own = _own(other.sentences)
        if own and (len(other.message.text) > _TELLS_LITTLE or not all(map(has_unresolved_reference, own))):
            return _stretch(own, _nearest(own, source), other, _LONGEST_BEHIND)
    return None


def _own(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Somebody's own words: no artifact and no "[shared a photo: ...]"."""
    return [one for one in sentences if not one.artifact and not one.text.startswith("[")]


def _nearest(own: Sequence[Sentence], reply: AnnotatedMessage) -> int:
    """The sentence of a message that a reply is about: it shares most words with it, or is the last that does not lean."""
    words = set(tokenise(reply.message.text[:_LONGEST]))
    return max(
        range(len(own)),
        key=lambda at: (len(words.intersection(tokenise(own[at].text))), not has_unresolved_reference(own[at]), at),
    )


def _stretch(own: Sequence[Sentence], at: int, source: AnnotatedMessage, longest: int = _LONGEST_BEFORE) -> Spoken:
    """``own[at]`` with as many sentences before it, and then after it, as are short enough to be taken along."""
    start, end = own[at].start, own[at].end
    for other in (*reversed(own[:at]), *own[at + 1 :]):
        if max(end, other.end) - min(start, other.start) <= longest:
            start, end = min(start, other.start), max(end, other.end)
    words = source.message.text[start:end][:longest]
    return Spoken(speaker=source.message.sender_name, words=words, message_id=source.message.message_id)


def _fact(each: AnnotatedMessage, passage: Passage, topic: str, along: _Before) -> ExtractedFact:
    sentences = each.sentences[passage.place]
    quote = Quote(
        speaker=each.message.sender_name,
        listener=sentences[0].listener,
        words=passage.words,
        language=sentences[0].language,
        question=along.question,
        context=along.context,
        behind=along.behind,
        artifact=passage.artifact,
    )
    event = event_of(sentences)
    dates = [mention for one in sentences for mention in one.dates]
    return ExtractedFact(
        statement=rendered(quote, each.message.sent_at, each.message.timezone, dates),
        topic=topic,
        sources=(each.index,),
        event_at=event.since if event else None,
        event_until=event.until if event else None,
        same_as_source=len(each.passages) == 1,
        quote=quote,
        claims=tuple(claim for one in sentences for claim in one.claims),
    )


def rendered(quote: Quote, said_at: datetime, timezone: str, dates: Sequence[DateMention] = ()) -> str:
    """A quote as one text: who said it to whom and when, what it answers or leans on, the words, and what days they mean.

    >>> said_at = datetime.fromisoformat("2025-04-19T08:00+00:00")
    >>> rendered(Quote(speaker="Mira", words="It hurts.", language="en"), said_at, "UTC")
    'Mira, 19 April 2025: It hurts.'
    """
    day = DaySpan.of_day(said_at.astimezone(zone_or_utc(timezone)).date())
    chinese = quote.language == "zh"
    when = day.in_chinese() if chinese else day.in_english() if quote.language == "en" else day.first.isoformat()
    to = "" if not quote.listener else f"对{quote.listener}" if chinese else f" → {quote.listener}"
    if quote.language == "en" and quote.listener:
        to = f" to {quote.listener}"
    before = [each for each in (quote.behind, quote.context, quote.question) if each is not None]
    led = "".join(
        f"（{each.speaker}：「{each.words}」）" if chinese else f' ({each.speaker}: "{each.words}")' for each in before
    )
    kind = f" [{quote.artifact}]" if quote.artifact else ""
    head = f"{quote.speaker}{to}，{when}{led}{kind}：" if chinese else f"{quote.speaker}{to}, {when}{led}{kind}: "
    days = [f"{each.text}: {each.written}" for each in dates if each.written not in quote.words]
    tail = f" [{'; '.join(dict.fromkeys(days))}]" if days else ""
    return f"{head}{quote.words}{tail}"
