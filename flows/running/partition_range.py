"""Flows by partition range: several flows, each with its own machine, share the partitions of the input topics.

A tenant is what no record, no entity and no erasure reaches beyond, so the tenant chooses the partition of an event
(``MNEME_KAFKA__KEYED_BY=tenant``). Then whatever an event concerns is written by one flow alone: the one that reads the
tenant's partition. An event elsewhere is a dead letter (flows/decode.py), and a replay sends it where it belongs.
"""

import re
from dataclasses import dataclass

from mneme.errors import SettingsError, StoreRejected
from mneme.settings import Kafka, Settings

_WHOLE = "kafka"  # the recovery store of a flow that reads all partitions
_NAME = re.compile(r"kafka-(\d+)-(\d+)-of-(\d+)")


@dataclass(frozen=True, slots=True)
class PartitionRange:
    """Partitions ``first`` to ``last``, both included, of the ``of`` that each input topic has."""

    first: int
    last: int
    of: int

    @property
    def store(self) -> str:
        """The name of the recovery store of the flow that reads them."""
        return f"{_WHOLE}-{self.first}-{self.last}-of-{self.of}"

    def check(self, kafka: Kafka) -> None:
        """Make sure that each input topic has as many partitions as the range supposes.

        Raises:
            StoreError: one has not, or no broker answers.
        """
        from connectors.kafka.client import partitions_of, topics_of_lanes  # the runner is loaded where there is no broker

        for topic in topics_of_lanes(kafka.topics).values():
            if (found := len(partitions_of(kafka, topic))) != self.of:
                raise StoreRejected(
                    f"topic {topic} has {found} partitions, and MNEME_KAFKA__PARTITIONS is {self.of}: flows by partition range "
                    "need as many in each input topic, for ever (another number puts tenants elsewhere). Set it to what all of "
                    "them have, or begin with topics of other names (MNEME_KAFKA__TOPICS__*)"
                )


def range_of(kafka: Kafka) -> PartitionRange | None:
    """The partitions that a flow with these settings reads; None: all.

    Raises:
        SettingsError: they do not exist, or the topics are not keyed by tenant.
    """
    if not kafka.partitions_read:
        return None
    first, _, last = kafka.partitions_read.partition("-")
    chosen = PartitionRange(int(first), int(last or first), kafka.partitions)
    if not chosen.first <= chosen.last < chosen.of:
        raise SettingsError(
            f"MNEME_KAFKA__PARTITIONS_READ is {kafka.partitions_read}, and MNEME_KAFKA__PARTITIONS {chosen.of}: give the "
            f"first and the last, of 0 to {chosen.of - 1}"
        )
    if kafka.keyed_by != "tenant":
        raise SettingsError(
            "MNEME_KAFKA__PARTITIONS_READ needs topics that are keyed by tenant, or two flows would write one owner's memory: "
            "set MNEME_KAFKA__KEYED_BY=tenant for this flow and for everything that publishes (docs/scaling.md)"
        )
    return chosen


def store_name(settings: Settings) -> str:
    """The name of the recovery store of a flow from Kafka.

    Raises:
        SettingsError: as ``range_of``; or a range is set where one process writes the index.
    """
    chosen = range_of(settings.kafka)
    if chosen is not None and settings.index.backend == "embedded":
        raise SettingsError(
            f"MNEME_KAFKA__PARTITIONS_READ is {settings.kafka.partitions_read}, but the embedded index has one writing "
            "process; leave it empty, or set MNEME_INDEX__BACKEND=opensearch"
        )
    return _WHOLE if chosen is None else chosen.store


def share_partitions(store: str, other: str) -> bool:
    """Return whether flows with these recovery stores read partitions in common; those of files read none."""
    if _WHOLE in (store, other):
        return all(each == _WHOLE or is_of_a_range(each) for each in (store, other))
    one, two = _range_in(store), _range_in(other)
    if one is None or two is None:
        return False
    return one.of != two.of or (one.first <= two.last and two.first <= one.last)


def is_of_a_range(store: str) -> bool:
    """Return whether a flow with this recovery store reads a range of partitions."""
    return _range_in(store) is not None


def _range_in(store: str) -> PartitionRange | None:
    found = _NAME.fullmatch(store)
    return None if found is None else PartitionRange(*map(int, found.groups()))
