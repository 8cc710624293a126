"""``mneme bench``: measure on your own copy of a data set, and fit what ships; the project ships no data set."""

import typer

from evaluation.commands import answers, fit, quality, recorded, retrieval, speed

app = typer.Typer(no_args_is_help=True, help="Benchmarks on your own data: table, JSON, plot, one line of headline figures.")
for _name, _purpose in retrieval.PURPOSES.items():
    app.command(_name, help=_purpose)(retrieval.measuring(_name))
for _command in (
    retrieval.compare,
    retrieval.peers,
    quality.boundaries,
    quality.lists,
    speed.ingest,
    speed.query,
    speed.stages,
    speed.faults,
    speed.engines,
    speed.freshness,
    speed.load,
    speed.startup,
    speed.capacity,
    recorded.record,
    recorded.replay,
):
    app.command()(_command)
app.add_typer(quality.truth, name="truth")
app.add_typer(answers.evaluations, name="eval")
app.add_typer(fit.app, name="fit")
app.add_typer(recorded.offline, name="offline")
