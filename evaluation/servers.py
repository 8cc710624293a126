"""The servers of a benchmark: what it left on them is dropped, and whether they are at work."""

from collections.abc import Sequence
from contextlib import closing

from connectors.opensearch.client import open_client
from mneme.settings import Kafka, OpenSearch


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
    with closing(open_client(settings)) as client:
        if names := ",".join(client.indices.get(index=f"{settings.index_prefix}-*")):
            client.indices.delete(index=names)


def bulks_at_work(settings: OpenSearch) -> int:
    """Count the bulk requests that the server works at now.

    Raises:
        StoreUnavailable, StoreRejected
    """
    with closing(open_client(settings)) as client:
        nodes = client.tasks.list(params={"actions": "indices:data/write/bulk"})["nodes"]
    return sum(len(node["tasks"]) for node in nodes.values())
