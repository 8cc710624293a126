"""The answer that a model writes: the prompt, the stream, the numbers it cites; quotes where the model fails."""

import time
from collections.abc import Generator
from dataclasses import dataclass, field
from datetime import datetime

from mneme.errors import ModelError
from mneme.ports import QueryChat
from queries.answers.context import Context
from queries.answers.extractive import Extract, extractive_answer
from queries.answers.prompt import answer_prompt
from queries.answers.reply import Reply
from queries.questions.types import QuestionType
from queries.responses import SearchResponse


@dataclass(slots=True)
class Written:
    """An answer with what it cites and what it cost. ``llm_time`` is in milliseconds."""

    answer: str
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
        """A completion used so many tokens."""
        self.llm_called += 1
        self.input_token += asked
        self.output_token += answered


def quoted(found: SearchResponse, context: Context, asked_at: datetime) -> Generator[str, None, Written]:
    """The answer without a model, in one piece; returns it."""
    extract = extractive_answer(found, context, asked_at)
    yield extract.answer
    return _as_written(extract)


def written(
    found: SearchResponse, context: Context, asked_at: datetime, chat: QueryChat, seconds: float, rules: str = ""
) -> Generator[str, None, Written]:
    """The answer of a model, piece by piece; returns it. Raises nothing of the model.

    Where it fails the quotes follow what was already said, with a note: what went out cannot be taken back.

    Args:
        found: of the search for the question.
        context: what it is made from.
        asked_at: when the question is asked, aware, in the zone of who asks.
        chat: writes.
        seconds: the most it may take.
        rules: in place of those shipped; blank for none.
    """
    result = Written("")
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
        result.llm_time = round(1000 * (time.perf_counter() - started), 3)
    if out := reply.end():
        yield out
    if not failure and not reply.answer:
        failure = "the model wrote no answer"
    result.answer, result.reasoning, result.cited, result.abstained = (
        reply.answer,
        reply.reasoning,
        reply.cited,
        reply.abstained,
    )
    if reply.unknown:
        numbers = ", ".join(f"[{number}]" for number in reply.unknown)
        result.notes.append(f"the model cited {numbers}, which it was not shown; that was left out")
    if failure:
        extract = extractive_answer(found, context, asked_at)
        rest = f"\n\n{extract.answer}" if result.answer else extract.answer
        yield rest
        result.answer += rest
        result.cited = tuple(sorted({*result.cited, *extract.cited}))
        result.abstained = extract.abstained
        result.extractive = True
        result.notes.append(f"quoted instead of written: {failure}")
    return result


def _as_written(extract: Extract) -> Written:
    return Written(extract.answer, extract.cited, abstained=extract.abstained, extractive=True)
