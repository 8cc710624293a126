"""Results of a search and answers in a terminal: tables of rich, which knows how wide Chinese is."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mneme.text import ends_in_question, has_cjk
from serving.found import episodes_of, ranked_lists, replacements, texts_of
from serving.terminal.format import cited, count, day, expected, joined, shortened, until, whole_day

if TYPE_CHECKING:
    from mneme.records import AtomicFact, ProfileItem
    from queries.answers.answer import AnswerResponse
    from queries.responses import (
        AgentMetrics,
        Found,
        FoundEpisode,
        FoundFact,
        GraphRelationship,
        SearchResponse,
        TraceStep,
    )


_FACTS_UNDER_AN_EPISODE = 3
_LINES_OF_A_PROFILE = 3  # in short


_Shown = tuple[str, Text, tuple[Text, ...]]  # of a result: when, the headline, and the lines below it


def search_result(found: "SearchResponse") -> RenderableType:
    """The ranking as one table over all types, then the graph, notes and cost; with a trace, what each stage did."""
    ranked = found.ranked()
    parents = episodes_of(found)
    parts: list[RenderableType] = []
    if ranked:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
        table.add_column("#", justify="right", style="bold", no_wrap=True)
        table.add_column("score", justify="right", style="cyan", no_wrap=True)
        table.add_column("when", style="green", no_wrap=True)
        table.add_column("memory", ratio=1, overflow="fold")
        for item in ranked:
            when, headline, lines = _result(item, parents)
            table.add_row(str(item.rank), f"{item.score:.2f}", when, Group(headline, *lines))
        parts.append(table)
    else:
        parts.append(Text("nothing found", style="yellow"))
    for message in found.raw_messages:
        if message.rank is None:  # around a result
            parts.append(Text.assemble((f"{day(message.sent_at)}  {message.sender_name}: ", "dim"), message.text))
    parts += [_edge(edge) for edge in found.graph.relationships]
    parts += [Text(f"note: {line}", style="yellow") for line in found.query.notes]
    metrics = found.metrics
    round_trips = count(metrics.round_trips, "round trip")
    cost = f"{count(len(ranked), 'result')} · {found.query.method} · {metrics.milliseconds:.0f} ms · {round_trips}"
    parts.append(_dim(cost))
    if metrics.agent is not None:
        parts.append(_dim(_work(metrics.agent)))
    if found.trace is not None:
        parts.append(explanation(found))
    return Group(*parts)


def _work(agent: "AgentMetrics") -> str:
    """Work of an agent for a question."""
    work = f"{agent.selected_tool}, decided by {agent.planner} · {count(agent.memory_search_called, 'search', 'searches')}"
    if agent.llm_called:
        work += f" · {count(agent.llm_called, 'model call')} · {agent.input_token + agent.output_token:,} tokens"
    return work


def in_short(item: "Found") -> Text:
    """A result in a line or two: when or where it was said, and the words; of an episode its subject and its best fact."""
    from queries import responses

    match item:
        case responses.FoundFact():
            return Text.assemble((cited(item.citation) or day(item.said_at), "green"), "  ", said(item))
        case responses.FoundEpisode():
            when = cited(item.citation) or day(item.started_at)
            best = next((fact for fact in item.atomic_facts if not only_asks(fact)), None)
            head = Text.assemble((when, "green"), "  ", (item.subject, "bold"))
            return Text.assemble(head, " · ", said(best)) if best else head
        case responses.FoundProfile():
            lines = "; ".join(line.statement for line in (*item.explicit, *item.implicit)[:_LINES_OF_A_PROFILE])
            return Text.assemble(("profile", "green"), "  ", lines)
        case responses.FoundCase():
            return Text.assemble(("case", "green"), "  ", (item.task_intent, "bold"), f" · {_lesson(item.key_insight)}")
        case responses.FoundSkill():
            return Text.assemble(("skill", "green"), "  ", (item.name, "bold"), f" · {shortened(item.description)}")
        case _:
            return Text(item.text)


def _lesson(insight: str) -> str:
    """The key insight of a case with what failed first, without the calls of tools.

    >>> _lesson("Lesson: migrate first. Failed: get(url=x) -> 503: no column vat. Failed: migrate(y) -> error: locked.")
    'Lesson: migrate first. Failed: 503: no column vat.'
    """
    lesson, mark, calls = insight.partition("Failed: ")
    first = re.split(r"\. (?:Failed|Then worked): ", calls)[0].removesuffix(".")
    return shortened(f"{lesson}{mark}{first.rpartition(' -> ')[2]}{'.' if mark else ''}", 300)


def said(fact: "AtomicFact | FoundFact") -> Text:
    """A fact as it is read best: who said it, the words, what they answer, and the day that they mean."""
    if (quote := fact.quote) is None:
        return Text(fact.atomic_fact)
    asked = quote.question or quote.context
    if fact.citation:  # what stands above the words in the document
        return Text.assemble((f"{shortened(asked.words)} " if asked else "", "dim"), quote.words)
    text = Text.assemble((f"{quote.speaker}: ", "bold"), quote.words)
    if asked:
        text.append(f"  (to: “{shortened(asked.words)}”)", "dim")
    return text.append(fact.atomic_fact.rpartition(quote.words)[2], "dim")


def _result(item: "Found", parents: "Mapping[str, FoundEpisode]") -> _Shown:
    from queries import responses

    match item:
        case responses.FoundFact():
            return _fact(item, parents.get(item.parent_episode_id))
        case responses.FoundEpisode():
            return _episode(item)
        case responses.FoundMessage():
            headline = Text.assemble((f"{item.sender_name}: ", "bold"), item.text)
            if item.citation is not None:
                source = joined("message", cited(item.citation))
            else:
                source = "message" if item.parent_episode_id else "message of an open episode"
            return day(item.sent_at), headline, (_dim(source),)
        case responses.FoundForesight():
            when = expected(item.start, item.end) if item.start else ""
            lines = (_dim(cited(item.citation)),) if item.citation else ()
            return when, Text.assemble(item.statement, (" · over" if item.expired else " · expected", "dim")), lines
        case responses.FoundProfile():
            portrait = tuple(_line(line) for line in (*item.explicit, *item.implicit))
            return "", Text("Profile", style="bold"), portrait
        case responses.FoundCase():
            insight = Text(item.key_insight)
            return "", Text(item.task_intent, style="bold"), (insight, _dim("agent case"))
        case responses.FoundSkill():
            source = f"agent skill · from {count(len(item.source_case_ids), 'case')}"
            return "", Text(item.name, style="bold"), (Text(item.description), _dim(source))


def _fact(fact: "FoundFact", parent: "FoundEpisode | None") -> _Shown:
    source = joined("fact", parent.subject if parent else fact.topic_name, cited(fact.citation))
    if fact.times_said > 1:
        source += f" · said {count(fact.times_said, 'time')}"
    if fact.valid_to:
        source += f" · {until(fact.valid_to)}"
    return day(fact.said_at), Text(fact.atomic_fact), (_dim(source),)


def only_asks(fact: "FoundFact") -> bool:
    """Tell whether the words of a fact end in a question."""
    return ends_in_question(fact.quote.words if fact.quote else fact.atomic_fact)


def _episode(episode: "FoundEpisode") -> _Shown:
    lines = [Text(episode.summary)] if episode.summary != episode.subject else []
    facts = [Text(_item(fact.atomic_fact)) for fact in episode.atomic_facts[:_FACTS_UNDER_AN_EPISODE]]
    if episode.document_id is not None:
        source = joined("document", cited(episode.citation) or episode.document_id)
    else:
        messages = count(len(episode.message_ids), "message")
        source = joined("episode", ", ".join(episode.participants), messages, cited(episode.citation))
    return day(episode.started_at), Text(episode.subject, style="bold"), (*lines, *facts, _dim(source))


def _edge(edge: "GraphRelationship") -> Text:
    words = [f"since {whole_day(edge.date)}"] if edge.date else []
    words += [until(edge.valid_to, whole_day)] if edge.valid_to else []
    words += [f"said {count(edge.mentions, 'time')}"] if edge.mentions > 1 else []
    edge_itself = f"  {edge.source} — {edge.relation.replace('_', ' ')} — {edge.target}"
    return Text.assemble((edge_itself, "magenta"), (f"  {' · '.join(words)}" if words else "", "dim"))


def _line(line: "ProfileItem") -> Text:
    times = f" · shown {count(len(line.evidence), 'time')}" if len(line.evidence) > 1 else ""
    return Text.assemble(_item(line.statement), (times, "dim"))


def _item(text: str) -> str:
    """An item of a list. A Chinese text has no blank behind the dot: a line would break there, before the whole text."""
    return f"•{'' if has_cjk(text[:1]) else ' '}{text}"


def _dim(text: str) -> Text:
    return Text(text, style="dim")


_BEST_OF_A_LIST = 5
_REPLACEMENTS = 20


def explanation(found: "SearchResponse") -> RenderableType:
    """The trace of a search, summarised for each stage. The whole of it is in the JSON.

    Of an agent every step is shown, and then how the search for the question itself came to its result.
    """
    texts = {identity: shortened(text) for identity, text in texts_of(found).items()}
    steps = found.trace or ()
    table = Table(
        title="How it was found", title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True
    )
    table.add_column("stage", no_wrap=True)
    table.add_column("what", no_wrap=True)
    table.add_column("score", justify="right", style="cyan", no_wrap=True)
    table.add_column("record", ratio=1, overflow="fold")
    for step in steps:
        if step.stage == "agent":
            score = f"{step.score:.2f}" if step.move == "judge" else ""
            table.add_row("agent", step.move, score, Text.assemble(step.id, (f"\n{step.reason}", "dim")))
    for (stage, move, collection), listed in ranked_lists(steps).items():
        table.add_row(stage, f"{move} {collection}".strip(), "", Text(f"{len(listed):,} found; best first:", style="dim"))
        for step in listed[:_BEST_OF_A_LIST]:
            table.add_row("", "", f"{step.score:.3f}", Text(texts.get(step.id, step.id)))
    if competed := [step for step in steps if step.stage == "compete"]:
        _competition(table, competed, texts)
    return Group(Text(""), table, Text("every step, with its reason: --explain --json", style="dim"))


def _competition(table: Table, steps: "Sequence[TraceStep]", texts: Mapping[str, str]) -> None:
    moves = Counter(step.move for step in steps)
    counts = Text(", ".join(f"{number:,} {move}" for move, number in moves.items()), style="dim")
    table.add_row("compete", "", "", counts)
    replaced = replacements(steps)
    for step, fact in replaced[:_REPLACEMENTS]:
        record = Text.assemble(texts.get(step.id, step.id), ("\nby its fact: ", "dim"), texts.get(fact, fact))
        table.add_row("", "replaced", f"{step.score:.3f}", record)
    if len(replaced) > _REPLACEMENTS:
        table.add_row("", "", "", Text(f"and {len(replaced) - _REPLACEMENTS:,} more", style="dim"))


def answer_view(response: "AnswerResponse") -> RenderableType:
    """The citations by number; with ``explain`` the reasoning and the context before them."""
    parts: list[RenderableType] = [Text("")]
    if response.searched != response.question:
        parts.append(_dim(f"understood as: {response.searched}"))
    if response.context is not None:
        parts += [Text(response.context), Text("")]
        parts += [Text("Reasoning", style="bold"), Text(response.reasoning), Text("")] if response.reasoning else []
    if response.citations:
        table = Table.grid(padding=(0, 1), expand=True)
        table.add_column(justify="right", style="bold", no_wrap=True)
        table.add_column(style="green", no_wrap=True)
        table.add_column(ratio=1, overflow="fold")
        for citation in response.citations:
            when = day(citation.said_at.astimezone(response.asked_at.tzinfo)) if citation.said_at else citation.kind
            text = Text(citation.text)
            if citation.document is not None:
                text.append(f" · {cited(citation.document)}", style="dim")
            table.add_row(f"[{citation.number}]", when, text)
        parts.append(table)
    metrics = response.metrics
    cost = [
        "quotes" if response.extractive else "by a model",
        f"{metrics.memories} of {metrics.candidates} memories shown",
        f"{metrics.milliseconds:.0f} ms",
    ]
    if metrics.llm_called:
        cost += [count(metrics.llm_called, "call"), f"{metrics.input_token + metrics.output_token:,} tokens"]
    parts.append(_dim(" · ".join(cost)))
    return Group(*parts)
