"""``mneme bench multihop``: whether the agents find all parts of an answer where one hybrid search does not.

1. Ingest the examples, and the files of LoCoMo that are given, through the flow into an index of their own.
2. Ask each written question by each system, one after the other; nothing else runs then.
3. Measure on messages, as a whole, by split, source and shape, against plain hybrid, and report.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import track

from connectors.indices import open_index
from connectors.models import open_embedder
from connectors.tokens import token_counter
from evaluation.metrics import distinct_messages
from evaluation.multihop.figures import SHOWN, Answered, K, groups_of, rows_of
from evaluation.multihop.questions import Told, WrittenQuestion, measurable, told, written_questions
from evaluation.multihop.systems import Oracle, System, hybrid, oracle, systems_of
from evaluation.own_index import fresh_index
from evaluation.report import Report, Row, embedder_of, plot_bars, print_table
from evaluation.results import ranked_results
from evaluation.retrieval.compare import compare, print_differences
from evaluation.retrieval.figures import ALL
from flows import ingest
from mneme.errors import InputError
from mneme.ports import Role
from mneme.settings import Settings
from queries import Memories
from queries.agents.search import AgenticSearch
from queries.responses import SearchResponse

PLANNERS = ("rules", "model")
_BASELINE = "hybrid"
_WARM_UP = 3  # questions that every system is asked before its time counts


def run_multihop(
    settings: Settings,
    out: Path,
    sets: Sequence[Path] = (),
    planners: Sequence[str] = ("rules",),
    with_oracle: bool = True,
    examples: Path | None = None,
    console: Console | None = None,
) -> Report:
    """Measure and report; the JSON has what each system searched for and found.

    Args:
        settings: ``index.backend`` says which index is filled; the model of a planner is that of the role ``agents``.
        sets: files of LoCoMo; without them only the questions about the examples are asked.
        planners: which of ``PLANNERS`` decide for the agents.
        with_oracle: whether the upper bound is measured too.
        examples: the folder of the examples; None for that of the checkout.

    Raises:
        InputError: a file is missing or not of the form, a planner is not known, or ``out`` cannot be written.
        SettingsError: the planner ``model`` has no model.
        MnemeError: whatever the flow or a search raises.
    """
    console = console or Console()
    if unknown := [each for each in planners if each not in PLANNERS]:
        raise InputError(f"planner: {', '.join(unknown)} not known; accepted are {', '.join(PLANNERS)}")
    with TemporaryDirectory(prefix="mneme-multihop-") as folder, fresh_index(settings, "multihop") as own:
        about = told(examples, sets, Path(folder))
        asked = measurable(written_questions(), about)
        # 1.
        with console.status("ingesting"):
            ingest(about.paths, own)
        # 2.
        answered = _ask_all(own, asked, about, planners, with_oracle, console)
    # 3.
    report = _report(settings, asked, answered, planners)
    _show(console, report)
    title = f"Hops found among {K} messages"
    return report.finish(console, out, partial(plot_bars, report.parts["shapes"], "of", "system", f"hops@{K}", title=title))


def _ask_all(
    settings: Settings,
    questions: Sequence[WrittenQuestion],
    about: Told,
    planners: Sequence[str],
    with_oracle: bool,
    console: Console,
) -> list[Answered]:
    now = [max(about.messages(questions[0].owner).values())]
    last = {question.id: max(about.messages(question.owner).values()) for question in questions}
    with ExitStack() as stack:

        def memories(planner: str) -> Memories:
            agents = settings.agents.model_copy(update={"planner": planner})
            changed = settings.model_copy(update={"agents": agents})
            index = open_index(settings, read_only=True)
            return stack.enter_context(Memories(index, open_embedder(settings), changed, clock=lambda: now[0]))

        plain = memories("rules")
        systems: dict[str, System] = {_BASELINE: partial(hybrid, plain)}
        for planner in planners:
            systems |= systems_of(planner, memories(planner))
        if with_oracle:
            pool = stack.enter_context(ThreadPoolExecutor())
            systems["oracle, split"] = partial(oracle, plain, AgenticSearch(settings, Oracle(questions), None, pool))
        answered = []
        for name, system in systems.items():
            for at, question in enumerate(track([*questions[:_WARM_UP], *questions], name, console=console, transient=True)):
                now[0] = last[question.id]  # asked when the last message was sent, and not today, years later
                started = time.perf_counter()
                response = system(question)
                if at >= _WARM_UP:
                    answered.append(_answered(name, question, response, 1000 * (time.perf_counter() - started)))
    return answered


def _answered(system: str, question: WrittenQuestion, response: SearchResponse, milliseconds: float) -> Answered:
    agent = response.metrics.agent
    return Answered(
        system,
        question,
        distinct_messages(ranked_results(response, token_counter().count)),
        agent.queries if agent else (question.text,),
        agent.llm_called if agent else 0,
        agent.input_token + agent.output_token if agent else 0,
        milliseconds,
        response.query.notes,
    )


def _report(
    settings: Settings, questions: Sequence[WrittenQuestion], answered: Sequence[Answered], planners: Sequence[str]
) -> Report:
    rows = rows_of(answered, groups_of(questions) | groups_of(questions, "split"))
    by_system: dict[str, list[Answered]] = {}
    for each in answered:
        by_system.setdefault(each.system, []).append(each)
    baseline = [each.as_answer() for each in by_system[_BASELINE]]
    differences = [
        row
        for system, some in by_system.items()
        if system != _BASELINE
        for row in compare([each.as_answer() for each in some], baseline, system, _BASELINE)
        if row["category"] == ALL
    ]
    headline = {
        f"{str(row['system']).replace(', ', '_')}_{name}": row[figure]
        for row in rows
        if row["of"] == ALL
        for name, figure in (("hops@10", f"hops@{K}"), ("all@10", f"all hops@{K}"), ("searches", "searches"))
    }
    return Report(
        bench="multihop",
        settings={
            "index": settings.index.backend,
            "questions": len(questions),
            "left_out": len(written_questions()) - len(questions),
            "planners": list(planners),
            "model": settings.models.by_role.get(Role.AGENTS, settings.models.default) if "model" in planners else "",
            "embedder": embedder_of(settings),
            "agents": settings.agents.model_dump(mode="json"),
            "retrieval": settings.retrieval.model_dump(mode="json"),
        },
        rows=rows,
        headline={"index": settings.index.backend, "questions": len(questions), **headline},
        parts={
            "shapes": rows_of(answered, groups_of(questions, "shape")),
            "sources": rows_of(answered, groups_of(questions, "source")),
            "differences": differences,
            "answers": [_shown(each) for each in answered],
        },
    )


def _show(console: Console, report: Report) -> None:
    found, cost = SHOWN[:3], SHOWN[3:]
    title = f"Questions of several hops: found among the first {K} messages"
    print_table(console, title, report.rows, ["system", "of", "questions", *found])
    print_table(console, "What it takes", [row for row in report.rows if row["of"] == ALL], ["system", *cost])
    for part in ("shapes", "sources"):
        print_table(console, f"By {part[:-1]}", list(report.parts[part]), ["system", "of", "questions", *found])
    main: list[Row] = [row for row in report.parts["differences"] if str(row["figure"]) in found]
    print_differences(console, "Agents less hybrid, 95 % intervals", main)
    if left_out := report.settings["left_out"]:
        console.print(f"{left_out} questions are about conversations that were not given: they are left out")


def _shown(answered: Answered) -> dict[str, object]:
    """What a reader wants to see of an answer. The text of a question is ours; of the conversations only ids are told."""
    question = answered.question
    return {
        "system": answered.system,
        "id": question.id,
        "split": question.split,
        "shape": question.shape,
        "question": question.text,
        "found": answered.found,
        "queries": list(answered.queries) if question.source == "examples" else len(answered.queries),
        "milliseconds": answered.milliseconds,
        "notes": list(answered.notes),
    }
