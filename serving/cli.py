"""``mneme``: the command line. Each command imports its room when it runs, so that ``mneme --help`` is quick.

An error that Mneme raises on purpose is one line on standard error: exit code 2 when the input or a setting is wrong,
1 when a model or a store failed. ``mneme --debug COMMAND`` shows the traceback.
"""

import errno
import logging
from importlib import import_module
from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperGroup

from mneme import __version__
from mneme.errors import InputError, MnemeError, SettingsError
from serving.commands import dead_letters, demo, erase, maintenance, search, serve, setup, stream
from serving.startup import begin_program
from serving.terminal.output import messages

_EXTRAS = {
    "bytewax": "flow",
    "pyflink": "flink",
    "kafka": "kafka",
    "opensearchpy": "opensearch",
    "lancedb": "embedded",
    "pyarrow": "embedded",
    "onnxruntime": "local",
    "onnx": "local",
    "safetensors": "local",
    "tokenizers": "local",
    "psutil": "flow",
    "unstructured": "documents",
    "fsspec": "documents",
    "s3fs": "s3",
    "matplotlib": "bench",
    "mcp": "mcp",
    "fastapi": "serve",
    "uvicorn": "serve",
    "limits": "serve",
}

_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)  # a folder that may not be written, or read
_NO_FOLDER = (errno.ENOTDIR, errno.EEXIST)  # a file where a folder is made

# Clients log every attempt before they give up; the error in the end is raised, and is one line.
_VERBOSE_LIBRARIES = ("kafka", "opensearch", "urllib3", "httpx")


class Commands(TyperGroup):
    """The boundary of the program: an error on purpose becomes one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (MnemeError, OSError, ModuleNotFoundError) as error:
            text = _line(error)
            if text is None or ctx.params.get("debug"):
                raise
            messages().print(Text.assemble(("error: ", "bold red"), text), soft_wrap=True)
            raise typer.Exit(2 if isinstance(error, InputError | SettingsError) else 1) from error


def _line(error: Exception) -> str | None:
    """The message of an error that the user can act on; None for all others."""
    match error:
        case MnemeError():
            return str(error)
        case OSError() if error.errno in (*_DENIED, *_NO_FOLDER):
            reason = (error.strerror or "refused").lower()
            remedy = "correct the rights there" if error.errno in _DENIED else "it must be a folder that may be written"
            return f"{error.filename}: {reason}; {remedy}, or set MNEME_DATA to another folder"
        case ModuleNotFoundError() if extra := _EXTRAS.get((error.name or "").split(".")[0]):
            return f"{error.name} is not installed, and this command needs it; pip install 'mneme-river[{extra}]'"
    return None


app = typer.Typer(
    name="mneme",
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A river of memory for AI agents: conversations stream in, become episodes and facts, and are found again.",
    epilog="Settings are environment variables, see docs/settings.md. Try first: mneme demo",
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"mneme {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and log everything.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what the program does.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options of all commands."""
    level = logging.DEBUG if debug else logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for name in _VERBOSE_LIBRARIES:
        logging.getLogger(name).setLevel(level if debug else logging.WARNING if verbose else logging.CRITICAL)


for command in (
    demo.demo,
    stream.ingest,
    stream.publish,
    stream.run,
    stream.flush,
    serve.serve,
    serve.mcp,
    search.search,
    search.ask,
    search.history,
    search.inspect,
    erase.erase,
    setup.doctor,
):
    app.command()(command)

admin = typer.Typer(no_args_is_help=True, help="For operators: set up, look after and move an index and its stream.")
for operation in (
    setup.init,
    setup.status,
    maintenance.backfill,
    maintenance.rebuild,
    maintenance.reindex,
    maintenance.export,
    maintenance.engine,
):
    admin.command()(operation)
admin.command(name="import")(maintenance.import_)
admin.add_typer(dead_letters.app, name="dead-letters")
app.add_typer(admin, name="admin")

try:
    app.add_typer(import_module("evaluation.commands").app, name="bench")
except ModuleNotFoundError:

    @app.command()
    def bench() -> None:
        """Benchmarks, a distribution of their own: pip install mneme-bench."""
        raise InputError("the benchmarks are not installed; they are a distribution of their own: pip install mneme-bench")


def main() -> None:
    """Run the program."""
    begin_program()
    app()
