"""A deployment on the test's servers: run as an operator runs it, or in a thread of the test."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from connectors.indices import open_index
from evaluation.faults.flow_process import FlowProcess, FlowThread
from flows import ingest
from mneme.errors import StoreError
from mneme.events import Message, parse_event
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Kafka, OpenSearch, Settings

__all__ = ["FlowProcess", "FlowThread", "ingested", "said", "settings_for", "stored"]

EXAMPLES = Path(__file__).parents[2] / "examples"


def settings_for(data: Path, kafka: Kafka, opensearch: OpenSearch, **groups: object) -> Settings:
    """Settings of a deployment on the test's servers."""
    base = Settings(_env_file=None)
    return base.model_copy(
        update={
            "data": data,
            "kafka": kafka,
            "opensearch": opensearch,
            "index": base.index.model_copy(update={"backend": "opensearch"}),
            **groups,
        }
    )


def said(*names: str) -> list[Message]:
    """The messages of examples."""
    now = datetime.now(UTC)
    events = [parse_event(line.encode(), now) for name in names for line in (EXAMPLES / name).read_text().splitlines()]
    return [event for event in events if isinstance(event, Message)]


def stored(index: MemoryIndex) -> int:
    """The messages in an index now."""
    try:
        index.refresh()
        return index.count(Collection.MESSAGES)
    except StoreError:  # the flow has not made the index yet
        return 0


@contextmanager
def ingested(files: Sequence[Path], settings: Settings, folder: Path) -> Iterator[MemoryIndex]:
    """The embedded index that the flow makes of files, undisturbed by any transport."""
    own = settings.replace(data=folder, index={"backend": "embedded"})
    ingest(files, own)
    with closing(open_index(own)) as index:
        yield index
