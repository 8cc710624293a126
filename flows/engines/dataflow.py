"""The dataflow as engines see it: sources, steps with their keys, and a writer.

    source ─ decode ─ read ─ embed ─ segment ─ extract ─ reconcile ─ write
                └──────┴───────┴────────┴─────────┴── what goes straight to the index ──┘

read, embed, segment and extract are keyed by bucket of conversations and documents, reconcile by bucket of owners; a
bucket's state is one value of bytes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import count
from typing import Any

from connectors.telemetry.meters import StepMeter
from flows.embed import EmbedLane
from flows.engines.port import Failures, HostedLane, Lane, Source
from flows.extract import ExtractLane
from flows.items import OF_THE_WRITER, Decoded, Erasure, Extracted, Pause, Read, Retraction, Unread
from flows.lanes.services import Services
from flows.read import ReadLane
from flows.reconcile import ReconcileLane
from flows.running.feeds import Fed
from flows.segment import SegmentLane
from flows.write import Writer
from mneme.ids import stable_hash
from mneme.ports import Incoming

_KNOWN_BUCKETS = 8192  # of lanes and owners: each message asks for its own twice, and each batch has many of the same


def goes_to_the_writer(item: object) -> bool:
    """Return whether an item is for the writer, and not for the next step."""
    return isinstance(item, OF_THE_WRITER)


def conversation_bucket(item: Unread | Read, buckets: int) -> str:
    """The key of an item in the steps from read to extract. What is said in a document is a conversation of its own."""
    if not (lane := item.lane):
        assert isinstance(item, Pause | Erasure), "only what concerns a whole bucket has no lane"
        return f"{item.bucket:04d}"
    return _bucket(lane, buckets)


def owner_bucket(item: Extracted | Retraction | Pause | Erasure, buckets: int) -> str:
    """The key of an item in reconcile."""
    if isinstance(item, Pause):
        return _bucket(item.owner_key, buckets)
    assert item.owner is not None, "an erasure's owner is known behind embed"
    return _bucket(item.owner.key, buckets)


@lru_cache(_KNOWN_BUCKETS)
def _bucket(key: str, buckets: int) -> str:
    return f"{stable_hash(key) % buckets:04d}"


@dataclass(frozen=True, slots=True)
class Step:
    """One keyed step. An engine whose step before has the same ``key`` of the same items need not exchange them."""

    name: str
    lane: Callable[[Services, bytes | None], Lane]
    key: Callable[[Any, int], str]


READ = Step("read", ReadLane, conversation_bucket)
EMBED = Step("embed", EmbedLane, conversation_bucket)
SEGMENT = Step("segment", SegmentLane, conversation_bucket)
EXTRACT = Step("extract", ExtractLane, conversation_bucket)
RECONCILE = Step("reconcile", ReconcileLane, owner_bucket)


@dataclass(frozen=True, slots=True)
class Dataflow:
    """The dataflow of one process.

    Attributes:
        sources: where it begins.
        decode: turns an event into items.
        services: of the lanes.
        writer: where it ends.
        failures: notes what a step, a source or the writer raises.
        on_built: called when the engine has put the dataflow together, in all processes, and begins to read.
        on_written: called when something was written.
    """

    sources: Sequence[Source]
    decode: Callable[[Any], Iterable[Decoded]]
    services: Services
    writer: Writer
    failures: Failures = field(default_factory=Failures)
    on_built: Callable[[], None] = lambda: None
    on_written: Callable[[], None] = lambda: None

    @property
    def buckets(self) -> int:
        """The number of keys of each step."""
        return self.services.settings.flow.buckets

    def decoded(self, batch: list[Fed]) -> list[Any]:
        """The items of what a source gave."""
        with self.failures:
            items = [item for fed in batch for item in (self.decode(fed) if isinstance(fed, Incoming) else (fed,))]
        self.services.pending.enter(len(items) - len(batch))
        return items

    def hosting(self, step: Step) -> Callable[[bytes | None], HostedLane]:
        """The function that makes the lane of a key from its state."""
        return partial(self._hosted, step, count(), StepMeter(step.name))

    def write(self, items: list[Any]) -> None:
        """Write what the steps handed over; durable on return."""
        with self.failures:
            self.writer.write(items)
            self.on_written()
        self.services.pending.leave(len(items))

    def _hosted(self, step: Step, numbers: "count[int]", meter: StepMeter, state: bytes | None) -> HostedLane:
        with self.failures:
            lane = step.lane(self.services, state)
            return HostedLane(f"{step.name}-{next(numbers)}", lane, self.services, self.failures, meter)
