"""Names in Chinese, and what they name. One is taken only where more than its own characters tells where it begins. Pure."""

import re
from collections.abc import Iterator
from functools import cache

from mneme.chinese_script import as_written, simplified
from mneme.patterns import Patterns
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
_WORDS = Patterns(__file__)
_PLACE_END = (
    "大道|公园|广场(?!舞)|古镇|机场|高铁站|火车站|地铁站|[东西南北]站|路站|大学|学院|医院|公司|集团|酒店|"
    "博物馆|图书馆|[山岛村镇]"
)
_ORGANISED = ("大学", "学院", "医院", "公司", "集团", "酒店", "博物馆", "图书馆")
_NO_FAMILIAR = (
    "姨婆公爸妈娘奶姐哥伯嫲嬷爷叔婶舅姑妹弟里拉根尔富联胶门雨雪龙红月平安光海春秋星成业东梦语文宁乐洋林森菊"  # behind 阿 and 小
)
# A dish, a brand or a firm may begin with the name of a place (重庆小面): one is meant behind 去 or 在, or before 这 or 的.
_SOMEWHERE = "(?<=[去在到往从回来自离住游逛飞抵至经赴返调嫁爬停])|(?<=[去到来逛爬住][了过趟])"
_PART_OF_A_NAME = (
    "[湖山岛河江溪]|[一二三四五六七八九十附]*[附一二三四五六]院|[菜话人语货队车杯]|[东西南北]?路|[大老]?街(?![头上边])|巷|[石洋发装]|[东西南北](?![方边部面京岸])|"
    "银行|大学|市场|医院|人民|大?[酒饭]店|机场|[中小]学|学院|酒家|餐厅|大厦|料理|火锅|烤鸭|分公司"
)
_STANDS_ALONE = (
    r"[的这那有没不也都就还又才是在去来到回飞出看玩待住过离跟和与、，。；：！？,;:!?~～\s“”]|"
    "[转开做上下读工租办今明昨儿里边附好冷热太现行]|$"
)
_NO_CITY_ALONE = ("中山",)  # also a park, a road and a hospital of many cities


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
    for work in _WORDS.work.finditer(text):
        yield work[1], _kind_of_work(text[max(0, work.start() - 8) : work.start()], text[work.end() : work.end() + 8])
    text = _WORDS.quoted.sub("，", text)
    events = [name for match in _WORDS.event.finditer(text) if not _WORDS.no_name.search(name := match[1] or match[2])]
    yield from ((name, "event") for name in events)
    for name in events:  # its words name nothing else
        text = text.replace(name, "，")
    titled, full, short, familiar, listed, ended = _patterns()
    for match in titled.finditer(text):
        begins = _WORDS.before_a_surname.search(text, max(0, match.start() - 2), match.start())
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
        no_name = match[1] in _NO_CITY_ALONE or _WORDS.no_name.search(match[1])
        if not no_name and match[1].removesuffix(match[2]) not in _NO_PLACE_NAME:
            yield match[1], "organisation" if match[1].endswith(_ORGANISED) else "location"
    yield from ((match[0], "location") for match in listed.finditer(ended.sub("，", text)) if match[0] not in _NO_CITY_ALONE)
    text = _WORDS.english.sub("，", text)
    for match in _WORDS.latin.finditer(text):
        kind = _kind_of_latin(match[0], text[max(0, match.start() - 8) : match.start()], text[match.end() : match.end() + 8])
        if kind:
            yield match[0], kind


def _kind_of_work(before: str, behind: str) -> str:
    """The type of a title in 《》 by the words around it, up to the next mark; ``work`` where they do not agree."""
    around = f"{re.split('[》，。！？；、]', before)[-1]} {re.split('[《，。！？；、]', behind)[0]}"
    kinds = {match.lastgroup or "" for match in _WORDS.kind_of_work.finditer(around)}
    return kinds.pop() if len(kinds) == 1 else WORK


def _kind_of_latin(name: str, before: str, behind: str) -> str:
    """The type of a name in Latin letters; empty for a word that names nothing."""
    lowered = name.casefold()
    first = lowered.split()[0]
    if name.startswith("阿"):
        return PERSON
    if first in NO_NAMES or first in CALENDAR or _WORDS.title.fullmatch(first):
        return ""
    if _WORDS.animal.search(before):
        return ""
    if lowered in ORGANISATIONS:
        return ORGANISATION
    if _WORDS.somebody_before.search(before) or _WORDS.speaks_behind.match(behind):
        return PERSON
    if lowered in PLACES:
        return LOCATION
    if first == lowered and first in PLAIN_WORDS:
        return ""
    if within := TYPES_WITHIN.get(lowered.split()[-1]):
        return within
    if first in GIVEN:
        a_shop = _WORDS.shop_behind.match(behind) or (
            _WORDS.goes_before.search(before) and not _WORDS.home_behind.match(behind)
        )
        return "" if a_shop or _WORDS.somewhere_before.search(before) else PERSON
    is_named = (
        _WORDS.inner_capital.search(name) or _WORDS.thing_before_latin.search(before) or _WORDS.thing_behind_latin.match(behind)
    )
    return OTHER if is_named and len(name) > len("May") else ""


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
    speaks = f"(?={_WORDS.speaks_behind.pattern})"
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
