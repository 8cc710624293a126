"""A deployment of a test's own: an index, filled by the flow from files, and read whole."""

import signal
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from connectors.indices import open_index
from connectors.models import open_embedder
from flows import ingest
from mneme.ports import MemoryIndex
from mneme.settings import EmbedderSettings, Settings
from tests.flows.river import SETTINGS, contents

EXAMPLES = Path(__file__).parents[2] / "examples"


def deployed_in(data: Path, **changes: Any) -> Settings:
    """Settings of a deployment in this folder: the embedded index, and the embedder that is quickest."""
    return SETTINGS.model_copy(update={"data": data, "embedder": EmbedderSettings(provider="hash"), **changes})


def with_index(settings: Settings, act: Callable[[MemoryIndex], Any]) -> Any:
    """Do something with the index, which is there then; a search finds what it wrote."""
    with closing(open_index(settings)) as index, closing(open_embedder(settings)) as embedder:
        index.prepare(embedder.identity)
        outcome = act(index)
        index.refresh()
        return outcome


def remembered(settings: Settings) -> dict[str, dict[str, Any]]:
    """Everything that can be found, as ``contents`` gives it."""
    return with_index(settings, contents)  # type: ignore[no-any-return]


def taken_in(settings: Settings, name: str, events: Iterable[Any]) -> Path:
    """Ingest events, or lines, as a file of this name."""
    path = settings.data.parent / name
    path.write_bytes(b"".join((event if isinstance(event, bytes) else event.to_bytes()) + b"\n" for event in events))
    ingest([path], settings)
    return path


def stop_at(share: float) -> Callable[[int, int], None]:
    """Progress that interrupts its command once, as Ctrl-C does, when so much of the whole is done."""
    interrupted = False

    def on_progress(done: int, total: int) -> None:
        nonlocal interrupted
        if done > share * total and not interrupted:
            interrupted = True
            signal.raise_signal(signal.SIGINT)

    return on_progress
