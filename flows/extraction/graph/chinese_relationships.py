"""Relationships that Chinese sentences state, by pattern.

Who is meant is the last person spoken of before the verb, else the speaker: a subject is often left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from flows.extraction.graph.edges import Edge
from flows.extraction.graph.kinship import CHINESE_RELATION, LOCATION, ORGANISATION, PERSON, PET, SAYS_SOMETHING
from flows.extraction.wording.chinese_names import PLACE, chinese_people, is_chinese_person, is_chinese_place
from flows.extraction.wording.people import People, relation_of
from mneme.guarded import ByWord, Guarded

_KIN = rf"(?:{'|'.join(sorted(CHINESE_RELATION, key=len, reverse=True))})"
_PETS = rf"(?:{'|'.join(word for word, relation in CHINESE_RELATION.items() if relation == 'has_pet')})"
_O = r"(?P<o>[\u4e00-\u9fffA-Za-z0-9·]{2,16}?)"
_N = r"(?P<o>[\u4e00-\u9fff]{2,4}?|[A-Z][A-Za-z]+)"
_END = r"(?=[，。！？；、,.!?\s]|$|了|吧|啦|呢|呀|以后|之后|那边|这边|附近|工作|上班|生活)"
_SCHOOL = r"(?P<o>[\u4e00-\u9fff]{2,12}(?:大学|学院|中学|高中|学校|小学|幼儿园))"


@dataclass(frozen=True, slots=True)
class _Shape:
    relation: str
    kind: str
    pattern: re.Pattern[str]
    ended: bool = False


def _shape(relation: str, kind: str, pattern: str, ended: bool = False) -> _Shape:
    return _Shape(relation, kind, re.compile(pattern), ended)


_SHAPES = (
    _shape("works_at", ORGANISATION, f"在{_O}(?:工作|上班|任职|实习|当|担任|做(?!饭|客|手术|梦|运动|菜|完|好))"),
    _shape("works_at", ORGANISATION, f"(?:就职于|任职于|供职于|入职了?|跳槽到了?|跳槽去了?){_O}{_END}"),
    _shape("works_at", ORGANISATION, f"(?:上班|新工作)[^，。]{{0,4}}，?在{_O}{_END}"),
    _shape("works_at", ORGANISATION, f"从{_O}(?:离职|辞职|退休|跳槽)", ended=True),
    _shape("works_at", ORGANISATION, f"(?:离开了?|辞去了?){_O}(?:的工作|{_END})", ended=True),
    _shape("lives_in", LOCATION, f"(?:住在|定居在?|搬到了?|搬去了?|搬来了?|家在|家住){_O}{_END}"),
    _shape("lives_in", LOCATION, f"(?:从{PLACE})?(?:调|搬|转)(?:到|去|来)了?(?P<o>{PLACE})"),
    _shape("lives_in", LOCATION, f"从(?P<o>{PLACE})(?:调|搬|转)(?:到|去|来|走)", ended=True),
    _shape("lives_in", LOCATION, f"(?:搬离了?|搬出了?|离开了?)(?P<o>{PLACE})", ended=True),
    _shape("from", LOCATION, f"(?:来自|老家(?:在|是)|家乡(?:在|是)){_O}{_END}"),
    _shape("from", LOCATION, f"是(?P<o>{PLACE})人"),
    _shape("born_in", LOCATION, f"(?:出生于|出生在|生于){_O}{_END}"),
    _shape("visited", LOCATION, f"(?:去过|去了|到过|游览了|参观了|玩遍了)(?P<o>{PLACE})"),
    _shape("visited", LOCATION, f"刚?从(?P<o>{PLACE})(?:旅游|旅行|出差|玩)?回来"),
    _shape("studies_at", ORGANISATION, f"(?:毕业于|就读于|考上了?|考进了?){_SCHOOL}"),
    _shape("studies_at", ORGANISATION, f"[在从]{_SCHOOL}(?:读|上学|念|学习|毕业)"),
    _shape(
        "member_of", ORGANISATION, r"加入了?(?P<o>[\u4e00-\u9fffA-Za-z]{2,12}(?:俱乐部|协会|社团|乐队|球队|队|合唱团|学会))"
    ),
    _shape("attends", "event", f"(?:参加|出席|报名){_O}{_END}"),
    _shape("treated_by", PERSON, r"(?P<o>[\u4e00-\u9fff](?:医生|大夫))(?:说|建议|让)"),
    _shape("married_to", PERSON, f"[和跟与]{_N}(?:结了?婚|领了?证)"),
    _shape("partner_of", PERSON, f"[和跟与]{_N}(?:在一起了|谈恋爱|订了?婚)"),
    _shape("partner_of", PERSON, f"[和跟与]{_N}(?:分了?手|分开了)", ended=True),
    _shape("married_to", PERSON, f"[和跟与]{_N}离了?婚", ended=True),
)
_BY_WORD = ByWord(shape.pattern for shape in _SHAPES)
_KIN_NAMED = re.compile(
    rf"(?P<p>我们?|咱们?|你|他|她|[\u4e00-\u9fff]{{2,3}}(?=的))(?:家)?的?(?:[^，。]{{0,2}}只)?(?P<kin>{_KIN})(?:的名字)?(?:，)?"
    rf"(?:(?:叫做?|名叫|名字是){_N}(?=[，。！？、,.!?\s]|$|了|的|吧|啦|今|也|在|是|和|已)|(?P<beside>[\u4e00-\u9fff]{{2,3}}))?"
)
_WITH_KIN = Guarded(rf"[跟和与](?P<kin>{_KIN})(?P<o>[\u4e00-\u9fff]{{2,3}}?)(?=[是在一也都，。])")
_KIN_PARTED = Guarded(rf"(?P<p>我|他|她)[和跟与](?P<kin>{_KIN})(?:已经|刚|终于)?(?:分了?手|离了?婚|分开)")
_ANOTHER = re.compile("(?:公司|单位|办公室|工厂)(?!.*我)[^，。]*$")
_IS_KIN = Guarded(rf"(?:^|[，。；\s]){_N}是(?P<p>我们?|他|她)的?(?:[^，。]{{0,2}})(?P<kin>{_KIN})(?=[，。！\s]|$)")
_PET_CALLED = Guarded(
    rf"(?:养了?|有|收养了?|领养了?|买了?)[一两二三几]?[只条个](?P<kin>[^，。]{{0,3}}?{_PETS})(?:，?(?:它|她|他|"
    rf"名字)?(?:叫做?|名叫|是){_N}{_END})?"
)
_CALLED_PET = Guarded(rf"(?:叫做?|名叫){_N}的(?P<kin>{_PETS})")
_PET_IS = Guarded(rf"(?:^|[，。\s])(?P<o>[\u4e00-\u9fff]{{2}})[^，。]{{0,6}}，?是一?[只条](?P<kin>[^，。]{{0,2}}?{_PETS})")
_PLACED = Guarded(
    r"(?:^|(?<=[，。；]))(?P<s>[^，。；的]{3,20})(?:的(?:举办|举行)?(?:地点|位置|地址|会址|所在地)(?:是|在)|"
    r"位于|坐落[于在])(?P<o>[\u4e00-\u9fff]{2,12}?)(?=[，。！\s]|$)"
)
_HELD = Guarded(
    rf"(?:^|(?<=[，。；]))(?P<s>[^，。；的我你他她]{{4,20}}?)(?:将|会|"
    rf"要)?(?:于[^，。]{{1,10}})?在(?P<o>{PLACE})(?:举行|举办|召开|开幕)"
)
_PERSON = re.compile(rf"(?P<p>我们?|咱们?|你|他|她)(?:的?(?P<kin>{_KIN}))?")
_DENIED = re.compile("不|没|别|如果|要是|想|打算|准备|计划|希望|将要|可能|考虑")
_GIVEN_UP = re.compile("不再|已经不|不在.{1,8}了")
_PAST = re.compile("以前|之前|曾经?|过去|原来")
_AHEAD = re.compile("要|明年|下个?[月周]|下星期|以后|到时候|正式")
_NOWHERE = re.compile(
    "^(?:家里?|公司|单位|学校|医院|这里?|那里?|这边|那边|外面|一起|附近|网上|线上|家附近|国外|外地|老家|"
    "一家.*|这家.*|那家.*|哪.*|什么.*|.*时候|.*[之以][前后]|.*时间|.*期间|.*上|.*里|.*下|.*中|.*一.*|"
    ".*[也不是都就还我你没正很有能把被这那哪什].*)$"
)


def chinese_edges(sentence: str, people: People) -> Iterator[Edge]:
    """The relationships that a Chinese sentence states; nothing from one that denies or only plans."""
    yield from _kin(sentence, people)
    for match in (*_PLACED.finditer(sentence), *_HELD.finditer(sentence)):
        if is_chinese_place(match["o"]):
            yield Edge(
                match["s"],
                "located_in",
                match["o"],
                LOCATION,
                source_type="event" if not is_chinese_place(match["s"]) else LOCATION,
            )
    for shape in (_SHAPES[number] for number in _BY_WORD.worth_searching(sentence)):
        for match in shape.pattern.finditer(sentence):
            name = match["o"]
            clause = re.split("[，。；！？]", sentence[: match.start()])[-1]
            given_up = _GIVEN_UP.search(sentence) is not None
            if not _fits(shape, name, people) or (_DENIED.search(clause) and not given_up and shape.relation != "attends"):
                continue
            if (
                shape.relation == "lives_in"
                and not shape.ended
                and _AHEAD.search(clause[-6:])
                and shape.pattern.pattern.startswith("(?:住")
            ):
                continue
            if shape.relation == "lives_in" and _ANOTHER.search(clause):
                continue
            source = _before(sentence[: match.start()], people)
            if source and source != name:
                ended = shape.ended or given_up or _PAST.search(clause) is not None
                works_in = shape.relation == "works_at" and re.fullmatch(PLACE, name) is not None
                relation, kind = ("works_in", LOCATION) if works_in else (shape.relation, shape.kind)
                yield Edge(source, relation, name, kind, ended, dated=True)


def _fits(shape: _Shape, name: str, people: People) -> bool:
    if _NOWHERE.match(name) or people.is_present(name):
        return False
    match shape.kind:
        case "person":
            return shape.relation == "treated_by" or is_chinese_person(name) or name.isascii()
        case "location":
            return is_chinese_place(name) or shape.relation in ("from", "born_in")
        case "event":
            return len(name) >= 4
    return len(name) >= 2


def _kin(sentence: str, people: People) -> Iterator[Edge]:
    for match in _KIN_NAMED.finditer(sentence):
        owner = _owner(match["p"], people)
        beside = match["beside"] or ""
        name = match["o"] or next((one for one in (beside, beside[:2]) if len(one) > 1 and is_chinese_person(one)), None)
        if owner is None or sentence[: match.start()].endswith("不是"):
            continue
        relation = relation_of(match["kin"])
        for target in people.kin(owner, match["kin"], [name] if name and not people.is_present(name) else []):
            if name or relation in SAYS_SOMETHING:
                yield Edge(owner, relation, target, _kind(match["kin"]))
    for match in _KIN_PARTED.finditer(sentence):
        owner = _owner(match["p"], people)
        if owner and relation_of(match["kin"]) in ("married_to", "partner_of"):
            target = people.kin(owner, match["kin"])[0]
            yield Edge(owner, relation_of(match["kin"]), target, PERSON, ended=True, dated=True)
    for match in _WITH_KIN.finditer(sentence):
        if is_chinese_person(match["o"]):
            for target in people.kin(people.speaker, match["kin"], [match["o"]]):
                yield Edge(people.speaker, relation_of(match["kin"]), target, _kind(match["kin"]))
    for match in _IS_KIN.finditer(sentence):
        owner = _owner(match["p"], people)
        if owner and is_chinese_person(match["o"]):
            yield Edge(owner, relation_of(match["kin"]), match["o"], _kind(match["kin"]))
    for pattern in (_PET_CALLED, _CALLED_PET, _PET_IS):
        for match in pattern.finditer(sentence):
            owner = _before(sentence[: match.start()], people) or people.speaker
            if match["o"] and _PERSON.match(match["o"]):
                continue
            word = match["kin"] if match["kin"] in CHINESE_RELATION else match["kin"][-1:]
            if word in CHINESE_RELATION:
                yield from (
                    Edge(owner, "has_pet", target, PET)
                    for target in people.kin(owner, word, [match["o"]] if match["o"] else [])
                )


def _kind(word: str) -> str:
    return PET if relation_of(word) == "has_pet" else PERSON


def _owner(word: str, people: People) -> str | None:
    return people.meant_by(_PRONOUNS[word]) if word in _PRONOUNS else people.meant_by(word) if is_chinese_person(word) else None


_PRONOUNS = {"我": "I", "我们": "I", "咱": "I", "咱们": "I", "你": "you", "他": "he", "她": "she"}


def _before(words: str, people: People) -> str | None:
    """The last person spoken of before a verb: a pronoun, kin, or a name; the speaker where nobody is."""
    found: list[tuple[int, str | None]] = []
    for match in _PERSON.finditer(words):
        owner = _owner(match["p"], people)
        whom = people.kin(owner, match["kin"])[0] if owner and match["kin"] else owner
        found.append((match.start(), whom))
    for name in chinese_people(words):
        found.append((words.rfind(name), people.meant_by(name)))
    return max(found, key=lambda one: one[0])[1] if found else people.speaker
