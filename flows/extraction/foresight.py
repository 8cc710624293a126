"""Foresights: sentences that tell of a plan, an appointment or a deadline for certain, unchanged. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from flows.cuts import ExtractedForesight
from flows.extraction.sentences import Sentence, journey_of, just_before
from mneme.chinese_script import parted, simplified
from mneme.dates import DateMention, DaySpan, resolve_dates
from mneme.dates.chinese_words import number, weekday_number
from mneme.dates.spans import clause_around
from mneme.languages import is_doubted
from mneme.patterns import Cues, Patterns
from mneme.records import Claim
from mneme.relations import PLANNED, claims_in
from mneme.relations.english import is_of_words
from mneme.text import STOP_WORDS, has_cjk

_MOST = 100  # of an episode; each is a row of its own, and compared with all others about the same
_LONGEST = 400  # characters
_LEAST = 3  # letters of a clause besides its date
_LEAST_WORDS, _MOST_WORDS = 2, 4  # of content: in a plan without a date; with which a fragment says what is planned
_LONGEST_BEFORE = 200  # characters of a sentence that is taken along
_MONTH = 31  # days; "this year" names no day
_MOST_DATES = 20  # of one form in a sentence
_EN = Patterns(__file__, "english")
_EN_CUES = Cues(__file__, "english")
_ZH = Patterns(__file__, "chinese")
_BEGINS = 5  # characters before a day that begins its sentence
_OPENING = 20  # characters of a message that tell whether it denies
_FAMILY = "plan:"  # claims of plans

_NOON, _EVENING = 12, 19  # o'clock


def foresights_of(sentences: Sequence[Sentence]) -> tuple[ExtractedForesight, ...]:
    """The sentences of users that say for certain what is ahead, as said, at most 100; no questions, wishes or cancelled plans.

    A certain date ahead is enough; one of today needs a word of what is to come, and without any date it must be said that
    it is planned ("I'm going to", 我打算). One that names a day which is not certain is left out. It lasts from start to
    end of its date. Where each of several clauses has a day of its own, each is one, and a clause with the one certain day of
    several stands for its sentence; where a clause names several, there is none. Its claims are those of the family ``plan:``;
    what a later sentence of the episode claims as over is left out.
    """
    found: list[ExtractedForesight] = []
    over = [(position, claim.about) for position, one in enumerate(sentences) for claim in one.claims if _ends_a_plan(claim)]
    denied = _denied(sentences)
    talks = len({one.speaker for one in sentences if one.role == "user"}) > 1
    for position, one in enumerate(sentences):
        if len(found) >= _MOST:
            break
        if one.withdrawn or one.index in denied or not _is_expected(one):
            continue
        before = just_before(sentences, position)
        if before is not None and (_EN.condition.match(before.text) or _goes_on_about(before, one)):
            continue
        if one.language == "en" and _is_taken_back(sentences, position):
            continue
        if _is_hearsay(sentences, position) or _is_only_proposed(sentences, position):
            continue
        claims = _plans(one.claims)
        if any(later > position and about == claim.about for claim in claims for later, about in over[:_MOST]):
            continue
        date = journey_of(one) or _from_weekday(one, _date(one))
        if date is None and len(one.dates) < 2 and _days_named(one):
            continue
        if date is None and (clauses := _by_clause(one)):
            for words, day in clauses:
                own = _claimed_by(words, claims, one)
                found.append(ExtractedForesight(words, one.text, (one.index,), day.since, day.until, own))
            continue
        if talks and _EN.order.match(_clause_of(one, date)):
            continue
        if one.language == "zh" and (_names_another_day(one) or (date is None and _not_over(one.dates, one))):
            continue
        if date is not None and not one.meant and not one.answers and _says_no_more(one, date):
            continue
        words = one.meant or one.told
        if one.language == "en" and not one.meant and not one.answers:
            words = _readable(sentences, position, date)
            if not words:
                continue
        start, end = (date.since, date.until) if date else (None, None)
        own = _claimed_by(words, claims, one) if words in one.text and words != one.text else claims
        found.append(ExtractedForesight(words, one.text, (one.index,), start, end, own))
    return tuple(found[:_MOST])


def _claimed_by(words: str, claims: Sequence[Claim], one: Sentence) -> tuple[Claim, ...]:
    """The plans of a clause: those of its sentence whose value stands in it, else those that it claims by itself."""
    return tuple(claim for claim in claims if claim.value in words) or _plans_of(words, one)


def _plans_of(words: str, one: Sentence) -> tuple[Claim, ...]:
    """The plans that a clause of a sentence claims by itself, perhaps without its verb: "the viewing on 3 March"."""
    plans = _plans(claims_in(words, one.language, one.speaker))
    if plans or one.language != "en":
        return plans
    full = _plans(claims_in(_EN.verbless.sub(r"\1 is ", words, count=1), one.language, one.speaker))
    return tuple(claim for claim in full if is_of_words("events", claim.attribute.removeprefix(_FAMILY)))


def _plans(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    return tuple(claim for claim in claims if claim.attribute.startswith(_FAMILY) and not claim.ends)


def _is_hearsay(sentences: Sequence[Sentence], position: int) -> bool:
    """Tell whether a sentence, or the one before it in its message, is hearsay, or guesses at what was named: "Agent? It".."""
    one = sentences[position]
    before = just_before(sentences, position)
    own = [each for each in (before, one) if each is not None]
    if one.language == "zh":
        return any(_ZH.hearsay.search(simplified(each.text)) for each in own)
    if before is not None and _echoes(before, one):
        return True
    return (before is not None and _EN.hearsay_alone.match(before.text) is not None) or _tells_hearsay(one)


def _tells_hearsay(one: Sentence) -> bool:
    """Tell whether an English clause with a date is hearsay, or one beside it says only that: "They marry in May, I hear"."""
    if not _EN.hearsay.search(one.text):
        return False
    ends = [mark.span() for mark in _EN.aside.finditer(one.text)]
    days = [date.start_index for date in one.dates or _days_named(one)]
    clauses = zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(one.text)], strict=True)
    return any(
        _EN.hearsay.search(one.text, begins, stops)
        if not days or any(begins <= day < stops for day in days)
        else _EN.hearsay_alone.match(one.text[begins:stops])
        for begins, stops in clauses
    )


def _echoes(before: Sentence, one: Sentence) -> bool:
    """Tell whether it guesses at what was named: "Agent? It will finish in May"; not at one's own: "Surgery? It's in May"."""
    if not _EN.echoes.match(before.text) or not one.text.startswith(("It ", "It'", "It’", "That ")):
        return False
    return not (_names_one(before, "events", "own") or _EN.first_person.search(one.text))


def _names_one(one: Sentence, *kinds: str) -> bool:
    """Tell whether an English sentence has a word of these lists of occasions."""
    return any(is_of_words(kind, word) for word in _EN.word.findall(one.text.lower()) for kind in kinds)


def _is_only_proposed(sentences: Sequence[Sentence], position: int) -> bool:
    """Tell whether a fragment without a subject goes on with a proposal of its message: "Shall we meet? Friday at 8".

    One that names what nobody proposes does not: "Can we talk? Surgery on Friday".
    """
    one, before = sentences[position], just_before(sentences, position)
    if before is None or not before.is_question:
        return False
    asked = simplified(before.text) if before.language == "zh" else before.text
    if not _EN.proposes.search(asked):
        return False
    if one.language == "zh":
        asks_a_favour = _ZH.favour.search(asked) and _ZH.errand.search(simplified(one.text))
        return not asks_a_favour and _ZH.somebody.search(one.text) is None
    return not _names_one(one, "own") and _EN.subject.search(one.text) is None


def _is_taken_back(sentences: Sequence[Sentence], position: int) -> bool:
    """Tell whether an English sentence or the next one of its message takes back what it says: "Oh wait no."."""
    one = sentences[position]
    own = [one, *(other for other in sentences[position + 1 : position + 2] if other.index == one.index)]
    return _EN.takes_back.search("\n".join(each.text for each in own)) is not None


def _readable(sentences: Sequence[Sentence], position: int, date: DateMention | None) -> str:
    """The words of an English sentence of which its date is; "til 24 july." behind what it goes on from, else none."""
    one = sentences[position]
    words = _of_the_day(one, date) or ""
    rest = words.replace(date.text, "#", 1) if date else words
    if _EN.subject.search(rest) or not (_EN.half.match(rest) or _EN.joined_on.match(words)):
        return words
    goes_on = rest.startswith("#") and just_before(sentences, position) is not None and one.text.startswith(words)
    if _content(rest) >= _MOST_WORDS and not (goes_on or _EN.joined_on.match(words)):
        return words
    before = one.text[: one.text.find(words)].rstrip(" ,;") or _before(sentences, position)
    return f'("{before}") {words}' if 0 < len(before) <= _LONGEST_BEFORE else ""


def _content(text: str) -> int:
    return sum(word not in STOP_WORDS for word in _EN.word.findall(text.lower()))


def _before(sentences: Sequence[Sentence], position: int) -> str:
    """The sentence before of who says one; of somebody else, the question that it answers."""
    one, before = sentences[position], sentences[position - 1]
    if position == 0 or before.index < one.index - 1:
        return ""
    said = (other for other in reversed(sentences[:position]) if other.index == before.index)
    return next((other.text for other in said if before.speaker == one.speaker or other.is_question), "")


def _from_weekday(one: Sentence, date: DateMention | None) -> DateMention | None:
    """The date; from the first day, where it is the last of several weekdays: "tues to friday". None where that is past."""
    first = _EN.from_weekday.search(one.text, 0, date.start_index) if date else None
    if date is None or first is None or not _EN.weekday.fullmatch(date.text) or _is_moved(one):
        return date
    days = (date.span.first - timedelta(days=back) for back in range(7))
    span = DaySpan.between(next(day for day in days if f"{day:%a}".lower() == first[1].lower()), date.span.last)
    is_past = span.first < one.said_at.astimezone(one.zone).date()
    return None if is_past else replace(date, start_index=first.start(), since=span.bounds(one.zone)[0], span=span)


def _goes_on_about(before: Sentence, one: Sentence) -> bool:
    """Tell whether a Chinese sentence that opens with its day names nobody, and goes on about another: 她在茶馆。后天回万州."""
    if one.language != "zh" or _ZH.somebody.search(one.text) or not one.dates or one.dates[0].start_index > 0:
        return False
    named = _ZH.person.findall(simplified(before.text))
    return bool(named) and named[-1] not in "我咱"


def _by_clause(one: Sentence) -> list[tuple[str, DateMention]]:
    """The clauses that have one day each, all of them ahead; none where a clause has two, or is one of a choice.

    A clause is left out before one with a day that is not certain, which may take its place: "the move on the 23rd, or Sunday".
    """
    later = one.dates_ahead
    if one.meant or len(later) < 2 or len(later) != len(one.dates) or _EN.choice.search(one.text):
        return []
    text = parted(one.text) if one.language == "zh" else one.text
    found: list[tuple[str, DateMention]] = []
    for date, following in zip(later, (*later[1:], None), strict=True):
        begins, stops = _clause(text, date)
        if following is not None and following.start_index < stops:
            return []
        if _says_no_more(one, date, begins, stops):
            return []
        if begins == 0 or not _EN.no_subject.match(one.text, begins):
            found.append((one.text[begins:stops].strip(" .!…"), date))
    perhaps = [
        each for each in resolve_dates(one.text, one.said_at, one.zone, _MOST_DATES) if each.start_index > later[-1].end_index
    ]
    return found[:-1] if perhaps else found


def _of_the_day(one: Sentence, date: DateMention | None) -> str | None:
    """The words of an English sentence of which its date is: all, or its clause where another names another day.

    None where they cannot be told apart: the clause names another day, or no subject.
    """
    if date is None:
        return None if len(one.dates) > 1 or _EN.any_day.search(one.text) else one.text
    begins, stops = _clause(one.text, date)
    left = date.start_index if _is_moved(one) else 0  # the days from which it was moved
    others = [day.start() for day in _EN.any_day.finditer(one.text, left) if not _is_of(day, date)]
    if not others and all(begins <= holiday.start() < stops for holiday in _EN.holiday.finditer(one.text)):
        return one.text
    if any(begins <= at < stops for at in others) or (begins and _EN.no_subject.match(one.text, begins)):
        return None
    return None if _says_no_more(one, date, begins, stops) else one.text[begins:stops].strip(" .!…")


def _clause(text: str, date: DateMention) -> tuple[int, int]:
    """The beginning and the end of the clause of a date."""
    marks = [mark.span() for mark in _EN.clause_end.finditer(text)]
    return clause_around(marks, date.start_index, date.end_index, len(text))


def _clause_of(one: Sentence, date: DateMention | None) -> str:
    begins, stops = _clause(one.text, date) if date else (0, None)
    return one.text[begins:stops]


def _is_of(day: re.Match[str], date: DateMention) -> bool:
    """Tell whether a named day stands in a date, or is one of its days."""
    if day.start() < date.end_index and date.start_index < day.end():
        return True
    days = date.span.first_days(_MONTH)
    if day["number"]:
        return day["number"] in {str(each.day) for each in days}
    names = [f"{each:%A}".lower() for each in days]
    return not day["other"] and any(name.startswith((day["name"] or day["short"]).lower()) for name in names)


def _says_no_more(one: Sentence, date: DateMention, begins: int = 0, stops: int | None = None) -> bool:
    """Tell whether a clause, or the whole sentence, is a date and hardly anything else: "This Saturday."."""
    beside = _ZH.clock.sub("", one.text[begins : date.start_index] + one.text[date.end_index : stops])
    return sum(map(str.isalpha, beside)) < _LEAST


def _denied(sentences: Sequence[Sentence]) -> set[int]:
    """The messages taken back with another day: by somebody else in the next, or by who wrote it, who gives in.

    "No no, tomorrow is a holiday, they start on the 9th"; 下周三公众假期 and 对哦，那就是2号.
    """
    of: dict[int, list[Sentence]] = {}
    for one in sentences:
        of.setdefault(one.index, []).append(one)
    denied: set[int] = set()
    for index, message in of.items():
        opening, speaker = message[0].text[:_OPENING], message[0].speaker
        if has_cjk(opening):
            opening = simplified(opening)
        denies, concedes = _EN.denies.match(opening), _EN.concedes.match(opening)
        if not (denies or concedes) or index - 1 not in of or of[index - 1][0].speaker == speaker or not _names_days(message):
            continue
        if denies:
            denied.add(index - 1)
        if concedes and index - 2 in of and of[index - 2][0].speaker == speaker and _names_days(of[index - 1]):
            denied.add(index - 2)
    return denied


def _names_days(message: Sequence[Sentence]) -> bool:
    return any(one.dates or _days_named(one) for one in message)


def _is_vague(when: str) -> bool:
    """Tell whether a plan has no day of its own: it has none, or comes again ("Friday nights")."""
    return when == PLANNED or _EN.again.search(when) is not None


def _ends_a_plan(claim: Claim) -> bool:
    return claim.ends and claim.attribute.startswith(_FAMILY)


def _is_expected(one: Sentence) -> bool:
    if (
        one.role != "user"
        or one.artifact
        or one.is_question
        or len(one.text) > _LONGEST
        or one.text.rstrip().endswith((":", "："))
        or is_doubted(one.text)
        or (_EN_CUES.cancelled.search(one.text) and not _is_moved(one))
    ):
        return False
    if one.language == "zh" and not one.answers and _tells_the_calendar(one):
        return False
    if one.language == "en" and (_says_which_day_it_is(one) or _EN.exaggerated.search(one.text)):
        return False
    if any(claim.attribute.startswith(_FAMILY) and (claim.ends or not _is_vague(claim.value)) for claim in one.claims):
        begun = {claim.about for claim in one.claims if not claim.ends} if _is_moved(one) else set()
        return not any(_ends_a_plan(claim) and claim.about not in begun for claim in one.claims) and not one.is_over
    if one.language == "en":
        return _says_what_is_ahead(one) and not (_EN_CUES.uncertain.search(one.text) or one.is_over)
    if one.language == "zh":
        own = parted(_ZH.quoted.sub("", simplified(one.text)))
        if _is_moved(one):
            own = _ZH.moved_words.sub("", own)
        if _ZH.uncertain.search(own) or one.is_over:
            return False
        hour = one.said_at.astimezone(one.zone).hour
        if _ZH.morning.search(own) and hour >= _NOON:
            return False
        if any(date.since > one.said_at for date in one.dates):
            return True
        if one.dates_ahead and _tells_of_the_day(own, hour):
            return False
        ahead = _ZH.later_today if one.dates_ahead else _ZH.planned
        return ahead.search(own) is not None and not _ZH.done.search(own)
    return False


def _is_moved(one: Sentence) -> bool:
    """Tell whether a sentence moves something to a day to come: "The dentist was moved from Thursday to Friday", 改到20号."""
    for date in one.dates:
        own = _EN.own_to.match(date.text)
        head = one.text[: date.start_index + (own.end() if own else 0)]
        moved = _ZH.moved_to.search(simplified(head)) if one.language == "zh" else _EN.moved_to.search(head)
        if date.since > one.said_at and moved:
            return True
    return False


def _tells_of_the_day(text: str, hour: int) -> bool:
    """Tell whether a Chinese sentence about today reports on it: in the evening, or beside the days before it."""
    return _ZH.before_today.search(text) is not None or (hour >= _EVENING and _ZH.still_today.search(text) is None)


def _says_what_is_ahead(one: Sentence) -> bool:
    """Tell whether an English sentence has a date ahead, or says that something is planned."""
    if any(date.since > one.said_at for date in one.dates):
        return True
    says_little = not one.dates and _content(one.text) < _LEAST_WORDS
    if says_little or _EN.was_today.search(one.text) or _EN.told_of_me.search(one.text):
        return False
    soon = _EN_CUES.soon.search(one.text) and _EN_CUES.will.search(one.text)
    told = soon or (_EN_CUES.ahead if one.dates_ahead else _EN_CUES.planned).search(one.text)
    return told is not None and _EN_CUES.wanted.search(one.text) is None


def _says_which_day_it_is(one: Sentence) -> bool:
    """Tell whether an English sentence only says what day a day is: "8th Sept is a Sunday this year"."""
    first = one.dates[0] if one.dates else None
    return first is not None and first.start_index < _BEGINS and _EN.is_a_weekday.search(one.text) is not None


def _tells_the_calendar(one: Sentence) -> bool:
    """Tell whether a Chinese sentence only says what day a day is, or that it is free: 下周三公众假期, 12月20号是周六."""
    text = _without_dates(parted(simplified(one.text)), one)
    clauses = re.split("[，,。！；;]", text)
    rest = "".join(clause for clause in clauses if not _ZH.calendar.fullmatch(clause.replace("#", "")))
    return "#" in text and "#" not in rest and (_ZH.somebody.search(rest) is None or _ZH.done.search(rest) is not None)


def _date(one: Sentence) -> DateMention | None:
    """The one date ahead; else the one stretch that still runs: "this month". None beside a day in doubt: 4号去，6号回来."""
    later = {date.span: date for date in one.dates_ahead or _not_over(one.dates, one)}
    if one.language == "zh" and any(
        all(named.since >= date.until or named.until <= date.since for date in one.dates) for named in _days_named(one)
    ):
        return None
    return next(iter(later.values())) if len(later) == 1 else None


def _names_another_day(one: Sentence) -> bool:
    """Tell whether a Chinese sentence names a day in figures that is none of its dates."""
    if one.meant or one.answers:
        return False
    days = _ZH.explicit_day.finditer(_without_dates(simplified(one.text), one))
    return any(named[0] and not any(_is_in(named, date.span) for date in one.dates) for named in days)


def _without_dates(text: str, one: Sentence) -> str:
    """The text of a sentence with # in the place of each of its dates."""
    for date in reversed(one.dates):
        text = f"{text[: date.start_index]}#{text[date.end_index :]}"
    return text


def _is_in(named: re.Match[str], span: DaySpan) -> bool:
    """Tell whether a Chinese day, month or weekday is one of a stretch."""
    month, day = named["slashed"].split("/") if named["slashed"] else (named["month"], named["day"])
    return any(
        (not month or each.month == number(month))
        and (not day or each.day == number(day))
        and (not named["weekday"] or each.weekday() == weekday_number(named["weekday"]))
        for each in span.first_days(_MONTH)
    )


def _days_named(one: Sentence) -> list[DateMention]:
    """The days, weeks and months to come that are named in the likeliest reading, though not for certain."""
    dates = [] if one.meant else resolve_dates(one.text, one.said_at, one.zone, _MOST_DATES)
    return _not_over(dates, one)


def _not_over(dates: Iterable[DateMention], one: Sentence) -> list[DateMention]:
    """The dates that are ahead or still run; none longer than a month."""
    return [date for date in dates if date.until > one.said_at and date.span.days <= _MONTH]
