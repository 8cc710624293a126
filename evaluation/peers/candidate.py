"""What is compared: something that takes a conversation in and then answers questions about it."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from evaluation.metrics import Result
from evaluation.retrieval.question_set import Question

DEPTH = 20  # results that are asked for, so that ten distinct turns are among them

Ask = Callable[[Question], Sequence[Result]]
"""The results of a question, best first, each with the turns that it stands for; none where nothing was recognised."""

Ingest = Callable[[], Ask]
"""Takes the conversation in, and returns when all of it can be found."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row: ``open`` starts the system, which takes no time that counts; what it opens, the stack closes.

    ``note`` says what to know beside its figures.
    """

    name: str
    note: str
    open: Callable[[ExitStack], Ingest]
