"""The command that writes a commented .env: init."""

import hashlib
import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from serving.terminal.output import note, output

_KEY_BYTES = 24


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(init)


def init(
    embedded: Annotated[bool, typer.Option("--embedded", help="An index in a folder of this machine: no server.")] = False,
    opensearch: Annotated[
        str | None, typer.Option(metavar="URL", help="An OpenSearch, with Kafka before it.", show_default=False)
    ] = None,
    kafka: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="The brokers, with --opensearch.", show_default=False)
    ] = None,
    openai: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="A chat model, at an OpenAI-compatible endpoint.", show_default=False),
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Its address, with --openai.", show_default=False)] = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="TENANT", help="Make a key for the service; * is the operator's.", show_default=False),
    ] = None,
    file: Annotated[Path, typer.Option(help="Where it goes.")] = Path(".env"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print it, and write nothing.")] = False,
) -> None:
    """Write a .env with every setting, its meaning and its default as comments, and what you choose active.

    Without options it asks, at a terminal; elsewhere it chooses the embedded index and no model.
    """
    from mneme.errors import InputError
    from serving.environment_file import environment_file, write_environment_file

    if embedded and opensearch is not None:
        raise InputError("--embedded and --opensearch are both given; leave one out")
    if kafka is not None and opensearch is None:
        raise InputError("--kafka: the embedded index has an inbox of its own; give --opensearch too, or leave it out")
    if base_url is not None and openai is None:
        raise InputError("--base-url: which model? give --openai MODEL too")
    if not show and file.exists() and not force:
        raise InputError(f"{file} is there already; --force replaces it, --print shows what would be written")
    if not (embedded or opensearch or openai or key or show) and _at_a_terminal():
        opensearch, kafka, openai, base_url, key = _asked()
    made = secrets.token_hex(_KEY_BYTES) if key is not None else None
    content = environment_file(_chosen(opensearch, kafka, openai, base_url, key, made))
    if show:
        typer.echo(content, nl=False)
        return
    write_environment_file(file, content, force)
    output().print(f"{file} written, readable by you alone", soft_wrap=True)
    if made is not None:
        whose = "the operator" if key == "*" else f"tenant {key}"
        output().print(f"the key of {whose}, shown this once: {made}", soft_wrap=True)
    if openai is not None and base_url is None:
        note("Set MNEME_MODELS__API_KEY in it.")
    note("Next: mneme doctor")


def _chosen(
    opensearch: str | None, kafka: str | None, openai: str | None, base_url: str | None, key: str | None, made: str | None
) -> dict[str, str]:
    """The settings that become active."""
    import json

    chosen = {"MNEME_INDEX__BACKEND": "opensearch" if opensearch else "embedded", "MNEME_DATA": "mneme-data"}
    if opensearch:
        chosen |= {"MNEME_OPENSEARCH__URL": opensearch}
        chosen |= {"MNEME_KAFKA__BOOTSTRAP_SERVERS": kafka or "127.0.0.1:9092"}
    if openai:
        chosen |= {"MNEME_MODELS__PROVIDER": "openai", "MNEME_MODELS__DEFAULT": openai}
        chosen |= {"MNEME_EXTRACTION__EXTRACTOR": "model"}
        if base_url:
            chosen |= {"MNEME_MODELS__BASE_URL": base_url}
    if made is not None and key is not None:
        hashed = hashlib.sha256(made.encode()).hexdigest()  # whoever reads the file cannot ask with it
        chosen |= {"MNEME_SERVICE__KEYS": json.dumps({f"sha256:{hashed}": key})}
    return chosen


def _at_a_terminal() -> bool:
    return sys.stdin.isatty()


def _asked() -> tuple[str | None, str | None, str | None, str | None, str | None]:
    """What somebody at a terminal wants, in three questions."""
    opensearch = kafka = base_url = None
    if typer.confirm("OpenSearch and Kafka? (no: an index in a folder, without servers)", default=False):
        opensearch = typer.prompt("OpenSearch", default="http://127.0.0.1:9200")
        kafka = typer.prompt("Kafka", default="127.0.0.1:9092")
    openai = typer.prompt("Chat model, behind an OpenAI-compatible endpoint (empty: none)", default="", show_default=False)
    if openai:
        base_url = typer.prompt("Its address", default="https://api.openai.com/v1")
    key = "default" if typer.confirm("A key, without which nobody may ask the service?", default=False) else None
    return opensearch, kafka, openai or None, base_url, key
