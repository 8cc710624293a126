"""What Chinese statements claim of plans: that something is to happen, when and where, that it moved, that it is off."""

import re
from collections.abc import Iterator
from datetime import datetime

from flows.consistency.claims.plan_values import plan_claim
from flows.consistency.claims.wording import Told
from flows.consistency.statements import Claim

_NUMBER = "[一二三四五六七八九十两〇零\\d]"
_DATE = re.compile(
    f"(?:\\d{{4}}年)?(?:{_NUMBER}{{1,3}}月(?:{_NUMBER}{{1,3}}[日号])?)|{_NUMBER}{{1,3}}[日号]|\\d{{4}}年|"
    f"\\d{{4}}-\\d\\d-\\d\\d|"
    "(?:下下|下|上|这|本)?(?:个)?(?:周|星期|礼拜)[一二三四五六日天末]|(?:下下|下|上|这|本)个?(?:周|星期|礼拜|月)|"
    "大?[今明后]天|[今明后去]年|周末|月底|年底|国庆|五一|春节|暑假|寒假"
)
_EXACT = re.compile("[日号天]|周[一二三四五六日末]|(?:星期|礼拜)[一二三四五六日天]|-")
_CLOCK = re.compile(
    f"(?P<part>早上|上午|中午|下午|晚上|傍晚|凌晨)?(?P<hour>{_NUMBER}{{1,3}})(?:点(?P<minute>半|{_NUMBER}{{1,3}}分)?|"
    f":(?P<colon>\\d\\d))|早上|上午|中午|下午|晚上|傍晚"
)
_MOVED = re.compile(
    "^(?:把|将)?(?P<e>[^,:]{2,20}?)(?:的)?(?:时间|日期|地点)?(?:又|被|已经?)?(?:改到|改成|改为|改在|推迟到|推迟至|延期到|"
    "延期至|延到|延至|提前到|提前至|挪到|调到|顺延到|换到|换成)"
    "(?:了)?(?P<to>[^,]*)"
)
_DELAYED = re.compile("^(?P<e>[^,:]{2,20}?)(?:又|被|要)?(?:推迟|延期|提前|改期)(?:了|$|,)")
_OFF = (
    re.compile("^(?P<e>[^,:不]{2,20}?)(?:又|被|已经?|全)?(?:取消|泡汤|作废|黄|不(?:去|办|开|搞|举行|举办|进行)了)(?:了|$|,)?"),
    re.compile("^(?P<s>[^,:]{1,6}?)?取消了?(?P<e>[^,:了]{2,20})"),
    re.compile("^(?P<s>[^,:]{1,6}?)(?:不打算|不准备|不计划|不想|放弃|决定不|不去|不参加)(?:去)?(?P<e>[^,:了]{2,16})(?:了|$)"),
)
_ON = re.compile(
    "^(?P<e>[^,:]{2,20}?)(?:的)?(?:(?:举办|开始|举行)?(?P<what>时间|日期|地点)(?:是|定在|在|为)|(?:定在|定于|安排在|约在|"
    "在)(?=[\\d一二三四五六七八九十下周星礼明后这]))(?P<to>[^,]+)"
)
_INTENDS = re.compile(
    "^(?P<s>[^,:]{1,8}?)?(?:等人)?(?:要去|要|会去|会|打算|准备|计划|订了|预订了|约了|报名了?|报了|有|去|飞|和|将要|"
    "将)(?P<e>[^:,]{2,20})"
)
_PLAIN = re.compile("^(?P<e>[^,:]{2,14})")
_CUE = re.compile("取消|改|推迟|延|提前|挪|调到|换|不|泡汤|黄了|放弃|时间|日期|地点|定在|定于|打算|计划|准备|安排")
_PLANS = re.compile("打算|计划|准备")
_EVENT = re.compile(
    "[会餐赛课展]|婚礼|旅行|旅游|之旅|面试|考试|手术|体检|航班|飞|演出|活动|培训|典礼|上线|发布|截止|露营|爬山|牙医|看病|"
    "复查|约|仪式|讲座|开学|搬家|出差|见面|野餐|烧烤|徒步|比赛|马拉松|签证|答辩"
)
_UNSURE = re.compile("如果|要是|可能|也许|考虑|希望|想不想|会不会|说不定|没有?取消|可以.{0,4}取消|免费取消")
_NOTHING = re.compile(
    "等人|要去|打算|准备|计划|参加|预订|订了|约了|报名|一起|一个|一场|一次|我们|咱们|会(?=[去要来有参])|"
    "[要去有的了在和看办开将把个次场那这就]|行程"
)
_OWN = re.compile("牙医|航班|面试|考试|预约|手术|体检|签证|复查")
_OWNED = re.compile(f"^(?P<owner>[^的看去做飞]{{2,4}})(?:的|要|去|看|做|飞)+(?P<own>.*(?:{_OWN.pattern}).*)$")
_GOES = re.compile("^[^去的,\\d]{2,4}(?=去[^,]+的)")  # 王芳去日本的旅行
_TRIP = re.compile("旅游|旅行|玩$")
_PAST = re.compile("昨天|前天|上周|上个|去年|了(?:一|两|三|很|$|,)|过(?:了|$|,)")


def chinese_plans(told: Told, event_at: datetime | None) -> Iterator[Claim]:
    """The plans of the sentences of a statement, in order."""
    for sentence in told.sentences:
        dated = _DATE.search(sentence) is not None
        if not (dated or _CUE.search(sentence)) or _UNSURE.search(sentence):
            continue
        for clause in sentence.split(","):
            if claim := _of(clause, told, event_at, dated):
                yield claim
                break


def _of(clause: str, told: Told, event_at: datetime | None, dated: bool) -> Claim | None:
    own = clause.removeprefix(told.speaker) if told.speaker or _OWN.search(clause) else _GOES.sub("", clause)
    bare = _CLOCK.sub("", _DATE.sub("", own))
    for shape in _OFF:
        if match := shape.match(bare):
            key = _key(match["e"], match.groupdict().get("s") or told.speaker)
            return plan_claim(key, "", "", "", ends=True) if key else None
    if match := _MOVED.match(own):
        day, hour = _when(match["to"], event_at)
        key = _key(match["e"], told.speaker)
        if not key or not (day or hour or "地点" in own):
            return None
        return plan_claim(key, day, hour, "" if day or hour else match["to"].rstrip("了"), moved=True)
    if match := _DELAYED.match(bare):
        key = _key(match["e"], told.speaker)
        return plan_claim(key, "open", "", "", moved=True) if key else None
    if match := _ON.match(own):
        day, hour = _when(match["to"], event_at)
        place = match["to"] if match["what"] == "地点" else ""
        key = _key(match["e"], told.speaker)
        return plan_claim(key, day, hour, place) if key and (day or hour or place) else None
    if _PAST.search(clause) or not (dated or _PLANS.search(clause)):
        return None
    match = _INTENDS.match(bare) or _PLAIN.match(bare)
    if match is None or not (_EVENT.search(clause) or _PLANS.search(clause)):
        return None
    day, hour = _when(own, event_at)
    event = match["e"] if "s" not in match.groupdict() or match["s"] else bare
    key = _key(("飞" if "飞" in bare else "") + event, match.groupdict().get("s") or told.speaker)
    return plan_claim(key, day, hour, "") if key else None


def _when(text: str, event_at: datetime | None) -> tuple[str, str]:
    found = _DATE.search(text)
    day = (f"{event_at:%Y-%m-%dT%H:%MZ}" if event_at else found[0]) if found else ""
    day = f"~{day}" if found and not _EXACT.search(found[0]) else day
    clock = _CLOCK.search(_DATE.sub("", text))
    hour = f"{clock['part'] or ''}{clock['hour']}:{clock['minute'] or clock['colon'] or ''}" if clock and clock["hour"] else ""
    return day, hour or (clock[0] if clock else "")


def _key(event: str, owner: str) -> str:
    """What a plan is known by: its characters of content in order, and whose it is where it is one's own."""
    if owned := _OWNED.match(event):
        owner, event = owned["owner"], owned["own"]
    bare = _NOTHING.sub("", _CLOCK.sub("", _DATE.sub("", event.replace("飞", "航班"))))
    bare = "".join(character for character in bare if character.isalnum())
    if "航班" in bare:
        bare = "航班" + bare.replace("航班", "")
    bare = _TRIP.sub("", bare) if len(bare) > 3 else bare
    if not 2 <= len(bare) <= 14:
        return ""
    return f"{owner}: {bare}" if _OWN.search(bare) and owner else bare
