"""What stands below an answer in a terminal: how the question was understood, the memories it cites, what it cost."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from serving.terminal.rendering import cited, day
from serving.terminal.words import count

if TYPE_CHECKING:
    from queries.answers.answer import AnswerResponse


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


def _dim(text: str) -> Text:
    return Text(text, style="dim")
