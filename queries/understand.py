"""understand: what a question asks for, before anything is searched."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from mneme.errors import InputError, ModelError
from mneme.ports import Embedder
from mneme.rows import Vector
from mneme.text import cjk_share, has_cjk, tokenise

LONGEST_QUESTION = 10_000  # characters; what is longer is a document, not a question
_MOSTLY_CJK = 0.5  # share of letters above which a question counts as Chinese, Japanese or Korean
_SHORTEST_NAME_PART = 3  # characters: "Al" or "Bo" inside a question is more often a word than a person


class QuestionType(StrEnum):
    """What kind of answer is wanted."""

    COUNTING = "counting"
    TEMPORAL = "temporal"
    FACTUAL = "factual"
    GENERAL = "general"


# Counting needs all memories of a kind, a single fact few; the first pattern that fits decides.
_PATTERNS: tuple[tuple[QuestionType, re.Pattern[str]], ...] = (
    (
        QuestionType.COUNTING,
        re.compile(r"\bhow (many|often)\b|\bnumber of\b|\bcount\b|多少|几[次个位本家]|いくつ|何回|몇", re.IGNORECASE),
    ),
    (
        QuestionType.TEMPORAL,
        re.compile(
            r"\b(when|how long|what (date|day|month|year|time))\b|什么时候|何时|几[点号月]|哪[天年]|いつ|언제", re.IGNORECASE
        ),
    ),
    (
        QuestionType.FACTUAL,
        re.compile(r"^\W*(who|whose|where|which)\b|谁|哪里|哪儿|だれ|誰|どこ|누구|어디", re.IGNORECASE),
    ),
)


# What used to be so: then what is no longer so may be the answer, and does not stand back (queries/succession.py).
_ABOUT_PAST = re.compile(
    r"\b(used to|former(ly)?|previous(ly)?|before|earlier|original(ly)?|initial(ly)?|at first|first|back then|at the time|ago"
    r"|in the past|last (year|month|week|spring|summer|autumn|fall|winter)|no longer|any ?more|chang(ed?|es|ing)"
    r"|histor(y|ical(ly)?)|(19|20)\d\d)\b"
    r"|以前|之前|从前|曾经|原来|原先|过去|最初|最早|当初|本来|先前|那时|当时|一开始|去年|前年|上个?[周月]|变化|改变|(19|20)\d\d年",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question ready to be searched for.

    ``tokens`` are those of mneme/text.py; ``vector`` is None where the method needs none or the embedder cannot serve,
    and then ``notes`` say why. ``top_k`` is how many results the ranking may hold. ``about_past`` tells whether the words
    ask for what used to be so.
    """

    text: str
    type: QuestionType
    top_k: int
    tokens: tuple[str, ...]
    vector: Vector | None
    notes: tuple[str, ...] = ()
    about_past: bool = False

    def names(self, people: Iterable[str]) -> bool:
        """Whether the question names one of these people, in full or by one part of a name.

        >>> understand("What did Mei-Lin decide?", None, top_k=5).names(["Mei-Lin Chen"])
        True
        """
        return any(_is_named(person, self.text) for person in people)


def understand(text: str, embedder: Embedder | None, top_k: int | None = None, default_top_k: int = 20) -> Question:
    """A question with its tokens, its type and its vector.

    Args:
        text: the question.
        embedder: None where the method needs no vector; then no model is touched.
        top_k: how many results the caller wants; None leaves it to the question's type.
        default_top_k: for a question that neither counts nor asks for one fact.

    Raises:
        InputError: the question is empty, without a word or too long, or ``top_k`` is out of range.
    """
    text = text.strip()
    if not text:
        raise InputError("query: it is empty; ask something")
    if not any(character.isalnum() for character in text):
        raise InputError("query: there is no word in it; ask something")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError("query: it holds half of a surrogate pair, which is no character; ask in well-formed Unicode")
    if len(text) > LONGEST_QUESTION:
        raise InputError(f"query: it has {len(text)} characters; at most {LONGEST_QUESTION} are searched for")
    if top_k is not None and not 1 <= top_k <= 1000:
        raise InputError(f"top_k: {top_k} is not between 1 and 1000")
    kind = question_type(text)
    vector, notes = _embed(text, embedder) if embedder else (None, ())
    places = top_k or _top_k(kind, default_top_k)
    return Question(text, kind, places, tuple(tokenise(text)), vector, notes, asks_about_past(text))


def question_type(text: str) -> QuestionType:
    """The type of a question, by pattern.

    >>> question_type("How many books did Ann buy?"), question_type("几点出发？")
    (<QuestionType.COUNTING: 'counting'>, <QuestionType.TEMPORAL: 'temporal'>)
    """
    return next((kind for kind, pattern in _PATTERNS if pattern.search(text)), QuestionType.GENERAL)


def asks_about_past(text: str) -> bool:
    """Whether a question asks for what used to be so, by pattern.

    >>> asks_about_past("Where did Ann work before?"), asks_about_past("她现在住在哪里？")
    (True, False)
    """
    return bool(_ABOUT_PAST.search(text))


def _top_k(kind: QuestionType, default: int) -> int:
    return {QuestionType.COUNTING: 40, QuestionType.FACTUAL: 10}.get(kind, default)


def _embed(text: str, embedder: Embedder) -> tuple[Vector | None, tuple[str, ...]]:
    languages = embedder.identity.languages
    if cjk_share(text) > _MOSTLY_CJK and not {"*", "zh", "ja", "ko"} & set(languages):
        served = ", ".join(languages)
        return None, (f"vector leg off: {embedder.identity.model} serves {served}, not the language of the question",)
    try:
        return embedder.embed([text])[0], ()
    except ModelError as error:
        return None, (f"vector leg off: the embedder did not answer ({error})",)


def _is_named(person: str, text: str) -> bool:
    if has_cjk(person):
        return len(person) > 1 and person in text
    parts = [part for part in re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", person) if len(part) >= _SHORTEST_NAME_PART]
    return any(re.search(rf"\b{re.escape(part)}\b", text, re.I) for part in parts)
