"""ask: a question is made complete, searched for, and answered from what was found, by a model or in quotes."""

import time
from collections.abc import Callable, Generator
from datetime import datetime

from connectors.telemetry.meters import count_answer
from connectors.tokens import token_counter
from mneme.errors import SettingsError
from mneme.ports import QueryChat, Role
from mneme.settings import Settings
from queries.answers.answer import AnswerMetrics, AnswerResponse, AnswerStream
from queries.answers.context import Context, context_of
from queries.answers.followup import FollowUp, Turns, complete_question
from queries.answers.writer import Written, quoted, written
from queries.responses import SearchResponse


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
        self._count = token_counter(models.by_role.get(Role.ANSWER, models.default), settings.cache).count

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
        rewriting = Written("")
        before = time.perf_counter()
        follow_up = complete_question(question, history, chat, self._settings.seconds, rewriting.spent)
        rewriting.llm_time = round(1000 * (time.perf_counter() - before), 3) if rewriting.llm_called else 0.0
        before = time.perf_counter()
        found = search(follow_up.question)
        searched = round(1000 * (time.perf_counter() - before), 3)

        def pieces() -> Generator[str, None, AnswerResponse]:
            context = context_of(found, asked_at, self._settings.context_tokens, self._count)
            if chat is None:
                result = yield from quoted(found, context, asked_at)
            else:
                seconds, rules = self._settings.seconds, self._settings.prompt
                result = yield from written(found, context, asked_at, chat, seconds, rules)
            metrics = AnswerMetrics(
                milliseconds=round(1000 * (time.perf_counter() - started), 3),
                search_milliseconds=searched,
                llm_called=result.llm_called + rewriting.llm_called,
                llm_time=round(result.llm_time + rewriting.llm_time, 3),
                input_token=result.input_token + rewriting.input_token,
                output_token=result.output_token + rewriting.output_token,
                context_tokens=context.tokens,
                memories=len(context.memories),
                candidates=context.candidates,
            )
            count_answer(result.extractive, result.abstained, metrics.milliseconds / 1000)
            return _response(question, follow_up, found, context, result, asked_at, metrics, explain)

        return AnswerStream(pieces())


def _response(
    question: str,
    follow_up: FollowUp,
    found: SearchResponse,
    context: Context,
    result: Written,
    asked_at: datetime,
    metrics: AnswerMetrics,
    explain: bool,
) -> AnswerResponse:
    citations = (context.citation(number) for number in result.cited)
    return AnswerResponse(
        question=question,
        searched=found.query.text,
        answer=result.answer,
        reasoning=result.reasoning,
        citations=tuple(citation for citation in citations if citation),
        abstained=result.abstained,
        extractive=result.extractive,
        asked_at=asked_at,
        found=found,
        metrics=metrics,
        notes=(*follow_up.notes, *result.notes),
        context=context.text if explain else None,
    )
