"""What every scorer promises."""

from collections.abc import Iterable
from typing import Protocol

from queries.questions.understand import Question
from queries.recall import Candidate
from queries.scoring.field import Field


class Scorer(Protocol):
    """Candidates to scores."""

    @property
    def name(self) -> str:
        """How the response names it."""

    def score(self, question: Question, field: Field, messages: Iterable[Candidate]) -> dict[str, float]:
        """The final score of every candidate of the field by its id.

        From 0 to 1, higher fits better; comparable among the candidates of one question only. A fact's score is that of the
        fact together with its episode; the best fact of an episode stands above the episode.

        Args:
            question: what is asked.
            field: the candidates, both legs known where they are on.
            messages: the raw messages that were recalled, also those that are in an episode.
        """
