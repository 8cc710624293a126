"""Features of a memory as an answer to a question, for a logistic regression (queries/answers/support.py). Pure.

The words of a question weigh the more, the fewer of the memories found have them: a word that none of them has is often just
what is asked for. Words of one root count as the same word for a part, by their first letters, so that this holds in languages
without a stemmer.
"""

import math
import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from mneme.dates.spans import MONTHS, WEEKDAYS
from mneme.text import ends_in_question, has_cjk, tokenise
from queries.answers.memory import ContextMemory

FEATURES = (
    *("log_odds", "lead", "min_max", "min_max_score", "min_max_lead"),
    *("in_words", "in_question_before", "unheard"),
    *("said_by_them", "names_them", "of_another", "claims_it", "claims_another"),
    *("of_the_matter", "matter_before", "another_matter"),
    *("has_kind", "lacks_kind", "lacks_number", "is_question", "few_words"),
    *("is_read", "reading", "reading_lead"),
)
"""The meaning of each:

- ``log_odds`` and ``lead`` are of the score and against the next best, where scores are probabilities; else ``min_max`` is 1,
  and ``min_max_score`` and ``min_max_lead`` are the same of the score as it is.
- ``in_words`` is the share of the question's words in what is said, ``in_question_before`` that in what it answers or leans on
  alone, ``unheard`` that in nothing that was found.
- ``said_by_them``, ``names_them`` and ``of_another`` are about the people asked about, ``claims_it`` and ``claims_another``
  about the attribute, ``of_the_matter``, ``matter_before`` and ``another_matter`` about everyday matters (kindred.py).
- ``is_read`` is 1 where the memory was read (queries/scoring/reader.py); ``reading`` and ``reading_lead`` are the log-odds
  that it answers, and against the next best.
- ``has_kind`` and ``lacks_kind`` are about the kind of words that answer: a time, a number (``lacks_number``), a name.
"""

_SMOOTHED = 6  # memories more, so that of few memories no word weighs all
_LONG = 10  # words; of a longer question not more need be told
_ROOT = 5  # letters
_SAME_ROOT = 0.7  # of a word
_HIGHEST = 3.0  # log-odds
_FEW = 4  # tokens
_MOST_READ = 6.0  # log-odds
_TIME = re.compile(
    rf"\d|\b(?:(?:{'|'.join(WEEKDAYS)})s?|{'|'.join(MONTHS).lower()}"
    r"|today|tomorrow|yesterday|tonight|noon|midnight|weekends?|spring|summer|autumn|winter|christmas|easter"
    r"|(?:last|next|this|since|every) (?:week|month|year|night)|ago"
    r"|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|januar|februar|märz|mai|juni|juli|oktober|dezember|heute|morgen|gestern"
    r"|früher|sommer|herbst|frühling|ostern|weihnachten|(?:letzte|nächste)[nrs]? (?:woche|monat|jahr)"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre"
    r"|noviembre|diciembre|hoy|mañana|ayer|verano|invierno|otoño|primavera"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre"
    r"|décembre|demain|hier|aujourd'hui|été|hiver|automne|printemps"
    r"|понедельник|вторник|сред[ау]|четверг|пятниц[ау]|суббот[ау]|воскресенье|январ|феврал|март|апрел|ма[йя]\b|июн|июл|август"
    r"|сентябр|октябр|ноябр|декабр|сегодня|завтра|вчера|лет[оа]м|осенью|зимой|весной)"
    r"|[今明昨后前去][天年日]|[上下这]个?[周月星]|周[一二三四五六日末]|星期|月|号|[早晚]上|曜日|春|夏|秋|冬|来週|先週|今朝",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|dozen"
    r"|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|hundert|tausend|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez"
    r"|cien|mil|deux|trois|quatre|cinq|sept|huit|neuf|dix|cent|mille|тысяч|сто|два|три|четыре|пять|шесть|семь|восемь|десять)"
    r"|[一二两三四五六七八九十百千万半][个只岁块元千百万十次年月天台本件名人点歳円時]",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?<![.!?¡¿:\"“(…] )(?<![¡¿\"“(])(?<!^)\b[^\W\d_a-zß-öø-ÿа-яё][\w'’-]+")
_CLOCK = re.compile(r"\d+:\d\d|\d+(?:st|nd|rd|th)\b|\b(?:19|20)\d\d\b|\d+月(?:\d+日)?")
_NOUNS_ARE_NAMES = re.compile(
    r"\b(?:wer|wen|wem|wessen|heißt|heißen|vorname|nachname|wohin|woher|wo)\b", re.IGNORECASE
)  # in German
_ASKED_TIME = re.compile(
    r"\b(?:when|what (?:day|date|time|year|month)|which (?:day|date|year|month)|wann|um wie viel uhr|cuándo|a qué hora|qué día"
    r"|quand|quelle heure|когда|во сколько|date|birthday|geburtstag|cumpleaños|anniversaire)\b"
    r"|什么时候|何时|哪[天年月日]|几[点号月]|生日|いつ|何[時日月年曜]|誕生日|언제",
    re.IGNORECASE,
)
_ASKED_NUMBER = re.compile(
    r"\bhow (?:much|many|old|tall|far|big|large|long|heavy)\b|\bwie (?:viele?|alt|hoch|groß|teuer|weit|lange?)\b|cuánt[oa]s?\b"
    r"|\bcombien\b|\bquel âge\b|\bсколько\b|多少|几[岁个只次]|多[大高重远久]|いくら|いくつ|何[歳人個匹円]|몇|얼마",
    re.IGNORECASE,
)
_ASKED_NAME = re.compile(
    r"\b(?:who|whom|whose|names?|called|wer|wen|wem|wessen|heißt|vorname|nachname|quién(?:es)?|llaman?|nombre|apellido"
    r"|appelle(?:nt)?|nom|prénom|кто|кого|кому|кем|зовут|where|wohin|woher|wo|dónde|adónde|où|где|куда|откуда)\b",
    re.IGNORECASE,
)

_SHORT = 4  # letters; a word of no more is itself alone, but for an ending, and a longer one begins others
_ENDING = "(?:s|n|e|en|t)?"


def features_of(
    memories: Sequence[ContextMemory],
    words: frozenset[str],
    question: str,
    is_about: Sequence[tuple[bool, bool, bool]],
    claims: Sequence[tuple[bool, bool]],
    learned: bool,
) -> list[list[float]]:
    """A row of ``FEATURES`` for each memory.

    Args:
        memories: what was found, best first.
        words: of the question, without names.
        question: as asked.
        is_about: of each memory: those asked about said it, are named in it, or somebody else said it.
        claims: of each memory: it claims what is asked for, or something else.
        learned: whether scores are probabilities.
    """
    own = [_roots(said(memory)) for memory in memories]
    around = [_roots(_leans_on(memory)) for memory in memories]
    matters = matters_of(question)
    spoken_of = [len(matters & tokens) / len(matters) if matters else 0.0 for tokens in own]
    asked_of = [len(matters & tokens) / len(matters) if matters else 0.0 for tokens in around]
    many = len(memories) + _SMOOTHED
    weights = {word: math.log(many / (sum(_has(tokens, word) > 0 for tokens in own) + 1)) for word in words}
    total = sum(weights.values()) * min(1.0, _LONG / len(weights)) if weights else 1.0
    heard: frozenset[str] = frozenset().union(*own, *around)
    unheard = sum(weight for word, weight in weights.items() if not _has(heard, word)) / total
    odds = [_log_odds(memory.score) if learned else memory.score for memory in memories]
    read = [memory.reading for memory in memories]
    rows = []
    for place, memory in enumerate(memories):
        lead = _lead(odds, place, alone=1.0)
        in_words = min(1.0, sum(weight * _has(own[place], word) for word, weight in weights.items()) / total)
        both = own[place] | around[place]
        with_before = min(1.0, sum(weight * _has(both, word) for word, weight in weights.items()) / total)
        has_kind, lacks_kind = _kind(question, memory)
        rows.append(
            [
                odds[place] if learned else 0.0,
                _between(lead, _HIGHEST) if learned else 0.0,
                float(not learned),
                0.0 if learned else odds[place],
                0.0 if learned else lead,
                in_words,
                with_before - in_words,
                unheard,
                *map(float, is_about[place]),
                *map(float, claims[place]),
                spoken_of[place],
                max(0.0, asked_of[place] - spoken_of[place]),
                float(bool(matters) and not spoken_of[place] and not asked_of[place]),
                has_kind,
                lacks_kind,
                lacks_kind * float(bool(_ASKED_NUMBER.search(question))),
                float(ends_in_question(said(memory))),
                float(len(tokenise(said(memory))) < _FEW),
                float(memory.reading is not None),
                _between(memory.reading or 0.0, _MOST_READ),
                _between(_lead(read, place, alone=0.0), _HIGHEST),
            ]
        )
    return rows


def said(memory: ContextMemory) -> str:
    """The text of a memory: of a quote the words alone."""
    return memory.quote.words if memory.quote else memory.text


def _leans_on(memory: ContextMemory) -> str:
    before = memory.quote and (memory.quote.question or memory.quote.context)
    return before.words if before else ""


def asks_for_time(question: str) -> bool:
    """True if a question asks when."""
    return _ASKED_TIME.search(question) is not None


def _kind(question: str, memory: ContextMemory) -> tuple[float, float]:
    """1 each if the kind of words that is asked for is there, and if it is missing; 0 and 0 where no kind is known."""
    text = said(memory)
    if asks_for_time(question):
        found = bool(_TIME.search(text)) or memory.happens is not None
    elif _ASKED_NUMBER.search(question):
        found = bool(_NUMBER.search(_CLOCK.sub(" ", text))) or memory.happens is not None
    elif _ASKED_NAME.search(question) and not has_cjk(text) and not _NOUNS_ARE_NAMES.search(question):
        asked = question.casefold()
        names = [name for name in _CAPITAL.findall(text) if not _TIME.match(name)]
        first = text.split(".")[0].split(",")[0].split()
        names += first if len(first) < _FEW and memory.quote and memory.quote.question else []  # a bare answer
        found = any(name.casefold() not in asked for name in names)
    else:
        return 0.0, 0.0
    return float(found), float(not found)


def _log_odds(score: float) -> float:
    score = min(max(score, 0.001), 0.999)
    return _between(math.log(score / (1 - score)), _HIGHEST)


def _lead(numbers: Sequence[float | None], place: int, alone: float) -> float:
    """The difference to the best of the others, ``alone`` if there are none; 0 if the number itself is not known."""
    own = numbers[place]
    others = [each for other, each in enumerate(numbers) if other != place and each is not None]
    if own is None:
        return 0.0
    return own - max(others) if others else alone


def _between(number: float, most: float) -> float:
    """A number, from ``-most`` to ``most``."""
    return max(-most, min(most, number))


@lru_cache(4096)
def _root(token: str) -> str:
    if has_cjk(token) or len(token) < _ROOT:
        return ""
    plain = "".join(each for each in unicodedata.normalize("NFKD", token) if not unicodedata.combining(each))
    return "~" + plain[:_ROOT]


def _roots(text: str) -> frozenset[str]:
    tokens = tokenise(text)
    return frozenset(tokens) | frozenset(filter(None, map(_root, tokens))) | matters_of(text)


def _has(tokens: frozenset[str], word: str) -> float:
    """1 for a word that is there, less for another of its root."""
    return 1.0 if word in tokens else _SAME_ROOT if _root(word) in tokens else 0.0


@lru_cache(1024)
def matters_of(text: str) -> frozenset[str]:
    """The everyday matters that a text speaks of.

    >>> sorted(matters_of("Where does Ann work?")), sorted(matters_of("Mein Gehalt ist klein."))
    (['#work'], ['#pay'])
    """
    return frozenset(f"#{matter}" for matter, pattern in _patterns().items() if pattern.search(text))


def asking_words() -> str:
    """The words that only ask, of the languages other than English."""
    return str(_table()["asking"])


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {matter: _pattern(words.split()) for matter, words in _table()["matters"].items()}


def _pattern(words: list[str]) -> re.Pattern[str]:
    parts = []
    for word in words:
        ending = rf"{_ENDING}\b" if len(word) <= _SHORT else ""
        parts.append(re.escape(word) if has_cjk(word) else rf"\b{re.escape(word)}{ending}")
    return re.compile("|".join(parts), re.IGNORECASE)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("queries.answers") / "matters.toml").read_text(encoding="utf-8"))
