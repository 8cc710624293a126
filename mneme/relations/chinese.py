"""Claims of Chinese sentences, and states that Chinese questions ask for: chinese.toml over the clauses of a sentence."""

import re
import unicodedata
from collections.abc import Iterator

from mneme.chinese_script import as_written, simplified
from mneme.languages import is_doubted
from mneme.records import Claim
from mneme.relations.chinese_subjects import LANDFORMS, chinese, endings, is_chinese_name, is_somebody, patterns, person, thing
from mneme.relations.table import (
    Pattern,
    Slot,
    Table,
    completed,
    group_of,
    kind_named,
    row_of,
    state_asked,
)
from mneme.relations.values import UNREAD, Found, distinct_claims, endings_first, same_kind, tool_kind

_LONGEST = 400  # characters that are read
_NOT_CERTAIN = re.compile(
    "如果|要是|假如|假设|万一|可能|也许|或许|大概|八成|多半|十有八九|估计|恐怕|似乎|好像|说不定|梦想|梦见|梦到|本来|会不会|是不是|有没有|能不能|"
    "可不可以|差点|以为|建议|请你|请帮|帮我|觉得|认为|小说|电影里|剧里|游戏里|告诉我|问我|说他|说她|说过|他说|她说|"
    "妈说|爸说|希望|但愿|应该|最好|考虑|想要|想去|想搬|想换|想在|准备要|当时|那时|小时候|的时候|年前|谁|哪|什么|怎么|多少|几[个点号岁时]|吗|"
    "就好了|算[了啦]|不如|假装|扮演|台词|如何|是否|不是说|难道|吧$|吧[,。!]"
)
# What asks of others, and what takes back what was said before it.
_ASKS_OF_OTHERS = re.compile("请你|请帮|帮我|告诉我|问我|谁|哪|什么|怎么|多少|几[个点号岁时]|吗|能不能|可不可以|有没有|要不要")
_TAKES_BACK = re.compile(
    "^[,。!;](?:如果|要是|假如|除非|才怪|骗你|难道|听说|据说|[他她]说)|开玩笑|就好了|才怪|骗你|假装|的话|[他她]说|梦|小说|电影|剧|游戏"
)
# What is meant to be; 年底 with 了 may be behind (我年底离职了), 年底就 is not.
_PLANS_NOT_DONE = re.compile(
    "想|打算|准备|计划|将要|快要|要(?=搬|去|换|离职|辞职|结婚|买|跳槽)|会(?=搬|去|换)|正在考虑|可以|能|下下?个?(?:周|月|星期|礼拜|学期|半年)|明[天年早晚]|后天|年底(?![^,就]*了)|年后"
)
_SENTENCES = re.compile("[。!;?…\n]+")
_CLAUSES = re.compile(r"[,~]+|:(?!\d)|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_QUESTION = re.compile(r"\?\s*$")
_ADVERBS = re.compile(
    "现在|目前|已经|仍然|依然|真的|其实|刚刚|刚|最近|终于|一直|还是|正式|总算|正在|确实|当然|顺利|成功|真|特别|非常|很|(?<=.)(?:还|也|又|都|就)(?=[在是喜爱住对不有])"
)
_LEADING = re.compile(
    "^(?:但是|但|不过|可是|所以|而且|因为|然后|后来|对了|另外|告诉(?:你|大家)个?好?消息|好消息|坏消息|跟(?:你|大家)说(?:一下|个事)?|更新一下|哎|嗯|"
    "好的|是的|啊|哈哈+|结果|于是|同时|通知|说一下|补充一下|更正一下|纠正一下|那)[,:]?"
)
_ONCE = re.compile("以前|曾经|过去|原来|从前|之前")
_SEVERAL = re.compile("兼职|也在|还在|另外")
_ONE = re.compile("^一?(?:[家个所间名位款]|部(?![门长队])|台(?![北中南东湾州积]))")
_TITLED = re.compile(".(?:老师|医生|律师|教授|经理|主任|教练|护士|师傅)")  # 我是陈老师 names somebody
_TRAVELS = re.compile("旅游|旅行|度假|自驾|玩|行程|之行|机票|高铁票|车票|船票|酒店|民宿")
_BAD = re.compile("[我你您他她它这那哪谁啥吗呢]|^(?:[得着过不很了进满的没]|下(?![雨雪]))|一起|什么")
_NO_ACT = re.compile("^[去看做说想好要]?.?$|[我你他她它这那哪谁啥吗呢]|什么|一下|睡|^(?:好|出发|开始|继续|回家|吃饭|休息)")
_PASSING = re.compile(
    "今[天晚早日]|[明后]天|明早|明晚|[这本](?:周|个?星期|个?月|次|几天|两天|会儿?)|下雨(?!天)|下雪|暂时|先不|等会|待会|一会"
)
# What was done then: without it a change on a day may be to come (我们八月搬去宁波).
_GONE = "去年|前年|昨[天晚]|前几?天|前阵子|(?<!今)年初"
_PAST_DAY = re.compile(_GONE)
_DONE_THEN = re.compile(f"[了过]|刚|今[天早年]|上(?:个|周|星期|月)|{_GONE}")
_CHANGED = re.compile("离职|辞|退休|搬|入职|跳槽|离婚|分手|失业|毕业")
_LAST = re.compile("上(?!午)|去年")
_HAS_MODEL = re.compile("[A-Za-z0-9]")  # 手机换成英文了 names no phone
_MODEL_OF = re.compile("(?<=[\u4e00-\u9fff])(?=[A-Za-z\\d])")
# A place that no list knows is one by its ending, with a name of two characters or more in front.
_AREA = re.compile("..[省市县州镇乡村湾岛庄屯城苑路街巷]$|[嘉佳雅]园$|\\d[号弄]$|宿舍$|公寓$")
_NEAR = ("旁边", "对面", "隔壁", "后面", "前面", "门口", "楼上", "楼下", "边上")  # such a place is not the home itself
_FOR_YEARS = re.compile("(?:[一二三四五六七八九十两几半\\d]+多?)(?:年|个月|天)")  # 我离开上海五年了
_NO_AREA = re.compile(
    "(?:城市|都市|县城|小城|商城|围城|空城|不夜城|影视城|美食城|农村|山村|渔村|新手村|地球村|度假村|之乡|柔乡|异乡|外乡|他乡|港湾|农庄|荒岛|"
    "孤岛|古镇|小镇|超市|门市|股市|公路|马路|铁路|半路|套路|回家路)$"
)
_AREA_OF_ORIGIN = re.compile("..[省市县州镇村]$")  # 我是路人 tells of no road
_NOW = re.compile("现在|如今|以后|今后|往后")
_SPEAKER = re.compile("我|咱|本人")
_SOMEBODY = re.compile(  # somebody or something else, that a clause without a subject may be about
    "[他她它]|知道|了解|认识|记得|[听看见]过|(?:(?<!一)个|[有识见]了?一个)(?:人|女|男)|朋友|同事|同学|室友|闺蜜|邻居|女主|男主|主角|[爸妈哥姐弟妹爷奶姥舅姑姨叔]|老[公婆]|婆婆|公公|丈母娘|丈人|岳[父母]|嫂|婶|侄|外甥|孙[子女]|丈夫|妻子|"
    "媳妇|儿子|女儿|闺女|孩子|宝宝|对象|[男女]友|[小老阿][\u4e00-\u9fff](?=[的说也都和跟在,]|$)|[小大]名|[狗猫]"
)
_NOT_SOMEBODY = re.compile(
    "^(?:我|咱)们?[和跟与同][^,的]{1,6}?(?=[一合分结搬住去在])|大家|当(?:妈|爸)|小[时区学吃说心]|老[板家师是]|[养买有]了?[一两]?[只条]|阿里"
)
_OF_ANOTHER = re.compile(  # so begins what one tells of others: 是演员, 六岁, 电话是010, 毕业于北大
    "^(?:是(?!不)|叫|名叫|属|来自|出生|生于|毕业于|(?:新的?|具体|详细)?(?:地址|住址|电话|手机号|号码|邮箱|联系方式)|"
    "(?:今年|已经)*[一二三四五六七八九十\\d]{1,3}岁|[一二〇零\\d]{2,4}年[^,]*(?:出生|生的?$))"
)
# A clause that goes on about the one before it: of the speaker, or with a verb, an adverb or a time in front.
_GOES_ON = re.compile(
    "^(?:$|(?:我|咱)们?(?!们?(?:的|家|这|那|公司|单位|部门|组|团队|班|爸|妈|哥|姐|弟|妹|爷|奶|姥|外[公婆]|舅|姑|姨|叔|儿|女|老|同|朋|闺|室|领导|上司|经理))|"
    "[就也还都又才再没不很太把被从在去回搬换买卖辞离找租订定报考住]|[今昨明后前]天|[今昨明]晚|[今去明]年|[上下这本]个?(?:周|月|星期|礼拜)|周[一二三四五六日末]|"
    "现在|目前|已经?|刚刚?|终于|正在|正式|准备|打算|计划|决定|以后|以前|之前|开始|改(?!革)|想|想要|要(?!求)|会(?=[去搬在])|跟|和(?!平)|给|入职|上班|加入|跳槽|"
    "升(?=[职为任])|转(?=[行岗到])|戒|结婚|离婚|分手|订婚|恭喜|谢谢|哈+|嗯+|好[的啊吧]?$|对[了啊]?$|累|好累|开心|真|一切|顺利|终究|马上|其实|结果|总算|反正|最近|早上|"
    "中午|下午|晚上|周末|月底|年底)"
)
_KINDS = {
    "电脑": "laptop",
    "手机": "phone",
    "编辑器": "editor",
    "浏览器": "browser",
    "数据库": "database",
    "操作系统": "operating system",
}
_KINDS |= {"框架": "framework", "编程语言": "programming language", "银行": "bank"}


def chinese_claims(sentence: str, speaker: str, follows: str = "") -> Iterator[Claim]:
    """Read the certain claims of a sentence, in order, each once; subjects and values in the characters that were written.

    After a sentence about somebody else, one without a subject goes on about them: 你丈母娘呢？ 搬来北京了。
    """
    written = unicodedata.normalize("NFKC", sentence[:_LONGEST]).strip()
    text = simplified(written)
    if '"' in text or "“" in text or "「" in text or _QUESTION.search(text):
        return
    if is_doubted(text):
        return
    if doubt := _NOT_CERTAIN.search(text):
        begin = max(text.rfind(mark, 0, doubt.start()) for mark in ",。!;")
        if begin < 0 or not _ASKS_OF_OTHERS.search(text[begin:]) or _TAKES_BACK.search(text[begin:]):
            return
        text = text[:begin]
    found = (
        (as_written(subject, text, written), attribute, as_written(value, text, written), ends)
        for subject, attribute, value, ends in _found(text, chinese(), speaker, not _is_about_others(simplified(follows)))
    )
    yield from distinct_claims(found, sentence)


def _is_about_others(text: str) -> bool:
    return _SOMEBODY.search(_NOT_SOMEBODY.sub("", text)) is not None


def _found(text: str, table: Table, speaker: str, of_own: bool = True) -> Iterator[Found]:
    for number in table.anywhere_index.candidates(text):
        for match in table.anywhere[number].shape.finditer(text):
            yield from _claimed(table.anywhere[number], match, False, speaker)
    for whole in _SENTENCES.split(text):
        numbers = table.said_index.candidates(whole)
        if _PASSING.search(whole):
            numbers = [number for number in numbers if "lasting" not in table.said[number].flags]
        if not numbers:
            continue
        subject, own, named = "我" if speaker and of_own else "", of_own, False
        for clause in _CLAUSES.split(whole):
            bare, over = _LEADING.sub("", clause.strip()), False
            if _ONCE.search(bare):
                bare, over = _ONCE.sub("", bare, count=1), True
            bare = _ADVERBS.sub("", bare).strip()
            if "不再" in bare and bare.endswith("了"):
                bare, over = bare.replace("不再", "", 1), not over
            if not bare:
                continue
            explicit = _SPEAKER.search(bare) is not None and not _OF_ANOTHER.match(bare)
            named = named or explicit
            stated = list(_of_clause(table, numbers, bare, over, subject, speaker))
            if not explicit and (not own or (not named and _OF_ANOTHER.match(bare))):  # may be told of somebody else
                stated = [each for each in stated if not _is_of(each[0][0], speaker) or each[1] == subject not in ("", "我")]
            named = named or any(found[0] == speaker for found, _ in stated)
            if not stated and not _GOES_ON.match(bare):
                subject = ""
            others = _is_about_others(bare) or any(not _is_of(found[0], speaker) for found, _ in stated)
            own = (own or explicit) and not others and bool(stated or subject)
            if _NOW.search(clause) and stated and not any(found[3] for found, _ in stated):
                yield from _ended_by(stated[0][0])
            for found, whose in stated:
                subject = whose or subject
                yield found


def _is_of(subject: str, speaker: str) -> bool:
    """Tell whether a subject is the speaker, or somebody of theirs."""
    return subject == speaker or subject.startswith(f"{speaker}的")


def _ended_by(now: Found) -> Iterator[Found]:
    """Yield the end that follows from a claim which is told as so now."""
    subject, attribute, _, _ = now
    if attribute.startswith("plan:"):
        yield subject, attribute, "", True
    elif (row_of(attribute) or {}).get("goes_on", False):
        yield subject, attribute, UNREAD, True


def _of_clause(
    table: Table, numbers: list[int], bare: str, over: bool, subject: str, speaker: str
) -> Iterator[tuple[Found, str]]:
    """The claims of a clause, as it is or with the subject of the clause before it, and whose they are."""
    when = patterns()[1]
    undated = when.sub("", bare)
    if _CHANGED.search(bare):
        undated = _PAST_DAY.sub("", undated)
    may_be_ahead = when.search(bare) is not None and _DONE_THEN.search(bare) is None
    planned = _PLANS_NOT_DONE.search(bare) is not None
    for lead in ("", subject):
        taken: set[str] = set()
        for number in numbers:
            pattern = table.said[number]
            if lead and "explicit" in pattern.flags:
                continue
            if planned and "intent" not in pattern.flags and ("dated" not in pattern.flags or "打算" in bare):
                continue
            if may_be_ahead and "dated" not in pattern.flags and ("moved" in pattern.flags or pattern.ends):
                continue
            match = pattern.shape.match(lead + (bare if "dated" in pattern.flags else undated))
            if match is None or (taken and pattern.is_open):
                continue
            claims = list(_claimed(pattern, match, over, speaker))
            if _SEVERAL.search(bare):
                claims = [claim for claim in claims if claim[1] not in ("employer", "role")]
            if claims and taken.isdisjoint(claim[1] for claim in claims):
                taken.update(claim[1] for claim in claims)
                for claim in claims:
                    yield claim, match.groupdict().get("s") or ""
        if taken or not subject:
            return


def _claimed(pattern: Pattern, match: "re.Match[str]", over: bool, speaker: str) -> Iterator[Found]:
    groups = match.groupdict()
    subject, family, whereto = speaker, "", ""
    if groups.get("s"):
        named = person(match["s"], speaker)
        if named is None:
            return
        subject = named
    if about := group_of(match, "t", "m"):
        known = thing(
            match[about], "event" in groups, re.search("时间|日期|地点|会场|截止|负责|接手|跟进|牵头", match[0]) is not None
        )
        if known is None:
            return
        family, own = known
        subject = speaker if about == "m" and own else family
    elif to := next((name for name in groups if name.startswith("to_") and groups[name]), None):
        if not (_may_be_somewhere(match[to]) and (pattern.ends or _is_a_journey(match[to], match[0]))):
            return
        family = match[to] + to.removeprefix("to_")
        if to == "to_旅行":
            subject, whereto = family, match[to]
    elif groups.get("act"):
        if _NO_ACT.search(match["act"]):
            return
        family = match["act"].replace("的", "")
    else:
        family = kind_named(match, _KINDS)
    told = list(pattern.gives)
    for slot in pattern.filled(match):
        if (claim := _of_slot(slot, match)) is None:
            return
        told.append((*claim, slot.ends))
    head = _head(family)
    found = [(subject, completed(attribute, family, head), value, ends or over) for attribute, value, ends in told]
    if whereto:
        found.append(("旅行", "plan:旅行", whereto, pattern.ends))
    if over and any(slot.ends for slot in pattern.slots):
        return
    if "moved" in pattern.flags and not any(each[3] for each in found):
        found.insert(0, (subject, found[0][1], "", True))
    if "switch" in pattern.flags:
        found = same_kind(found)
    yield from endings_first(found)


def _of_slot(slot: Slot, match: "re.Match[str]") -> tuple[str, str] | None:
    table = chinese()
    text = match[slot.group].strip()
    if slot.kind in ("when", "until", "day_first"):
        found = patterns()[0].match(text)
        return (slot.attribute, found[0]) if found and found[0] and not _LAST.match(found[0]) else None
    value = _cleaned(slot.kind, slot.attribute, text, table)
    if value is None:
        return None
    attribute = slot.attribute
    if attribute == "kin name":
        attribute = table.kin_attribute.get(match["kin"], "")
        return (attribute, value) if attribute else None
    if attribute == "uses kind":
        return (f"uses:{kind_named(match, _KINDS)}", value) if _HAS_MODEL.search(value) or value in table.tools else None
    kind = tool_kind(_MODEL_OF.sub(" ", value), table.tools)
    if attribute in ("uses", "known"):
        return None if kind is None else ("car" if kind == "car" else f"uses:{kind}", value)
    return attribute, value


def _cleaned(kind: str, attribute: str, text: str, table: Table) -> str | None:
    """A value as it is claimed; None where a slot of this kind cannot hold it."""
    words = table.words
    bare = _ONE.sub("", text).removesuffix("附近").removesuffix("市中心")
    if kind == "title" and text[0] in "他她它这那":
        return None
    if kind in ("number", "count", "phone", "email", "day", "years", "state", "title", "tongue", "street", "act"):
        return text
    if attribute == "home" or kind in ("place", "known_place"):
        bare = _FOR_YEARS.sub("", bare)
        fits = len(bare) >= 2 and bare not in words["no_name"] and not bare.endswith(_NEAR) and not _BAD.search(bare)
        known = bare.startswith(endings("places")) or (kind != "known_place" and _ends_as(_AREA, bare))
        return bare if fits and (known or (attribute != "home" and kind != "known_place")) else None
    if attribute == "origin":
        of = bare.removesuffix("人")
        known = of.startswith(endings("places")) or _ends_as(_AREA_OF_ORIGIN, of)
        return bare if known and not _BAD.search(bare) else None
    if attribute == "employer":
        a_place = bare in words["places"] or bare[-1:] in tuple("市区省县里上下边")
        if kind == "firm" and not (bare.isascii() or bare.endswith(endings("firms", "known_firms"))):
            return None
        return None if len(bare) < 2 or a_place or bare in words["no_name"] or _BAD.search(bare) else bare
    if attribute == "workplace":
        a_firm = bare.endswith(endings("firms", "known_firms"))
        return bare if bare.startswith(endings("places")) and not a_firm and not _BAD.search(bare) else None
    if kind in ("trade", "known_trade"):
        known = any(bare.endswith(trade) for trade in words["trades"]) and not _TITLED.fullmatch(bare)
        return bare if known and len(bare) <= 9 and not _BAD.search(bare) and "不" not in bare else None
    if kind in ("person", "who"):
        return text if is_chinese_name(text, attribute == "name" or attribute == "kin name") else None
    if kind == "liking_":
        return (
            text
            if (2 <= len(text) <= 8 or text in words["liked"])
            and not _BAD.search(text)
            and text[0] not in "看到被了一就"
            and not text.startswith("上一")
            else None
        )
    return None if not bare or _BAD.search(bare) or bare.endswith(("不", "没")) else bare


def _ends_as(area: re.Pattern[str], name: str) -> bool:
    """Tell whether a name ends like that of an area, and is no common noun."""
    return area.search(name) is not None and _NO_AREA.search(name) is None


def _may_be_somewhere(text: str) -> bool:
    return not (_BAD.search(text) or text.endswith(tuple(chinese().words["no_place"])) or is_somebody(text))


def _is_a_journey(text: str, clause: str) -> bool:
    """Tell whether one travels to what stands behind 去: a place, or what its clause calls a journey; 去洗澡 is none."""
    return text.startswith(endings("places")) or text.endswith(LANDFORMS) or _TRAVELS.search(clause) is not None


def chinese_asked(question: str) -> list[tuple[str, str]]:
    """(subject, attribute) of the present state that a question asks for."""
    written = unicodedata.normalize("NFKC", question).strip(" ?。!")
    simple = text = simplified(written)
    if len(text) > 60 or _ONCE.search(text) or re.search("去年|昨天|上周|上个月|当时|那时|小时候", text):
        return []
    text = (
        re.sub("^(?:请问|你知道|还记得|告诉我|那|对了)[,:]?", "", _ADVERBS.sub("", text)).removesuffix("呢").removesuffix("啊")
    )

    def person_asked(words: str) -> str | None:
        named = person(words, "", asked=True)
        return None if named is None else as_written(named, simple, written)

    return state_asked(
        chinese(), text, 3, _KINDS, person_asked, lambda words, attribute: thing(words, False, attribute != "is:"), _head
    )


def _head(name: str) -> str:
    """The amount that a name ends with: 预算 of 装修预算; else the name."""
    return next((word for word in chinese().words["amounts"] if name.endswith(word)), name)


def is_of_chinese_words(name: str, plan: str) -> bool:
    """Tell whether a plan is of the kind of a list of words."""
    return plan.endswith(tuple(chinese().words[name]))
