"""Foresights: sentences that tell of a plan, an appointment or a deadline for certain, unchanged. Pure."""

import re
from collections.abc import Sequence
from datetime import timedelta

from flows.cuts import ExtractedForesight
from flows.extraction.sentences import Sentence, journey_of
from mneme.chinese_script import parted, simplified
from mneme.dates import DateMention, resolve_dates
from mneme.dates.english_words import ALONE
from mneme.languages import is_doubted
from mneme.pattern_index import Cue
from mneme.records import Claim
from mneme.relations import PLANNED
from mneme.text import has_cjk

_MOST = 100  # of an episode; each is a row of its own, and compared with all others about the same
_LONGEST = 400  # characters
_LEAST = 3  # letters of a clause besides its date
_MONTH = 31  # days; "this year" names no day
_MOST_DATES = 20  # of one form in a sentence
_CLAUSE_END = re.compile(r"[,;，；]\s*|\s+(?:and|but|then)\s+(?!(?:mon|tue|wed|thu|fri|sat|sun)\w*\b)", re.I)
# A day by its number or name, which need not be a certain date.
_ANY_DAY = re.compile(
    r"(?:\b(?:the|on|by|from|is|till?|until|to|and) |\b(?=\d{1,2}[a-z]{2} (?:at )?\d))"
    r"(?P<number>[1-9]|[12]\d|3[01])(?:st|nd|rd|th)\b"
    rf"{ALONE}|\b(?P<name>mon|tues|wednes|thurs|fri|satur|sun)day\b(?!['’])",
    re.I,
)
_HOLIDAY = re.compile(r"\b(?:at|for|over|until|till?|before|after|by) (?:christmas|xmas|easter|thanksgiving)\b", re.I)
_IS_A_WEEKDAY = re.compile(
    r"\S* ?(?: is|['’]s) (?:an? |on a )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b[^,;]*"
    r"(?:, (?:(?:the|an?|so|long|bank|public|school|half[- ]term|easter|christmas) ){0,3}"
    r"(?:holidays?|weekend|half[- ]term)[^,;]*)?$",
    re.I,
)
_BEGINS = 5  # characters before a day that begins its sentence
_AGAIN = re.compile(r"(?:day|morning|afternoon|evening|night|weekend)s\b", re.I)
_NO_SUBJECT = re.compile(  # how a clause begins of which the one before says who does it
    r"(?:(?:and|then|but) )*(?:\w+ing|arrives?|away|back|comes?|down|flies|fly|gets?|go|goes|has|home|is|lands?|leaves?|off|"
    r"out|over|returns?|starts?|stays?|to|up|will)\b",
    re.I,
)
_CHOICE = re.compile(r"\b(?:or|either)\b|或|还是", re.I)
_OPENING = 20  # characters of a message that tell whether it denies
_FAMILY = "plan:"  # claims of plans

_VAGUE = (  # what follows "going to" and plans nothing
    r"(?!be (?:able|ok|okay|fine|honest)\b|"
    r"(?:bed|church|college|school|sleep|uni|work|the (?:gym|loo|office|pub|shops?|toilet))\b|"
    r"(?:have to|need|keep|miss|say|try|think|see|love|check|continue|stay|give|reach|tell|ask|let|believe|"
    r"cry|die|faint|explode|scream|laugh|sob|lose (?:it|my)|go (?:mad|crazy|insane)|"
    r"make (?:it|this|that|sure|my|a difference))\b)"
)
_PLANNED = Cue(
    r"\b(?:i|we)(?:['’](?:m|re)| am| are) (?:(?:also|still|really|definitely|actually|currently|already|just|both) )*"
    rf"(?:going to {_VAGUE}|gonna {_VAGUE}|planning (?:to|on|an?|our|my) (?!few\b)|about to (?:start|move|leave|launch|open)\b|"
    r"starting (?:an?|my|at)\b|getting married\b|expecting a\b|moving to\b|flying to\b|preparing for (?:an?|my|our)\b)|"
    rf"^(?:now |then |so )?gonna (?!be\b){_VAGUE}|"
    rf"\b(?:i|we) will (?!(?:always|never|definitely|be|remember|have|not)\b){_VAGUE}|"
    r"\b(?:i|we)(?: have|['’]ve)?(?: already| also| just)? "
    r"(?:plan (?:to|on)|intend to|planned|booked|scheduled|signed up for)\b",
    re.I,
)
_AHEAD = Cue(
    r"\b(?:will|shall|['’]ll|going to|gonna|plan|plans|planned|planning|scheduled|booked|appointment|deadline|due|exam|"
    r"interview|flight|trip|wedding|party|visit|starts?|begins?|ends?|opens?|leaves?|leaving|arrives?|launch(?:es|ing)?|moving|flying|"
    r"having|meeting|hosting|getting|taking|starting|"
    r"going|visiting|seeing|see|next|upcoming|expire[sd]?|(?:is|are) on|is at|by(?! the (?:way|by)\b)|coming)\b",
    re.I,
)
_SOON = Cue(  # of what is to come, where no certain day could be read
    r"\b(?:tomorrow|tonight|this (?:weekend|evening)|next (?:week|weekend|month|year|spring|summer|autumn|winter|[a-z]+day)|"
    r"on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:a|two|three|a few|\d+) (?:days|weeks|week|months|month))\b",
    re.I,
)
_WILL = Cue(r"\b(?:will|shall|going to|gonna|(?:am|are|is) [a-z]+ing)\b|['’](?:ll|(?:m|re|s) [a-z]+ing)\b", re.I)
_UNCERTAIN = Cue(
    r"\b(?:maybe|might|perhaps|probably|possibly|hope|hopes|hoping|hopefully|wish|wishes|want|wants|wanted|wanna|would|could|"
    r"(?:i|we)(?:['’](?:m|re)| am| are) thinking|how about|what about|thinking (?:of|about)|considering|"
    r"propos(?:e|ed|ing)|suggest(?:ed|ing)?|not sure|unsure|wondering|if|whether|unless|wonder|dream|dreams|dreaming|tentative|"
    r"tentatively|suppose|let['’]?s|(?:am|are|is|['’]m|['’]re|['’]s) not|isn['’]?t|aren['’]?t|won['’]?t|not going|never|"
    r"was going|were going|was planning|were planning|was supposed|see (?:you|ya)|blast|"
    r"at this rate|knowing (?:him|her|them|you|me|us|my \w+)|i bet|bet (?:you|he|she|they|it)|mark my words)\b|"
    r"\b(?:it|that)['’]s (?:in|on|round) (?:the|every) [^,;.]* by [a-z]+day\b|\ball over (?:the|town|facebook|whatsapp)\b|"
    r"^(?:enjoy|have (?:an?|fun)|good luck|don['’]?t|let me know)\b",
    re.I,
)
# Plans nothing without a day.
_WANTED = Cue(r"\b(?:should|trying to|looking to|need to|can you|help me|supposed)\b", re.I)
_CANCELLED = Cue(
    r"\bcancell?ed\b|\bcalled off\b|\bis off\b|\bwas off\b|\bfell through\b|\b(?:can['’]?t|cannot|couldn['’]?t) make it\b|"
    r"\bbail(?:ed|ing)? on\b|\bpostponed\b|"
    r"\bno longer\b|\bnot happening\b|\binstead of\b|\brescheduled\b|\bmoved from\b|\bpushed (?:back|from)\b",
    re.I,
)
_CONDITION = re.compile(
    r"(?:only |but |and )?(?:if|unless|provided|assuming)\b[^,]*$", re.I
)  # by itself: "If her parents agree."
_TAKES_BACK = re.compile(  # "It lands in Rome on the 9th. Oh wait no. It's Pisa"
    r"[.!?…\n] ?(?:(?:oh|ah|no),? )*(?:wait|hang on|hold on|scratch that|oops|actually)[,.!…]* (?:no|not)\b", re.I
)
_DENIES = re.compile(
    r"(?:no[,.]? (?:no|wait|sorry|actually|it|that|the|we|they|he|she|i)\b|no[,.] |nope\b|不[是对]|没有[，,])", re.I
)
_CONCEDES = re.compile("(?:[啊哦噢唉哎]?[对系也]是?[喎㖞哦喔啊呀噢]|[啊哦噢][，,]?对|也是[，,]|[啊哎哦]*[搞记说弄]错)")
_CHINESE_PLANNED = (
    re.compile(  # without a day: neither an order that was made (蛋糕我订了) nor what one does at once (我要去洗澡)
        "(?:(?<!帮)我们?|咱们?|俩|家人|爸|妈)[^，。！？]{0,12}?"
        "(?:打算|计划|准备(?![好了睡吃]|下班|出门)|要参加|要搬|报名了)|截止(?:日期|时间)?(?:是|到|为)"
    )
)
_CHINESE_LATER_TODAY = re.compile(
    "(?<!只)要(?![是求])|(?<!开)会(?!议)|将|打算|计划|准备|预约|约了|约好|安排|截止|今晚|(?:去|(?<![出起过回进上下])来|举行|开始|出发|面试|考试|聚|搬|见|办|参加|上线|提交)(?![了过到])[^，。！]{0,6}(?:[，。！]|$)"
)
_CHINESE_UNCERTAIN = re.compile(
    "可能|也许|或许|大概会|希望|想要?(?!起)|如果|要是|是否|没准|说不定|不确定|考虑|取消|推迟|改到|改期|"
    "要不|能不能|可不可|是不是|有没有|[是对]吧|以为|估计|争取|尽量|听[^，。力课]{1,6}[说讲]|(?:^|[，,])你?陪我|"
    "我看(?![了过到见])|^那(?=[\\d周下])(?!.*见)|^(?!.*[就定]).*吧\\W*$|[让叫喊]我们?(?!知)|([\u4e00-\u9fff])[不唔没]\\1[^，。]{0,3}\\W*$|行不\\W*$|"
    "怎么办|咋办|现在[^，。]*还要|[吗嘛][，,？?]|不是[^，。]*[吗嘛]。|还行|不去|不会|不打算|不准备|去不了|不办|八成|多半|再说|再看|哎?不对|[吗嘛]\\W*$|(?:好|行|可以)[吗嘛]|好不好|行不行|应该|本来|原本|建议(?:你|您|大家|先|可以)|我们?建议"
)
_QUOTED = re.compile("“[^”]*”|「[^」]*」")
_CLOCK = re.compile("(?:[早晚]上|[上中下]午)|[零〇一二两三四五六七八九十\\d]{1,3}[点點:：](?:半|\\d\\d)?")
_MORNING = re.compile("今[早晨]|今[天日](?:一?[大清]?早|上午|凌晨)")
_NOON, _EVENING = 12, 19  # o'clock
_BEFORE_TODAY = re.compile("昨[天日晚]|前天|上(?:个?(?:周|星期|礼拜))")
_STILL_TODAY = re.compile("今晚|晚上|[等待]会|等下|等一下|一会儿?|马上|夜")
_CHINESE_CALENDAR = re.compile(  # what is so of a day, and nobody's plan
    "(?:[是系即也就正刚好都放法定公众共节假期日调休补班嘛喎㖞哦啊呀啦吧的呢了]|周末|(?:周|星期|礼拜)[一二三四五六日天]|我?[查看]了一?下?|"
    "平安夜|圣诞|感恩节|元旦|除夕|春节|中秋|端午|清明|国庆|[情人母亲父教师儿童妇女劳动]{2}节|冬至|初[一二三四五六七八九十])*"
)
_SOMEBODY = re.compile("[我咱你他她]|大家|一起")
_PERSON = re.compile("[我咱你]|(?<!其)他(?![乡日])|她|[爸妈爷奶]|外[公婆]")
_DONE = re.compile("[了过](?:[，。！]|$)|已经|刚刚")


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
    for position, one in enumerate(sentences):
        if len(found) >= _MOST:
            break
        if one.withdrawn or one.index in denied or not _is_expected(one):
            continue
        before = sentences[position - 1] if position else None
        if before is not None and before.index == one.index and (_CONDITION.match(before.text) or _goes_on_about(before, one)):
            continue
        behind = [other.text for other in sentences[position + 1 : position + 2] if other.index == one.index]
        if one.language == "en" and _TAKES_BACK.search("\n".join([one.text, *behind])):
            continue
        claims = tuple(claim for claim in one.claims if claim.attribute.startswith(_FAMILY) and not claim.ends)
        if any(later > position and about == claim.about for claim in claims for later, about in over[:_MOST]):
            continue
        date = journey_of(one) or _date(one)
        if date is None and len(one.dates) < 2 and _names_a_day(one):
            continue
        if date is None and (clauses := _by_clause(one)):
            for words, day in clauses:
                own = tuple(claim for claim in claims if claim.value in words)
                found.append(ExtractedForesight(words, one.text, (one.index,), day.since, day.until, own))
            continue
        if date is not None and not one.meant and not one.answers and _says_no_more(one, date):
            continue
        words = one.meant or one.told
        if one.language == "en" and not one.meant and not one.answers:
            own_words = _of_the_day(one, date)
            if own_words is None:
                continue
            words = own_words
        start, end = (date.since, date.until) if date else (None, None)
        found.append(ExtractedForesight(words, one.text, (one.index,), start, end, claims))
    return tuple(found[:_MOST])


def _goes_on_about(before: Sentence, one: Sentence) -> bool:
    """Tell whether a Chinese sentence that opens with its day names nobody, and goes on about another: 她在茶馆。后天回万州."""
    if one.language != "zh" or _SOMEBODY.search(one.text) or not one.dates or one.dates[0].start_index > 0:
        return False
    named = _PERSON.findall(simplified(before.text))
    return bool(named) and named[-1] not in "我咱你"


def _by_clause(one: Sentence) -> list[tuple[str, DateMention]]:
    """The clauses that have one day each, all of them ahead; none where a clause has two, or is one of a choice.

    A clause is left out before one with a day that is not certain, which may take its place: "the move on the 23rd, or Sunday".
    """
    later = _ahead(one)
    if one.meant or len(later) < 2 or len(later) != len(one.dates) or _CHOICE.search(one.text):
        return []
    text = parted(one.text) if one.language == "zh" else one.text
    ends = [mark.span() for mark in _CLAUSE_END.finditer(text)]
    found: list[tuple[str, DateMention]] = []
    for date, following in zip(later, (*later[1:], None), strict=True):
        begins = max((end for _, end in ends if end <= date.start_index), default=0)
        stops = min((start for start, _ in ends if start >= date.end_index), default=len(one.text))
        if following is not None and following.start_index < stops:
            return []
        if _says_no_more(one, date, begins, stops):
            return []
        if begins == 0 or not _NO_SUBJECT.match(one.text, begins):
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
        return None if len(one.dates) > 1 or _ANY_DAY.search(one.text) else one.text
    ends = [mark.span() for mark in _CLAUSE_END.finditer(one.text)]
    begins = max((end for _, end in ends if end <= date.start_index), default=0)
    stops = min((start for start, _ in ends if start >= date.end_index), default=len(one.text))
    others = [day.start() for day in _ANY_DAY.finditer(one.text) if not _is_of(day, date)]
    if not others and all(begins <= holiday.start() < stops for holiday in _HOLIDAY.finditer(one.text)):
        return one.text
    if any(begins <= at < stops for at in others) or (begins and _NO_SUBJECT.match(one.text, begins)):
        return None
    return None if _says_no_more(one, date, begins, stops) else one.text[begins:stops].strip(" .!…")


def _is_of(day: re.Match[str], date: DateMention) -> bool:
    """Tell whether a named day stands in a date, or is one of its days."""
    if day.start() < date.end_index and date.start_index < day.end():
        return True
    days = [date.span.first + timedelta(days=ahead) for ahead in range(min(date.span.days, _MONTH))]
    names = {f"{each:%A}".lower() for each in days} | {str(each.day) for each in days}
    return (day["number"] or f"{day['name'].lower()}day") in names


def _says_no_more(one: Sentence, date: DateMention, begins: int = 0, stops: int | None = None) -> bool:
    """Tell whether a clause, or the whole sentence, is a date and hardly anything else: "This Saturday."."""
    beside = _CLOCK.sub("", one.text[begins : date.start_index] + one.text[date.end_index : stops])
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
        denies, concedes = _DENIES.match(opening), _CONCEDES.match(opening)
        if not (denies or concedes) or index - 1 not in of or of[index - 1][0].speaker == speaker or not _names_days(message):
            continue
        if denies:
            denied.add(index - 1)
        if concedes and index - 2 in of and of[index - 2][0].speaker == speaker and _names_days(of[index - 1]):
            denied.add(index - 2)
    return denied


def _names_days(message: Sequence[Sentence]) -> bool:
    return any(one.dates or _names_a_day(one) for one in message)


def _is_vague(when: str) -> bool:
    """Tell whether a plan has no day of its own: it has none, or comes again ("Friday nights")."""
    return when == PLANNED or _AGAIN.search(when) is not None


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
        or _CANCELLED.search(one.text)
    ):
        return False
    if one.language == "zh" and not one.answers and _tells_the_calendar(one):
        return False
    if one.language == "en" and _says_which_day_it_is(one):
        return False
    if any(claim.attribute.startswith(_FAMILY) and (claim.ends or not _is_vague(claim.value)) for claim in one.claims):
        return not any(_ends_a_plan(claim) for claim in one.claims) and not _is_over(one)
    if one.language == "en":
        return _says_what_is_ahead(one) and not (_UNCERTAIN.search(one.text) or _is_over(one))
    if one.language == "zh":
        own = parted(_QUOTED.sub("", simplified(one.text)))
        if _CHINESE_UNCERTAIN.search(own) or _is_over(one):
            return False
        hour = one.said_at.astimezone(one.zone).hour
        if _MORNING.search(own) and hour >= _NOON:
            return False
        if any(date.since > one.said_at for date in one.dates):
            return True
        if _ahead(one) and _tells_of_the_day(own, hour):
            return False
        ahead = _CHINESE_LATER_TODAY if _ahead(one) else _CHINESE_PLANNED
        return ahead.search(own) is not None and not _DONE.search(own)
    return False


def _tells_of_the_day(text: str, hour: int) -> bool:
    """Tell whether a Chinese sentence about today reports on it: in the evening, or beside the days before it."""
    return _BEFORE_TODAY.search(text) is not None or (hour >= _EVENING and _STILL_TODAY.search(text) is None)


def _says_what_is_ahead(one: Sentence) -> bool:
    """Tell whether an English sentence has a date ahead, or says that something is planned."""
    if any(date.since > one.said_at for date in one.dates):
        return True
    soon = _SOON.search(one.text) and _WILL.search(one.text)
    told = soon or (_AHEAD if _ahead(one) else _PLANNED).search(one.text)
    return told is not None and _WANTED.search(one.text) is None


def _says_which_day_it_is(one: Sentence) -> bool:
    """Tell whether an English sentence only says what day a day is: "8th Sept is a Sunday this year"."""
    first = one.dates[0] if one.dates else None
    return first is not None and first.start_index < _BEGINS and _IS_A_WEEKDAY.search(one.text) is not None


def _tells_the_calendar(one: Sentence) -> bool:
    """Tell whether a Chinese sentence only says what day a day is, or that it is free: 下周三公众假期, 12月20号是周六."""
    text = parted(simplified(one.text))
    for date in reversed(one.dates):
        text = f"{text[: date.start_index]}#{text[date.end_index :]}"
    clauses = re.split("[，,。！；;]", text)
    rest = "".join(clause for clause in clauses if not _CHINESE_CALENDAR.fullmatch(clause.replace("#", "")))
    return "#" in text and "#" not in rest and (_SOMEBODY.search(rest) is None or _DONE.search(rest) is not None)


def _ahead(one: Sentence) -> list[DateMention]:
    """The dates that begin after it was said; today and tonight, where there is none."""
    later = [date for date in one.dates if date.since > one.said_at]
    return later or [date for date in one.dates if date.since <= one.said_at < date.until and date.span.first == date.span.last]


def _is_over(one: Sentence) -> bool:
    """Tell whether it names days, and all of them are past."""
    return bool(one.dates) and all(date.until <= one.said_at for date in one.dates)


def _date(one: Sentence) -> DateMention | None:
    """The one date ahead; else the one stretch that still runs: "this month". None beside a day in doubt: 4号去，6号回来."""
    running = [date for date in one.dates if date.until > one.said_at and date.span.days <= _MONTH]
    later = {date.span: date for date in _ahead(one) or running}
    if one.language == "zh" and any(
        all(named.since >= date.until or named.until <= date.since for date in one.dates) for named in _days_named(one)
    ):
        return None
    return next(iter(later.values())) if len(later) == 1 else None


def _names_a_day(one: Sentence) -> bool:
    """Tell whether a day, a week or a month to come is named in the likeliest reading, though not for certain."""
    return bool(_days_named(one))


def _days_named(one: Sentence) -> list[DateMention]:
    dates = [] if one.meant else resolve_dates(one.text, one.said_at, one.zone, _MOST_DATES)
    return [date for date in dates if date.until > one.said_at and date.span.days <= _MONTH]
