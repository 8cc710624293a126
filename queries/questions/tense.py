"""The tense of a question: what holds now, what used to, how it changed, or a state in the present.

By patterns for each language, a question word and no form of the past: what cannot be told is no question for a state.
"""

import re


def any_of(*patterns: str) -> re.Pattern[str]:
    """A pattern that fits where one of these does, in any case."""
    return re.compile("|".join(patterns), re.IGNORECASE)


NEAR = "[^?.!。？]{0,120}"  # within a sentence; without a limit an endless one costs its square
_NOW = re.compile(
    r"\b(?:current(?:ly)?|(?:right )?now(?! that\b)|nowadays|these days|at (?:the moment|present)|presently|still|latest"
    r"|newest|most recent(?:ly)?|up[- ]to[- ]date|as of (?:today|now))\b"
    r"|现在|目前|如今|当前|眼下|最新|最近一次|现任|至今|仍|还(?:在|住|喜欢|有没有)"
    r"|現在|最新|まだ|今(?=[はのも、])|지금|현재|아직|최신|요즘",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    rf"\bhow (?:has|have|had|did|does|do|is|are|was|were)\b{NEAR}\b(?:chang|evolv|develop|progress|grow|grew)\w*"
    rf"|\b(?:what|who|which|where|has|have)\b{NEAR}\bchanged\b|\b(?:history|evolution|timeline) of\b"
    r"|\bover (?:time|the (?:last |past )?(?:\w+ )?(?:weeks|months|years))\b"
    rf"|\b(?:compared? (?:to|with)|differ\w*)\b{NEAR}\b(?:before|earlier|previous(?:ly)?|original(?:ly)?|past)\b"
    r"|变化|改变|变了|演变|历史|历程|来龙去脉|変化|変わっ|経緯|歴史|변화|바뀌|변했|역사",
    re.IGNORECASE,
)
_USED_TO = re.compile(
    r"\b(used to|former(ly)?|previous(ly)?|before|earlier|original(ly)?|initial(ly)?|at first|first|back then|at the time|ago"
    r"|in the past|last (year|month|week|spring|summer|autumn|fall|winter)|no longer|any ?more|chang(ed?|es|ing)"
    r"|histor(y|ical(ly)?)|(19|20)\d\d)\b"
    r"|以前|之前|从前|曾经|原来|原先|过去|最初|最早|当初|本来|先前|那时|当时|一开始|去年|前年|上个?[周月]|(19|20)\d\d年",
    re.IGNORECASE,
)


def asks_about_now(text: str) -> bool:
    """True if a question asks for what is so now, of what may have changed: "current", "still", "latest"; 现在, 目前, 最新.

    >>> asks_about_now("What is Ann's current job?"), asks_about_now("Where did Ann work?")
    (True, False)
    """
    return bool(_NOW.search(text)) and not asks_for_history(text)


def asks_for_history(text: str) -> bool:
    """True if a question asks how things came to be as they are: "how has it changed", "the history of"; 变化, 历史.

    >>> asks_for_history("How has Ann's job changed?"), asks_for_history("What is Ann's job?")
    (True, False)
    """
    return bool(_HISTORY.search(text))


def asks_about_past(text: str) -> bool:
    """True if a question asks for what used to be so, alone or with what is so now.

    >>> asks_about_past("Where did Ann work before?"), asks_about_past("她现在住在哪里？")
    (True, False)
    """
    return asks_for_history(text) or (bool(_USED_TO.search(text)) and not asks_about_now(text))


_BOUNDS = re.compile(r"\b(?:before|after|until)\b[^,.?!]*,?", re.IGNORECASE)  # of the time that is asked about
_PAST_FORMS = (  # what is left of a past without the words that tell it
    (re.compile(r"\bdid\b", re.IGNORECASE), "does"),
    (re.compile(r"\bwas\b", re.IGNORECASE), "is"),
    (re.compile(r"\bwere\b", re.IGNORECASE), "are"),
    (re.compile(r"\buse to\b", re.IGNORECASE), ""),
)


def in_present(text: str) -> str:
    """A question about the past as one about now, of which it is known which claim tells it (``mneme.relations``).

    >>> in_present("Where did Leo live before Rome?"), in_present("小雨以前住在哪里？")
    ('Where does Leo live ?', '小雨住在哪里？')
    """
    text = _USED_TO.sub("", _BOUNDS.sub("", text))
    for past, present in _PAST_FORMS:
        text = past.sub(present, text)
    return text


def asks_for_state(text: str) -> bool:
    """True if a question asks for what is so now.

    >>> asks_for_state("Where does Paul live?"), asks_for_state("Where did Paul live?"), asks_for_state("小雨住在哪里？")
    (True, False, True)
    """
    if asks_about_past(text):
        return False
    if asks_about_now(text):
        return True
    text = text.replace("’", "'")
    return any(asked.search(text) and not past.search(text) for asked, past in _LANGUAGES)


# Of each language what a question in the present has, and what shows that it is about what happened.
_LANGUAGES = (
    (  # English
        any_of(
            r"\b(?:what|who|whom|whose|which|where|when|how)\b[^?]*?(?:\b(?:is|are|am|do|does|has|have|can)\b|'s\b|'re\b)"
            r"|^\W*(?:is|are|am|do|does|has|have|can)\b"
        ),
        any_of(
            r"\b(?:did|was|were|had|would|went|ever|been to|happened)\b|'d\b"
            r"|\b(?:has|have)\b[^?]*\b(?:\w{2,}ed|done|bought|written|made|gone|taken|given|seen|met|won|told|said)\b"
        ),
    ),
    (  # German
        any_of(
            r"\b(?:wo|was|wer|wen|wem|wie|wann|wohin|woher|wogegen|womit|woran|worauf|wessen|welche[rsmn]?)\b|^\W*(?:ist|hat|sind)\b"
        ),
        any_of(
            r"\b(?:war|waren|hatten?|wurden?|früher|damals|ging(?:en)?|kam(?:en)?)\b"
            r"|(?-i:\b(?!heute|bitte)[a-zäöüß]{3,}te(?:n|st)?(?= \w))"
            r"|\b(?:hat|haben|hast|ist|sind|bist)\b[^?]*\b\w*ge\w+(?:t|en)\W*$"
            r"|\b(?:the|did|does|were|had|who|what|where|when|how|which|of|at|to)\b"  # an English "was"
        ),
    ),
    (  # Spanish
        any_of(r"(?<!\w)(?:qué|d[óo]nde|adónde|qui[ée]n(?:es)?|cu[áa]l(?:es)?|cu[áa]nt[oa]s?|cu[áa]ndo|c[óo]mo)\b|^\W*¿"),
        any_of(
            r"\b(?:fue|fueron|era|eran|estuvo|hizo|hubo|tuvo|dijo|tenía|había|vivía|hacía|quería|antes|\w{2,}(?:aron|ieron|aba|aban))\b"
            r"|\b(?:ha|han|has)\b \w+[ai]do\b|\b\w{2,}ó\b"
        ),
    ),
    (  # French
        any_of(r"(?<!\w)(?:où|qui|quoi|quels?|quelles?|combien|quand|comment|qu'est-ce|que|pourquoi)\b"),
        any_of(
            r"\b(?:était|étaient|avait|avaient|fut|avant|(?!fait|sait|plaît|lait|connaît)\w{3,}ai(?:t|ent))\b"
            r"|\b(?:a|ont|as|est|sont)(?:-t)?(?:-(?:il|elle|ils|elles|on))? (?:\w+ )?(?:été|eu|fait|dit|allée?s?|\w{2,}é)\b"
        ),
    ),
    (  # Chinese
        re.compile("[吗呢]|什么|谁|哪|几(?!乎)|多少|怎么|怎样|多[大高远重长]|是否|有没有|是不是"),
        re.compile("了|过(?![敏年节期])|曾|那[时天次]|刚才|[ぁ-ん]"),
    ),
    (  # Japanese
        re.compile("(?s)^(?=.*?[ぁ-ん]).*?(?:か[？?。]?|[？?])$"),
        re.compile("(?:た|ました|でした|だった)(?:の|ん|か|です)*[？?。]?$|昔|当時"),
    ),
    (  # Russian
        any_of(r"\b(?:кто|кого|кому|что|где|куда|когда|как|какой|какая|какое|какие|каком|сколько|чей|чем|на чём)\b"),
        any_of(r"\b\w{2,}(?:л|ла|ло|ли|лся|лась|лось|лись)\b|\bраньше\b"),
    ),
)

_LASTING = any_of(
    r"\b(?:called|names?|nicknamed?|allerg\w*|blood|born|breed|nationality|blutgruppe|heißt|heiss?t|allergi\w*|llama|alérgic\w*"
    r"|appelle|s'appelle|зовут)\b"
    r"|叫什么|名字|过敏|血型|名前|アレルギー|血液型"
)
_SELDOM_CHANGES = any_of(  # unless the question says that it asks for now
    r"\b(?:topics?|themes?|contents?|duration|thema|inhalt|dauer|tema|sujet|durée|duración)\b"
    r"|内容|主题|规模|持续(?:时间|多[久长])|テーマ"
)

_LONGEST = 200  # characters of a question for who somebody is
_WHO_IS = re.compile(
    r"\W*(?:[Ww]ho(?:['’]s| is| are)|[Ww]er (?:ist|sind)|[Qq]uién(?:es)? (?:es|son)|[Qq]ui (?:est|sont)|[Кк]то так(?:ая|ой|ие))"
    r" [A-ZÀ-ÖØ-ÞА-Я]\w*(?:[ .-]{1,2}[A-ZÀ-ÖØ-ÞА-Я]\w*){0,5}\W*"
    r"|[^的，。？]{1,6}是谁\W*|[^の、。？]{1,8}は誰(?:ですか)?\W*"
)  # somebody by name, whose boss or friend is not asked for


def asks_for_lasting(text: str) -> bool:
    """True if the state that a question asks for hardly ever changes: who somebody is, a name, an allergy, the topic of a talk.

    >>> [asks_for_lasting(f"{asked}?") for asked in ("What is Ed's cat called", "Who is Ed", "Who is Ed's boss", "Where is Ed")]
    [True, True, False, False]
    """
    if _SELDOM_CHANGES.search(text) and not asks_about_now(text):
        return True
    return bool(_LASTING.search(text)) or _WHO_IS.fullmatch(text[:_LONGEST]) is not None
