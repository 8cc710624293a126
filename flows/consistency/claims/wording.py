"""A statement without what is only its telling: who reports it, dates in brackets, adverbs; sentence by sentence.

Everything is lower case, so that a statement means the same however it is written.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from mneme.text import has_cjk

_BLANKS = re.compile(r"\s+")
_BRACKETED_DATE = re.compile(r" ?\([^()]*\b\d{4}\)")  # of NFKC text: full-width brackets are ASCII there
_CHINESE_BRACKETED_DATE = re.compile(r" ?\(\d{4}年[^()]*\)")
_ABBREVIATED = re.compile(r"\b(mr|mrs|ms|dr|prof|st|jr|sr|vs|no)\.(?= )")
_SENTENCES = re.compile(r"(?<=[.!?])[\"']*\s+|(?<=[。!?;])[\"']*\s*|(?<=;)\s+")
_ASKED = re.compile(r'^asked "(?P<question>[^"]*)", (?P<told>.+)$|^被问到"(?P<zh_question>[^"]*)",(?P<zh_told>.+)$')
_REPORTED = re.compile(
    r"^(?P<who>[^\s:,.!?\"][^:,.!?\"]{0,60}?) (?:said|recommended|says|told \w+|mentioned|added)(?: that|:) (?P<told>.*\w.*)$"
    r"|^(?P<zh_who>[^::,。\"]{1,20}?)(?:说|表示|建议|提到)(?::|,)(?P<zh_told>.*\w.*)$"
)
_SAYS = re.compile(r"^[^\s:,\"]+(?: [^\s:,\"]+)? said: |^[^\s:,\"]{1,8}说:")  # after what it leans on
_ASKS = re.compile(r'^[^:"]{1,60} asked(?: [^:"]{1,60})?: "|^[^:"]{1,20}问[^:"]{0,20}:"|^(?:asked|被问到) ?"')
_CONTRACTED = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"}
_CONTRACTION = re.compile(r"\b(?:can't|cannot|won't|shan't)|n't\b")
_SHORT_IS = re.compile(r"\b(it|that|he|she|there|who)'s\b")
_END_MARKS = ".!?。…~～,;:'\" "


@dataclass(frozen=True, slots=True)
class Told:
    """A statement as it is compared.

    ``speaker`` is who reports it, "" where nobody is named; ``sentences`` are without end marks and without questions;
    ``question`` is what the statement answers, "" mostly; ``whole`` is everything that the speaker said.
    """

    speaker: str
    question: str
    sentences: tuple[str, ...]
    chinese: bool
    whole: str


def told(text: str) -> Told:
    """Take a statement apart; never fails.

    >>> told("Ann said: I can't stay. Ann works at Google now (2 March 2026)!").sentences
    ('i can not stay', 'ann works at google now')
    """
    plain = _plain(text)
    chinese = has_cjk(plain)
    speaker = question = ""
    if asked := _ASKED.match(plain):
        question, plain = (asked["question"] or asked["zh_question"] or ""), (asked["told"] or asked["zh_told"])
    if reported := _REPORTED.match(plain):
        speaker, plain = (reported["who"] or reported["zh_who"]).strip(), (reported["told"] or reported["zh_told"])
    return Told(speaker, question.strip(_END_MARKS), tuple(_sentences(plain)), chinese, plain.strip(_END_MARKS))


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("‘", "'")
    plain = plain.replace("“", '"').replace("”", '"')
    plain = _BLANKS.sub(" ", plain).strip()
    if "(" in plain:
        plain = _CHINESE_BRACKETED_DATE.sub("", _BRACKETED_DATE.sub("", plain))
    if "'" in plain or "cannot" in plain:
        plain = _CONTRACTION.sub(lambda short: _CONTRACTED.get(short[0], " not"), plain)
        plain = _SHORT_IS.sub(r"\1 is", plain)
    return _ABBREVIATED.sub(r"\1", plain) if ". " in plain else plain


def _sentences(plain: str) -> Iterator[str]:
    for sentence in _SENTENCES.split(plain):
        bare = sentence.strip()
        if not bare or bare.rstrip("\"' ").endswith("?") or _ASKS.match(bare):
            continue
        if bare := _SAYS.sub("", bare).strip(_END_MARKS):
            yield bare
