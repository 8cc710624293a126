"""ask: a question is made complete, searched for, and answered from what was found, by a model or in quotes."""

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from connectors.telemetry.meters import count_answer
from connectors.tokens import token_counter
from mneme.errors import ModelError, SettingsError
from mneme.ports import QueryChat, Role
from mneme.settings import Settings
from queries.answers.answer import AnswerMetrics, AnswerResponse, AnswerStream, ContextResponse
from queries.answers.block import context_block
from queries.answers.context import Context, answer_prompt, cited, context_of
from queries.answers.extractive import extractive_answer
from queries.answers.followup import Turns, complete_question
from queries.answers.reply import Reply
from queries.questions.types import QuestionType
from queries.responses import SearchResponse


@dataclass(slots=True)
class Written:
    """An answer with its citations and its cost. ``llm_time`` is in milliseconds."""

    answer: str = ""
    cited: tuple[int, ...] = ()
    reasoning: str = ""
    abstained: bool = False
    extractive: bool = False
    llm_called: int = 0
    llm_time: float = 0.0
    input_token: int = 0
    output_token: int = 0
    notes: list[str] = field(default_factory=list)

    def spent(self, asked: int, answered: int) -> None:
        """Count the tokens of a completion."""
        self.llm_called += 1
        self.input_token += asked
        self.output_token += answered


def quoted(result: Written, found: SearchResponse, context: Context, asked_at: datetime) -> Iterator[str]:
    """The answer in quotes, in one piece, behind what was already said."""
    extract = extractive_answer(found, context, asked_at)
    piece = f"\n\n{extract.answer}" if result.answer else extract.answer
    result.answer += piece
    result.cited = tuple(sorted({*result.cited, *extract.cited}))
    result.abstained, result.extractive = extract.abstained, True
    yield piece


def written(
    result: Written,
    found: SearchResponse,
    context: Context,
    asked_at: datetime,
    chat: QueryChat,
    seconds: float,
    rules: str = "",
) -> Iterator[str]:
    """The answer of a model, piece by piece. Raises nothing of the model.

    Where it fails the quotes follow what was already said, with a note: what went out cannot be taken back.

    Args:
        result: is filled.
        found: of the search for the question.
        context: of the answer.
        asked_at: when the question is asked, aware, in the zone of who asks.
        chat: writes.
        seconds: the most it may take.
        rules: in place of those shipped; blank for none.
    """
    reply = Reply(len(context.memories))
    prompt = answer_prompt(found.query.text, QuestionType(found.query.type), context, asked_at, rules)
    failure = ""
    started = time.perf_counter()
    pieces = chat.write(prompt, seconds, result.spent)
    try:
        for piece in pieces:
            if out := reply.read(piece):
                yield out
    except ModelError as error:
        failure = f"the model did not answer ({error})"
    finally:
        if isinstance(pieces, Generator):
            pieces.close()
        result.llm_time += _milliseconds(started)
    if out := reply.end():
        yield out
    if not failure and not reply.answer:
        failure = "the model wrote no answer"
    result.answer, result.reasoning = reply.answer, reply.reasoning
    result.cited, result.abstained = reply.cited, reply.abstained
    if reply.unknown:
        numbers = ", ".join(f"[{number}]" for number in reply.unknown)
        result.notes.append(f"the model cited {numbers}, which it was not shown; that was left out")
    if failure:
        yield from quoted(result, found, context, asked_at)
        result.notes.append(f"quoted instead of written: {failure}")


def _milliseconds(started: float) -> float:
    return round(1000 * (time.perf_counter() - started), 3)


class Answerer:
    """Answers questions. May be used from several threads."""

    def __init__(self, settings: Settings, open_chat: Callable[[], QueryChat] | None) -> None:
        """Prepare, without opening a model.

        Args:
            settings: of the program.
            open_chat: gives the chat model; None where there is none.

        Raises:
            SettingsError: ``MNEME_ANSWERS__WRITER`` is model, and there is none.
        """
        self._settings = settings.answers
        if self._settings.writer == "model" and open_chat is None:
            raise SettingsError(
                "MNEME_ANSWERS__WRITER is model, and there is no chat model; set MNEME_MODELS__PROVIDER to openai, "
                "or the writer to extractive"
            )
        self._open_chat = None if self._settings.writer == "extractive" else open_chat
        models = settings.models
        self._count = token_counter(models.by_role.get(Role.ANSWER, models.default))

    def context(self, question: str, found: SearchResponse, asked_at: datetime, max_tokens: int) -> ContextResponse:
        """The context for another model, of at most so many tokens, from what the search for a question found."""
        return context_block(question, found, asked_at, max_tokens, self._count)

    def stream(
        self,
        question: str,
        search: Callable[[str], SearchResponse],
        asked_at: datetime,
        history: Turns = (),
        explain: bool = False,
    ) -> AnswerStream:
        """The answer, piece by piece. The search is done when this returns.

        Args:
            question: in any language.
            search: finds what is remembered for a question.
            asked_at: when it is asked, aware, in the zone of who asks: what all dates are counted from.
            history: the conversation before it, oldest first: (role, text).
            explain: whether the response holds the context.

        Raises:
            InputError: whatever the search raises, or a history that is none.
            StoreError: whatever the search raises.
            SettingsError: the model cannot be opened.
        """
        started = time.perf_counter()
        chat = self._open_chat() if self._open_chat else None
        result = Written()
        before = time.perf_counter()
        follow_up = complete_question(question, history, chat, self._settings.seconds, result.spent)
        result.llm_time = _milliseconds(before) if result.llm_called else 0.0
        result.notes.extend(follow_up.notes)
        before = time.perf_counter()
        found = search(follow_up.question)
        searched = _milliseconds(before)

        def pieces() -> Generator[str, None, AnswerResponse]:
            context = context_of(found, asked_at, self._settings.context_tokens, self._count)
            if chat is None:
                yield from quoted(result, found, context, asked_at)
            else:
                yield from written(result, found, context, asked_at, chat, self._settings.seconds, self._settings.prompt)
            metrics = AnswerMetrics(
                milliseconds=_milliseconds(started),
                search_milliseconds=searched,
                llm_called=result.llm_called,
                llm_time=round(result.llm_time, 3),
                input_token=result.input_token,
                output_token=result.output_token,
                context_tokens=context.tokens,
                memories=len(context.memories),
                candidates=context.candidates,
            )
            count_answer(result.extractive, result.abstained, metrics.milliseconds / 1000)
            return AnswerResponse(
                question=question,
                searched=found.query.text,
                answer=result.answer,
                reasoning=result.reasoning,
                citations=tuple(cited(context.memories[number - 1], number) for number in result.cited),
                abstained=result.abstained,
                extractive=result.extractive,
                asked_at=asked_at,
                found=found,
                metrics=metrics,
                notes=tuple(result.notes),
                context=context.text if explain else None,
            )

        return AnswerStream(pieces())
