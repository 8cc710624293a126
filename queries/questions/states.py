"""Whether a question asks for a state: what is so, in the present tense, not what happened or used to be so.

By patterns for each language, a question word and no form of the past: what cannot be told is no question for a state.
"""

import re

from queries.questions.tense import asks_about_now, asks_about_past


def asks_for_state(text: str) -> bool:
    """Whether a question asks for what is so now.

    >>> asks_for_state("Where does Paul live?"), asks_for_state("Where did Paul live?"), asks_for_state("小雨住在哪里？")
    (True, False, True)
    """
    if asks_about_past(text):
        return False
    if asks_about_now(text):
        return True
    text = text.replace("’", "'")
    return any(asked.search(text) and not past.search(text) for asked, past in _LANGUAGES)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


# Of each language what a question in the present has, and what shows that it is about what happened.
_LANGUAGES = (
    (  # English
        _pattern(
            r"\b(?:what|who|whom|whose|which|where|when|how)\b[^?]*?(?:\b(?:is|are|am|do|does|has|have|can)\b|'s\b|'re\b)"
            r"|^\W*(?:is|are|am|do|does|has|have|can)\b"
        ),
        _pattern(
            r"\b(?:did|was|were|had|would|went|ever|been to|happened)\b|'d\b"
            r"|\b(?:has|have)\b[^?]*\b(?:\w{2,}ed|done|bought|written|made|gone|taken|given|seen|met|won|told|said)\b"
        ),
    ),
    (  # German
        _pattern(
            r"\b(?:wo|was|wer|wen|wem|wie|wann|wohin|woher|wogegen|womit|woran|worauf|wessen|welche[rsmn]?)\b|^\W*(?:ist|hat|sind)\b"
        ),
        _pattern(
            r"\b(?:war|waren|hatten?|wurden?|früher|damals|ging(?:en)?|kam(?:en)?)\b"
            r"|(?-i:\b(?!heute|bitte)[a-zäöüß]{3,}te(?:n|st)?(?= \w))"
            r"|\b(?:hat|haben|hast|ist|sind|bist)\b[^?]*\b\w*ge\w+(?:t|en)\W*$"
            r"|\b(?:the|did|does|were|had|who|what|where|when|how|which|of|at|to)\b"  # an English "was"
        ),
    ),
    (  # Spanish
        _pattern(r"(?<!\w)(?:qué|d[óo]nde|adónde|qui[ée]n(?:es)?|cu[áa]l(?:es)?|cu[áa]nt[oa]s?|cu[áa]ndo|c[óo]mo)\b|^\W*¿"),
        _pattern(
            r"\b(?:fue|fueron|era|eran|estuvo|hizo|hubo|tuvo|dijo|tenía|había|vivía|hacía|quería|antes|\w{2,}(?:aron|ieron|aba|aban))\b"
            r"|\b(?:ha|han|has)\b \w+[ai]do\b|\b\w{2,}ó\b"
        ),
    ),
    (  # French
        _pattern(r"(?<!\w)(?:où|qui|quoi|quels?|quelles?|combien|quand|comment|qu'est-ce|que|pourquoi)\b"),
        _pattern(
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
        _pattern(r"\b(?:кто|кого|кому|что|где|куда|когда|как|какой|какая|какое|какие|каком|сколько|чей|чем|на чём)\b"),
        _pattern(r"\b\w{2,}(?:л|ла|ло|ли|лся|лась|лось|лись)\b|\bраньше\b"),
    ),
)

_LASTING = _pattern(
    r"\b(?:called|names?|nicknamed?|allerg\w*|blood|born|birthdays?|breed|nationality|blutgruppe|geburtstag|cumpleaños|anniversaire"
    r"|heißt|heiss?t|allergi\w*|llama|alérgic\w*|appelle"
    r"|s'appelle|зовут|день рождения)\b|叫什么|名字|过敏|血型|生日|名前|アレルギー|血液型|誕生日"
)


def asks_for_lasting(text: str) -> bool:
    """Whether the state that a question asks for hardly ever changes: a name, an allergy, a blood group.

    >>> asks_for_lasting("What is Ed's cat called?"), asks_for_lasting("Where does Ed live?")
    (True, False)
    """
    return bool(_LASTING.search(text))
