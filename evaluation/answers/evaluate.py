"""``mneme bench eval locomo | longmemeval | beam``: how many questions are answered rightly, and what that costs.

1. Ingest the conversations of the set into an index of their own.
2. Ask every question as a user would: search, then answer from what was found.
3. Let the judge decide on every answer.
4. Report: figures with intervals, cost, a plot, and the answers.

What a model did not answer is *pending*: left out of the figures, counted, and told with its reason. A run that is stopped, or
that lacks answers, begins anew: with `mneme bench record` before the models nothing is asked twice. With `replay --pending`
nothing is called, and what has no answer waits in a file, but for the writer, who streams: its requests get 404.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

import typer
from rich.console import Console
from rich.progress import track

from connectors.models import open_chat_for_queries
from connectors.tokens import token_counter
from evaluation.answers.figures import ALL, ANSWERABLE, Judged, cost_rows, rows_of
from evaluation.answers.judge import Verdict, judge_identity, judge_prompt
from evaluation.answers.records import ABSTENTION, GivenAnswer, GoldSet, Vote, given_answer, sampled
from evaluation.options import FoldsOption, PathsArgument
from evaluation.report import Report, Row, plot_bars, print_table
from evaluation.retrieval.bench import searched
from evaluation.retrieval.question_set import Question
from evaluation.retrieval.sets import GOLD_LOADERS
from evaluation.retrieval.systems import last_times, moment_of
from mneme.errors import InputError, ModelError
from mneme.ports import QueryChat, Role, Usage
from mneme.settings import Settings
from queries.answers.answer import AnswerResponse
from queries.answers.context import context_of
from serving.commands.search import Method, Strategy

Key = TypeVar("Key")
Result = TypeVar("Result")
Ask = Callable[[Question], AnswerResponse]

_FAILED = re.compile(r"agent: [^(:]*\bfailed\b|rerank off")  # how a search notes what it went without
_ACCURACY = ("accuracy", "accuracy_low", "accuracy_high")
_SHOWN = ("category", "questions", "answered", *_ACCURACY, "contained", "abstained", "evidence", "shown", "context_tokens")
_MOST_REASONS = 5
_AT_A_TIME = 4  # questions


def run_answers(
    name: str,
    paths: PathsArgument,
    settings: Settings,
    console: Console,
    method: Annotated[Method, typer.Option("--method", help="How memories are found.")] = "hybrid",
    agent: Annotated[
        Strategy | None, typer.Option("--agent", help="Of --method agentic.", show_default="MNEME_AGENTS__AGENT")
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", min=1, help="Memories found.", show_default="by the question's type")
    ] = None,
    writer: Annotated[
        Literal["auto", "extractive", "model"] | None,
        typer.Option("--writer", help="Who answers; extractive quotes.", show_default="MNEME_ANSWERS__WRITER"),
    ] = None,
    judge: Annotated[
        Literal["none", "model"], typer.Option("--judge", help="none: words of the gold and abstention only.")
    ] = "none",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="So many questions, evenly spread.", show_default="all")
    ] = None,
    category: Annotated[
        list[str] | None,
        typer.Option("--category", help="Only questions of it, repeatable: multi-hop.", show_default="all"),
    ] = None,
    folds: FoldsOption = None,
) -> Report:
    """Measure and report; the JSON has every answer.

    Args:
        name: of the set, one of ``GOLD_LOADERS``.
        paths: its files, or folders of them.
        settings: of models, search and answers; the index is an embedded one of the benchmark's own.
        console, method, agent, top_k, writer, judge, limit, category, folds: as the options say.

    Raises:
        InputError: a file is not of the set, or an option is wrong.
        MnemeError: whatever the flow or a search raises; but a model that fails for a question only leaves that pending.
    """
    settings = settings.replace(index={"backend": "embedded"}, **({"answers": {"writer": writer}} if writer else {}))
    _check(settings, method, agent, judge)
    gold = sampled(GOLD_LOADERS[name](paths), limit, category or ())
    asked = {question.id: question for question in gold.questions.questions}
    # 1.
    with searched(gold.questions, settings, console, folds) as (own, memories, ingested):
        # 2.
        def ask(question: Question) -> AnswerResponse:
            return memories(question).ask(question.text, question.filters, method=method, agent=agent, top_k=top_k)

        def answer(identity: str) -> GivenAnswer:
            return answered_by(ask, asked[identity], own)

        answers, failed = work_through(list(asked), answer, console, "asking")
        # 3.
        votes, unjudged = _votes(gold, answers, own, console) if judge == "model" else ({}, [])
    # 4.
    rights = {each: vote.correct for each, vote in votes.items()}
    judged = [Judged(asked[each], gold.gold[each], given, rights.get(each)) for each, given in answers.items()]
    rows = rows_of(judged, gold.questions.questions)
    costs = cost_rows(answers.values(), [vote.cost for vote in votes.values()], ingested.usage)
    pending = len(failed) + len(unjudged)
    title = f"{gold.questions.title}, {method}"
    print_table(console, title, rows, [name for name in _SHOWN if any(name in row for row in rows)])
    if costs:
        print_table(console, "Cost", costs)
    _print_pending(console, "questions have no answer", failed)
    _print_pending(console, "answers are not judged", unjudged)
    figure = "accuracy" if judge == "model" else "contained"
    bars = [{**row, "figure": figure} for row in rows if figure in row]
    plot = partial(plot_bars, bars, "category", "figure", figure, title=f"{title}, {len(judged)} answers")
    return Report(
        bench=f"eval-{name}",
        settings={
            **_settings_of(gold, settings),
            "method": method,
            "agent": agent,
            "top_k": top_k,
            "folds": folds and folds.name,
            "judge": judge_identity(_model_of(settings, Role.JUDGE)) if judge == "model" else None,
            "left_out": gold.questions.left_out,
            "ingested": {"messages": ingested.messages, "episodes": ingested.episodes, "facts": ingested.facts},
        },
        rows=rows,
        headline=_headline(rows, costs, method, pending),
        parts={"cost": costs, "answers": [_shown(each, votes.get(each.question.id)) for each in judged]},
        plot=plot if bars else None,
    )


def _check(settings: Settings, method: str, agent: str | None, judge: str) -> None:
    """Check that this can be done, before anything is.

    Raises:
        InputError: names the option and what it may be.
    """
    if agent and method != "agentic":
        raise InputError(f"--agent: {agent} belongs to --method agentic, and the method is {method}")
    wanted = {"--judge model": judge == "model", "--writer model": settings.answers.writer == "model"}
    if settings.models.provider == "none" and any(wanted.values()):
        options = ", ".join(option for option, is_wanted in wanted.items() if is_wanted)
        raise InputError(
            f"{options}: there is no chat model; set MNEME_MODELS__PROVIDER, or go without (docs/internals/evaluation.md)"
        )


def work_through(
    todo: Sequence[Key], do: Callable[[Key], Result], console: Console, what: str
) -> tuple[dict[Key, Result], list[ModelError]]:
    """Do everything in ``todo``: the results, and why models did not answer the others. Another error ends the work."""

    def tried(key: Key) -> Result | ModelError:
        try:
            return do(key)
        except ModelError as error:
            return error

    results: dict[Key, Result] = {}
    errors: list[ModelError] = []
    with ThreadPoolExecutor(_AT_A_TIME, "mneme-eval") as pool:
        done = track(pool.map(tried, todo), what, len(todo), console=console, transient=True)
        for key, result in zip(todo, done, strict=True):
            if isinstance(result, ModelError):
                errors.append(result)
            else:
                results[key] = result
    return results, errors


def answered_by(ask: Ask, question: Question, settings: Settings) -> GivenAnswer:
    """The answer to one question.

    Raises:
        ModelError: a model did not answer. A user is better served by what there is without it; here that would be measured.
    """
    response = ask(question)
    context = context_of(response.found, response.asked_at, settings.answers.context_tokens, token_counter())
    given = given_answer(question, response, context)
    wants_model = settings.models.provider != "none" and settings.answers.writer != "extractive"
    reasons = [note for note in given.notes if _FAILED.match(note)]
    if reasons or (wants_model and given.extractive):
        raise ModelError("; ".join(reasons or given.notes) or "no model answered")
    return given


def _votes(
    gold: GoldSet, answers: Mapping[str, GivenAnswer], settings: Settings, console: Console
) -> tuple[dict[str, Vote], list[ModelError]]:
    """The verdict on every answer, by question."""
    asked = {question.id: question for question in gold.questions.questions}
    last = last_times(gold.questions)
    chat = open_chat_for_queries(settings, settings.models.deadline_seconds, hands_back=False)

    def vote(which: str) -> Vote:
        question = replace(asked[which], asked_at=moment_of(asked[which], last))
        return voted(chat, question, gold, answers[which])

    with closing(chat):
        return work_through(list(answers), vote, console, "judging")


def voted(chat: QueryChat, question: Question, gold: GoldSet, answer: GivenAnswer) -> Vote:
    """The verdict on one answer.

    Raises:
        ModelError: the judge did not answer.
    """
    tokens: list[tuple[int, int]] = []
    prompt = judge_prompt(question.text, question.asked_at, gold.gold[question.id], answer.answer)
    verdict = chat.answer(prompt, Verdict, spent=lambda asked, answered: tokens.append((asked, answered)))
    cost = Usage(len(tokens), sum(asked for asked, _ in tokens), sum(answered for _, answered in tokens))
    return Vote(verdict.correct, verdict.reason, cost)


# --- what is told ----------------------------------------------------------------------------------------------------


def _settings_of(gold: GoldSet, settings: Settings) -> dict[str, Any]:
    """Return the settings that make the answers of a run; keys and addresses are no part."""
    groups = ("boundaries", "extraction", "reconcile", "profiles", "skills", "retrieval", "agents", "answers")
    models = {"provider", "temperature", "reasoning_effort", "output_language"}
    return {
        "set": gold.questions.name,
        "questions": len(gold.questions.questions),
        "fingerprint": gold.fingerprint,
        "embedder": settings.embedder.model_dump(mode="json", include={"provider", "quantize", "model", "dimension"}),
        "models": settings.models.model_dump(mode="json", include=models),
        "model": {role.value: _model_of(settings, role) for role in Role if role is not Role.JUDGE},
        "rerank": settings.rerank.model_dump(mode="json", include={"provider", "model", "top_n"}),
        **{group: getattr(settings, group).model_dump(mode="json") for group in groups},
    }


def _model_of(settings: Settings, role: Role) -> str:
    """The name of the model that serves a role."""
    return settings.models.by_role.get(role, settings.models.default)


def _headline(rows: Sequence[Row], costs: Sequence[Row], method: str, pending: int) -> dict[str, str | float | int]:
    by_category = {str(row["category"]): row for row in rows}
    whole, answerable = by_category[ALL], by_category.get(ANSWERABLE, by_category[ALL])
    headline: dict[str, str | float | int] = {"method": method, "questions": whole["questions"], "pending": pending}
    headline |= {name: whole[name] for name in _ACCURACY if name in whole}
    headline |= {name: answerable[name] for name in ("contained", "evidence", "shown", "context_tokens") if name in answerable}
    if ABSTENTION in by_category and "abstained" in by_category[ABSTENTION]:
        headline["abstained"] = by_category[ABSTENTION]["abstained"]
    if ABSTENTION not in by_category or len(by_category) > 2:
        headline |= {"false_abstentions": answerable["abstained"]} if "abstained" in answerable else {}
    if costs:
        headline["tokens"] = sum(int(row["input_tokens"]) + int(row["output_tokens"]) for row in costs)
    return headline


def _shown(judged: Judged, vote: Vote | None) -> dict[str, Any]:
    """An answer as it stands in the report."""
    given = judged.answer
    return {
        "question": judged.question.id,
        "text": judged.question.text,
        "gold": judged.gold.answer or list(judged.gold.rubric),
        "answer": given.answer,
        "abstained": given.abstained,
        "evidence": given.evidence,
        "shown": given.shown,
        "right": judged.right,
        "reason": vote and vote.reason,
    }


def _print_pending(console: Console, what: str, errors: Sequence[ModelError]) -> None:
    if errors:
        console.print(f"{len(errors)} {what}:", highlight=False)
    for reason, times in Counter(map(str, errors)).most_common(_MOST_REASONS):
        console.print(f"  {times} x {reason}", soft_wrap=True, highlight=False, markup=False)
