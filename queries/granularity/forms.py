"""The form of a question: whether it wants a point, a story, a portrait, an outlook, a way to do something. Pure.

"When is her birthday?" is answered by one statement, "what has she been up to?" by an episode, "what is she like?" by the
portrait, "what is she planning?" by what is expected. Words say so, in English and in Chinese; what they leave open the
scores decide (queries/granularity/preference.py). A pattern is narrow where a wrong guess costs much: a story in the place of
a point hides the answer in a longer text.
"""

import re
from enum import StrEnum

from queries.questions.tense import NEAR, any_of


class Form(StrEnum):
    """The form of a question, in order of precedence: "when will she be allowed to" asks for a time."""

    PORTRAIT = "portrait"
    """The nature of somebody."""
    POINT = "point"
    """A time, a number, a name."""
    PRECEDENT = "precedent"
    """A lesson from an earlier time."""
    PROCEDURE = "procedure"
    """The way in which something is done."""
    RULE = "rule"
    """A rule: something that is allowed, required or paid."""
    FORECAST = "forecast"
    """Something that lies ahead."""
    NARRATIVE = "narrative"
    """Events, and how one led to another."""
    PLAIN = "plain"
    """Any other question, and words without grammar: "boat shed price"."""
    TOPIC = "topic"
    """No question: a phrase that names a thing, a task that is set."""


def forms_of(text: str) -> tuple[Form, ...]:
    """All forms that the words of a question fit, by precedence: the last is always ``PLAIN`` or ``TOPIC``.

    >>> [str(form) for form in forms_of("When is Jason's birthday?")], [str(form) for form in forms_of("她是个什么样的人？")]
    (['point', 'plain'], ['portrait', 'plain'])
    """
    text = " ".join(text.replace("’", "'").split())
    found = [form for form, pattern in _PATTERNS if pattern.search(text)]
    if Form.FORECAST in found and looks_back(text):
        found.remove(Form.FORECAST)
    return (*found, Form.TOPIC if _PHRASE.search(text) and not _ASKS.search(text) else Form.PLAIN)


def asks_about_oneself(text: str) -> bool:
    """True if the person that a portrait is wanted of is the one who asks.

    >>> asks_about_oneself("What kind of person am I?"), asks_about_oneself("What should I know about Ann?")
    (True, False)
    """
    return bool(_ONESELF.search(text))


def looks_back(text: str) -> bool:
    """True if the words tell of what is over, so that a time they name is no outlook."""
    return bool(_PAST.search(text))


def asks_for_latest(text: str) -> bool:
    """True if a question asks for what was so of late."""
    return bool(_LATELY.search(text))


def speaks_of_failure(text: str) -> bool:
    """True if a question asks for something that failed, or a case tells of it."""
    return bool(_FAILURE.search(text))


_ONESELF = any_of(
    r"\b(?:am i|i am|i'm)\b|\b(?:about|describe|portrait of|know) (?:me|myself)\b",
    r"\bmy (?:own )?(?:character|personality|traits|temperament|strengths|weaknesses)\b",
    "我(?:自己)?(?:这个人)?(?:是个?(?:什么|怎样|怎么)|的(?:性格|为人|个性|特点))|(?:介绍|描述|形容)(?:一下)?我",
)
_PAST = any_of(
    r"\b(?:did|was|were|had|ago|yesterday|last (?:night|week|weekend|month|year|spring|summer|autumn|fall|winter)|used to)\b",
    "昨天|前天|上个?(?:周|星期|礼拜|月)|去年|前年|之前|以前|当时|原来",
)

_ABOUT = r"[^?.!,;]{1,40}?"  # a name, or a few words that stand for somebody
_US = "(?:we|you|i|anyone|anybody|someone|somebody)"
_ATTRIBUTE = (  # what a thing or a person has one of
    "(?:name|age|birthday|birthplace|address|price|cost|rent|salary|weight|height|size|length|rate|number|date|time|deadline|"
    "colou?r|brand|breed|job|profession|employer|phone|email|password|score|budget|diagnosis|allerg(?:y|ies))"
)

_PORTRAIT = (
    r"\bwhat (?:kind|sort|type) of (?:a )?(?:person|(?:wo)?man|guy|girl|boy|human|character|friend|colleague|boss|parent)\b",
    rf"\bwhat(?:(?:'s| is| are| am) {_ABOUT}| {_ABOUT} (?:is|are|was)(?: really)?) like(?: as an? \w+)?\W*$",
    rf"\bwho (?:is|am|are|exactly is) {_ABOUT}\W*$",
    r"\b(?:describe|portray|characteri[sz]e)\b(?! (?:the|an?|how|what|this|that|his|her|their|its)\b)",
    r"\b(?:portrait|profile|character sketch) of\b|\b(?:personality|temperament|mentality|character traits?)\b|\bas a person\b",
    rf"'s (?:character|traits|nature|quirks|habits|strengths|weaknesses)\b|\b(?:makes {_ABOUT} tick|comes? across)\b",
    rf"\bknow about {_ABOUT}\W*$",
    rf"\bwhat (?:should|must|do|can) (?:i|we|one|you) (?:know|remember|consider|(?:keep|bear) in mind) (?:about|of) {_ABOUT}"
    r"(?:\W*$| (?:before|when|if)\b)",
    "(?:什么|怎么?)样的?(?:一个)?(?:人|性格|个性)|是个?什么人|这个人怎么样|性格|个性|为人|脾气|人品",
    "^(?:请)?(?:介绍|描述|形容)(?:一下)?[^，。？?的]{1,8}[？?。]?$",
    "(?:介绍|描述|形容|说说|讲讲|谈谈|聊聊)(?:一下)?[^，。？?的]{1,8}(?:这个)?人(?!们)",
    "(?:要|该|得|需要)(?:注意|知道|了解|记住)(?:些|点)?(?:什么|哪些)|有(?:什么|哪些)(?:特点|忌口|禁忌|喜好|爱好|习惯)",
    r"^[^，。？?的]{1,8}是谁[？?]?$",
)
# "Who" and "where" may ask for one statement too, but also for a portrait or for what lies ahead.
_POINT = (
    r"^\W*(?:(?:and|but|so|or|since|until|till|by)\s+)?when\b",
    r"\bwhen (?:is|are|was|were|do|does|did|will|would|has|have|had|can|could|should)\b",
    r"\bhow (?:much|many|old|long|often|far|tall|high|heavy|big|large|deep|wide|fast|expensive|late|early|soon)\b",
    r"\b(?:what|which) (?:time|date|day|month|year|price|amount|number|colou?r|size|address|age)\b",
    r"\bwho (?:(?:is|was) (?:responsible|in charge)|own(?:s|ed))\b|\bwhose\b",
    rf"^(?:the )?(?:\w+ )?{_ATTRIBUTE} (?:of|for|at|in)\b|\w(?:'s|s') (?:\w+ ){{0,2}}{_ATTRIBUTE}\W*$",
    "什么时候|何时|(?<![这那前后近好])几(?!乎|经|何)|多(?:少|大|久|重|高|远|长|贵)|谁|叫什么",
    "什么(?:颜色|名字|时间|牌子|品种|地址)|(?:年龄|年纪|生日|价格|价钱|租金|房租|地址|电话|名字|职业|体重|身高|工资|日期)[？?]?$",
)
_PRECEDENT = (
    r"\b(?:went|gone|goes|going) wrong\b|\blast time\b|\bthe (?:last|previous|first) (?:attempt|try|run)\b",
    rf"\b(?:have|has|did|had) {_US}\b{NEAR}\b(?:before|ever|already)\b|\b(?:have|has|had) {_US} (?:ever|already)\b",
    r"\b(?:similar|earlier|previous) (?:cases?|problems?|incidents?|tasks?|issues?)\b|\blessons?\b",
    r"\b(?:what caused|root cause|cause of|what broke|failures?|failed)\b|\bwhy did\b[^?.]{1,80}\bfail\b",
    r"\b(?:did|have) (?:we|you|i) learn(?:t|ed)?\b|\bhow (?:did|have) (?:we|you|i) (?:fix|solve|handle|deal|resolve)",
    "上次|上一次|出了什么(?:问题|错)|哪里出错|教训|(?:有没有|曾经|以前)[^，。？?]{1,40}过|怎么(?:解决|处理|修)(?:好)?的",
)
_LATELY = any_of(r"\b(?:lately|recently|these days|of late|the latest|what(?:'s| is) new)\b", "最近|近来|近况")
_FAILURE = any_of(
    r"\b(?:fail(?:s|ed|ure|ures|ing)?|errors?|broke|broken|crash(?:ed|es)?|(?:went|gone|goes|going) wrong)\b",
    "失败|错误|报错|出错|故障|崩溃|出了什么问题",
)
_PROCEDURE = (
    r"\bhow (?:do|can|should|would|must) (?:i|we|you|one)\b|\bhow to\b",
    rf"\bhow (?:is|are|should|must)\b{NEAR}\b(?:done|made|carried out)\b",
    r"\b(?:walk|talk|guide|take) (?:me|us) through (?:\w+ing\b|how\b|the (?:steps|process|procedure)\b)",
    r"\bsteps? (?:for|to|of|in|when)\b|\bwhat (?:is|are) the (?:procedure|steps|process)\b",
    r"\b(?:procedure|instructions?|checklist|runbook|workflow|best practices?) (?:for|to|of|on|when)\b",
    r"\b(?:best|right|correct|usual|proper) way (?:to|of)\b",
    "(?:怎么|如何|怎样)(?:才能|去|来)?(?:做|办|部署|操作|处理|安装|发布|申请|报销|使用|设置|配置|解决)(?!的)|步骤|流程|方法",
)
_RULE = (
    r"\b(?:allowed|permitted|forbidden|entitled|eligible|reimbursed|repaid|required)\b|\bmay (?:i|we|one|employees)\b",
    r"\b(?:is|are) (?:an? |the )?[\w ]{1,30} (?:paid|covered|insured|refunded)\b|\bdo (?:i|we|employees) (?:need|have) to\b",
    r"\b(?:policy|policies|rules?|guidelines?|regulations?|handbook)\b|\blimits? (?:for|of|on)\b|\ballowance\b",
    "允许|规定|报销|上限|标准|政策|手册|可不可以|能不能|可以[^，。]{1,40}吗",
)
_FORECAST = (
    r"\bplan(?:s|ning|ned)?\b|\bgoing to\b|\bwill\b(?! \w+'s)|\bintend(?:s|ing)?\b|\bintentions?\b",
    r"\b(?:upcoming|forthcoming|coming up|comes? next|what(?:'s| is) next|next (?:for|steps?))\b",
    r"\b(?:ahead|agenda|calendar|itinerary|appointments?|about to)\b",
    r"\b(?:next|this|coming) (?:week|weekend|month|spring|summer|autumn|fall|winter|quarter|year)\b|\b(?:tomorrow|tonight)\b",
    r"\blook(?:s|ing)? forward\b|\b(?:expect|hop)(?:s|es|ing) to\b|\b(?:hope|wants) to\b|\bin the (?:near )?future\b",
    "打算|计划|安排|准备(?!了|好)|将(?:要|会|在)|接下来|即将|行程|日程|未来|以后|(?:会|要)(?:去|做|来|有|办)(?:什么|哪)",
    "下个?(?:周|星期|礼拜|月|季度)|明[天年]|后天|[这本]个?(?:周|星期|礼拜)(?![^，。？?]{0,40}了)",
)
_NARRATIVE = (
    r"\btell (?:me|us) (?:(?:more|a bit|something|everything|all) )?(?:about|of|how|what happened)\b",
    r"\b(?:talk|walk) (?:me|us) (?:through|about)\b|\b(?:catch|fill|bring|get) (?:me|us) (?:up|in)\b|\bupdate (?:me|us)\b",
    r"\bwhat(?:'s| is| has| had)? (?:\w+ )?happen(?:s|ed|ing)?\b|\bwhat (?:became|came|has become|has come) of\b|\bhow come\b",
    r"\b(?:summari[sz]e|summary|recap|overview|gist|lowdown|background|back ?story|the story|chain of events|ins and outs)\b",
    r"\b(?:course|progress|timeline) of\b|\b(?:discuss(?:ed)?|(?:talk|chat|speak|spoke)(?:ed)? about)\W*$",
    r"\bwhat(?:'s| is) (?:new|going on|the latest|up|the (?:status|state|story))\b",
    rf"\bwhat(?:'s| has| have)\b(?: {_ABOUT})? been (?:\w+ing|up to|busy with|occupied with)\b",
    rf"\bwhat(?:'s| is| are) {_ABOUT} (?:up to|busy with)\b",
    rf"\bhow(?:'s| is| are| has| have)\b{NEAR}\b(?:going|coming (?:along|on)|been|progressing|doing|getting on)\W*"
    r"(?:$|(?:at|in|with|for) )",
    rf"\bhow (?:did|has|have|is|are|was|were)\b{NEAR}\b(?:go|gone|going|went|turn(?:ed)? out|end(?:ed)? up|happen|unfold|"
    r"(?:come|came) (?:about|to)|work(?:ed)? out|fall (?:through|apart)|manage to|become)\b",
    rf"\bhow (?:did|has|have)\b{NEAR}\b(?:get|got) (?:\w+ ){{0,5}}(?:back|into|out|on|along|away|over|through|from|to)\b",
    "怎么(?:样了|回事|发生|开始的|认识的|来的|[^么样]{1,6}(?:下来|起来|出来)的)|是怎么[^么样，。？?]{1,10}的|得(?:怎么样|如何)|后来|经过|过程|来龙去脉|始末|前因后果",
    "说说|讲讲|谈谈|聊聊|告诉我|介绍一下|发生了?什么|最近[^，。？?]{0,10}(?:忙|做|干|怎么样)|近况|进展|总结|回顾|概括",
    "(?:的事|结果)(?:怎么样|如何|呢)",
)
_ASKS = any_of(
    r"\?|？|\b(?:who|whom|whose|what|when|where|which|why|how)\b",
    r"^(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|might)\b",
    r"^(?:please )?(?:list|name|give|show|find|remind|tell)\b",
    "吗|呢|什么|谁|哪|几(?!乎)|多少|怎么|怎样|如何|为何|是否|有没有|是不是",
)
_PHRASE = any_of(r"^(?:the|an?|my|our|his|her|their)\b|\w(?:'s|s') |\b(?:of|with|about|over|for|in|on|at|to|from)\b", "的|了")
_PATTERNS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    (Form.PORTRAIT, any_of(*_PORTRAIT)),
    (Form.POINT, any_of(*_POINT)),
    (Form.PRECEDENT, any_of(*_PRECEDENT)),
    (Form.PROCEDURE, any_of(*_PROCEDURE)),
    (Form.RULE, any_of(*_RULE)),
    (Form.FORECAST, any_of(*_FORECAST)),
    (Form.NARRATIVE, any_of(*_NARRATIVE)),
)
