"""The dataflow in seven steps, one file each, with its helpers in folders.

    decode.py     bytes of a source become items
    read.py       documents and attachments become text           reading/
    embed.py      messages are stored, told from repetitions,      embedding/
                  and given their vectors
    segment.py    conversations are cut into episodes              conversations/, boundaries/
    extract.py    an episode yields facts and other records        extraction/
    reconcile.py  new records join what is known of their owner    consistency/
    write.py      everything is written to the index

items.py and cuts.py hold what travels between the steps, lanes/ what the steps share. engines/ joins and drives the steps,
runner.py runs them; running/ has sources, processes and recovery, maintenance/ the operations beside the running flow.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flows.runner import IngestReport as IngestReport
    from flows.runner import ingest as ingest
    from flows.runner import run as run

__all__ = ["IngestReport", "ingest", "run"]


def __getattr__(name: str) -> Any:
    """Load the engine and the connectors only when something is run."""
    if name in __all__:
        from flows import runner

        return getattr(runner, name)
    raise AttributeError(f"module 'flows' has no attribute {name!r}")
