"""``mneme admin dead-letters``: what could not be taken in, why, and once more."""

import json
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import connectors
import flows
import mneme
from connectors.durable import is_locked
from mneme.errors import InputError
from mneme.times import utc_now
from serving.commands.options import not_blank
from serving.terminal.format import count, last_line
from serving.terminal.output import note, output

if TYPE_CHECKING:
    from mneme.ports import DeadLetter
    from serving.service.dead_letters import DeadLetterQueue

app = typer.Typer(no_args_is_help=True, help="Events that could not be taken in.")

Place = Literal["kafka", "file"]
FromOption = Annotated[
    Place | None,
    typer.Option("--from", help="Where they are kept.", show_default="kafka with OpenSearch, file with the embedded index"),
]
NumberArgument = Annotated[int, typer.Argument(metavar="N", help="Its number in the list.", show_default=False)]
NumbersArgument = Annotated[
    list[int] | None, typer.Argument(metavar="N", help="Their numbers in the list.", show_default=False)
]
StageOption = Annotated[str | None, typer.Option(help="Only those of this step.", show_default=False, callback=not_blank)]


@app.command(name="list")
def list_letters(
    place: FromOption = None,
    stage: StageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List dead letters, newest last."""
    from serving.terminal.tables import dead_letter_json, dead_letters_table

    numbered = _numbered(_open(mneme.load_settings(), place))
    numbered = {number: each for number, each in numbered.items() if stage in (None, each.stage)}
    if as_json:
        for number, dead_letter in numbered.items():
            typer.echo(json.dumps(dead_letter_json(number, dead_letter), ensure_ascii=False))
    elif numbered:
        output().print(dead_letters_table(numbered))
    else:
        note("no dead letters")


@app.command()
def show(number: NumberArgument, place: FromOption = None) -> None:
    """Show everything of one dead letter, with its bytes; passwords, keys and tokens in it are asterisks."""
    from serving.terminal.tables import dead_letter_text

    dead_letter = _chosen(_numbered(_open(mneme.load_settings(), place)), [number])[0]
    output().print(dead_letter_text(number, dead_letter), soft_wrap=True)


@app.command()
def replay(
    numbers: NumbersArgument = None,
    place: FromOption = None,
    stage: StageOption = None,
    every: Annotated[bool, typer.Option("--all", help="All that can be.")] = False,
    discard: Annotated[bool, typer.Option("--discard", help="Take the letters away and send nothing: they are done.")] = False,
) -> None:
    """Send events again, and take their letters away. What is wrong still stays, with the reason.

    To repeat it, or to be interrupted in it, makes no duplicates: an event that arrives twice counts once. The exit code is not
    0 while any of the letters stays, or has come back at once. Where a flow runs, one may come back later.
    """

    if not numbers and not every and stage is None:
        raise InputError("which letters? give their numbers (`mneme admin dead-letters list`), --stage or --all")
    box = _open(mneme.load_settings(), place)
    numbered = _numbered(box)
    dead_letters = _chosen(numbered, numbers) if numbers else list(numbered.values())
    dead_letters = [dead_letter for dead_letter in dead_letters if stage is None or dead_letter.stage == stage]
    if discard:
        done = frozenset(dead_letters)
        box.remove(lambda dead_letter: dead_letter in done)
        output().print(f"{count(len(dead_letters), 'dead letter')} discarded")
        return
    refused = box.replay(dead_letters)
    output().print(f"{count(len(dead_letters) - len(refused), 'dead letter')} replayed")
    names = {dead_letter: number for number, dead_letter in numbered.items()}
    for dead_letter, reason in refused.items():
        note(f"{names[dead_letter]}: not replayed: {reason}", "yellow")
    sent = {_one_line(_event(dead_letter)) for dead_letter in dead_letters if dead_letter not in refused}
    returned = [each for each in box.dead_letters() if each not in names and _one_line(each.raw) in sent]
    if returned:
        note(f"{count(len(returned), 'letter')} came back as dead: {last_line(returned[-1].reason)}", "yellow")
    if refused or returned:
        note("`mneme admin dead-letters replay N --discard` takes away what can never be right", "yellow")
    if numbers and refused:
        raise InputError(f"{count(len(refused), 'letter')} of those not replayed, for the reasons above")
    if refused or returned:
        raise typer.Exit(1)


def _open(settings: "mneme.Settings", place: Place | None) -> "DeadLetterQueue":
    from serving.service.dead_letters import open_dead_letters

    chosen: Place = place or ("kafka" if settings.index.backend == "opensearch" else "file")
    return open_dead_letters(settings, chosen, partial(_send_again, settings))


def _send_again(settings: "mneme.Settings", dead_letters: "Sequence[DeadLetter]") -> None:
    from connectors.inbox import inbox_folder
    from mneme.events import parse_event

    events = [_event(dead_letter) for dead_letter in dead_letters]
    if settings.intake != "inbox" or not is_locked(inbox_folder(settings.data)):
        _ingest(events, settings)
        return
    with connectors.Publisher.connect(settings.replace(service={"url": None})) as publisher:  # a flow runs, and it alone writes
        publisher.send_many(parse_event(event, utc_now()) for event in events)


def _ingest(events: "Sequence[bytes]", settings: "mneme.Settings") -> None:
    with tempfile.TemporaryDirectory(prefix="mneme-replay-") as folder:
        path = Path(folder) / "events.jsonl"
        path.write_bytes(b"".join(_one_line(event) + b"\n" for event in events))
        flows.ingest([path], settings)


def _event(dead_letter: "DeadLetter") -> bytes:
    """The event that a replay sends."""
    from connectors.kafka.replay import event_to_replay

    return event_to_replay(dead_letter)[1]


def _one_line(event: bytes) -> bytes:
    return b" ".join(event.splitlines())


def _numbered(box: "DeadLetterQueue") -> "dict[int, DeadLetter]":
    return dict(enumerate(box.dead_letters(), start=1))


def _chosen(numbered: "dict[int, DeadLetter]", numbers: Sequence[int]) -> "list[DeadLetter]":
    if missing := [str(number) for number in numbers if number not in numbered]:
        raise InputError(f"no dead letter {', '.join(missing)}; there are {len(numbered)} (`mneme admin dead-letters list`)")
    return [numbered[number] for number in sorted(set(numbers))]
