"""The subject of a Chinese clause: people go by their names and kin, things by the words that end their names."""

import re
from dataclasses import replace
from functools import cache

from mneme.relations.table import Table, load_table
from mneme.relations.values import tool_kind
from mneme.word_lists import word_list

_PERSON = r"我们|咱们|我|[^,]{1,9}?"
_THING = r"(?:我们的?|咱们的?|我的|公司的?)?(?P<>[^,]{1,16}?)"
_DONE_WITH = re.compile(
    "^(?:有一?[个场次]|原定|我们?的?|咱们?的?|[这那][辆台部张把套件]|组里的?|菜场的?|菜市场的?|食堂的?|楼下[^的]{0,6}的|门口[^的]{0,6}的|去|看|做|要去|要|参加|这次|这个|那个|本次|的|那|这)+"
)
LANDFORMS = tuple("山海江河湖岛城镇州村县市国")
_JOURNEY = re.compile("(?:之行|行程|旅游)$")
_TIME_OF = re.compile("的?(?:举办|开始|举行)?(?:时间|日期|地点)?$")
_KIN_OF = re.compile(r"^(?P<owner>我们?|咱们?|[^的]{2,4}?)(?:家)?的?(?P<kin>[^的]{1,4})$")


@cache
def chinese() -> Table:
    """The Chinese table; read and compiled when it is first asked for."""
    table = load_table("chinese", _PERSON, _PERSON, _THING)
    return replace(table, words={**table.words, "places": table.words["places"] | word_list("chinese places")})


@cache
def patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The pattern of a time, as it stands in a clause and as one that may be taken out."""
    when = chinese().when
    return when, re.compile(f"(?:{when.pattern})")


def person(words: str, speaker: str, asked: bool = False) -> str | None:
    """Resolve a person: the speaker, somebody by name, or somebody's relative (王芳的妹妹); None if it is not certain."""
    table = chinese()
    bare = words.strip().removesuffix("的").removesuffix("家") or words
    if bare in ("我", "我们", "咱们", "咱", "本人", "我自己"):
        return speaker if speaker or asked else None
    if bare in table.words["bare_kin"]:
        return f"{speaker}的{bare}" if speaker or asked else None
    if (kin := _KIN_OF.match(bare)) and kin["kin"] in table.words["kin"]:
        owner = person(kin["owner"], speaker, asked)
        return None if owner is None else f"{owner}的{kin['kin']}"
    if kin := re.match(r"^我们?的?(?P<kin>[^的]{1,3}?)(?P<name>[^的]{2,3})$", bare):
        if kin["kin"] in table.words["kin"] and is_chinese_name(kin["name"], False):
            return kin["name"]
        return None
    return bare if is_chinese_name(bare, asked) else None


def is_chinese_name(text: str, sure: bool) -> bool:
    """Tell whether it is a name: surname and given name, 小明, in the characters of foreign names, or in Latin letters."""
    words = chinese().words
    if text.isascii():
        return text.isalpha() and text[0].isupper() and len(text) > 1
    if len(text) == 2 and text[0] == text[1]:
        return text[0] in "".join(words["twice"])
    if not sure and text in words["firms"] | words["known_firms"]:
        return False
    if text[0] in "小老阿" and len(text) == 2 and text[1] not in "的了在是有时孩心学说板师人家区狗猫店组姨我你他她它":
        return True
    given = text[1:].replace("明", "") if sure and text[0] in "".join(words["surnames"]) else text
    odd = any(character in words["not_a_subject"] for character in given)
    if not 2 <= len(text) <= 4 or odd or text in words["kin"] or text in words["no_name"] or text in words["places"]:
        return False
    foreign, surnames = "".join(words["foreign"]), "".join(words["surnames"])
    return sure or (text[0] in surnames and len(text) <= 3) or all(character in foreign for character in text)


def is_proper_noun(attribute: str, value: str) -> bool:
    """Tell whether a Chinese value names something: 新桥医院 and 华为, not 医院; of what is liked 五菱, not 火锅."""
    words = chinese().words
    if value.endswith("分公司"):
        return False
    if value.isascii() or (attribute != "likes" and value.startswith(endings("places"))):
        return True
    match attribute:
        case "likes":
            return value in words["places"] or tool_kind(value, chinese().tools) is not None
        case "member":  # 篮球队
            return False
        case "employer" | "school":
            kinds = [kind for kind in words["firms"] if value.endswith(kind)]
            before = value.removesuffix(max(kinds, key=len, default=value))
            named = len(before) > 1 and before not in word_list("no name before a chinese place")
            return named or value.endswith(endings("known_firms"))
    return True


def is_somebody(text: str) -> bool:
    """Tell whether it is no place but a relative, a family or a name: 老公不去了."""
    words = chinese().words
    if text in words["places"] or text.endswith(LANDFORMS):
        return False
    named = text in words["kin"] or text.endswith(("一家", "他们", *(each for each in words["kin"] if len(each) > 1)))
    return named or is_chinese_name(text, False)


def thing(text: str, event: bool, open_: bool) -> tuple[str, bool] | None:
    """A thing by its name, and whether it is a person's own; None for what is no known kind of thing."""
    words = chinese().words
    bare = patterns()[1].sub("", text)
    bare = _TIME_OF.sub("", _DONE_WITH.sub("", bare)).replace("的", "").strip()
    bare = _JOURNEY.sub("旅行", bare)
    if (
        not (2 <= len(bare) <= 14 or bare in words["tasks"])
        or bare in words["not_things"]
        or re.search("[我你他她它谁哪]|^[不没了]|[还不也可真银]行$", bare)
    ):
        return None
    if bare.endswith(endings("hours")) or bare[-1] in "就才只要也都还":
        return None
    if event and not bare.endswith(endings("events", "tasks")):
        return None
    if (not bare.endswith(endings("events", "amounts", "tasks")) and (event or not open_)) or re.search("[说讲聊]|一下", bare):
        return None
    return bare, any(word in bare for word in words["own"])


@cache
def endings(*kinds: str) -> tuple[str, ...]:
    """The words of some kinds, by which a thing is known that ends with one."""
    return tuple(word for kind in kinds for word in chinese().words[kind])
