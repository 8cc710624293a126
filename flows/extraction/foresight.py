"""What is expected: plans, appointments and deadlines, by future cues."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from flows.cuts import ExtractedForesight
from flows.extraction.wording.persons import capitalised
from flows.extraction.wording.reports import quoted, reported
from flows.extraction.wording.retelling import Kind, Retelling, Said
from flows.extraction.wording.substance import weight
from mneme.caseless import Caseless
from mneme.dates import DateMention
from mneme.text import has_cjk

_INTENT = Caseless(
    r"\b(?:i|we)(?:['’](?:m|re)| am| are)? (?:(?:also|still|really|definitely|actually|probably|currently|already|just) )*"
    r"(?:going to|gonna|planning|plan to|plan on|intend|aiming|about to|(?:signed|signing) up for|"
    r"thinking (?:of|about)|looking forward to|preparing for|getting ready|scheduled|booked|starting)\b|"
    r"^(?:gonna|planning (?:to|a|my)|about to|looking forward to|getting ready (?:to|for))\b|\b(?:i|"
    r"we)['’]ll\b|\b(?:i|we) will\b|"
    r"\b(?:appointment|deadline|due (?:on|by|next|this|tomorrow)|is scheduled|(?:my|our) next (?:\w+ "
    r")?(?:trip|adventure|vacation|project|"
    r"book|tournament|game|competition|show|exhibition|move|event)|can['’]?t wait (?:until|till|['’]?til|for "
    r"(?:my|our|the)))\b",
)
_HOPE = Caseless(r"\b(?:hoping|hope|want|wanna|would (?:love|like)|['’]d (?:love|like)) to\b")  # a wish, unless it has a day
_CHINESE_INTENT = re.compile(
    "打算|计划|准备|将要|将会|就要|预约了|约了|约好|截止|要去|要参加|会在|将在|安排|我(?:们)?(?:会|来|再|先|"
    "补|下午|晚上|今晚|明天)|接下来|"
    "想去|想租|上线|提交|出(?:初稿|一版|结果|新)|要(?:做|来|搬|开|考|加班|在)|聚个?餐|过来|搬过?来|去接|联调|"
    "办手续|面试|出发|尽快"
)
_CHINESE_DONE = re.compile("不(?:上线|提交|去|做|会|出|来)|已经|完成|刚刚?|[了过](?:[，。！]|$)|正常|通过|闭环|达成")
_EMPTY = Caseless(
    r"\b(?:(?:i['’]ll|i will|we['’]ll) (?:\w+ )?(?:keep (?:you|that)|let you|check (?:it|that|them|this) out|tell you|"
    r"be (?:here|there|right|fine|ok|sure)|definitely|never|always|see|think|try|remember|miss)|"
    r"(?:going to|gonna|will|['’]ll) (?:just )?(?:keep (?:\w+ing|at|on|up|it)|stay|remain|give it a|be "
    r"(?:sure|able)|make sure|focus on|"
    r"continue (?:to|doing|working|supporting|being|with)|"
    r"need|have|check (?:it|that|them|this)|do (?:my|it|that|so)|take (?:it|that)|let)|"
    r"starting (?:some|to)|start(?:s)? to (?:realize|realise|feel|see|think|get|understand|look)|"
    r"if i (?:keep|try)|(?:i|we)(?:['’]ll| will) (?:cherish|reach)|who knows|not sure|make (?:this|it) work|"
    r"if (?:i|we)(?:['’]ll| will| ever)|"
    r"maybe|might|let me know|lemme know|talk to you|keep you posted|"
    r"can't wait to hear|looking forward to (?:it|that|hearing|seeing|more))\b",
)
_CANCELLED = Caseless(
    r"\b(?:cancell?ed|called off|(?:can['’]?t|cannot) make it|fell through|(?:isn['’]t|not) happening)\b|"
    r"取消了|不去[^，。]{1,8}了|去不了|不办了",
)
_CHINESE_CANCELLED = re.compile("不去(?P<what>[^，。]{1,8}?)了|(?P<that>[^，。]{1,8}?)取消了")
_PHRASE = Caseless(
    r"\bsee (?:you|ya)\b|^let['’]?s (?:make|live)\b|\b(?:gonna|going to|will) be (?:a |an )?(?:\w+ )?(?:blast|fun|"
    r"night|great|awesome)\b",
)
_REQUEST = Caseless(r"\b(?:can|could|would|will) you\b.*\b(?:by|until|till|before)\b|能.{0,16}前.{0,12}吗")
_CLOCK = Caseless(r"\b\d{1,2}[:.]\d\d\b|\b(?:at )?(?:\d{1,2}|noon|midnight) ?(?:am|pm|o'clock)\b")
_LEAD = Caseless(r"^(?:(?:and|but|so|then|also|well|ok|okay),? )+|^(?:好|行|好的|那|嗯)，")
_PART = re.compile(r"[;:—–]\s+|,\s+(?=(?:but|so|because|although|since|while|which|and)\b)")
_CLAUSE = re.compile(r"[;；，]\s*|,\s+")
_CLAUSE_WEIGHT = 1.0
_LONGEST = 140  # characters of a statement
_MOST = 100  # of one message; each is a row of its own, and compared with all others about the same
_SAYS_MORE = 2.0  # words of content beside the date and the hour
_LEAST_WEIGHT = 3.0  # words of content; less is a way of speaking ("I'll do it")


@dataclass(frozen=True, slots=True)
class _Plan:
    """A sentence that expects something, told as ``statement``, and the date that is meant."""

    retelling: Retelling
    said: Said
    statement: str
    mention: DateMention | None

    @property
    def says_more(self) -> bool:
        """Whether it tells more than a day."""
        return _beside_dates(self.said) >= _SAYS_MORE or self.statement.startswith(("Asked", "被问到"))


def foresights_of(retellings: Sequence[Retelling]) -> Iterator[ExtractedForesight]:
    """For each message its expectations that have a date ahead, else one plan that says enough.

    The statement is the expectation alone; a sentence with several days ahead gives one for each. What only confirms a day
    that another message says more about is left out, and so is what the episode cancels again. Of one message there are at
    most 100.
    """
    pairs = zip([None, *retellings], retellings, strict=False)
    plans = [plan for before, one in pairs for plan in islice(_plans(one, before), _MOST)]
    told_more = {plan.mention.span for plan in plans if plan.mention and plan.says_more}
    cancelled = list(_cancellations(retellings))
    for plan in plans:
        if plan.mention and plan.mention.span in told_more and not plan.says_more:
            continue
        if any(plan.retelling.index < at and what in plan.statement.lower() for at, what in cancelled):
            continue
        start, end = (plan.mention.since, plan.mention.until) if plan.mention else (None, None)
        yield ExtractedForesight(capitalised(plan.statement), plan.said.text, (plan.retelling.index,), start, end)


def _plans(retelling: Retelling, before: Retelling | None) -> Iterator[_Plan]:
    if retelling.message.role != "user":
        return
    dated = False
    for said in retelling.said:
        if not said.dates or said.kind is Kind.ATTACHMENT or not said.informative:
            continue
        if _PHRASE.search(said.text) or _CANCELLED.search(said.text):
            continue
        if said.kind is Kind.QUESTION and not (_REQUEST.search(said.text) and _ahead(said, retelling)):
            continue
        if _ahead(said, retelling):
            dated = True
            yield from _dated(said, retelling)
        elif question := _answered(said, retelling, before):
            dated = True
            mention = _expected(said, retelling)
            asked = quoted([question])
            opening = f"被问到{asked}，" if has_cjk(asked) else f"Asked {asked}, "
            yield _Plan(retelling, said, opening + reported(retelling, [said]), mention)
    if dated:
        return
    planned = next((one for one in retelling.statements if _is_plan(one, retelling)), None)
    if planned is not None:
        mention = _expected(planned, retelling)
        yield _Plan(retelling, planned, _statement(_expectation(planned.told, mention), planned, retelling), mention)


def _dated(said: Said, retelling: Retelling) -> Iterator[_Plan]:
    """One plan, or one for each of several days that have a clause each."""
    sent = retelling.message.sent_at
    ahead = [date for date in said.dates if date.since > sent]
    clauses = [clause.strip() for clause in _CLAUSE.split(_LEAD.sub("", said.told).rstrip(" .。"))]
    held = [next((clause for clause in clauses if (date.completed or date.text) in clause), "") for date in ahead]
    if len(ahead) > 1 and len(set(held)) == len(ahead) and all(weight(clause) >= _CLAUSE_WEIGHT for clause in held):
        mark = "。" if has_cjk(said.text) else "."
        for date, clause in zip(ahead, held, strict=True):
            yield _Plan(retelling, said, _statement(clause + mark, said, retelling), date)
        return
    mention = _expected(said, retelling)
    yield _Plan(retelling, said, _statement(_expectation(said.told, mention), said, retelling), mention)


def _statement(expectation: str, said: Said, retelling: Retelling) -> str:
    """The expectation, with who said it where it is too short to stand alone."""
    if said.kind is Kind.QUESTION or min(weight(said.text), weight(expectation)) < _LEAST_WEIGHT:
        return reported(retelling, [said._replace(told=expectation)])
    return expectation


def _answered(said: Said, retelling: Retelling, before: Retelling | None) -> Said | None:
    """The question that a bare day answers: "Party when?" "Saturday, please."."""
    if before is None or before.speaker == retelling.speaker or said.kind is not Kind.STATEMENT:
        return None
    if said is not retelling.said[0] or all(date.since <= retelling.message.sent_at for date in said.dates):
        return None
    asked = [one for one in before.said if one.kind is Kind.QUESTION and one.informative]
    return asked[-1] if asked and weight(asked[-1].text) >= _SAYS_MORE else None


def _cancellations(retellings: Sequence[Retelling]) -> Iterator[tuple[int, str]]:
    """What is called off, in lower case, and the index of the message that says so."""
    for retelling in retellings:
        for said in retelling.said:
            if not _CANCELLED.search(said.text):
                continue
            if has_cjk(said.text):
                yield from (
                    (retelling.index, found["what"] or found["that"]) for found in _CHINESE_CANCELLED.finditer(said.text)
                )
                continue
            for clause in _CLAUSE.split(said.text):
                if _CANCELLED.search(clause):
                    yield from ((retelling.index, name.lower()) for name in re.findall(r"\b[A-Z]\w{3,}", clause))


def _expected(said: Said, retelling: Retelling) -> DateMention | None:
    """The date that is meant: the first that begins after the message, else the first that is not over."""
    sent = retelling.message.sent_at
    begins = next((date for date in said.dates if date.since > sent), None)
    return begins or next((date for date in said.dates if date.until > sent), None)


def _expectation(statement: str, mention: DateMention | None) -> str:
    """The statement without what leads to it; of a long one only the part that holds the date."""
    statement = _LEAD.sub("", statement)
    date = (mention.completed or mention.written) if mention else ""
    _, colon, rest = statement.partition(": ")
    if colon and date in rest and weight(rest) >= _LEAST_WEIGHT:
        statement = rest
    if date and len(statement) > _LONGEST:
        held = [part for part in _PART.split(statement) if date in part and weight(part) >= _LEAST_WEIGHT]
        statement = held[0].strip(" .,;") + "." if held else statement
    return statement


def _ahead(said: Said, retelling: Retelling) -> bool:
    """Whether the sentence names a time that begins after the message, or is a plan for one that is not over."""
    sent = retelling.message.sent_at
    ahead = any(date.since > sent or (date.until > sent and _planned(said.text)) for date in said.dates)
    return ahead and _beside_dates(said) >= 1


def _beside_dates(said: Said) -> float:
    beside = said.text
    for date in said.dates:
        beside = beside.replace(date.text, "")
    return weight(_CLOCK.sub("", beside))


def _is_plan(said: Said, retelling: Retelling) -> bool:
    """Whether a sentence without a day ahead plans something; one that names a day that is over does not."""
    if _CANCELLED.search(said.text) or not _planned(said.text) or _HOPE.search(said.text):
        return False
    return all(date.until > retelling.message.sent_at for date in said.dates)


def _planned(text: str) -> bool:
    if has_cjk(text):
        return _CHINESE_INTENT.search(text) is not None and _CHINESE_DONE.search(text) is None
    return bool(_INTENT.search(text)) and not _EMPTY.search(text) and weight(text) >= _LEAST_WEIGHT
