"""``mneme bench multihop``: whether the agents find all parts of an answer where one hybrid search does not.

1. Ingest the examples, and the files of LoCoMo that are given, through the flow into an index of their own.
2. Ask each written question by each system, one after the other; nothing else runs then.
3. Measure on messages, as a whole, by split, source and shape, against plain hybrid, and report.

``hops@10`` is the share of the hops of which some message is among the first ten that the places stand for, ``all hops@10``
whether none is missing, ``recall@10`` the share of all messages that are named for any hop.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import track

from connectors.indices import open_index
from connectors.models import open_embedder
from connectors.tokens import token_counter
from evaluation.metrics import distinct_messages, ranked_results, recall_at
from evaluation.multihop.questions import Material, WrittenQuestion, material_of, measurable, written_questions
from evaluation.own_index import fresh_index
from evaluation.report import Report, Row, embedder_of, plot_bars, print_table
from evaluation.retrieval.compare import compare, print_differences
from evaluation.retrieval.figures import ALL, Answer, mean_row
from flows import ingest
from mneme.errors import InputError
from mneme.ports import Role
from mneme.settings import Settings
from queries import Memories
from queries.agents.evidence import EPISODIC_KINDS, Evidence
from queries.agents.planner import Judgement, Tool
from queries.agents.query import Budget, QueryParam, QueryPolicy
from queries.agents.search import AgenticSearch
from queries.responses import SearchResponse

K = 10
SHOWN = (f"hops@{K}", f"all hops@{K}", f"recall@{K}", "searches", "model calls", "tokens", "milliseconds", "milliseconds_p95")


@dataclass(frozen=True, slots=True)
class Answered:
    """One question to one system: the messages that its places stand for, best first, and what that took.

    ``queries`` are what was searched for, ``notes`` what was left out and why.
    """

    system: str
    question: WrittenQuestion
    messages: Sequence[str]
    queries: Sequence[str]
    model_calls: int
    tokens: int
    milliseconds: float
    notes: Sequence[str] = ()

    @property
    def found(self) -> list[bool]:
        """For each hop, whether a message that serves it is among the first ten."""
        first = set(self.messages[:K])
        return [not hop.isdisjoint(first) for hop in self.question.hops]

    @property
    def figures(self) -> dict[str, float]:
        """Of this answer alone."""
        return {
            f"hops@{K}": sum(self.found) / len(self.found),
            f"all hops@{K}": float(all(self.found)),
            f"recall@{K}": recall_at(self.messages, self.question.evidence, K),
            "searches": float(len(self.queries)),
            "model calls": float(self.model_calls),
            "tokens": float(self.tokens),
            "milliseconds": self.milliseconds,
        }

    def as_answer(self) -> Answer:
        """In the form in which runs are compared: its category is the shape of the question."""
        owner = "/".join(self.question.owner.values())
        return Answer(self.system, self.question.id, self.question.shape, owner, self.figures, self.messages)


def rows_of(answered: Sequence[Answered], groups: Mapping[str, Iterable[WrittenQuestion]]) -> list[Row]:
    """The means of each system over each group of questions; times are medians, and 95th percentiles."""
    rows: list[Row] = []
    systems = dict.fromkeys(each.system for each in answered)
    for group, questions in groups.items():
        inside = {question.id for question in questions}
        for system in systems:
            some = [each.as_answer() for each in answered if each.system == system and each.question.id in inside]
            if some:
                mean = mean_row(some)
                rows.append(
                    {"system": system, "of": group, "questions": mean["questions"], **{name: mean[name] for name in SHOWN}}
                )
    return rows


def groups_of(questions: Sequence[WrittenQuestion], *attributes: str) -> dict[str, list[WrittenQuestion]]:
    """All questions, or without attributes only those; then those of each value of an attribute."""
    groups = {} if attributes else {ALL: list(questions)}
    for attribute in attributes:
        for question in questions:
            groups.setdefault(getattr(question, attribute), []).append(question)
    return groups


AGENTS = ("router", "split", "chain", "reflect")
DEPTH = 20  # places that every system may fill; the first ten messages of them are measured

System = Callable[[WrittenQuestion], SearchResponse]


def hybrid(memories: Memories, question: WrittenQuestion) -> SearchResponse:
    """One search."""
    return memories.search(question.text, "hybrid", _filters(question), top_k=DEPTH)


def agentic(memories: Memories, agent: str, question: WrittenQuestion) -> SearchResponse:
    """Search by an agent; the settings of the memories name its planner."""
    return memories.search(question.text, "agentic", _filters(question), top_k=DEPTH, agent=agent)


def oracle(memories: Memories, searches: AgenticSearch, question: WrittenQuestion) -> SearchResponse:
    """Search by an agent that knows all queries: the question and each of its hops."""
    filters = _filters(question)

    def search(query: str, top_k: int, everything: bool, people: tuple[str, ...] = ()) -> SearchResponse:
        return memories.search(query, "hybrid", filters if everything else {**filters, "kinds": EPISODIC_KINDS}, top_k)

    return searches.search(QueryParam(question.text, DEPTH, filters=filters), QueryPolicy(), search, Tool.SPLIT)


class Oracle:
    """A planner that knows the words in which each hop was asked for; it has not seen what answers them.

    What it finds is what perfect decisions could bring at most: the rest is lost by the searches, or by the places left.
    """

    name = "oracle"

    def __init__(self, questions: Sequence[WrittenQuestion]) -> None:
        """Prepare.

        Args:
            questions: those that it will be asked.
        """
        self._parts = {question.text: tuple(question.hop_questions) for question in questions}

    def route(self, question: str, budget: Budget) -> Tool:
        """Always split: it needs no answer of one hop to ask for the next."""
        return Tool.SPLIT

    def split(self, question: str, budget: Budget) -> tuple[str, ...]:
        """Return the written question of each hop."""
        return self._parts[question]

    def judge(self, question: str, found: Evidence, budget: Budget) -> Judgement:
        """The first hop that was not asked for."""
        left = [part for part in self._parts[question] if part not in found.queries]
        return Judgement(not left, 1.0, tuple(left[:1]))

    def supplement(self, question: str, found: Evidence, count: int, budget: Budget) -> Judgement:
        """The hops that were not asked for."""
        left = [part for part in self._parts[question] if part not in found.queries]
        return Judgement(not left, 1.0, tuple(left[:count]))


def systems_of(planner: str, memories: Memories, agents: Sequence[str] = AGENTS) -> dict[str, System]:
    """The agents of one planner, each by the name of both."""
    return {f"{planner}, {agent}": partial(agentic, memories, agent) for agent in agents}


def _filters(question: WrittenQuestion) -> dict[str, object]:
    return {**question.owner, "expired": True}  # what was expected then may lie behind


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
        about = material_of(examples, sets, Path(folder))
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
    about: Material,
    planners: Sequence[str],
    with_oracle: bool,
    console: Console,
) -> list[Answered]:
    now = [max(about.messages(questions[0].owner).values())]
    last = {question.id: max(about.messages(question.owner).values()) for question in questions}
    with ExitStack() as stack:

        def memories(planner: str) -> Memories:
            changed = settings.replace(agents={"planner": planner})
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
            "answers": [_answer_row(each) for each in answered],
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


def _answer_row(answered: Answered) -> dict[str, object]:
    """Return an answer for the report. The text of a question is ours; of the conversations only ids are told."""
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
