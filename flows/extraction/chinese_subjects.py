"""The subject of a Chinese episode: the longest strings that messages share, between characters of grammar.

Words are not delimited, so they are found by what repeats: a string that two messages use, and that is not always part of the
same longer one (maximal repeats, as in Yamamoto and Church 2001), is a word or a name more often than not.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

_PHRASES = 3
_LONGEST = 6  # characters
_LONGEST_ALONE = 4  # characters of a run that nothing repeats; a longer one is a phrase with a verb
_NUMBER = "[零〇一二两三四五六七八九十百千万亿几半\\d]"
_MEASURES = "个只间晚天块元号日月年点分钟周次位名岁斤公斤套室厅条辆张本件种句样些页号楼米平方秒人遍份双左右以内多"
_BREAKS = re.compile(
    rf"第?{_NUMBER}+[{_MEASURES}]*|(?:星期|礼拜|周)[一二三四五六日天末]|"
    "大?[前昨今明后][天晚早年日]|[上下这本]个?(?:周|星期|月|周末)|(?:早|晚)上|[上下中]午|(?:月|年)?[初底]|时候|现在|最近|以后|以前|之前|之后|"
    "已经|可以|没有|不是|不会|不能|不用|不要|如果|因为|所以|但是|而且|或者|还是|就是|真的|非常|特别|比较|一起|一下|一点|自己|大家|"
    "什么|怎么|为什么|多少|谢谢|恭喜|没问题|没关系|知道|觉得|希望|喜欢|准备|打算|应该|需要|直接|马上|差不多|大概|正好|终于|其实|别担心|"
    "[的了是在和与也就都而及吗呢吧啊嘛呀着过我你您他她它们这那有不很到说要去会来把被让给还没又再最更太对好一上下中里么所但如想请帮"
    "问能做从用看先找叫跟只才等够哈嗯哦噢嘿行定完选住租搬吃坐带听见记算花改写发放拿买卖学接借还晾调个此]"
)
_RUN = re.compile(r"[\u4e00-\u9fff]+|[A-Za-z][A-Za-z0-9_+-]*")


def chinese_subject(texts: Sequence[str], names: Collection[str]) -> str:
    """Up to three strings, joined by ``、``; whole runs of a message where no two messages share one; perhaps empty.

    Args:
        texts: the messages, in order.
        names: the participants' names, which say nothing about the subject.
    """
    messages: dict[str, set[int]] = defaultdict(set)
    whole: dict[str, None] = {}
    for index, text in enumerate(texts):
        for run in _runs(text, names):
            whole[run] = None
            if run.isascii():
                messages[run].add(index)
                continue
            for length in range(2, min(_LONGEST, len(run)) + 1):
                for start in range(len(run) - length + 1):
                    messages[run[start : start + length]].add(index)
    shared = [term for term, used in messages.items() if len(used) > 1]
    maximal = [
        term
        for term in shared
        if not any(term != other and term in other and messages[other] == messages[term] for other in shared)
    ]
    maximal.sort(key=lambda term: (-len(messages[term]) * (len(term) - 1) ** 0.5, min(messages[term]), term))
    chosen: list[str] = []
    for term in [*maximal, *sorted((run for run in whole if len(run) <= _LONGEST_ALONE), key=len, reverse=True)]:
        if not any(set(term) & set(other) for other in chosen):
            chosen.append(term)
        if len(chosen) == _PHRASES:
            break
    return "、".join(chosen)


def _runs(text: str, names: Collection[str]) -> list[str]:
    """The runs of two and more characters that words of grammar, numbers, dates and the participants' names leave."""
    for name in sorted(names, key=len, reverse=True):
        for part in (name, name[1:] if len(name) == 3 else name):  # 晓雨 for 林晓雨
            text = text.replace(part, " ")
    runs = (run for piece in _RUN.findall(_BREAKS.sub(" ", text)) for run in [piece])
    return [run for run in runs if len(run) > 1]
