"""An empty index and topics of a benchmark's own, which are gone afterwards."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from mneme.ids import short_hash
from mneme.settings import Kafka, OpenSearch, Settings
from mneme.times import utc_now


@contextmanager
def fresh_index(settings: Settings, bench: str) -> Iterator[Settings]:
    """Settings of an empty index that is erased afterwards.

    The embedded one lies in a temporary folder, in OpenSearch its indices have a prefix of their own.
    """
    with tempfile.TemporaryDirectory(prefix=f"mneme-{bench}-") as folder:
        prefix = f"{settings.opensearch.index_prefix}-bench-{short_hash(f'{folder} {utc_now()}')}"
        own = settings.replace(data=Path(folder), opensearch={"index_prefix": prefix})
        try:
            yield own
        finally:
            if own.index.backend == "opensearch":
                drop_indices(own.opensearch)


def delete_topics(settings: Kafka, names: Sequence[str]) -> None:
    """Delete topics with all that is in them; one that is not there is no error.

    Raises:
        SettingsError, StoreUnavailable, StoreRejected
    """
    from kafka import errors
    from kafka.admin import KafkaAdminClient

    from connectors.kafka.client import connection_arguments, kafka_errors

    with kafka_errors(settings, "deleting topics"), KafkaAdminClient(**connection_arguments(settings)) as admin:
        for answer in admin.delete_topics(list(names), raise_errors=False)["topics"]:
            if answer["error_code"] not in (0, errors.UnknownTopicOrPartitionError.errno):
                raise errors.for_code(answer["error_code"])(answer["name"])


def drop_indices(settings: OpenSearch) -> None:
    """Delete all indices of a prefix, with their aliases; none is no error.

    Raises:
        StoreUnavailable, StoreRejected
    """
    from connectors.opensearch.client import open_client  # the client takes a second to load

    with closing(open_client(settings)) as client:
        if names := ",".join(client.indices.get(index=f"{settings.index_prefix}-*")):
            client.indices.delete(index=names)


def bulks_at_work(settings: OpenSearch) -> int:
    """Count the bulk requests that the server works at now.

    Raises:
        StoreUnavailable, StoreRejected
    """
    from connectors.opensearch.client import open_client

    with closing(open_client(settings)) as client:
        nodes = client.tasks.list(params={"actions": "indices:data/write/bulk"})["nodes"]
    return sum(len(node["tasks"]) for node in nodes.values())
