"""The cost of a run, before it costs anything: the real prompts on real search results, and no call.

1. Ingest into an index that is thrown away, with what costs nothing: local rules, and a local embedder.
2. Ask every question with models whose answers are all still to come (evaluation/recording/replayer.py): each
   request that a run would begin with is written down. The name of its model is the role that it serves.
3. Write down what the judge would be asked, of an answer of the length of the gold.
4. Count tokens by role.

What follows an answer of a model cannot be known: for agents it is counted with the most that their budget allows.
"""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from rich.console import Console

from connectors.models import open_chat_for_queries
from connectors.tokens import TokenCounter, token_counter
from evaluation.answers.evaluate import asker, work_through
from evaluation.answers.figures import wanted
from evaluation.answers.gold_sets import LOADERS
from evaluation.answers.judge import Verdict, judge_prompt
from evaluation.answers.plan import Plan, check_plan, model_of
from evaluation.answers.records import GoldSet, sampled
from evaluation.own_index import fresh_index
from evaluation.recording.replayer import replayed
from evaluation.report import Report, Row, print_table
from evaluation.retrieval.bench import ingest_set
from evaluation.retrieval.systems import last_times, moment_of
from mneme.errors import ModelRefused
from mneme.ports import Role
from mneme.settings import Settings

ANSWERED_TOKENS = {Role.AGENTS: 120, Role.ANSWER: 200, Role.JUDGE: 60, Role.RERANK: 300}
"""Assumed of one answer; reasoning models take several times that."""
_PER_MESSAGE = 4  # tokens of a message's own


def dry_run(name: str, paths: list[Path], settings: Settings, plan: Plan, console: Console) -> Report:
    """Print what a run would ask, as tokens by role.

    Raises:
        InputError: a file is not of the set, or an option is wrong.
    """
    planned = _with_models(settings, plan)
    check_plan(plan, planned)
    gold = sampled(LOADERS[name](paths), plan.limit, plan.categories)
    with fresh_index(_free(planned, console), f"{name}-dry-run") as own:
        # 1.
        ingest_set(gold.questions, own, console)
        requests = own.data / "requests.jsonl"
        # 2.
        if own.models.provider != "none":
            with replayed(own, own.data / "recordings.jsonl", requests) as pending:
                _ask(gold, pending, plan, console)
                # 3.
                if plan.judge == "model":
                    _judge(gold, pending, plan)
        # 4.
        rows = _rows(requests, planned, plan, len(gold.questions.questions), console)
    if rows:
        print_table(console, f"{gold.questions.title}: what a run would ask", rows)
        assumed = ", ".join(f"{tokens} of {role}" for role, tokens in ANSWERED_TOKENS.items())
        console.print(f"Answered tokens are assumed: {assumed}. Nothing was called.", highlight=False)
    else:
        console.print("No model would be asked: this run costs nothing.")
    totals = {column: sum(int(row[column]) for row in rows) for column in ("calls", "input_tokens", "output_tokens")}
    report = Report(f"eval-{name}", {}, rows, {"dry_run": "true", "questions": len(gold.questions.questions), **totals})
    console.print(report.line(), soft_wrap=True, highlight=False)
    return report


def _with_models(settings: Settings, plan: Plan) -> Settings:
    """Settings with a chat model where one is asked for: its key and its address are not needed here."""
    if settings.answers.writer != "model" and plan.judge != "model":
        return settings
    return settings.replace(models={"provider": "openai"})


def _free(settings: Settings, console: Console) -> Settings:
    """Settings that ingest and search without a model that is paid; each role's model is called as the role."""
    changes: dict[str, dict[str, Any]] = {
        "extraction": {"extractor": "local"},
        "boundaries": {"detector": "semantic"},
        "reconcile": {"judge": "rule"},
    }
    if settings.embedder.provider == "openai":
        changes["embedder"] = {"provider": "hash"}
    if settings.rerank.provider == "endpoint":
        changes["rerank"] = {"provider": "none"}
    free = settings.replace(**changes)
    replaced = [group for group in changes if getattr(free, group) != getattr(settings, group)]
    if replaced:
        console.print(
            f"{', '.join(replaced)}: a free one in its place; what these cost is not in the figures (`mneme bench ingest`)",
            highlight=False,
        )
    return free.replace(index={"backend": "embedded"}, models={"by_role": {role.value: role.value for role in Role}})


def _ask(gold: GoldSet, settings: Settings, plan: Plan, console: Console) -> None:
    with ExitStack() as stack:
        ask = asker(gold, settings, plan, stack)

        asked = {question.id: question for question in gold.questions.questions}

        def begin(identity: str) -> None:
            ask(asked[identity])  # a model that does not answer leaves the quotes

        work_through(list(asked), begin, plan.concurrency, console, "asking")


def _judge(gold: GoldSet, settings: Settings, plan: Plan) -> None:
    chat, last = open_chat_for_queries(settings, settings.models.deadline_seconds, hands_back=False), last_times(gold.questions)
    try:
        for question in gold.questions.questions:
            known = gold.gold[question.id]
            for number in range(plan.votes):
                with suppress(ModelRefused):
                    chat.answer(judge_prompt(question.text, moment_of(question, last), known, wanted(known), number), Verdict)
    finally:
        chat.close()


def _rows(requests: Path, settings: Settings, plan: Plan, questions: int, console: Console) -> list[Row]:
    lines = requests.read_bytes().splitlines() if requests.exists() else []
    bodies = [json.loads(line)["body"] for line in lines]
    calls, asked = Counter[str](), Counter[str]()
    for body in bodies:
        calls[body["model"]] += 1
        asked[body["model"]] += _tokens(body, token_counter(model_of(settings, Role(body["model"]))))
    rows: list[Row] = []
    for role in Role:
        if not calls[role]:
            continue
        answered = calls[role] * ANSWERED_TOKENS[role]
        name = role.value
        if role is Role.AGENTS:
            name = "agents, at most"
            console.print(
                f"Agents begin with {calls[role]} calls of {asked[role]} tokens; what follows is counted with all that "
                "MNEME_AGENTS__CALLS allows.",
                highlight=False,
            )
            calls[role] = questions * settings.agents.calls
            answered = calls[role] * ANSWERED_TOKENS[role]
            asked[role] = max(0, questions * settings.agents.tokens - answered)
        row: dict[str, str | float | int] = {
            "role": name,
            "calls": calls[role],
            "input_tokens": asked[role],
            "output_tokens": answered,
        }
        if plan.price_input is not None and plan.price_output is not None:
            row["cost"] = (asked[role] * plan.price_input + answered * plan.price_output) / 1_000_000
        rows.append(row)
    return rows


def _tokens(body: Any, counter: TokenCounter) -> int:
    messages: Sequence[Any] = body["messages"]
    schema = json.dumps(body["response_format"]["json_schema"]["schema"]) if "response_format" in body else ""
    return sum(counter.count(message["content"]) + _PER_MESSAGE for message in messages) + counter.count(schema)
