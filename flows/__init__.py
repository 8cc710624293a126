"""The dataflow: decode -> embed -> segment -> extract -> reconcile -> write, one file for each step.

Start reading at flows/engine.py (how the steps are joined) and flows/items.py (what travels between them);
flows/runner.py runs it.
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
