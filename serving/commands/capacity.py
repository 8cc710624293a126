"""``mneme capacity`` and the benchmarks behind it: how much a load needs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class ShapeName(StrEnum):
    """How the messages of a load are spread."""

    EVEN = "even"
    HOT_OWNER = "hot owner"
    ENDLESS_TALK = "endless talk"


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(capacity)


def register_benches(benches: typer.Typer) -> None:
    """Add the benchmarks to the others."""
    benches.command()(scaling)


MeasuredOption = Annotated[
    Path | None,
    typer.Option("--measured", help="A folder with your own results, as JSON.", show_default="what ships with the project"),
]


def capacity(
    messages: Annotated[float, typer.Option("--messages-per-second", min=0, help="That come in.")] = 100.0,
    facts: Annotated[str, typer.Option("--facts", help="In the index in the end: 500k, 100M.")] = "10M",
    tenants: Annotated[int, typer.Option("--tenants", min=1, help="Among whom all is divided.")] = 100,
    searches: Annotated[
        float | None, typer.Option("--searches-per-second", min=0, help="Hybrid ones.", show_default="a tenth of the messages")
    ] = None,
    model: Annotated[bool, typer.Option("--model/--no-model", help="Whether a chat model extracts.")] = False,
    calls: Annotated[
        float | None, typer.Option("--model-calls-per-message", help="Of the model.", show_default="measured")
    ] = None,
    tokens: Annotated[
        str, typer.Option("--model-tokens-per-message", help="Prompt and answer: 420,60.", show_default="measured")
    ] = "",
    call_seconds: Annotated[float, typer.Option("--model-seconds", min=0, help="That one call takes.")] = 1.0,
    price_in: Annotated[float | None, typer.Option("--price-in", help="Dollars for a million tokens of prompts.")] = None,
    price_out: Annotated[float | None, typer.Option("--price-out", help="Dollars for a million tokens of answers.")] = None,
    cores: Annotated[int, typer.Option("--cores", min=1, help="Of a machine of the flow.")] = 16,
    replicas: Annotated[int, typer.Option("--replicas", min=0, help="Of each shard of the index.")] = 1,
    utilisation: Annotated[float, typer.Option("--utilisation", min=0.05, max=1, help="Of the processors.")] = 0.6,
    measured: MeasuredOption = None,
) -> None:
    """How many processors, gigabytes, shards, tokens and dollars a load needs."""
    from evaluation.capacity.model import Assumptions, Load
    from evaluation.capacity.plan import run_capacity
    from serving.terminal.output import output

    load = Load(
        messages=messages,
        facts=_number(facts, "--facts"),
        tenants=tenants,
        searches=messages / 10 if searches is None else searches,
        extracts_by_model=model or bool(tokens) or calls is not None,
        tokens=_pair(tokens),
        calls=calls,
        call_seconds=call_seconds,
        price_in=price_in,
        price_out=price_out,
    )
    run_capacity(load, Assumptions(utilisation, cores, replicas), measured, console=output())


def scaling(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file of conversations.", show_default=False)],
    messages: Annotated[int, typer.Option("--messages", min=100, help="Of each run.")] = 2000,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Of each way; figures are medians.")] = 5,
    shape: Annotated[
        list[ShapeName] | None, typer.Option("--shape", help="Of the load, repeatable.", show_default="all of them")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/scaling.json"
    ),
) -> None:
    """One process, two, and two flows by partition range, from Kafka to OpenSearch; a hot owner and an endless talk."""
    from evaluation.capacity.scaling import run_scaling
    from evaluation.capacity.shapes import Shape
    from mneme.settings import load_settings
    from serving.terminal.output import output

    shapes = [Shape(each.value) for each in shape or ShapeName]
    run_scaling(path, load_settings(), out, messages, rounds, shapes, console=output())


_UNITS = {"k": 1e3, "m": 1e6, "b": 1e9}


def _number(text: str, option: str) -> float:
    try:
        unit = _UNITS.get(text[-1:].lower())
        return float(text[:-1]) * unit if unit else float(text)
    except ValueError:
        raise typer.BadParameter(f"{option}: {text!r} is no number; write 500k or 100M") from None


def _pair(text: str) -> tuple[float, float] | None:
    if not text:
        return None
    prompt, _, answer = text.partition(",")
    option = "--model-tokens-per-message"
    return _number(prompt, option), _number(answer or "0", option)
