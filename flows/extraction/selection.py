"""Which sentences of a message its fact keeps."""

import re
from collections.abc import Collection
from itertools import takewhile

from flows.extraction.leaning import leans
from flows.extraction.memorable import memorable, specific, substance
from flows.extraction.retelling import Kind, Retelling, Said
from flows.extraction.substance import without_opening
from mneme.text import has_cjk

_QUESTION_TELLS = 2.5  # substance of a question that is itself to remember: "Where does Elias sleep?"
_PRESENTED = 1.0  # substance of a sentence that says what is shown
_PRESENTS = re.compile(r"^(?:(?:here|this|these|those|that)(?:['’]s| is| are| was)\b|check\b|look\b)", re.I)
_MINE = re.compile(r"\b(?:i|my|we|our)\b", re.I)
_SHOWS = re.compile(
    r"^look\b|^```|^\[file|\blook(?:ie|y)? (?:at|here)\b|"
    r"\bcheck (?:it|them|this|these|that|out)\b|\bhere(?:['’]s| is| are)\b|\btake a look\b|"
    r"\b(?:this is|these are) (?:my|our)\b|看看|这是",
    re.I,
)


class Reader:
    """Judges the sentences of one episode. What an assistant says is kept as far as it is informative.

    Args:
        names: the participants' names, word by word, in lower case.
        speakers: how many talk. Two answer each other; more write notes, and about their common matter.
    """

    def __init__(self, names: Collection[str], speakers: int) -> None:
        self._names = names
        self._answered = speakers == 2
        self._among_many = speakers > 2
        self._leaning: dict[int, bool] = {}  # by the identity of sentences, which live as long as their episode

    def kept(self, retelling: Retelling, answers: bool) -> list[Said]:
        """The sentences to remember; one that leans on the sentence before it brings that along, or stays out with it.

        Args:
            retelling: the message.
            answers: whether it follows a question, so that what it says first needs to say less.
        """
        answer = list(takewhile(lambda one: one.kind is not Kind.QUESTION, retelling.said)) if answers else []
        kept: list[Said] = []
        previous: Said | None = None
        for one in retelling.said:
            if one.kind is Kind.QUESTION:
                kept += [one] if self._question_tells(one, retelling) else []
                previous = None
            elif one.kind is Kind.ATTACHMENT:
                kept += [one] if one.informative else []
            elif self.remembers(one, retelling, any(one is other for other in answer)):
                if previous and self.leans(one, retelling):
                    if self.leans(previous, retelling) and kept:
                        continue
                    kept += [] if self.leans(previous, retelling) else [previous]
                kept.append(one)
                previous = None
            else:
                previous = one if one.informative else previous
        return kept

    def remembers(self, one: Said, retelling: Retelling, answers: bool = False) -> bool:
        """Whether a statement is worth remembering."""
        if retelling.message.role == "assistant" or not one.informative:
            return one.informative
        if presents(one, retelling):
            return self.substance(one) >= _PRESENTED
        return memorable(without_opening(one.text, self._names), self._names, bool(one.dates), answers, self._among_many)

    def leans(self, one: Said, retelling: Retelling) -> bool:
        """Whether a sentence cannot be understood alone."""
        known = self._leaning.get(id(one))
        if known is None:
            exempt = retelling.message.role == "assistant" or presents(one, retelling)
            known = self._leaning[id(one)] = not exempt and leans(one.told, self._names, self._among_many)
        return known

    def substance(self, one: Said) -> float:
        """How much a sentence tells that is not said in every conversation; a Chinese one enough."""
        return _QUESTION_TELLS if has_cjk(one.text) else substance(one.text, self._names, bool(one.dates))

    def shows(self, retelling: Retelling) -> bool:
        """Whether a picture is what a message is about, rather than beside a remark."""
        return any(_SHOWS.search(one.text) for one in retelling.said)

    def _question_tells(self, one: Said, retelling: Retelling) -> bool:
        """Whether a question is to remember whatever the answer: one to an assistant, with a date, or with a name."""
        if has_cjk(one.text) or retelling.listener == "the assistant" or retelling.message.role == "assistant":
            return one.worth_keeping
        if not one.informative or leans(one.told, self._names, self._among_many):
            return False
        dated = bool(one.dates)
        tells = dated if self._answered else specific(one.text, self._names, dated)
        return tells and self.substance(one) >= _QUESTION_TELLS


def presents(one: Said, retelling: Retelling) -> bool:
    """Whether a sentence says what is shown beside it: "These are my running shoes.\""""
    shows = any(other.kind is Kind.ATTACHMENT for other in retelling.said)
    return shows and bool(_PRESENTS.match(without_opening(one.text))) and bool(_MINE.search(one.text))
