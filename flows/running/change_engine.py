"""The flow of a populated store moves from Bytewax to Flink. Positions and open conversations go along, nothing is read twice.

1. Read the store of the stopped flow: the place in each partition, and the state of each bucket of each step.
2. Commit the places to the consumer group, and keep the states in an archive beside the store.
3. Hand the store over. The first job begins at the places and takes the states from the archive, which goes as soon as they
   are in its checkpoints (flows/running/flink.py).

There is no way back: only Flink reads its checkpoints.
"""

import zipfile
from collections.abc import Mapping
from io import BytesIO

from kafka.admin import KafkaAdminClient
from kafka.errors import NoError
from kafka.structs import OffsetAndMetadata, TopicPartition

from connectors.durable import replace_bytes
from connectors.kafka.client import connection_arguments, input_topic_ids, kafka_errors, topics_of_lanes
from flows.running.recovery import RecoveryStore
from flows.running.store_files import snapshots
from mneme.errors import StoreRejected
from mneme.settings import Kafka, Settings


def move_to_flink(settings: Settings, store: RecoveryStore) -> int:
    """Move a store of Bytewax to Flink; the number of states.

    Args:
        settings: of the flow.
        store: that of its topics, held by this process.

    Raises:
        StoreRejected: no flow has begun on it, or a topic was made anew.
        StoreUnavailable: no broker answers.
        DiskFull: there is no room.
    """
    if not store.is_begun:
        raise StoreRejected("no flow has run here: there is nothing to move; start it with `mneme run --engine flink`")
    # Step 1.
    topics = {str(lane): topic for lane, topic in topics_of_lanes(settings.kafka.topics).items()}
    places: dict[TopicPartition, int] = {}
    ids: dict[str, str] = {}
    packed, states = BytesIO(), 0
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for step, key, value in snapshots(store.epochs):
            if step in topics:
                offset, topic_id = (value, "") if isinstance(value, int) else value
                places[TopicPartition(topics[step], int(key))] = offset
                ids[topics[step]] = topic_id
            else:
                archive.writestr(f"{step}/{key}", value)
                states += 1
    if anew := [topic for topic, now in input_topic_ids(settings.kafka).items() if ids.get(topic) not in (None, "", now)]:
        raise StoreRejected(f"{', '.join(anew)}: made anew in Kafka since it was read; `mneme run` says how to go on")
    # Step 2.
    _commit(settings.kafka, places)
    replace_bytes(store.moved, packed.getvalue(), 0o600)
    # Step 3.
    store.hand_over("flink")
    return states


def _commit(kafka: Kafka, places: Mapping[TopicPartition, int]) -> None:
    with kafka_errors(kafka, "committing positions"), KafkaAdminClient(**connection_arguments(kafka)) as admin:
        offsets = {partition: OffsetAndMetadata(offset, "", -1) for partition, offset in places.items()}
        answers = admin.alter_group_offsets(kafka.group_id, offsets) if offsets else {}
        if refused := {error for error in answers.values() if error is not NoError}:
            raise refused.pop()
