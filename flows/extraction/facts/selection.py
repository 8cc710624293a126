"""Which sentences of a message its fact keeps."""

from collections.abc import Collection
from itertools import takewhile

from flows.extraction.facts.leaning import leans
from flows.extraction.facts.memorable import memorable, speaks_of_listener, speaks_of_self, specific, substance
from flows.extraction.wording.retelling import Kind, Retelling, Said
from flows.extraction.wording.substance import without_opening
from mneme.caseless import Caseless
from mneme.relations import claims_in
from mneme.text import has_cjk

_QUESTION_TELLS = 2.5  # substance of a question that is itself to remember: "Where does Elias sleep?"
_SAYS_MUCH = 2.5  # substance of a sentence from which it says what it is about
_PRESENTED = 1.0  # substance of a sentence that says what is shown
_PRESENTS = Caseless(r"^(?:(?:here|this|these|those|that)(?:['’]s| is| are| was)\b|check\b|look\b)")
_MINE = Caseless(r"\b(?:i|my|we|our)\b|\bof (?:me|us)\b")


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
        self._remembered: dict[tuple[int, bool], bool] = {}

    def kept(self, retelling: Retelling, answers: bool) -> list[Said]:
        """The sentences to remember; one that leans on the sentence before it brings that along, or stays out with it.

        Args:
            retelling: the message.
            answers: whether it follows a question, so that what it says first needs to say less.
        """
        answer = {id(one) for one in takewhile(lambda one: one.kind is not Kind.QUESTION, retelling.said)} if answers else ()
        kept: list[Said] = []
        previous: Said | None = None
        for one in retelling.said:
            if one.kind is Kind.QUESTION:
                kept += [one] if self._question_tells(one, retelling) else []
                previous = None
            elif one.kind is Kind.ATTACHMENT:
                kept += [one] if one.informative else []
            elif self.remembers(one, retelling, id(one) in answer):
                if previous and self.leans(one, retelling):
                    if self.leans(previous, retelling) and kept:
                        continue
                    tells = not self.leans(previous, retelling) and self.substance(previous) >= _PRESENTED
                    kept += [previous] if tells else []
                kept.append(one)
                previous = None
            else:
                previous = one if one.informative else previous
        return kept

    def remembers(self, one: Said, retelling: Retelling, answers: bool = False) -> bool:
        """Whether a statement is worth remembering."""
        known = self._remembered.get((id(one), answers))
        if known is None:
            known = self._remembered[id(one), answers] = self._remembers(one, retelling, answers)
        return known

    def _remembers(self, one: Said, retelling: Retelling, answers: bool) -> bool:
        if retelling.message.role == "assistant":
            return one.informative
        if one.informative and presents(one, retelling):
            return self.substance(one) >= _PRESENTED
        plain = without_opening(one.text, self._names)
        if one.informative and memorable(plain, self._names, bool(one.dates), answers, self._among_many):
            return True
        return speaks_of_self(plain) and not speaks_of_listener(plain) and bool(claims_in(one.told, "en"))

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

    def is_light(self, one: Said) -> bool:
        """Whether a sentence says so little that, in answer to a question, it may mean anything."""
        return not one.dates and self.substance(one) < _SAYS_MUCH

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
    return retelling.shows and bool(_PRESENTS.match(without_opening(one.text))) and bool(_MINE.search(one.text))
