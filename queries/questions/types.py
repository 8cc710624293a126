"""The type of a question, by pattern: what kind of answer is wanted, and how many memories that takes.

The patterns are tried in the order of ``_TYPES``; the first that fits decides. Nothing is understood here: a type chooses how
many results there are and how they are weighed, and a wrong one costs little.
"""

from collections.abc import Callable
from enum import StrEnum

from mneme.dates.spans import MONTHS, WEEKDAYS
from queries.questions.tense import NEAR, any_of, asks_about_now

_AUXILIARY = "(?:do|does|did|has|have|had|is|are|was|were|can|could|might|would|will)"
_WH = r"^\W*(?:(?:in|on|at|to|from|for|with|by|of) )?(?:what|which)"
_NO_PLURAL = "(?:this|his|its|was|is|does|has|us|as|news|status|class|address|business|process|dress|basis|likes)"
_SEVERAL = any_of(
    rf"{_WH}(?: [\w./'’-]+){{0,4}}? (?!{_NO_PLURAL}\b)[\w./-]+[^s\W]s (?:of [\w.' ]+? )?{_AUXILIARY}\b",
    rf"{_WH} (?:series|people|children) ",
    rf"{_WH}(?: [\w'’-]+){{0,4}}? (?:are|were) ",
    rf"{_WH} (?:kinds?|types?|sorts?) of [\w' -]+? (?:do|does|has|have|is|are)\b",
    r"^\W*(?:what|where|who|how) (?:has|have) ",
    r"^\W*(?:what|how) (?:do|does) (?!\w+ (?:think|mean|mention|say|feel|describe|call|plan|want))[\w'’ ]+? "
    r"(?:do|use|offer|make|like|enjoy) ?(?:to|with|for|on|about|when|[?]|$)",
    r"\bmultiple\b|\bseveral\b|\bdifferent\b|\ball (?:the|of)\b|\beach of\b|\bboth\b|\bevery\b",
    "哪些|各自|分别|都(?:有|是|去|做|买|吃|看|喜欢|会|在)|几[次个种本部家]|多少[次个种本部家]|一共|所有|列出",
)
_MONTH = "|".join(MONTHS)
_ONE = any_of(
    rf"\b(?:{_MONTH})\b,? ?\d|\d (?:{_MONTH})\b|\b\d{{1,2}}(?:st|nd|rd|th)\b"
    r"|\blast (?:week|month|year|summer|winter|night|\w+day)\b|\brecently\b|\byesterday\b"
    r"|\bthe (?:first|second|third|last)\b|[\"“「《]|昨天|上周|上个月|去年|第[一二三]"
)


class QuestionType(StrEnum):
    """The kind of answer that is wanted."""

    ASSISTANT_RECALL = "assistant-recall"
    """Words of the assistant: "What did you recommend?"."""
    TEMPORAL = "temporal"
    """A time, a duration or an order."""
    COUNTING = "counting"
    """A count, or all of a kind: every one that counts is needed."""
    MULTI_HOP = "multi-hop"
    """Several memories together: a chain ("the spouse of the CEO of Acme"), two people, or what has gathered over time."""
    KNOWLEDGE_UPDATE = "knowledge-update"
    """The present state of something that may have changed."""
    PREFERENCE = "preference"
    """Something that somebody likes, or would like; a recommendation."""
    FACTUAL = "factual"
    """One fact: who, where, which one, how much."""
    GENERAL = "general"
    """Everything else."""


def question_type(text: str) -> QuestionType:
    """The type of a question, by pattern.

    >>> question_type("How many books did Ann buy?"), question_type("几点出发？")
    (<QuestionType.COUNTING: 'counting'>, <QuestionType.TEMPORAL: 'temporal'>)
    """
    text = text.replace("’", "'")
    return next((kind for kind, fits in _TYPES if fits(text)), QuestionType.GENERAL)


_TOP_K = {
    QuestionType.COUNTING: 60,
    QuestionType.MULTI_HOP: 60,
    QuestionType.PREFERENCE: 40,
    QuestionType.GENERAL: 40,
    QuestionType.FACTUAL: 10,
}


def top_k_of(question: str, otherwise: int) -> int:
    """Number of results for a question: all of a kind and several steps need many, one fact needs few.

    >>> top_k_of("In which city does Ann live?", 20), top_k_of("In which cities has Ann lived?", 20)
    (10, 60)
    """
    kind = question_type(question)
    if kind is QuestionType.FACTUAL and asks_for_several(question):
        return _TOP_K[QuestionType.COUNTING]
    return _TOP_K.get(kind, otherwise)


# "You" is the assistant. What it may still do ("can you recommend") is a wish, not a memory.
_SAY = "recommend|suggest|advise|tell|say|mention|propose|give|provide|show|list|explain|describe|share|offer|write"
_SAID = (
    "recommended|suggested|advised|told|said|mentioned|proposed|gave|given|provided|showed|listed|explained|described|shared|"
    "offered|wrote|written"
)
_ADVERB = r"(?:\w+ly |just |also |ever |once )?"
_ASSISTANT = any_of(
    rf"\bdid you {_ADVERB}(?:{_SAY})\b",
    rf"\b(?:have|had) you {_ADVERB}(?:{_SAID})\b",
    rf"\byou(?:'d| had| have|'ve)? {_ADVERB}(?:{_SAID})\b",
    r"\byour (?:\w+ )?(?:recommendations?|suggestions?|advice|answers?|repl(?:y|ies)|responses?|proposals?|explanations?)\b",
    r"\bour (?:previous|last|earlier|past) (?:chat|conversation|discussion)",
    "你(?:之前|上次|刚才|刚刚|曾经?|当时|先前|以前|昨天|那天|都)*(?:给我|跟我|向我|对我)?"
    "(?:推荐|建议|说|提|提到|告诉|介绍|讲|列|列出|解释|给出)我?(?:了|过|的)",
    "你的(?:推荐|建议|回答|答复|回复)|我们(?:上次|之前)的(?:对话|聊天|谈话)",
    "(?:勧めて|薦めて|提案して|教えて|おすすめして)(?:くれた|くれました|もらった)",
    "(?:추천|제안|설명|말)해 ?(?:줬|주셨|준 )",
)
_LENGTH = "(?:second|minute|hour|day|night|week|weekend|month|year|decade)s?"
_TEMPORAL = any_of(
    rf"^\W*(?:(?:and|but|so|then) )?(?:(?:since|until|till|by|from) )?when\b(?! \w+ing\b)(?!{NEAR},)",
    r"\bwhen(?:'s|'d| (?:exactly )?(?:is|are|was|were|do|does|did|will|would|has|have|had|can|could|should|must|may|might)\b)",
    r"\b(?:know|remember|remind me|tell me|say|said|sure|recall|wonder|ask) (?:since |exactly )?when\b",
    r"\bhow (?:long|soon|recently|late|early)\b",
    rf"\bhow (?:many|much) (?:(?:more|full|whole|working|business) )?(?:{_LENGTH}|time)\b(?! of\b)",
    rf"\b(?:what|which) (?:exact |specific )?(?:{_LENGTH}|date|weekday|time|season|holiday|period)s?\b",
    r"\bwhat(?:'s| is| was| are| were) the (?:\w+ )?(?:date|day|deadline|time|duration|sequence|timeline|chronology)s?\b",
    rf"\b(?:which|who|what)\b{NEAR}\b(?:first|last|earlier|later|before|after|sooner)\b{NEAR}[,:]{NEAR}\bor\b",
    r"\bin (?:which|what) order\b|\bthe order in which\b|\bchronological|\bat what (?:time|point|age|hour)\b",
    r"\b(?:happen(?:ed)?|c[ao]me|start(?:ed)?|beg[ai]n|do|did) (?:first|last|earlier|before or after)\b(?! \w)",
    "什么时候|什么时间|何时|啥时候|哪一?[天年月日]|哪个(?:月|星期|季节|周)|几[点号月时]|多(?:久|长时间)|(?:星期|周|礼拜)几|时间是|日期|先后|顺序",
    "(?<![这那前后近好十去])(?:几|多少)个?(?:天|年|周|小时|分钟|月|星期|礼拜|晚)",
    "いつ|何[時日年月]|何曜日|何(?:時間|週間|か月|ヶ月)|ど(?:の|れ)くらいの(?:間|期間|時間)",
    "언제|몇 ?(?:시|월|일|년|주|달|개월)|얼마나 (?:오래|오랫동안|걸)|며칠",
)
_COUNTING = any_of(
    r"\bhow (?:many|often)\b|(?<!phone )(?<!room )(?<!house )\b(?:number|count|sum) of (?:\w+ ){0,2}?\w+s\b(?!')",
    r"\btotal (?:number|amount|cost|price|hours|time|money)\b",
    rf"\bhow much\b{NEAR}\b(?:in total|altogether|combined|overall|in all)\b",
    r"\b(?:list|name|enumerate|count|give me|show me|tell me|what are) (?:me )?(?:all|every|each)\b",
    "多少(?!钱|元|块|岁|度)|所有|列出|哪些|一共|总共",
    "(?<![这那前后近好十第上下])几(?:[次个位本家只条件种部首张场名人台辆座份杯瓶道门项间回趟遍套篇口匹])",
    "いくつ|何[回人個冊本匹枚台軒件度杯]|すべての|全ての",
    "몇 ?(?:번|명|개|권|마리|장|대|가지|곳|분)|모든|모두",
)
_PERSON = (
    "(?:wife|husband|spouse|partner|mother|mom|mum|father|dad|parent|brother|sister|sibling|son|daughter|child|kid|uncle|aunt|cousin|"
    r"nephew|niece|grand\w+|boyfriend|girlfriend|fianc\w+|friend|boss|manager|colleague|co-?worker|neighbou?r|roommate|teacher|"
    "mentor|doctor|coach|therapist|assistant|owner|founder|ceo|cto|cfo|head|director|president|leader|author|landlord|"
    "client|supervisor)s?"
)
_RELATIVE = rf"(?:{_PERSON}|compan(?:y|ies)|(?:employer|team|school)s?)"
_CHINESE_RELATIVE = (
    "(?:爸爸?|妈妈?|父亲|母亲|哥哥?|弟弟?|姐姐?|妹妹?|妻子|老婆|太太|丈夫|老公|儿子|女儿|孩子|爷爷|奶奶|外公|外婆|老板|上司|经理|同事|下属|"
    "朋友|老师|学生|邻居|室友|[男女]朋?友|[表堂][哥姐弟妹]|叔叔|阿姨|舅舅|姑姑|医生|教练|同学)"
)
_NAME = rf"(?-i:(?!(?:{'|'.join((*MONTHS, *(day.capitalize() for day in WEEKDAYS)))})\b)[A-Z][a-z]+)"
# What has gathered over time ("which cities has she been to?") lies in several memories: of LoCoMo's questions in the
# perfect about a plural, 35 of 36 have several.
_MULTI_HOP = any_of(
    r"\b(?:what|which)(?: \S+){0,4} (?:people|\w+[^s\W]s)(?: of \w+)? (?:has|have)\b",
    r"\b(?:what|where|who) (?:has|have)\b(?!(?: \w+)? been \w+ing)",
    rf"\bboth\b(?! (?-i:[a-z-]+) and\b)|\bin common\b|\b{_NAME} and {_NAME}\b",
    rf"\b{_RELATIVE} of (?:the |my |his |her )?(?:\w+ )?{_RELATIVE}(?: of\b|'s\b)|\b{_RELATIVE} of (?:the )?{_RELATIVE} of\b",
    rf"\b{_RELATIVE} of \w+(?:'s)? {_PERSON}\b",
    rf"\b\w+'s? (?:\w+ )?{_RELATIVE}'s? \w|\b(?:my|his|her|their|our) (?:\w+ )?{_RELATIVE}'s? (?:\w+ )?{_RELATIVE}\b",
    r"\b(?:person|man|woman|guy|girl|boy|friend|colleague|someone|people|company|firm|team) (?:who|whom|whose|that|where)\b",
    f"{_CHINESE_RELATIVE}的{_CHINESE_RELATIVE}|的{_CHINESE_RELATIVE}的|共同|[和与跟][^，。？]{{1,12}}都|两个?人|分别",
    "の(?:妻|夫|父|母|兄|弟|姉|妹|息子|娘|上司|同僚|友達|友人|先生)の|どちらも|二人とも|共通",
    r"둘 다|공통|의 \w+의 ",
)
_RECOMMENDATION = any_of(
    r"\byou (?:\w+ )?(?:recommend|suggest|advise)\b|\b(?:recommend|suggest) (?:me|us|an?|some|any|something)\b",
    r"^\W*(?:please )?(?:recommend|suggest)\b|\bwhat (?:\w+ ){0,3}should (?:i|we)\b|\bgifts? for\b",
    r"\b(?:any|some|have|need) (?:\w+ )?(?:recommendations?|suggestions?|tips|advice|ideas?)\b",
    rf"^\W*i(?:'m| am|'ve been) (?:planning|looking|thinking|working|preparing|applying|updating|trying to (?!remember|recall))"
    rf"{NEAR}[.!] {NEAR}\b(?:how|what|which|help|any)\b",
    "推荐|建议我|该(?:买|选|吃|送|去|看)|おすすめ|お勧め|추천",
)
_LIKE = "(?:like|love|enjoy|prefer|hate|dislike|appreciate)"
_NO_COMPARISON = r"(?!(?:look|feel|sound|taste|smell|seem|act|was|were|be|been|is)\b)"  # "what does it look like"
_LIKING = any_of(
    rf"\b(?:do|does|did|would|might|could|will)(?: {_NO_COMPARISON}[\w'-]+){{1,4}}? {_LIKE}\b",
    rf"\b{_LIKE}s? (?:most|best|least|more|better)\b|\b(?:favou?rite|preference)s?\b|\bhobb(?:y|ies)\b",
    r"\b(?:interested in|passionate about|fond of|tastes? in)\b",
    "喜欢|喜爱|爱[吃喝看听玩]|偏[好爱]|最爱|讨厌|适合|口味|爱好|兴趣|好き|好み|嫌い|趣味|좋아하|싫어하|취향|취미",
)
_ATTRIBUTE = (
    "(?:name|number|colou?r|breed|address|price|cost|size|title|age|job|profession|password|email|brand|model|nationality|"
    "surname|nickname|code|score|birthplace|capital)"
)
_PLACE = "(?:city|country|state|town|street|company|school|university|hospital|hotel|restaurant)"
_FACTUAL = any_of(
    r"^\W*(?:(?:and|but|so) )?(?:(?:at|in|on|from|to|with|by|for|of) )?(?:who|whose|whom|where|which)\b"
    r"(?!(?: \S+){0,3}? \w+[^s\W]s (?:do|does|did|are|were)\b)",  # "which towns did we see?" asks for more than one
    r"\b(?:know|remember|remind me|tell me|say|said|sure|recall) (?:who|whose|where)\b",
    r"\bhow (?:much|old|tall|far|big|large|heavy|high|deep|fast|expensive)\b",
    rf"\bwhat(?:'s| is| was) (?:[\w'-]+ ){{0,4}}?{_ATTRIBUTE}\b|\b(?:what|which) (?:{_ATTRIBUTE}|{_PLACE})\b",
    "谁|哪里|哪儿|哪[个位家座]|多少|几岁|多[大高重远]|叫什么|什么(?:名字|颜色|牌子|品种|地方|地址)|地点|地址|电话|号码|价格",
    "的(?![^，。？]{0,6}(?:计划|打算|[想看做]法|感受|性格|原因|理由|生活|情况|关系))[^的，。？]{1,6}是(?:什么|啥)",
    "だれ|誰|どこ|いくら|何歳|何色|名前|누구|어디|얼마|몇 ?살|이름",
)

_TYPES: tuple[tuple[QuestionType, Callable[[str], object]], ...] = (
    (QuestionType.ASSISTANT_RECALL, _ASSISTANT.search),
    (QuestionType.PREFERENCE, _RECOMMENDATION.search),
    (QuestionType.TEMPORAL, _TEMPORAL.search),
    (QuestionType.COUNTING, _COUNTING.search),
    (QuestionType.MULTI_HOP, _MULTI_HOP.search),
    (QuestionType.KNOWLEDGE_UPDATE, asks_about_now),
    (QuestionType.PREFERENCE, _LIKING.search),
    (QuestionType.FACTUAL, _FACTUAL.search),
)


def asks_for_several(question: str) -> bool:
    """True if what answers it is probably in several memories.

    >>> asks_for_several("Which instruments does Ann play?"), asks_for_several("Which cello did Ann buy?")
    (True, False)
    """
    kind = question_type(question)
    if kind in (QuestionType.COUNTING, QuestionType.MULTI_HOP):
        return True
    if kind in (QuestionType.TEMPORAL, QuestionType.ASSISTANT_RECALL, QuestionType.KNOWLEDGE_UPDATE):
        return False
    return bool(_SEVERAL.search(question)) and not _ONE.search(question)
