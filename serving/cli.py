"""``mneme``: the command line. Each command imports its room when it runs, so that ``mneme --help`` is quick.

An error that Mneme raises on purpose is one line on standard error: exit code 2 when the input or a setting is wrong,
1 when a model or a store failed. ``mneme --debug COMMAND`` shows where it came from.
"""

import errno
import logging
from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperGroup

from mneme import __version__
from mneme.errors import InputError, MnemeError, SettingsError
from serving import demo as demo_command
from serving.commands import (
    ask,
    bench,
    capacity,
    dead_letters,
    doctor,
    documents,
    erase,
    evaluate,
    fit,
    init,
    mcp,
    rebuild,
    recorded,
    reindex,
    search,
    serve,
    status,
    stream,
    transfer,
)
from serving.quick_start import begin_program
from serving.terminal.output import messages

_EXTRAS = {
    "bytewax": "flow",
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

_BENCHMARKS = "evaluation"
"""The package of the distribution mneme-bench."""

_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)  # a folder that may not be written, or read

# Clients log every attempt before they give up; what counts in the end is raised, and is one line.
_TALKATIVE = ("kafka", "opensearch", "urllib3", "httpx")


class Commands(TyperGroup):
    """The boundary of the program: an error on purpose becomes one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except MnemeError as error:
            if ctx.params.get("debug"):
                raise
            messages().print(Text.assemble(("error: ", "bold red"), str(error)), soft_wrap=True)
            raise typer.Exit(2 if isinstance(error, InputError | SettingsError) else 1) from error
        except OSError as error:
            if error.errno not in _REFUSED or ctx.params.get("debug"):
                raise
            reason = (error.strerror or "refused").lower()
            text = f"{error.filename}: {reason}; correct the rights there, or set MNEME_DATA to another folder"
            messages().print(Text.assemble(("error: ", "bold red"), text), soft_wrap=True)
            raise typer.Exit(1) from error
        except ModuleNotFoundError as error:
            module = (error.name or "").split(".")[0]
            if module not in (*_EXTRAS, _BENCHMARKS) or ctx.params.get("debug"):
                raise
            text = f"{error.name} is not installed, and this command needs it; pip install 'mneme-river[{_EXTRAS.get(module)}]'"
            if module == _BENCHMARKS:
                text = "the benchmarks are not installed; they are a distribution of their own: pip install mneme-bench"
            messages().print(Text.assemble(("error: ", "bold red"), text), soft_wrap=True)
            raise typer.Exit(1) from error


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


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and log everything.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what the program does.")] = False,
) -> None:
    """Options of all commands."""
    level = logging.DEBUG if debug else logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(level if debug else logging.WARNING if verbose else logging.CRITICAL)


app.command(name="demo")(demo_command.demo)
stream.register(app)
search.register(app)
documents.register(app)
doctor.register(app)
init.register(app)
status.register(app)
ask.register(app)
transfer.register(app)
rebuild.register(app)
reindex.register(app)
dead_letters.register(app)
erase.register(app)
bench.register(app)
capacity.register(app)
evaluate.register(app)
fit.register(app)
recorded.register(app)
serve.register(app)
mcp.register(app)


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(f"mneme {__version__}")


def main() -> None:
    """The program."""
    begin_program()
    app()
