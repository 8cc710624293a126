"""Recorded models: ``mneme bench record``, ``replay``, and ``offline import``."""

import signal
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from evaluation.recording.local_endpoint import Answerer, local_endpoint
from evaluation.recording.recorder import ModelRecorder
from evaluation.recording.recordings import Recordings
from evaluation.recording.replayer import ModelReplayer, PendingRequests, import_answers, pending_path
from mneme.errors import InputError
from serving.terminal.format import count
from serving.terminal.output import note

_MOST_SHOWN = 20

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="What mneme bench record wrote.", show_default=False)]
PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Where to listen on 127.0.0.1; 0: any that is free.")]


def record(
    to: Annotated[Path, typer.Option(help="The file of recordings; one that is there is continued.", show_default=False)],
    upstream: Annotated[
        str, typer.Option(help="The endpoint, up to and with the version: https://host/v1.", show_default=False)
    ],
    port: PortOption = 0,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that the endpoint may say nothing.")] = 180.0,
) -> None:
    """Stand in front of an OpenAI-compatible endpoint, and record what it is asked and answers, until stopped (Ctrl-C).
    Prints the address for clients as a variable. What is in the file is not asked again. No key is recorded.
    """
    recordings = Recordings(to)
    recordings.add()  # nothing: a file that cannot be written is told before anything is paid for
    with closing(ModelRecorder(recordings, upstream, timeout)) as recorder:
        try:
            _serve(recorder.answer, port)
        finally:
            if recorder.counts["recorded"]:
                recordings.sort()
            parts = [f"{number} {what}" for what, number in sorted(recorder.counts.items())]
            note(f"{count(len(recordings), 'recording')} in {to}; requests: {', '.join(parts) or 'none'}")


def replay(
    file: FileArgument,
    port: PortOption = 0,
    pending: Annotated[
        bool, typer.Option("--pending", help="Write chat requests without a recording beside FILE, .pending.jsonl, as a batch.")
    ] = False,
) -> None:
    """Answer requests from recordings, without a key and without a network, until stopped (Ctrl-C).
    What is not recorded gets an error that clients do not try again; then the exit code is 1.
    """
    if not (file.exists() or pending):
        raise InputError(f"{file} is not there; name a file of `mneme bench record`")
    replayer = ModelReplayer(Recordings(file), PendingRequests(pending_path(file)) if pending else None)
    _serve(replayer.answer, port)
    unknown = replayer.unknown.total()
    note(f"{count(replayer.answered, 'request')} answered from {file}, {unknown} not recorded", "red" if unknown else "")
    for reason, times in replayer.unknown.most_common(_MOST_SHOWN):
        note(f"{times} x {reason}", "yellow")
    if unknown:
        raise typer.Exit(1)


def import_batch(
    console: Console,
    responses: Annotated[
        Path, typer.Argument(metavar="RESPONSES", help="What a batch answered, JSON lines.", show_default=False)
    ],
    into: Annotated[Path, typer.Option(help="The file of recordings.", show_default=False)],
    pending: Annotated[
        Path | None, typer.Option(help="The requests.", show_default="beside the recordings, .pending.jsonl")
    ] = None,
) -> None:
    """Take the answers of a batch into a file of recordings, and off the file of pending requests.
    What failed stays pending, and the exit code is 1.
    """
    waiting = PendingRequests(pending or pending_path(into))
    done = import_answers(responses, waiting, Recordings(into))
    console.print(
        f"{count(done.added, 'answer')} recorded in {into}, {done.known} known before; "
        f"{count(len(waiting), 'request')} pending in {waiting.path}",
        soft_wrap=True,
    )
    for custom_id, why in list(done.failed.items())[:_MOST_SHOWN]:
        note(f"{custom_id}: {why}", "yellow")
    if done.failed:
        note(f"{count(len(done.failed), 'request')} failed and stay pending", "red")
    if done.strange:
        note(f"{count(len(done.strange), 'answer')} of no pending request, such as {done.strange[0]}", "yellow")
    if done.failed or done.strange:
        raise typer.Exit(1)


def _serve(answerer: Answerer, port: int) -> None:
    """Answer on a port until a signal; the calls under way are finished. A second signal ends at once."""
    signals = (signal.SIGINT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # the threads of the endpoint have it too
    with local_endpoint(answerer, port) as url:
        typer.echo(f"MNEME_MODELS__BASE_URL={url}")
        signal.sigwait(signals)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
