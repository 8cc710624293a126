"""Names in Chinese sentences. Words are not delimited, so one is taken only where something besides its own characters tells
where it begins: a word of grammar, a mark, a clause. Pure.
"""

import re
from collections.abc import Iterator
from functools import cache

from flows.extraction.word_lists import word_list

_HAN = "[\u4e00-\u9fff]"
_WORK = re.compile("《([^》]{1,30})》")
_BOOK, _FILM, _SONG = re.compile("书|小说|读"), re.compile("看|影|剧|片|导演"), re.compile("歌|听|唱|专辑")
_QUOTED = re.compile("“[^”]*”|「[^」]*」")
_EVENT = re.compile(
    rf"^({_HAN}{{4,18}}?)的(?:举办)?(?:地点|时间|规模|主题|主要内容|内容|持续时间|主办方|门票|费用)(?:是|在|为)"
    rf"|(?:参加|举办|报名|出席)({_HAN}{{3,18}}?[节坛典宴会赛旅营汇华龙])(?=[，。！的]|$)"
)
_NO_EVENT = re.compile("[我你您他她它这那]|^(?:[今明昨后下上]|每)[天周月年个]|的")
_PLACE_END = (
    "大道|公园|广场|古镇|机场|高铁站|火车站|地铁站|[东西南北]站|路站|大学|学院|医院|公司|集团|酒店|博物馆|图书馆|[山岛村镇]"
)
_ORGANISED = ("大学", "学院", "医院", "公司", "集团", "酒店", "博物馆", "图书馆")
_LATIN = re.compile(r"(?<![A-Za-z0-9_./@-])[A-Z][a-z]{2,}[A-Za-z]*(?![A-Za-z0-9_./-])")


def chinese_entities(text: str) -> Iterator[tuple[str, str]]:
    """Names and what they name: works in 《》, events whose place or time is told, people, places, things in Latin letters."""
    for work in _WORK.finditer(text):
        around = text[max(0, work.start() - 8) : work.start()] + text[work.end() : work.end() + 8]
        yield (
            work[1],
            "book" if _BOOK.search(around) else "film" if _FILM.search(around) else "song" if _SONG.search(around) else "other",
        )
    events = [name for match in _EVENT.finditer(text) if not _NO_EVENT.search(name := match[1] or match[2])]
    yield from ((name, "event") for name in events)
    for name in events:  # its words name nothing else
        text = text.replace(name, "，")
    titled, full, short, listed, ended = _patterns()
    yield from ((match[1], "person") for match in titled.finditer(text))
    for match in (*full.finditer(text), *short.finditer(text)):
        if match[1][-2:] not in word_list("no chinese given"):
            yield match[1], "person"
    for match in ended.finditer(text):
        yield match[1], "organisation" if match[1].endswith(_ORGANISED) else "location"
    yield from ((match[0], "location") for match in listed.finditer(ended.sub("，", text)))
    for match in _LATIN.finditer(_QUOTED.sub("，", text)):
        if len(match[0]) > 3 and match[0].casefold() not in word_list("none"):
            yield match[0], "other"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """People by surname with a title, by full name and by given name; places of the list, and by how they end."""
    no_part = "".join(word_list("no part of a chinese place"))
    surname = f"[{''.join(word_list('chinese surnames'))}]"
    given = f"[{''.join(word_list('chinese given'))}]"
    titles = "医生|大夫|老师|教授|经理|主任|先生|女士|律师|师傅|教练|护士|校长|院长|阿姨|叔叔|总(?![是共算体之会结的监])"
    before = r"(?:^|(?<=[，。、；：！？\s“”和跟与给找叫问让帮陪接等请约同见]))"
    after = r"(?=[不也要说对和跟、想觉去来在是会的，。！？吃喝爱做都就还今明昨有没把已正最]|$)"
    places = "|".join(sorted(word_list("chinese places"), key=len, reverse=True))
    return (
        re.compile(f"(?<!老)({surname}(?:{titles}))"),
        re.compile(f"{before}({surname}{given}{{2}}){after}"),
        re.compile(f"{before}({given}{{2}}){after}"),
        re.compile(
            f"(?:{places}){{1,2}}市?(?!醋鱼|烤鸭|牛肉|龙井|火锅|小吃|料理|拉面|米粉|菜|话|人|语|货|银行|大学|队|车|市场|[东西南北]?路)"
        ),
        re.compile(rf"(?:[去在到往从回游定]|^)((?:(?![{no_part}]){_HAN}){{1,6}}?(?:{_PLACE_END}))"),
    )
