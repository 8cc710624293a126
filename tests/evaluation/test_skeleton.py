"""The command of a benchmark: its options are those of its function, and what all have is given by the skeleton."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from evaluation.commands.skeleton import Bench, group
from evaluation.report import Report
from mneme.settings import Settings

SEEN: dict[str, Any] = {}


def measure(
    settings: Settings,
    console: Console,
    kind: str,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Of all.")] = 3,
    hidden: float = 0.5,
) -> Report:
    """Measure something.

    Raises:
        InputError: never.
    """
    SEEN.update(settings=settings, kind=kind, rounds=rounds, console=console, hidden=hidden)
    return Report("made-up", {}, [], {"pending": rounds - 3})


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> typer.Typer:
    monkeypatch.chdir(tmp_path)
    module = ModuleType("made_up_bench")
    module.measure = measure  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "made_up_bench", module)
    SEEN.clear()
    lazily = {name: Bench("made_up_bench:measure", "embedded", {"kind": name}) for name in ("one", "two")}
    root = typer.Typer()
    root.add_typer(group("Everything.", lazily), name="bench")
    return root


def test_a_function_gets_its_options_and_what_all_benchmarks_have(app: typer.Typer) -> None:
    result = CliRunner().invoke(app, ["bench", "two", "--index", "opensearch"])
    assert result.exit_code == 0, result.output
    assert (SEEN["kind"], SEEN["rounds"], SEEN["hidden"]) == ("two", 3, 0.5)
    assert SEEN["settings"].index.backend == "opensearch"
    assert json.loads(Path("bench-results/made-up.json").read_text())["headline"] == {"pending": 0}
    assert result.output == "BENCH made-up pending=0\n"
    assert isinstance(SEEN["console"], Console)


def test_the_help_is_the_first_paragraph_and_names_no_parameter_that_is_no_option(app: typer.Typer) -> None:
    shown = CliRunner().invoke(app, ["bench", "one", "--help"]).output
    assert "Measure something." in shown
    assert "--rounds" in shown
    assert "InputError" not in shown
    assert "hidden" not in shown


def test_what_is_not_done_makes_the_exit_code_1(app: typer.Typer) -> None:
    assert CliRunner().invoke(app, ["bench", "one", "--rounds", "4"]).exit_code == 1
