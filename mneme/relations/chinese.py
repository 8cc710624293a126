"""Claims of Chinese sentences, and states that Chinese questions ask for: chinese.toml over the clauses of a sentence."""

import re
import unicodedata
from collections.abc import Iterator

from mneme.chinese_script import as_written, simplified
from mneme.languages import is_doubted
from mneme.patterns import Patterns
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
_WORDS = Patterns(__file__, "patterns")
# What was done then: without it a change on a day may be to come (我们八月搬去宁波).
_NEAR = ("旁边", "对面", "隔壁", "后面", "前面", "门口", "楼上", "楼下", "边上")  # such a place is not the home itself
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
    if '"' in text or "“" in text or "「" in text or _WORDS.question.search(text):
        return
    if is_doubted(text):
        return
    if doubt := _WORDS.not_certain.search(text):
        begin = max(text.rfind(mark, 0, doubt.start()) for mark in ",。!;")
        if begin < 0 or not _WORDS.asks_of_others.search(text[begin:]) or _WORDS.takes_back.search(text[begin:]):
            return
        text = text[:begin]
    found = (
        (as_written(subject, text, written), attribute, as_written(value, text, written), ends)
        for subject, attribute, value, ends in _found(text, chinese(), speaker, not _is_about_others(simplified(follows)))
    )
    yield from distinct_claims(found, sentence)


def _is_about_others(text: str) -> bool:
    return _WORDS.somebody.search(_WORDS.not_somebody.sub("", text)) is not None


def _found(text: str, table: Table, speaker: str, of_own: bool = True) -> Iterator[Found]:
    for number in table.anywhere_index.candidates(text):
        for match in table.anywhere[number].shape.finditer(text):
            yield from _claimed(table.anywhere[number], match, False, speaker)
    for whole in _WORDS.sentences.split(text):
        numbers = table.said_index.candidates(whole)
        if _WORDS.passing.search(whole):
            numbers = [number for number in numbers if "lasting" not in table.said[number].flags]
        if not numbers:
            continue
        subject, own, named = "我" if speaker and of_own else "", of_own, False
        for clause in _WORDS.clauses.split(whole):
            bare, over = _WORDS.leading.sub("", clause.strip()), False
            if _WORDS.once.search(bare):
                bare, over = _WORDS.once.sub("", bare, count=1), True
            bare = _WORDS.adverbs.sub("", bare).strip()
            if "不再" in bare and bare.endswith("了"):
                bare, over = bare.replace("不再", "", 1), not over
            if not bare:
                continue
            explicit = _WORDS.speaker.search(bare) is not None and not _WORDS.of_another.match(bare)
            named = named or explicit
            stated = list(_of_clause(table, numbers, bare, over, subject, speaker))
            if not explicit and (not own or (not named and _WORDS.of_another.match(bare))):  # may be told of somebody else
                stated = [each for each in stated if not _is_of(each[0][0], speaker) or each[1] == subject not in ("", "我")]
            named = named or any(found[0] == speaker for found, _ in stated)
            if not stated and not _WORDS.goes_on.match(bare):
                subject = ""
            others = _is_about_others(bare) or any(not _is_of(found[0], speaker) for found, _ in stated)
            own = (own or explicit) and not others and bool(stated or subject)
            if _WORDS.now.search(clause) and stated and not any(found[3] for found, _ in stated):
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
    if _WORDS.changed.search(bare):
        undated = _WORDS.past_day.sub("", undated)
    may_be_ahead = when.search(bare) is not None and _WORDS.done_then.search(bare) is None
    planned = _WORDS.plans_not_done.search(bare) is not None
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
            if _WORDS.several.search(bare):
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
        if _WORDS.no_act.search(match["act"]):
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
        return (slot.attribute, found[0]) if found and found[0] and not _WORDS.last.match(found[0]) else None
    value = _cleaned(slot.kind, slot.attribute, text, table)
    if value is None:
        return None
    attribute = slot.attribute
    if attribute == "kin name":
        attribute = table.kin_attribute.get(match["kin"], "")
        return (attribute, value) if attribute else None
    if attribute == "uses kind":
        return (f"uses:{kind_named(match, _KINDS)}", value) if _WORDS.has_model.search(value) or value in table.tools else None
    kind = tool_kind(_WORDS.model_of.sub(" ", value), table.tools)
    if attribute in ("uses", "known"):
        return None if kind is None else ("car" if kind == "car" else f"uses:{kind}", value)
    return attribute, value


def _cleaned(kind: str, attribute: str, text: str, table: Table) -> str | None:
    """A value as it is claimed; None where a slot of this kind cannot hold it."""
    words = table.words
    bare = _WORDS.one.sub("", text).removesuffix("附近").removesuffix("市中心")
    if kind == "title" and text[0] in "他她它这那":
        return None
    if kind in ("number", "count", "phone", "email", "day", "years", "state", "title", "tongue", "street", "act"):
        return text
    if attribute == "home" or kind in ("place", "known_place"):
        bare = _WORDS.for_years.sub("", bare)
        fits = len(bare) >= 2 and bare not in words["no_name"] and not bare.endswith(_NEAR) and not _WORDS.bad.search(bare)
        known = bare.startswith(endings("places")) or (kind != "known_place" and _ends_as(_WORDS.area, bare))
        return bare if fits and (known or (attribute != "home" and kind != "known_place")) else None
    if attribute == "origin":
        of = bare.removesuffix("人")
        known = of.startswith(endings("places")) or _ends_as(_WORDS.area_of_origin, of)
        return bare if known and not _WORDS.bad.search(bare) else None
    if attribute == "employer":
        a_place = bare in words["places"] or bare[-1:] in tuple("市区省县里上下边")
        if kind == "firm" and not (bare.isascii() or bare.endswith(endings("firms", "known_firms"))):
            return None
        return None if len(bare) < 2 or a_place or bare in words["no_name"] or _WORDS.bad.search(bare) else bare
    if attribute == "workplace":
        a_firm = bare.endswith(endings("firms", "known_firms"))
        return bare if bare.startswith(endings("places")) and not a_firm and not _WORDS.bad.search(bare) else None
    if kind in ("trade", "known_trade"):
        known = any(bare.endswith(trade) for trade in words["trades"]) and not _WORDS.titled.fullmatch(bare)
        return bare if known and len(bare) <= 9 and not _WORDS.bad.search(bare) and "不" not in bare else None
    if kind in ("person", "who"):
        return text if is_chinese_name(text, attribute == "name" or attribute == "kin name") else None
    if kind == "liking_":
        return (
            text
            if (2 <= len(text) <= 8 or text in words["liked"])
            and not _WORDS.bad.search(text)
            and text[0] not in "看到被了一就"
            and not text.startswith("上一")
            else None
        )
    return None if not bare or _WORDS.bad.search(bare) or bare.endswith(("不", "没")) else bare


def _ends_as(area: re.Pattern[str], name: str) -> bool:
    """Tell whether a name ends like that of an area, and is no common noun."""
    return area.search(name) is not None and _WORDS.no_area.search(name) is None


def _may_be_somewhere(text: str) -> bool:
    return not (_WORDS.bad.search(text) or text.endswith(tuple(chinese().words["no_place"])) or is_somebody(text))


def _is_a_journey(text: str, clause: str) -> bool:
    """Tell whether one travels to what stands behind 去: a place, or what its clause calls a journey; 去洗澡 is none."""
    return text.startswith(endings("places")) or text.endswith(LANDFORMS) or _WORDS.travels.search(clause) is not None


def chinese_asked(question: str) -> list[tuple[str, str]]:
    """(subject, attribute) of the present state that a question asks for."""
    written = unicodedata.normalize("NFKC", question).strip(" ?。!")
    simple = text = simplified(written)
    if len(text) > 60 or _WORDS.once.search(text) or re.search("去年|昨天|上周|上个月|当时|那时|小时候", text):
        return []
    text = (
        re.sub("^(?:请问|你知道|还记得|告诉我|那|对了)[,:]?", "", _WORDS.adverbs.sub("", text))
        .removesuffix("呢")
        .removesuffix("啊")
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
