"""The Chinese words that dates are made of, the tense of the sentence around a date, and grounds to doubt it.

A date may not be that of what its sentence tells: a habit, a supposition, a negation, a quotation, a change.
"""

import re
from datetime import date

from mneme.dates import spans
from mneme.dates.spans import DaySpan, Found
from mneme.languages import is_doubted

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_FEW = (2, 5)

NUMBER = r"(?:\d{1,4}|[一二两三四五六七八九十]{1,3}|几)"
WEEKDAYS = "一二三四五六日"
EDGE = (
    r"(?:[上中下]旬|初(?![学中级次步夏春秋冬衷一二三四五六七八九十\d])|中(?![上下学国间心央间午文东西美英的有最每风暑毒奖])|"
    "底(?![下层部片子])|末(?![班端日尾]))"
)
_THIRDS = {"上旬": (1, 10), "中旬": (11, 20), "下旬": (21, 31)}  # days of a month
_WEEK_OF_EDGE = 7  # days: 月初 is about the first week, 月底 the last, 月中 the one around the 15th
_MID_MONTH = 12
_EDGE_MONTHS = {"初": (1, 2), "中": (6, 7), "底": (12, 12), "末": (12, 12)}

_SENTENCE_END = re.compile("[。！!？?\n]")
_REACH = 40  # characters
_LONGEST_CLAUSE = 80  # characters before and behind a date; without a limit an endless one costs its square
_CLAUSE_END = re.compile("[，,。！!？?；;\n]")
_PAST = re.compile(
    "(?<![为除罢算])(?<![号日]好)了(?![解不])|(?<=[去来做吃看听见学买用读住玩试到聊谈拍写逛加办])过(?![来去年节])|(?<!老)曾(?=[经在是去有被任获])|已经?|刚(?![好巧])"
)
_FUTURE = re.compile("(?<![重主只])要(?![是求么紧命])|将|打算|准备|计划|之前|前完成|截止|可以[^，。]{1,3}了[啊呀吧哈哦]?$")
_LIKELY_FUTURE = re.compile(
    "预产期|(?<![开聚约晚年宴舞长乐机社灯])会(?![议员场计见])|见(?=[吧啊哈哦啦。！，,!~\\s]|$)|开始(?![了的])|得(?=[交去把])"
)
_ARRANGED = re.compile(
    "(?:预?订|预?定|预?约|报名?|安排|买)(?:了|好)|改[到在为成]|推迟|延[到期]|挪到|提前到|定在|(?:约|预约|订|预订|定)的(?!时候)"
)  # for what lies ahead
# 8号在爱尔做的 has been; 我18号会来的 has not.
_DONE_AS_TOLD = re.compile(
    "(?!.*(?:[会要能想得将可该必]|说好|一定|肯定|票)).*(?:(?<=[入辞]的)职|(?<=毕的)业|(?<=[结离]的)婚|(?<=退的)休|(?<=[搬交]的)[家房]|(?<=[做看买去发拆办结搬走拍订吃生换签考装修拿交领出离辞见写寄取定])的(?:手术|检查)?)[吧啊呀嘛哈呢哦]?\\s*$"
)
_BOOKED_BEHIND = re.compile(
    "(?:[早晚]上|[上中下]午)?(?:[零〇一二两三四五六七八九十\\d]{1,3}[点:：][^，。！]{0,3}?)?(?:已经|也|都)?"
    "(?:(?P<met>预?约)|订|预订|预定|报名?|挂)好?了"
)
_OCCASION_THEN = (
    "(?:开会|开庭|考试|面试|复[查诊]|体检|手术|拔牙|签[约字]|答辩|见面?|集合|聚[会餐]|比赛|演出|婚礼|出发|起飞|高铁|飞机|火车)"
)
_AT_AN_HOUR = re.compile(
    "(?:[早晚]上|[上中下]午|傍晚)?(?:[零〇一二两三四五六七八九十\\d]{1,3}点半?|\\d{1,2}[:：]\\d\\d)"
    f"(?:[^，。！？,.!?了过的没不哪吗么几谁]{{0,6}}{_OCCASION_THEN})?(?=[，。！,.!~～\\s]|$)"
)
# A further clause tells of a day that has been (周一体检，血压有点高), unless it says where, or what one says beforehand.
_TOLD_OF_IT = re.compile(
    "[^，,。！!？?；;\\n]*[，,](?!在|[^，,。！!]{0,8}[厅店家馆院站门口楼室园](?:[，,。！!.~～]|$)|[^。！!？?；;\\n]*(?:吧|吗|记得|别忘|帮|希望|祝|加油|紧张|"
    "期待|到时|打算|准备|陪(?!的|了)|[我你他她们](?:去|来|也去|先)(?!了)|(?<![一机开聚])会|(?<![重主只])要))"
)
_EVALUATED = re.compile(
    "[^。！!？?；;\\n]*(?:[死累惨爽砸崩真太堵瘫困断]|(?<![看说订约])好(?![的了几运])|有点(?![紧怕担])|排队|挂(?!号)|不错|一切|没事|顺利(?!的话))"
)
_PAST_DAY = re.compile("昨|(?<![大以])前天|上个?(?:周|星期|礼拜|月)|去年")
# Without 了 a bare verb behind a day and an occasion before it are mostly to come: "4月6号搬", "补考在3月20号".
_TO_COME_BEHIND = re.compile(
    "(?:[早晚]上|上午|中午|下午|[零〇一二两三四五六七八九十\\d]{1,3}[点:：][^，。！]{0,3}|的?(?:飞机|高铁|火车|航班|票))?"
    "(?:[我你他她咱]们?)?(?:爸妈?|妈|老[公婆]|[哥姐弟妹]{1,2}|女儿|儿子|孩子|公司|学校)?(?:正式|开始|就|才|再|先|从[^，。！]{1,5}(?=[过回]))*"
    "(?:入职|报到|搬|出发|走|到(?![期现今\\d一二三四五六七八九十])|飞|返|回|[去来](?!的)|开[学业张庭幕]|交[房屋租稿]|考试?|结婚|领证|手术|体检|复[查诊]|上[班线]|出院|入院|面试|截止|见|"
    "办|摆酒|拍|清退|答辩|过[来去]|满[\\d一二三四五六七八九十]|[带接送][^，。！]{1,4}[去来回看]|签[约字]|到期|"
    "[^，。！？,.!?了过的着没不每]{0,4}(?:家长会|聚会|聚餐|饭局|婚礼|比赛|演出|年会|演唱会|做手术|出差)(?=[。！.!~～\\s]|$))"
    "[^，。！？,.!?了过的着没不哪吗么几谁]{0,8}(?=[，。！,.!~～\\s]|$)"
)
_SET_ON = re.compile(
    "(?:(?:复查|复诊|面试|手术|体检|拔牙|答辩)[是在]?|(?:考|试|会|礼|宴|赛|术|诊|查|学|业|班|婚|展|演|课|期|机|车)[是在])(?:[下本这]?周[一二三四五六日]?)?$"
)
_DONE_BEHIND = re.compile("(?<![号日天午上点早晚半])的|那[天时年]")  # not 6月3号的票, 早上的航班
_CLOSES = re.compile("(?:[上中下]午|[早晚]上)?(?:[，。！,.!~～]|$)")
_EVENTUALLY = re.compile(
    "(?:就[要快]|快(?![一二两三四五六七八九十半几\\d])要?|该要?|马上要?).{0,8}了"
)  # "就要结婚了" lies ahead
_EARLIER_THAN_THOUGHT = re.compile("就.{0,8}了")  # 3月就走了 has been, 周五就放假了 has not


def number(written: str) -> int:
    """The number that figures or characters write.

    Raises:
        ValueError: none of them (几, which asks), or several (两三).
    """
    least, most = least_and_most(written)
    if least != most:
        raise ValueError(written)
    return least


def year_number(written: str) -> int:
    """A year, in figures or digit by digit: 二〇二三."""
    return int(written) if written.isdigit() else int("".join(str(_DIGITS[digit]) for digit in written))


def least_and_most(written: str) -> tuple[int, int]:
    """The least and the most that a number means: 两三 is two to three, 几 two to five."""
    if written == "几":
        return _FEW
    if written.isdigit():
        return int(written), int(written)
    tens, ten, ones = written.rpartition("十")
    if not ten and len(ones) == 2:
        return _DIGITS[ones[0]], _DIGITS[ones[1]]
    if len(ones) > 1:
        raise ValueError(written)
    value = (_DIGITS[ones] if ones else 0) + ((_DIGITS[tens] if tens else 1) * 10 if ten else 0)
    return value, value


def weekday_number(written: str) -> int:
    """Monday is 0."""
    return WEEKDAYS.index(written.replace("天", "日"))


def edged(edge: str | None, month: DaySpan) -> DaySpan:
    """The part of a month that 初, 中, 底 or one of its thirds (上旬) names; the whole without one."""
    if not edge:
        return month
    if edge in _THIRDS:
        first, last = _THIRDS[edge]
    else:
        late = month.days - _WEEK_OF_EDGE + 1
        first = {"初": 1, "中": _MID_MONTH}.get(edge, late)
        last = first + _WEEK_OF_EDGE - 1
    return DaySpan.between(month.first.replace(day=first), month.first.replace(day=min(last, month.days)))


def edge_of_year(edge: str, year: int) -> DaySpan:
    """The months that people mean: 年初 the first two, 年中 June and July, 年底 December."""
    first, last = _EDGE_MONTHS[edge]
    months = spans.month(date(year, first, 1))
    return months if first == last else DaySpan.between(months.first, spans.month(date(year, last, 1)).last)


# What was moved to a day is still to come, for all its 了: 聚餐改到周五了; and so is the day until which one can do something.
_REARRANGED = re.compile(
    "(?:(?:可以|可|能)[^，。；！？]{0,8}到|有效期到|截止到|改到|改成|改为|改在|推迟到|推迟至|延期到|延期至|延到|延至|提前到|提前至|挪到|调到|顺延到|换到|改|定在|约在|约到)了?$"
)


def looks_back(match: re.Match[str], of_others: bool = False) -> bool | None:
    """Return whether the clause of a date speaks of the past; whether its sentence speaks of what is to come; else None.

    A past that only another clause tells makes no date certain (进八强了，28号打半决赛): it counts where ``of_others`` says so.
    """
    text = match.string
    if _REARRANGED.search(text, max(0, match.start() - 14), match.start()):
        return False
    begins, ends = clause_of(text, match.start(), match.end())
    clause = text[begins:ends]
    if _ARRANGED.search(text[begins : match.start()]):
        return False
    if _BOOKED_BEHIND.match(text, match.end()):
        return None
    after = _SENTENCE_END.split(text[match.end() : match.end() + _REACH], maxsplit=1)[0]
    before = _SENTENCE_END.split(text[max(0, match.start() - _REACH) : match.start()])[-1]
    back = tense_of(clause)
    if back is not None or may_be_to_come(match):
        return back
    around = next((found for found in (tense_of(after), tense_of(before)) if found is not None), None)
    return around if of_others or not around else None


def may_be_to_come(match: re.Match[str]) -> bool:
    """Tell whether a day is that of a bare verb, or of an occasion: without 了 the nearest, if it is ahead (4月6号搬)."""
    text = match.string
    begins, ends = clause_of(text, match.start(), match.end())
    if booked := _BOOKED_BEHIND.match(text, match.end()):
        return booked["met"] is not None  # 周五订了酒店 may have been then
    is_set = _SET_ON.search(text, begins, match.start()) is not None and _CLOSES.match(text, match.end()) is not None
    told = is_set or _TO_COME_BEHIND.match(text, match.end()) or _AT_AN_HOUR.match(text, match.end())
    return bool(told) and not _PAST.search(text, begins, ends)


def is_told_of(match: re.Match[str]) -> bool:
    """Tell whether the sentence tells what came of a day, or speaks of another past day: then 周六回老家 may be past."""
    text, end = match.string, match.end()
    return bool(_TOLD_OF_IT.match(text, end) or _PAST_DAY.search(text)) or is_evaluated(match)


def is_evaluated(match: re.Match[str]) -> bool:
    """Tell whether the sentence says how it was on a day: 18号体检，血压有点高."""
    return _EVALUATED.match(match.string, match.end()) is not None


def may_be_past(match: re.Match[str]) -> bool:
    """Tell whether the clause of a date tells what has been, by 了 or 的: 6月3号办的婚礼."""
    text = match.string
    begins, ends = clause_of(text, match.start(), match.end())
    return _PAST.search(text, begins, ends) is not None or _DONE_BEHIND.search(text, match.end(), ends) is not None


def tense_of(words: str) -> bool | None:
    """Tell whether words speak of the past; None where nothing tells."""
    if _FUTURE.search(words) or _EVENTUALLY.search(words):
        return False
    if _EARLIER_THAN_THOUGHT.search(words):
        return None
    if _PAST.search(words) or _DONE_AS_TOLD.match(words):
        return True
    return False if _LIKELY_FUTURE.search(words) else None


def is_counted_from_now(match: re.Match[str]) -> bool:
    """Tell whether 三天后 counts from the moment of saying: not 术后一周, 出院三天后, nor 三天后他走了, which a tale counts."""
    if not match["side"]:  # 再过三天
        return True
    text, start, back = match.string, match.start(), looks_back(match)
    before = _SENTENCE_END.split(text[max(0, start - _REACH) : start])[-1]
    if match["side"].endswith("前"):
        return _OCCASION_TO_COME.search(before) is None if back else _FROM_NOW.search(before) is not None
    return not back and _AFTER_ANOTHER.search(before) is None and _FROM_NOW.search(before) is not None


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The beginning and the end of the clause of a date."""
    begins, ends = max(0, start - _LONGEST_CLAUSE), min(len(text), end + _LONGEST_CLAUSE)
    begins = max((each.end() for each in _CLAUSE_END.finditer(text, begins, start)), default=begins)
    ending = _CLAUSE_END.search(text, end, ends)
    return begins, ending.start() if ending else ends


def in_doubt(sentence: str, date: Found) -> bool:
    """Return whether a date is told of nothing that happens then, or may be one of several."""
    start, end = date.start, date.end
    begins, ends = clause_of(sentence, start, end)
    if is_doubted(sentence[max(0, start - _DOUBT_REACH) : end + _DOUBT_REACH]):
        return True
    before, behind = sentence[begins:start], sentence[end:ends]
    if sentence.rfind("“", 0, start) > sentence.rfind("”", 0, start) or sentence.count('"', 0, start) % 2:
        return True
    if _BEFORE.search(before) or _BEHIND.match(behind) or _NO_EVENT.search(before) or _NO_EVENT.search(behind):
        return True
    if _TOLD.search(sentence, max(0, start - _DOUBT_REACH), start):
        return True
    named = _OCCASION.search(sentence) or _LUNAR.search(sentence) or _NAMED.search(sentence, 0, start)
    if named and _BARE_DAY.fullmatch(sentence[start:end]):
        return True  # of the month of the occasion, or of the lunar day beside it, which may be another
    return date.lacks_year and _OTHER_YEAR.search(sentence[max(0, start - _DOUBT_REACH) : start] + behind) is not None


def is_of_another(mention: str, earlier: str, month: int) -> bool:
    """Return whether a day may be of an occasion, or of another month than that, named before: 国庆去哪？ 14号出发。

    So may be what counts from another moment: 术后静养。 一周后复查。
    """
    if _COUNTED.fullmatch(mention):
        return _AFTER_ANOTHER.search(earlier[-_REACH:]) is not None
    of_it = re.sub(f"(?<![\\d一二三四五六七八九十])(?:{month}|{_in_characters(month)})月", "", earlier)
    return _BARE_DAY.fullmatch(mention) is not None and _NAMED.search(of_it) is not None


def _in_characters(month: int) -> str:
    return "十" * (month > 9) + "一二三四五六七八九"[month % 10 - 1 : month % 10]


# Another moment than that of saying: 术后, 回来以后, not 然后 or 后天.
_AFTER_ANOTHER = re.compile("(?<![今然最随背往前])后(?![来天年面悔台端续果期半边勤备院门排座])")
_FROM_NOW = re.compile(
    "(?:^|[，,；;：:、\\s我你您他她它们咱就将要会在是于约说想再还又也都才爸妈哥姐弟妹婆公爷奶叔姨]|大家)$"
)  # stands before it
_OCCASION_TO_COME = re.compile(
    "(?:出发|起飞|考试|开学|开会|面试|演出|比赛|活动|上线|截止|到期|结婚|婚礼|手术|生日|过年|春节)的?$"
)
_COUNTED = re.compile(f"{NUMBER}(?:天|日|周|个?星期|个?礼拜|个月|年)[以之]?后")
_DOUBT_REACH = 80  # characters
_BEFORE = re.compile(
    r"(?:从原[来定]?的?|原[本来定]?的?|不是|而非|[我你他她]的|自从?|除了|比|像|和|跟|与|或者?|还是|大[概约]|差不多|(?<![租合签])约)$|(?:从|把|将)[^，。]{0,10}$(?<=[从把将])"
)
_BEHIND = re.compile(
    "再[说看议](?![一了])|的[^，。]{1,8}(?:改[到成在]|推迟|延[期到]|挪到|提前到|取消)|或|还是|[到至](?:现在|如今|目前|今)|至今|[之以]?前(?!后)|[之以过]?后|以来|起(?!床|飞|来)|左右|前后|上下|的?时候|改(?:[到成为在]|(?=[周星礼下明后\\d]))|的?今[天日]|是?(?:几号|几月|星期几|周几|礼拜几)|"
    rf"(?:已经?|都|才|刚|快|刚好|满)*{NUMBER}[多来]?(?:周岁|岁|了|出头|点)|(?:推迟|延期|提前|挪|调整?)[到至]"
)
_NO_EVENT = re.compile(
    "如果|要是|假如|假设|万一|的话|也许|可能|或许|大概|说不定|不一定|没|不(?![错过仅但同少知断久得止见管散])|别(?![的人墅致])|未(?!来|婚)|"
    "取消|快递[^，。]{0,2}预产期|最[好佳合]|适合|怎么办|咋办|(?<![理思没])想(?![起到通着念法象])|每|通常|一般|平时|经常|常常|总是|往往|有时|本来|原本|原定|以为|估计|争取|尽量"
)
_TOLD = re.compile(
    "听[^，。力课]{1,6}[说讲话]|说(?!明|法|服|[一个件点句])|(?<!不)告诉|佢话|表示|提到|如果|要是|假如|假设|万一|想象"
)
_BARE_DAY = re.compile("从?[^月]+号(?:[^月]+号)?")
_OCCASION = re.compile("生日|纪念日|放假|收假|假期|五一|十一|国庆|春节|[上下]个?月")
_LUNAR = re.compile("除夕|大年|(?<![最起当])初[一二三四五六七八九十]")
_NAMED = re.compile(rf"{_OCCASION.pattern}|元旦|端午|中秋|清明|[一二三四五六七八九十\d]月|[寒暑]假")
_OTHER_YEAR = re.compile(r"生日|出生|认识|成立|生于|纪念日|(?:19|20)\d\d|[去前后明]年|那年|年前")
