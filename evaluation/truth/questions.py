"""``mneme bench truth questions``: whether natural questions are answered, by hybrid search and by ``ask`` without a model.

1. Ingest the shipped chats through the flow into an index of their own.
2. Ask each question a day after the last message of its chat.
3. Look at the first places and at the answers, and report.

A place answers if it stands for a message that does; *in words*, if its text has words that the answer must have. ``ask`` is
right if its answer has such words, and where there is no answer, if it abstains; else it is wrong, or has abstained. It
*leads* with them if they stand before the first citation: in what it quotes first, and not somewhere below.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console

from evaluation.report import Report, Row, print_table, searched_with
from evaluation.retrieval.bench import searched
from evaluation.truth.material import ChatQuestion, chats, has_words, places_of, questions, told
from mneme.settings import Settings
from queries import Memories

_DEPTH = 10
_CITED = re.compile(r"\[\d+\]")
_SEARCHED = ("of", "questions", "rank 1", "top 3", "rank 1 in words", "top 3 in words")
_ANSWERED = ("of", "questions", "right", "leads", "wrong", "abstained", "unanswerable", "answered anyway")
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, where its answer stands (from 1; None: not found), by message and by words, and what ``ask`` said."""

    asked: ChatQuestion
    at: int | None
    words_at: int | None
    answer: str
    abstained: bool

    @property
    def verdict(self) -> str:
        """``right``, ``wrong`` or ``abstained``; to abstain is right where there is no answer."""
        if not self.asked.question.evidence:
            return "right" if self.abstained else "wrong"
        if self.abstained:
            return "abstained"
        return "right" if self._tells(self.answer) else "wrong"

    @property
    def leads(self) -> bool:
        """True if the first part of an answer, before its first citation, answers already."""
        return not self.abstained and self._tells(_CITED.split(self.answer, maxsplit=1)[0])

    def _tells(self, text: str) -> bool:
        return any(has_words(text, words) for words in self.asked.accept)


def run_questions(settings: Settings, console: Console) -> Report:
    """Natural questions about the shipped chats, some without an answer: by hybrid search, and by ask without a model.

    The JSON has what came of each question.

    Raises:
        MnemeError: whatever the flow or a search raises.
    """
    # 1.
    with searched(told("truth-questions", chats()), settings, console) as (_, memories, _):
        # 2.
        asked = [_asked(memories(each.question), each) for each in questions()]
    # 3.
    rows = list(_rows(asked))
    print_table(console, "Natural questions, hybrid search", rows, _SEARCHED)
    print_table(console, "The same, ask without a model", rows, _ANSWERED)
    wrong = [_shown(each) for each in asked if each.verdict != "right"]
    print_table(console, "ask is not right", wrong, ["question", "text", "at", "verdict"])
    return Report(
        bench="truth-questions",
        settings=searched_with(settings),
        rows=rows,
        headline={name.replace(" ", "_"): rows[0][name] for name in (*_SEARCHED[1:], *_ANSWERED[2:])},
        parts={"questions": [_shown(each) for each in asked]},
    )


def _asked(memories: Memories, asked: ChatQuestion) -> Asked:
    text, owner = asked.question.text, asked.question.owner
    places = places_of(memories.search(text, filters=owner, top_k=_DEPTH))
    by_message = [bool(asked.question.evidence & set(place.messages)) for place in places]
    by_words = [any(has_words(place.text, words) for words in asked.accept) for place in places]
    answer = memories.ask(text, filters=owner)
    return Asked(asked, _first(by_message), _first(by_words), answer.answer, answer.abstained)


def _first(fits: Sequence[bool]) -> int | None:
    return fits.index(True) + 1 if True in fits else None


def _rows(asked: Sequence[Asked]) -> Iterator[Row]:
    """A row for all and one for each chat; counts are shares of those that have an answer, and of those that have none."""
    groups: dict[str, list[Asked]] = defaultdict(list)
    for each in asked:
        groups[_ALL].append(each)
        groups[each.asked.question.category].append(each)
    for name, some in groups.items():
        known = [each for each in some if each.asked.question.evidence]
        unknown = [each for each in some if not each.asked.question.evidence]
        verdicts = [each.verdict for each in known]
        yield {
            "of": name,
            "questions": len(known),
            "rank 1": _share([each.at for each in known], 1),
            "top 3": _share([each.at for each in known], 3),
            "rank 1 in words": _share([each.words_at for each in known], 1),
            "top 3 in words": _share([each.words_at for each in known], 3),
            "right": verdicts.count("right"),
            "leads": sum(each.leads for each in known),
            "wrong": verdicts.count("wrong"),
            "abstained": verdicts.count("abstained"),
            "unanswerable": len(unknown),
            "answered anyway": sum(each.verdict == "wrong" for each in unknown),
        }


def _share(places: Sequence[int | None], first: int) -> float:
    return sum(at is not None and at <= first for at in places) / len(places)


def _shown(asked: Asked) -> dict[str, str | int]:
    return {
        "question": asked.asked.question.id,
        "chat": asked.asked.question.category,
        "text": asked.asked.question.text,
        "at": asked.at or "-",
        "words at": asked.words_at or "-",
        "answer": "" if asked.abstained else asked.answer,
        "verdict": asked.verdict,
    }
