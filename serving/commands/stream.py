"""Commands that move events: ingest, publish, run, flush."""

import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import connectors
import flows
import mneme
from mneme.errors import InputError, StoreUnavailable
from mneme.times import utc_now
from serving.commands.options import (
    AgentOption,
    ConversationOption,
    FileTenantOption,
    GroupOption,
    TenantOption,
    UrlOption,
    UserOption,
    given,
    not_blank,
    owner_of,
)
from serving.terminal.format import count
from serving.terminal.output import messages, note, output, progress_bar

if TYPE_CHECKING:
    from connectors.files.folders import Skipped
    from mneme.events import AnyEvent
    from mneme.ports import DeadLetter

FORMATS = "JSONL events, chat exports, documents (docs/formats.md), or folders of them."
Files = Annotated[list[Path], typer.Argument(metavar="FILE", help=FORMATS, show_default=False)]

_MOST_SHOWN = 20  # of what was not taken in


def ingest(
    files: Files,
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: FileTenantOption = None,
    conversation: ConversationOption = None,
) -> None:
    """Take files into the index, through the whole flow, until they end.

    A second run of the same files changes nothing. The owner options are for files that do not say whose memory they are. The
    exit code is 1 where an event was not taken in.
    """
    from connectors.dead_letters import FileDeadLetters
    from serving.terminal.tables import ingest_table

    defaults = given(user_id=user, group_id=group, agent_id=agent, tenant_id=tenant, conversation_id=conversation)
    settings = mneme.load_settings()
    dead_letters = FileDeadLetters(settings.data / "dead-letters.sqlite")
    before = sum(1 for _ in dead_letters.read())
    with progress_bar("Ingesting", "events") as on_progress:
        report = flows.ingest(files, settings, on_progress=on_progress, defaults=defaults)
    output().print(ingest_table(report))
    show_skipped(report.skipped)
    if not (report.messages or report.duplicates or report.episodes or report.dead_letters):
        note(f"Nothing new. Already read: {', '.join(path.name for path in files)}")
    if report.dead_letters:
        note(
            f"{count(report.dead_letters, 'event')} not taken in; whole, with reasons: `mneme admin dead-letters list`",
            "yellow",
        )
        _show_dead_letters(list(islice(dead_letters.read(), before, None)), report.files)
        raise typer.Exit(1)


def publish(
    files: Files,
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: FileTenantOption = None,
    conversation: ConversationOption = None,
    backfill: Annotated[bool, typer.Option("--backfill", help="Send behind everything live: for history.")] = False,
    url: UrlOption = None,
) -> None:
    """Send the events of files to the flow: to a service, to Kafka, or to the inbox of the embedded index.

    Files are sent whole. Messages sent before count once; edits and erasures are carried out again.
    """
    from connectors.files.files import read_file
    from connectors.files.folders import find_files
    from mneme.events import parse_event

    defaults = given(user_id=user, group_id=group, agent_id=agent, tenant_id=tenant, conversation_id=conversation)
    settings = mneme.load_settings()
    search = find_files(files, defaults)
    total = sum(found.events for found in search.files)
    sent, refused, started = 0, list[str](), time.monotonic()
    with (
        progress_bar("Publishing", "events") as on_progress,
        connectors.Publisher.connect(settings, url=url) as publisher,
    ):
        for found in search.files:
            for incoming in read_file(found.path, 0, name=found.name, **defaults):
                try:
                    _send(publisher, parse_event(incoming.raw, utc_now()), found.path, backfill)
                except InputError as error:
                    refused.append(f"{found.path}:{incoming.position.offset + 1}: {error}")
                else:
                    sent += 1
                on_progress(sent + len(refused), total)
    output().print(f"{count(sent, 'event')} published in {time.monotonic() - started:.1f} s")
    show_skipped(search.skipped)
    _note_first([f"not sent: {line}" for line in refused], "not sent")
    if refused:
        raise InputError(
            f"{count(len(refused), 'event')} not sent; correct and publish again, what has an id or a time is not doubled"
        )


def _send(publisher: "connectors.Publisher", event: "AnyEvent", path: Path, backfill: bool) -> None:
    """Send an event of a file. A document that lies in that file is sent with its content: the flow may be elsewhere."""

    if not isinstance(event, mneme.Document) or event.uri != path.resolve().as_uri():
        publisher.send(event, backfill=backfill)
        return
    publisher.send_document(
        path,
        document_id=event.document_id,
        name=event.name,
        user_id=event.user_id,
        group_id=event.group_id,
        agent_id=event.agent_id,
        tenant_id=event.tenant_id,
        media_type=event.media_type,
    )


def run(
    processes: Annotated[
        int | None,
        typer.Option(
            min=1, max=64, metavar="N", help="That share the work, as one unit; else MNEME_FLOW__PROCESSES.", show_default=False
        ),
    ] = None,
    engine: Annotated[
        Literal["bytewax", "flink"],
        typer.Option(metavar="NAME", help="bytewax: processes of this machine; flink: slots of a Flink cluster."),
    ] = "bytewax",
    jobmanager: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="REST address of the cluster, for --engine flink.")
    ] = "127.0.0.1:8081",
) -> None:
    """Run the flow into the index until it is stopped (SIGTERM or Ctrl-C).

    It reads Kafka, or with the embedded index its inbox, unless MNEME_SERVICE__INTAKE says otherwise.
    """
    from connectors.indices import index_place
    from connectors.telemetry.logs import telemetry

    settings = mneme.load_settings()
    if processes is not None:
        settings = settings.replace(flow={"processes": processes})
    if settings.intake == "inbox":
        intake: Literal["kafka", "inbox"] = "inbox"
        begin, reading = f"from the inbox in {settings.data}", "the inbox"
    else:
        topics, broker = settings.kafka.topics, settings.kafka.bootstrap_servers
        intake, begin = "kafka", f"from Kafka at {broker}"
        reading = f"{topics.messages}, {topics.documents} and {topics.backfill} at {broker}"
    note(f"Starting, {begin}.")
    told = f"Reading {reading}; writing to"  # where to, is known when the index is
    with telemetry(settings, "mneme-flow", metrics_port=True):
        flows.run(
            settings,
            on_ready=lambda: note(f"{told} {index_place(settings)}; stop with Ctrl-C."),
            intake=intake,
            jobmanager=jobmanager if engine == "flink" else "",
        )
    note("Stopped; the next run goes on from here.")


def flush(
    conversation: Annotated[
        str | None, typer.Argument(metavar="CONVERSATION", help="Its id.", show_default=False, callback=not_blank)
    ] = None,
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    wait: Annotated[bool, typer.Option("--wait", help="Wait until everything before it is searchable.")] = False,
    timeout: Annotated[float, typer.Option(min=0, help="Seconds that are waited.")] = 60.0,
    url: UrlOption = None,
) -> None:
    """Make searchable now what is open of a conversation, or of all conversations of an owner.

    The open episode is shown as it stands. It is not closed: if the conversation goes on, so does the episode. With the
    embedded index, and nobody who reads its inbox, the inbox is read here, and waited for.
    """
    from serving.service.remote import open_service

    is_owned = user is not None or group is not None or agent is not None
    if (conversation is None) is not is_owned:
        raise InputError("give a CONVERSATION, or one of --user, --group and --agent: it says what is flushed")
    owner = owner_of(user, group, agent, tenant) if is_owned else None
    settings = mneme.load_settings()
    what = conversation or f"{user or group or agent}"
    with open_service(settings, url) as service:
        must_wait = wait or service.runs_the_flow
        seconds = timeout if must_wait else 0.0
        with messages().status(f"Flushing {what}"):
            flushed = service.flush_owner(owner, seconds) if owner else service.flush(tenant, [what], seconds)
    ids = ", ".join(flushed.flush_ids)
    if not flushed.flush_ids:
        output().print(f"nothing of {what} is open")
    elif not must_wait:
        output().print(f"flush {ids} sent")
    elif flushed.searchable:
        output().print(f"everything sent to {what} before this flush is searchable, after {flushed.seconds:.1f} s")
    else:
        raise StoreUnavailable(
            f"flush {ids} is not done after {timeout:g} s; does the flow run (`mneme serve`, `mneme run`), and does it keep up"
            " (`mneme admin status`)?"
        )


def show_skipped(skipped: "Sequence[Skipped]") -> None:
    """Files of folders that are not taken in, each on a line with the reason."""
    _note_first([f"skipped: {each.path}: {each.reason}" for each in skipped], "skipped")


def _show_dead_letters(dead_letters: "Sequence[DeadLetter]", files: Sequence[Path]) -> None:
    """Show each dead letter on a line: the file, its line (or the number of its message, from 1), the reason."""
    from connectors.files.files import identities

    wanted = {letter.position.topic for letter in dead_letters if letter.position}
    topics = ((f"file:{identity[:16]}", str(path)) for path in files for identity, _ in (identities(path) if wanted else ()))
    names = {topic: path for topic, path in topics if topic in wanted}
    lines = []
    for dead_letter in dead_letters:
        position = dead_letter.position
        where = f"{names.get(position.topic, position.topic)}:{position.offset + 1}" if position else dead_letter.stage
        lines.append(f"{where}: {dead_letter.reason}")
    _note_first(lines, "not taken in")


def _note_first(lines: Sequence[str], what: str) -> None:
    for line in lines[:_MOST_SHOWN]:
        note(line, "yellow")
    if len(lines) > _MOST_SHOWN:
        note(f"and {len(lines) - _MOST_SHOWN:,} more {what}", "yellow")
