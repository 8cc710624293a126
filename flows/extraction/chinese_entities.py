"""Names in Chinese, and what they name. One is taken only where more than its own characters tells where it begins. Pure."""

import re
from collections.abc import Iterator
from functools import cache

from mneme.chinese_script import as_written, simplified
from mneme.word_lists import (
    CALENDAR,
    GIVEN,
    LOCATION,
    NO_NAMES,
    ORGANISATION,
    ORGANISATIONS,
    OTHER,
    PERSON,
    PLACES,
    PLAIN_WORDS,
    PRODUCT,
    TYPES_WITHIN,
    WORK,
    word_list,
)

_ENDING_IN_A_SURNAME = word_list("words that end in a chinese surname")
_NO_GIVEN, _NO_PLACE_NAME = word_list("no chinese given"), word_list("no name before a chinese place")
_HAN = "[\u4e00-\u9fff]"
_WORK = re.compile("《([^》]{1,30})》")
_KIND_OF_WORK = re.compile(
    "(?P<book>书(?!记|法)|小说|读(?!音)|漫画|诗集|散文)|(?P<film>电影|影片|影院|观影|票房)|(?P<song>歌(?!剧)|听|唱|专辑|单曲)|"
    "(?P<series>(?:电视|连续|[日韩美英泰短网这那追]|[这那]部|国产)剧|剧集|影集|追(?=了|完|到|$)|综艺|番)|(?P<game>游戏|通关)"
)
_QUOTED = re.compile('“[^”]*”|「[^」]*」|『[^』]*』|"[^"]*"|‘[^’]*’')
_EVENT = re.compile(
    rf"^({_HAN}{{4,18}}?)的(?:举办)?(?:地点|时间|规模|主题|主要内容|内容|持续时间|主办方|门票|费用)(?:是|在|为)"
    rf"|(?:参加|举办|报名|出席)({_HAN}{{3,18}}?[节坛典宴会赛旅营汇华龙])(?=[，。！的]|$)"
)
_NO_NAME = re.compile("[我你您他她它这那]|^(?:[今明昨后下上]|每)[天周月年个]|的")
_PLACE_END = (
    "大道|公园|广场(?!舞)|古镇|机场|高铁站|火车站|地铁站|[东西南北]站|路站|大学|学院|医院|公司|集团|酒店|"
    "博物馆|图书馆|[山岛村镇]"
)
_ORGANISED = ("大学", "学院", "医院", "公司", "集团", "酒店", "博物馆", "图书馆")
_BEFORE_A_SURNAME = re.compile(  # no part of a name or a word: not 官方经理, 任何老师
    r"(?:^|[，。、；：！？,;:!?~～\s“”和跟与给找叫问让帮陪接等请约同见是的了到去看向被把有听说像为在谢由对喊得]|[我咱你他她]们|老板|领导|同事|邻居|"
    "导师|客户|房东|公司|[今昨明后]天|[昨今]晚|[上下中]午)$"
)
_LATIN = re.compile(r"(?<![A-Za-z0-9_./@-])阿?[A-Z][a-z]{2,}[A-Za-z]*(?: [A-Z][A-Za-z'’]+){0,3}(?![A-Za-z0-9_./-])")
_NO_FAMILIAR = (
    "姨婆公爸妈娘奶姐哥伯嫲嬷爷叔婶舅姑妹弟里拉根尔富联胶门雨雪龙红月平安光海春秋星成业东梦语文宁乐洋林森菊"  # behind 阿 and 小
)
_ENGLISH = re.compile(r"[A-Za-z][\w'’,.-]*(?: [\w'’,.-]+){3,}", re.ASCII)
_SOMEBODY = (
    "朋友|同事|同学|闺蜜|室友|邻居|老板|领导|经理|主管|导师|老师|教练|客户|看护|护工|保姆|"
    "老公|老婆|丈夫|妻子|男友|女友|对象|[哥姐弟妹爸妈]"
)
_INNER_CAPITAL = re.compile("[a-z][A-Z]")
_THING = "软件|平台|框架|库|系统|工具|数据库|服务器|网站|公司|游戏|手机|电脑|课程|账号|会员|项目|应用|品牌"
_THING_BEFORE_LATIN = re.compile(
    f"(?:用|装|下载|注册|登录|打开|部署|接入|集成|换成|换到|迁到|切到|改成|学|叫|写|玩|开|{_THING})了?(?:的是)?[ ]?$"
)
_THING_BEHIND_LATIN = re.compile(f"[ ]?(?:{_THING})")
_SOMEWHERE_BEFORE = re.compile("(?:附近|旁边|隔壁|对面|楼下|门口|街上|路口)(?:的|那家|这家|那个|这个|有家|有个)?[ ]?$")
_GOES_BEFORE, _HOME_BEHIND = re.compile("[去逛在](?:了|过|趟)?[ ]?$"), re.compile("[ ]?(?:她|他|的|那|这|家)")  # 去Zara买衣服
_SHOP_BEHIND = re.compile("[ ]?(?:打折|新款|旗舰店|门店|专柜|的(?:包|店|项链|衣服|鞋|裙|口红|香水))")
# A dish, a brand or a firm may begin with the name of a place (重庆小面): one is meant behind 去 or 在, or before 这 or 的.
_SOMEWHERE = "(?<=[去在到往从回来自离住游逛飞抵至经赴返调嫁爬停])|(?<=[去到来逛爬住][了过趟])"
_PART_OF_A_NAME = (
    "[湖山岛河江溪]|[一二三四五六七八九十附]*[附一二三四五六]院|[菜话人语货队车杯]|[东西南北]?路|[石洋发装]|[东西南北](?![方边部面京岸])|"
    "银行|大学|市场|医院|人民|大?[酒饭]店|机场|[中小]学|学院|酒家|餐厅|大厦|料理|火锅|烤鸭|分公司"
)
_STANDS_ALONE = (
    r"[的这那有没不也都就还又才是在去来到回飞出看玩待住过离跟和与、，。；：！？,;:!?~～\s“”]|"
    "[转开做上下读工租办今明昨儿里边附好冷热太现行]|$"
)
_NO_CITY_ALONE = ("中山",)  # also a park, a road and a hospital of many cities
_ANIMAL = re.compile("[狗猫兔鸟鼠龟它]|宠物")
_SOMEBODY_BEFORE = re.compile(f"(?:{_SOMEBODY})(?:名?叫|是)?$|(?:[我你他她]|人)的?(?:英文)?(?:名字?)?叫$")
_SPEAKS = "(?:也|都|还|就|又|刚|刚才|昨天|今天|昨晚|跟我|对我)*(?:说(?!明)|告诉|问|觉得|认为|回复|答应|建议|提醒|同意)"
_SPEAKS_BEHIND = re.compile(_SPEAKS)


def chinese_entities(text: str) -> Iterator[tuple[str, str]]:
    """Names and what they name: works in 《》, events whose place or time is told, people, places, things in Latin letters."""
    simple = simplified(text)
    yield from ((as_written(name, simple, text), kind) for name, kind in _names(simple))


def chinese_given_names(text: str) -> Iterator[str]:
    """The given names of those who are introduced by a full one, so that 乐山 of 改名叫杨乐山 is no town after that."""
    simple = simplified(text)
    for match in _introduced().finditer(simple):
        yield as_written(match[1], simple, text)


def kind_of_liked(name: str) -> str:
    """The type of a proper noun that somebody likes: a place, or a make and a product (五菱)."""
    return LOCATION if simplified(name) in word_list("chinese places") else PRODUCT


def _names(text: str) -> Iterator[tuple[str, str]]:
    for work in _WORK.finditer(text):
        yield work[1], _kind_of_work(text[max(0, work.start() - 8) : work.start()], text[work.end() : work.end() + 8])
    text = _QUOTED.sub("，", text)
    events = [name for match in _EVENT.finditer(text) if not _NO_NAME.search(name := match[1] or match[2])]
    yield from ((name, "event") for name in events)
    for name in events:  # its words name nothing else
        text = text.replace(name, "，")
    titled, full, short, familiar, listed, ended = _patterns()
    for match in titled.finditer(text):
        begins = _BEFORE_A_SURNAME.search(text, max(0, match.start() - 2), match.start())
        if begins and text[match.start() - 1 : match.start() + 1] not in _ENDING_IN_A_SURNAME:
            yield match[1], "person"
    for match in full.finditer(text):
        if match[1][1:] not in _NO_GIVEN or match[1][0] in _surnames_that_are_no_words():
            yield match[1], "person"
    for match in short.finditer(text):
        if (name := match[1] or match[2]) not in _NO_GIVEN:
            yield name, "person"
    yield from ((match[0], "person") for match in familiar.finditer(text))
    for match in ended.finditer(text):
        no_name = match[1] in _NO_CITY_ALONE or _NO_NAME.search(match[1])
        if not no_name and match[1].removesuffix(match[2]) not in _NO_PLACE_NAME:
            yield match[1], "organisation" if match[1].endswith(_ORGANISED) else "location"
    yield from ((match[0], "location") for match in listed.finditer(ended.sub("，", text)) if match[0] not in _NO_CITY_ALONE)
    text = _ENGLISH.sub("，", text)
    for match in _LATIN.finditer(text):
        kind = _kind_of_latin(match[0], text[max(0, match.start() - 8) : match.start()], text[match.end() : match.end() + 8])
        if kind:
            yield match[0], kind


def _kind_of_work(before: str, behind: str) -> str:
    """The type of a title in 《》 by the words around it, up to the next mark; ``work`` where they do not agree."""
    around = f"{re.split('[》，。！？；、]', before)[-1]} {re.split('[《，。！？；、]', behind)[0]}"
    kinds = {match.lastgroup or "" for match in _KIND_OF_WORK.finditer(around)}
    return kinds.pop() if len(kinds) == 1 else WORK


def _kind_of_latin(name: str, before: str, behind: str) -> str:
    """The type of a name in Latin letters; empty for a word that names nothing."""
    lowered = name.casefold()
    first = lowered.split()[0]
    if name.startswith("阿"):
        return PERSON
    if first in NO_NAMES or first in CALENDAR:
        return ""
    if _ANIMAL.search(before):
        return ""
    if lowered in ORGANISATIONS:
        return ORGANISATION
    if _SOMEBODY_BEFORE.search(before) or _SPEAKS_BEHIND.match(behind):
        return PERSON
    if lowered in PLACES:
        return LOCATION
    if first == lowered and first in PLAIN_WORDS:
        return ""
    if within := TYPES_WITHIN.get(lowered.split()[-1]):
        return within
    if first in GIVEN:
        a_shop = _SHOP_BEHIND.match(behind) or (_GOES_BEFORE.search(before) and not _HOME_BEHIND.match(behind))
        return "" if a_shop or _SOMEWHERE_BEFORE.search(before) else PERSON
    known = _INNER_CAPITAL.search(name) or _THING_BEFORE_LATIN.search(before) or _THING_BEHIND_LATIN.match(behind)
    return OTHER if known and len(name) > len("May") else ""


@cache
def _surnames_that_are_no_words() -> str:
    return "".join(word_list("chinese surnames that are no words"))


@cache
def _introduced() -> re.Pattern[str]:
    return re.compile(rf"(?:[叫成]|名字?是?)[{_surnames_that_are_no_words()}]({_HAN}{{2}})(?=[的了和跟，。、！？,!?\s]|$)")


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """People by surname with a title, by full, given and familiar name; places of the list, and by how they end."""
    no_part = "".join(word_list("no part of a chinese place"))
    surname = f"[{''.join(word_list('chinese surnames'))}]"
    given = f"[{''.join(word_list('chinese given'))}]"
    titles = (
        "医生|大夫|老师|教授|经理|主任|先生|女士|律师|师傅|教练|护士|校长|院长|阿姨|叔叔|"
        "姐(?![姐夫妹弟])|哥(?![哥们伦华德本拉])|姨(?![妈父夫])|叔(?!叔)|[婶嫂]"
    )
    boss = "总(?![是共算体之会结的监额量数计部统价得归局线])"
    offices = "[荣三]总|任(?:教授|经理|主任|教练|护士|校长|院长|总)|应(?:老师|先生|女士|医生|经理|主任|律师)的?要求|车师傅"
    mark = r"^|(?<=[，。、；：！？,;:!?~～\s“”])"
    with_ = "(?<=[和跟与给找叫问让帮陪接等请约同见])"
    after = r"(?=[不也要说对和跟、想觉去来在是会的，。！？吃喝爱做都就还今明昨有没把已正最]|$)"
    speaks = f"(?={_SPEAKS})"
    places = "|".join(sorted(word_list("chinese places"), key=len, reverse=True))
    return (
        re.compile(f"(?!{offices})({surname}(?:{titles}|{boss}))"),
        re.compile(f"(?:{mark}|{with_})({surname}{given}{{2}}){after}"),
        re.compile(f"(?:{with_}({given}{{2}}){after}|(?:{mark})({given}{{2}}){speaks})"),
        re.compile(
            f"(?<![古苍衰元])老(?![叶丁孔])[{_surnames_that_are_no_words()}](?![同山体子联人头醋客八州浦杭汉])|"
            f"(?<![大老从])小(?![熊叶丁孔余贾])[{_surnames_that_are_no_words()}](?![子打梅皮州浦侬事问卡爷])|"
            rf"(?:(?<!{_HAN})|{with_})(?:阿(?![{_NO_FAMILIAR}]){_HAN}|小(?![{_NO_FAMILIAR}]){given}){after}"
        ),
        re.compile(f"(?:{_SOMEWHERE})(?:{places}){{1,2}}市?(?!{_PART_OF_A_NAME})|(?:{places}){{1,2}}市?(?={_STANDS_ALONE})"),
        re.compile(
            rf"(?:[去在到往从回游定]|^)(?!知道|包含|位于|毕业|听说|景区|航拍|跳)((?:(?![{no_part}]){_HAN}){{1,6}}?(?:人民)?({_PLACE_END}))"
        ),
    )
