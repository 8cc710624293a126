"""The skeleton of a benchmark's command: its function, with options for what it can be told.

A function says by Typer's annotations which of its parameters are options. The skeleton gives it what all have: ``settings``
of the environment, with the index that ``--index`` names, and the ``console``. A report that it returns goes to ``--out``. The
help is the first paragraph of its docstring. Its module is imported when the command runs, so that ``mneme --help`` is quick.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command
from typer.models import ParameterInfo

from evaluation.options import Backend, IndexOption, OutOption
from serving.terminal.output import output

_NOT_DONE = ("failed", "pending")  # figures of a headline that make the exit code 1


@dataclass(frozen=True, slots=True)
class Bench:
    """A command: ``MODULE:FUNCTION``, the default of ``--index`` where it has that, and arguments that are no options."""

    function: str
    index: Backend | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    help: str = ""


def group(purpose: str, benches: Mapping[str, Bench]) -> typer.Typer:
    """A group of commands, made when they are asked for, before those that are added to it."""

    class _Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = cast(Any, _Commands(benches, self.commands))

    return typer.Typer(cls=_Group, no_args_is_help=True, help=purpose)


class _Commands(Mapping[str, Any]):
    def __init__(self, benches: Mapping[str, Bench], others: Mapping[str, Any]) -> None:
        self._benches, self._others = benches, others

    def __getitem__(self, name: str) -> Any:
        return _command(name, self._benches[name]) if name in self._benches else self._others[name]

    def __iter__(self) -> Iterator[str]:
        yield from (*self._benches, *self._others)

    def __len__(self) -> int:
        return len(self._benches) + len(self._others)


def _command(name: str, bench: Bench) -> Any:
    module, _, function = bench.function.partition(":")
    run: Callable[..., object] = getattr(import_module(module), function)
    alone = typer.Typer(add_completion=False)
    alone.command(name, help=bench.help or (inspect.getdoc(run) or "").partition("\n\n")[0])(_told_by_options(bench, run))
    return get_command(alone)


def _told_by_options(bench: Bench, run: Callable[..., object]) -> Callable[..., None]:
    """The function with its options alone as parameters."""
    from evaluation.report import Report
    from mneme.settings import load_settings

    known, returns = inspect.signature(run).parameters, inspect.signature(run).return_annotation
    options = {each.name: each for each in known.values() if _is_option(each)}
    if returns is Report:
        options["out"] = _option("out", OutOption, None)
    if bench.index is not None:
        options["index"] = _option("index", IndexOption, bench.index)

    def call(index: Backend | None = None, out: Path | None = None, **chosen: Any) -> None:
        settings, console = load_settings(), output()
        if index is not None:
            settings = settings.replace(index={"backend": index})
        given = {"settings": settings, "console": console, "out": out}
        found = run(**{each: value for each, value in given.items() if each in known}, **bench.given, **chosen)
        if isinstance(found, Report):
            found.finish(console, out or Path("bench-results", f"{found.bench}.json"))
            if any(found.headline.get(each) for each in _NOT_DONE):
                raise typer.Exit(1)

    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in options.values()]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {}
    return call


def _is_option(parameter: inspect.Parameter) -> bool:
    return any(isinstance(each, ParameterInfo) for each in getattr(parameter.annotation, "__metadata__", ()))


def _option(name: str, annotation: Any, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
