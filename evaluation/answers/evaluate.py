"""``mneme bench eval locomo | longmemeval | beam``: how many questions are answered rightly, and what that costs.

1. Read the set; begin the run in its folder, or go on with it (evaluation/answers/folder.py).
2. Ingest the conversations into the folder's index, unless that is complete.
3. Ask every question that has no answer yet, as a user would: search, then answer from what was found.
4. Let the judge vote on every answer that it has not voted on.
5. Report: figures with intervals, cost, and a plot.

What a model did not answer is left out of the figures, counted, told with its reason, and asked again at the next start.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from connectors.endpoints.backoff import Refusal
from connectors.indices import open_index
from connectors.models import open_chat_for_queries
from connectors.tokens import token_counter
from evaluation.answers.folder import RunFolder
from evaluation.answers.gold_sets import LOADERS
from evaluation.answers.judge import Verdict, judge_identity, judge_prompt
from evaluation.answers.plan import Plan, check_plan, model_of, settings_of
from evaluation.answers.records import Cost, GivenAnswer, GoldSet, Vote, given_answer, sampled
from evaluation.answers.summary import Finished, summarise
from evaluation.recording.pending import ModelPending
from evaluation.recording.replayer import NOT_RECORDED, replayed
from evaluation.report import Report
from evaluation.retrieval.bench import ingest_set
from evaluation.retrieval.question_set import Question
from evaluation.retrieval.systems import last_times, moment_of, open_memories
from mneme.errors import ModelError
from mneme.ports import QueryChat, Role
from mneme.rows import Collection
from mneme.settings import Settings
from queries.answers.answer import AnswerResponse
from queries.answers.context import context_of

Key = TypeVar("Key")


def work_through(
    todo: Sequence[Key], do: Callable[[Key], None], at_a_time: int, console: Console, what: str
) -> Mapping[Key, ModelError]:
    """Do everything in ``todo``; what a model did not answer, and why.

    What failed is tried once more when everything else is done, but for what waits in a file to be answered. An error of
    another kind, or an interruption, ends the work: what is under way is finished, nothing new is begun.
    """
    failed = _one_round(todo, do, at_a_time, console, what)
    again = [key for key, error in failed.items() if not isinstance(error, ModelPending)]
    still = _one_round(again, do, at_a_time, console, f"{what}, again")
    return {key: still.get(key, error) for key, error in failed.items() if key in still or key not in again}


def _one_round(
    todo: Sequence[Key], do: Callable[[Key], None], at_a_time: int, console: Console, what: str
) -> dict[Key, ModelError]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    failed: dict[Key, ModelError] = {}
    with (
        ThreadPoolExecutor(at_a_time, "mneme-eval") as pool,
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task(what, total=len(todo))
        under_way = {pool.submit(do, key): key for key in todo}
        try:
            for future in as_completed(under_way):
                try:
                    future.result()
                except ModelError as error:
                    failed[under_way[future]] = error
                progress.advance(task)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed


_FAILED = re.compile(r"agent: [^(:]*\bfailed\b|rerank off")  # how a search notes what it went without

Ask = Callable[[Question], AnswerResponse]


def run_answers(name: str, paths: list[Path], settings: Settings, out: Path, plan: Plan, console: Console) -> Report:
    """Measure, print, and leave everything in the folder ``out``.

    Args:
        name: of the set, one of ``LOADERS``.
        paths: its files, or folders of them.
        settings: of models, search and answers; the index is an embedded one in ``out``.
        out: the folder of the run.
        plan: how it is asked and judged.
        console: where tables and progress go.

    Raises:
        InputError: a file is not of the set, an option is wrong, or ``out`` holds another run.
        MnemeError: whatever the flow or a search raises; but a model that fails for a question only leaves that pending.
    """
    check_plan(plan, settings)
    # 1.
    gold = sampled(LOADERS[name](paths), plan.limit, plan.categories)
    with (
        RunFolder(out, settings_of(name, gold, settings, plan)) as folder,
        _asked_through(settings, folder, plan.offline) as own,
    ):
        # 2.
        ingested = _ingested(folder, gold, own, plan.offline, console)
        # 3.
        failed = _ask_all(folder, gold, own, plan, console)
        # 4.
        judge = judge_identity(model_of(own, Role.JUDGE)) if plan.judge == "model" else None
        unjudged = _judge_all(folder, gold, own, plan, judge, console) if judge else {}
        votes = tuple(folder.votes(judge)) if judge else ()
        finished = Finished(gold, folder.answers(), votes, failed, unjudged, ingested, folder.waiting())
        # 5.
        return summarise(finished, settings_of(name, gold, settings, plan), out, plan, judge, console)


@contextmanager
def _asked_through(settings: Settings, folder: RunFolder, offline: bool) -> Iterator[Settings]:
    """Settings with the index in the folder, whose models answer from the folder's recordings if nothing may be called."""
    own = settings.replace(data=folder.index, index={"backend": "embedded"})
    folder.pending.unlink(missing_ok=True)  # so that in the end it holds what this start lacks, and no more
    if settings.models.provider == "none" or not offline:
        yield own
    else:
        with replayed(own, folder.recordings, folder.pending) as through:
            yield through


def _ingested(folder: RunFolder, gold: GoldSet, settings: Settings, offline: bool, console: Console) -> Mapping[str, Any]:
    if folder.ingested is None:
        if offline:  # an index of a start that was stopped may lack answers, unnoticed
            shutil.rmtree(folder.index, ignore_errors=True)
        folder.index.mkdir(exist_ok=True)
        report = ingest_set(gold.questions, settings, console)
        if waiting := folder.waiting():  # what waits was done as without a model
            shutil.rmtree(folder.index)
            raise ModelPending(
                f"ingestion: {waiting} to be answered; then give the same command again (docs/internals/evaluation.md)"
            )
        usage = {
            role: Cost(calls=used.calls, input_tokens=used.input_tokens, output_tokens=used.output_tokens).model_dump()
            for role, used in report.usage.items()
        }
        folder.set_ingested(
            {
                **_counted(settings),
                "seconds": round(report.seconds, 1),
                "usage": usage,
            }
        )
    complete = folder.ingested
    assert complete is not None, "just written"
    return complete


def _counted(settings: Settings) -> dict[str, int]:
    """Count the records in the index; a report of ingestion tells only of its own start."""
    collections = {"messages": Collection.MESSAGES, "episodes": Collection.EPISODES, "facts": Collection.FACTS}
    with closing(open_index(settings, read_only=True)) as index:
        return {
            name: sum(row.kind == name.removesuffix("s") for row in index.scan(collection))
            for name, collection in collections.items()
        }


def _ask_all(folder: RunFolder, gold: GoldSet, settings: Settings, plan: Plan, console: Console) -> Mapping[str, ModelError]:
    answered = folder.answers()
    asked = {question.id: question for question in gold.questions.questions}
    todo = [identity for identity in asked if identity not in answered]
    if answered:
        console.print(f"{len(answered)} questions are answered already, {len(todo)} are left", highlight=False)
    with ExitStack() as stack:
        ask = asker(gold, settings, plan, stack)

        def answer(identity: str) -> None:
            folder.add_answer(answered_by(ask, asked[identity], settings, plan.offline))

        return work_through(todo, answer, plan.concurrency, console, "asking")


def asker(gold: GoldSet, settings: Settings, plan: Plan, stack: ExitStack) -> Ask:
    """Asks the questions of a set of its index, each at its time; from several threads. ``stack`` closes what it opens."""
    memories = open_memories(settings, gold.questions, plan.folds, stack)

    def ask(question: Question) -> AnswerResponse:
        filters = {**question.owner, "expired": True}  # what was expected then may lie behind
        return memories(question).ask(question.text, filters, method=plan.method, agent=plan.agent, top_k=plan.top_k)

    return ask


def answered_by(ask: Ask, question: Question, settings: Settings, offline: bool = False) -> GivenAnswer:
    """The answer to one question.

    Raises:
        ModelError: a model did not answer. A user is better served by what there is without it; here that would be measured.
    """
    response = ask(question)
    context = context_of(response.found, response.asked_at, settings.answers.context_tokens, token_counter().count)
    given = given_answer(question, response, context)
    wants_model = settings.models.provider != "none" and settings.answers.writer != "extractive"
    reasons = [note for note in given.notes if _FAILED.match(note)]
    if reasons or (wants_model and given.extractive):
        failure = ModelPending if offline else ModelError
        raise failure("; ".join(reasons or given.notes) or "no model answered")
    return given


def _judge_all(
    folder: RunFolder, gold: GoldSet, settings: Settings, plan: Plan, judge: str, console: Console
) -> Mapping[tuple[str, int], ModelError]:
    answers = folder.answers()
    cast = {(vote.question, vote.number) for vote in folder.votes(judge)}
    wanted = [(question, number) for question in answers for number in range(plan.votes)]
    todo = [vote for vote in wanted if vote not in cast]
    if not todo:
        return {}
    asked = {question.id: question for question in gold.questions.questions}
    last = last_times(gold.questions)
    chat = open_chat_for_queries(settings, settings.models.deadline_seconds, hands_back=False)

    def vote(which: tuple[str, int]) -> None:
        question = replace(asked[which[0]], asked_at=moment_of(asked[which[0]], last))
        try:
            folder.add_vote(voted(chat, judge, question, gold, answers[which[0]], which[1]))
        except Refusal as error:
            raise (ModelPending(str(error)) if plan.offline and error.status == NOT_RECORDED else error) from error

    try:
        return work_through(todo, vote, plan.concurrency, console, "judging")
    finally:
        chat.close()


def voted(chat: QueryChat, judge: str, question: Question, gold: GoldSet, answer: GivenAnswer, number: int) -> Vote:
    """One vote on one answer.

    Raises:
        ModelError: the judge did not answer.
    """
    tokens: list[tuple[int, int]] = []
    prompt = judge_prompt(question.text, question.asked_at, gold.gold[question.id], answer.answer, number)
    verdict = chat.answer(prompt, Verdict, spent=lambda asked, answered: tokens.append((asked, answered)))
    cost = Cost(
        calls=len(tokens),
        input_tokens=sum(asked for asked, _ in tokens),
        output_tokens=sum(answered for _, answered in tokens),
    )
    return Vote(judge=judge, question=question.id, number=number, correct=verdict.correct, reason=verdict.reason, cost=cost)
