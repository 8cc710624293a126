"""Cues of traits and facts about oneself in Chinese, where "I" is mostly left out."""

import re

CHINESE_CUES = tuple(
    (category, re.compile(pattern))
    for category, pattern in (
        ("dislike", "(?:我.{0,4})?(?:不喜欢|讨厌|不爱吃|受不了|从来?不吃|就是不吃|我不吃|我不喝|我怕)"),
        ("health", "过敏|我.{0,4}(?:吃素|糖尿病|高血压|怀孕|失眠|偏头痛|近视)|我的?(?:膝盖|腰|胃|血压|血糖|体重)"),
        ("work",
         "我.{0,6}在[^，。]{1,14}(?:工作|上班|做[^，。]{1,8})|我是[^，。]{0,8}(?:工程师|医生|老师|护士|"
         "设计师|经理|程序员|律师|会计|学生|记者)|我的(?:工作|职业|岗位)|我负责|第一天上班|我.{0,6}(?:升职|"
         "入职|离职|跳槽|退休)|公司.{0,8}把我"),
        ("goal", "我.{0,3}(?:想成为|梦想|的目标|将来想)|我的(?:梦想|目标)|我想(?:租|买|开|考|学|当|找)"),
        ("preference",
         "我.{0,4}(?:喜欢(?!你)|热爱|最爱|偏爱|更爱)|^(?:最|很|特别|也|更)喜欢|我的爱好|想.{0,4}很久了|"
         "一定要(?:能|有)|我选"),
        ("family", "我.{0,4}(?:结婚了|离婚了|单身|有.{1,3}个(?:孩子|儿子|女儿)|订婚)|我家有"),
        ("possession", "我(?:有|养了|买了)[一两二三四五几\\d]|我家的?(?:猫|狗)"),
        ("home", "我.{0,4}(?:住在|租了|决定租|搬到|老家)|我住了|住了.{1,4}年"),
        ("identity", "我(?:是|的职业是|当)一?[名位个](?!人|问题)\\S{2,}"),
        ("interest", "我.{0,6}(?:学了.{1,6}年|开始学|迷上|坚持)|我(?:周末|平时|业余|空闲)"),
        ("habit", "我.{0,3}(?:每天|每周|每个|经常|通常|习惯|总是|从来)"),
        ("trait", "我这个?人|我(?:性格|比较(?:内向|外向|急|慢)|有点(?:内向|社恐))"),
    )
)  # fmt: skip
_ANOTHER = re.compile(
    "^[^我]{0,12}(?:他|她|他们|她们|你|大家|妈|爸|爷爷|奶奶|外婆|外公|同事|朋友|老板|房东|"
    "[\u4e00-\u9fff]{2}(?=不吃|对.{1,6}过敏))"
)
_FIRST = re.compile("^(?:嗯|好|哈哈|对了?|记住了|其实|是的|不过|反正|另外|还有)?[，。]?")


def tells_of_another(sentence: str) -> bool:
    """Whether a sentence is about somebody else, or about what is to be done."""
    return _ANOTHER.search(sentence) is not None or sentence.rstrip("。").endswith(("吗", "吧", "呢"))


def chinese_statement(told: str, speaker: str) -> str:
    """A sentence that stands alone: with its subject, where it was left out."""
    statement = _FIRST.sub("", told, count=1) or told
    return statement if speaker in statement else f"{speaker}：{statement}"
