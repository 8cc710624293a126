"""The response of ``Memories.ask``: an answer with the memories that it cites; or the same, piece by piece."""

from collections.abc import Generator, Iterator
from datetime import datetime
from typing import Literal, Self

from mneme import records
from queries.responses import ResponseModel, SearchResponse

Kind = Literal["fact", "episode", "message", "foresight", "profile", "case", "skill", "knowledge", "relationship"]


class CitedMemory(ResponseModel):
    """A memory that an answer refers to.

    ``number`` is what stands in the answer (``[3]``), ``id`` that of the found memory, ``message_ids`` the callers' ids of the
    messages it comes from. ``said_at`` is null for what was not said at one time: a portrait, a skill, a document.
    ``document`` is where it stands in one: file, section and page.
    """

    number: int
    id: str
    kind: Kind
    text: str
    said_at: datetime | None
    message_ids: tuple[str, ...]
    document: records.Citation | None = None


class AnswerMetrics(ResponseModel):
    """The cost of an answer. Times are in milliseconds, tokens those that the model counted for the answer, not the search.

    ``memories`` of ``candidates`` that were found went into the context, which has ``context_tokens``.
    """

    milliseconds: float
    search_milliseconds: float
    llm_called: int = 0
    llm_time: float = 0.0
    input_token: int = 0
    output_token: int = 0
    context_tokens: int = 0
    memories: int = 0
    candidates: int = 0


class AnswerResponse(ResponseModel):
    """The answer to a question, from what is remembered.

    ``searched`` is what was searched for: the question, or what it means after the conversation before it. ``answer`` cites
    memories by number. ``abstained``: the memories do not tell; the answer says so. ``extractive``: it was not written by a
    model, but quotes what fits best. ``context`` is what it was made from, null without ``explain``. ``found`` is the search.
    """

    question: str
    searched: str
    answer: str
    reasoning: str = ""
    citations: tuple[CitedMemory, ...] = ()
    abstained: bool = False
    extractive: bool = False
    asked_at: datetime
    found: SearchResponse
    metrics: AnswerMetrics
    notes: tuple[str, ...] = ()
    context: str | None = None


class ContextResponse(ResponseModel):
    """Return the memories for a question as one text to paste into a prompt.

    ``text`` has ``tokens`` by the tokens of the model that answers (``MNEME_MODELS__BY_ROLE``), and numbers its memories;
    ``citations`` tell their ids. What holds comes first, dated, with what it replaced in a clause. Nothing is there twice.
    """

    question: str
    text: str
    tokens: int
    citations: tuple[CitedMemory, ...] = ()
    asked_at: datetime
    notes: tuple[str, ...] = ()


class AnswerStream(Iterator[str]):
    """An answer, piece by piece as it is written: the answer alone, without the reasoning before it.

    The pieces together are ``response.answer``. A model that fails raises nothing: the answer goes on as quotes.

    >>> for piece in memories.ask_stream("where does Ann work?", filters={"user_id": "maya"}):  # doctest: +SKIP
    ...     print(piece, end="", flush=True)
    """

    def __init__(self, pieces: Generator[str, None, AnswerResponse]) -> None:
        """Nothing is asked before the first piece is.

        Args:
            pieces: gives the pieces, returns the response.
        """
        self._pieces = pieces
        self._response: AnswerResponse | None = None

    def __next__(self) -> str:
        """The next piece."""
        try:
            return next(self._pieces)
        except StopIteration as end:
            if end.value is not None:
                self._response = end.value
            raise

    def __iter__(self) -> Self:
        """Itself: it can be read once."""
        return self

    @property
    def response(self) -> AnswerResponse:
        """The whole answer; what was not read of it yet is read now.

        Raises:
            RuntimeError: the stream was closed before its end.
        """
        for _ in self:
            pass
        if self._response is None:
            raise RuntimeError("the answer was closed before its end; ask again")
        return self._response

    def close(self) -> None:
        """End the answer here; the call of the model is ended too."""
        self._pieces.close()
