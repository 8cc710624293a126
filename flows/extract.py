"""extract: a cut becomes an episode with its facts; the work runs in the pool, in order within a conversation.

A model that fails costs no episode: what needs no model extracts it instead, and a dead letter says why, until the model is
back and extracts it again under the same ids: one such episode is tried at a time, after pauses that double up to ten minutes,
and once one succeeds, all others of its bucket follow. An endpoint that asks for time gets it. A defect costs the one episode
that meets it (flows/lanes/scheduling.py). Model calls are cached by content before they are used
(connectors/endpoints/answer_cache.py), so that a replay pays nothing and says the same.
"""

import json
import logging
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from connectors.telemetry.metrics import OWED_EPISODES
from flows.cuts import Cut, Extraction, Extractor, Utterance
from flows.extraction import extract_amended
from flows.extraction.assemble import assemble
from flows.items import (
    Erasure,
    Extracted,
    Pause,
    Recovered,
    Reference,
    Retraction,
    SinkItem,
    owner_of,
    refer,
    referred,
    weight_of,
)
from flows.lanes.scheduling import KeyedJobs, end_of_traceback, is_defect, worth_retrying
from flows.lanes.services import Services
from flows.lanes.state import decode_state, encode_state
from mneme.errors import ModelError, ModelMalformed, ModelPaused
from mneme.ports import DeadLetter, MemoryIndex
from mneme.records import StoredMessage
from mneme.rows import Collection, Embedding, Key

STATE_VERSION = 3
_MODEL_ATTEMPTS = 3  # of the whole call, each with the connector's own retries, before the local extractor serves
_FIRST_PAUSE_SECONDS = 30.0
_LONGEST_PAUSE_SECONDS = 600.0
_MOST_OWED = 2_000  # of a bucket, the oldest first: state is small; the others keep their dead letters

Passed = Extracted | Retraction | Pause | Erasure | SinkItem

log = logging.getLogger(__name__)


class MessagesGone(LookupError):
    """The messages that a reference names are no longer in the index: deleted, erased, or refused by it."""


@dataclass(frozen=True, slots=True, eq=False)
class ExtractResult:
    """An episode that was extracted, and what was lost on the way."""

    extracted: Extracted
    failure: str = ""
    is_owed: bool = False  # by a model that is away: it is asked again when it is back


class OwedEpisodes:
    """The episodes of one bucket that rules extracted because the model was away, and that wait for it.

    Args:
        clock: the present, aware.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._owed: dict[str, Reference] = {}
        self._at_work: set[str] = set()
        self._pause = _FIRST_PAUSE_SECONDS
        self._next_at: datetime | None = None

    def add(self, reference: Reference, wait: bool = True) -> None:
        """The model owes an episode. ``wait`` False: it is tried at once, since the process has just begun."""
        if len(self._owed) >= _MOST_OWED and reference["id"] not in self._owed:
            return
        if reference["id"] not in self._owed:
            OWED_EPISODES.inc()
        self._owed[reference["id"]] = reference
        if self._next_at is None:
            self._next_at = self._clock() + timedelta(seconds=self._pause if wait else 0.0)

    def replace(self, reference: Reference) -> None:
        """An episode was cut anew: as such it is owed."""
        if reference["id"] in self._owed:
            self._owed[reference["id"]] = reference

    def remove(self, unwanted: Callable[[Reference], bool]) -> list[Reference]:
        """Take out the episodes that are owed no more, and return them."""
        gone = [reference for reference in self._owed.values() if unwanted(reference)]
        for reference in gone:
            del self._owed[reference["id"]]
            self._at_work.discard(reference["id"])
            OWED_EPISODES.dec()
        if not self._owed:
            self._next_at, self._pause = None, _FIRST_PAUSE_SECONDS
        return gone

    def due(self) -> Iterator[Reference]:
        """The episode to try now."""
        if self._next_at is not None and self._clock() >= self._next_at and not self._at_work:
            reference = next(iter(self._owed.values()))
            self._at_work.add(reference["id"])
            yield reference

    def failed(self, reference: Reference) -> None:
        """The model failed again: it is given more time, and another episode next, for this one may be to blame."""
        self._at_work.discard(reference["id"])
        if (owed := self._owed.pop(reference["id"], None)) is not None:
            self._owed[reference["id"]] = owed
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
        self._next_at = self._clock() + timedelta(seconds=self._pause)

    def succeeded(self) -> Iterator[Reference]:
        """The model answers again: all others that are to be tried now."""
        self._pause = _FIRST_PAUSE_SECONDS
        for identity, reference in self._owed.items():
            if identity not in self._at_work:
                self._at_work.add(identity)
                yield reference

    def wake_at(self) -> datetime | None:
        """The time of the next attempt; None while one is at work, or nothing is owed."""
        return None if self._at_work else self._next_at

    def __iter__(self) -> Iterator[Reference]:
        """The references, as the state keeps them."""
        return iter(self._owed.values())


class ExtractLane:
    """The extract step of one bucket of conversations."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._jobs: KeyedJobs[Reference, ExtractResult | None] = KeyedJobs(
            services.pool(services.extractor.calls_a_model), services.clock
        )
        self._owed = OwedEpisodes(services.clock)
        if state is not None:
            for reference in decode_state(state, STATE_VERSION):
                if reference["is"] == "owed":
                    self._owed.add(reference | {"is": "cut"}, wait=False)
                else:
                    self._add(reference, None)

    def on_batch(self, items: Sequence[Cut | Retraction | Pause | Erasure]) -> Iterator[Passed]:
        """Take in what was cut."""
        for item in items:
            if isinstance(item, Erasure):
                self._owed.remove(lambda owed: item.concerns(owed["lane"], owner_of(owed)))  # noqa: B023  at once
                self._wait_for_all(item)
                continue
            if isinstance(item, Cut):
                self._owed.replace(refer(item))
            elif isinstance(item, Retraction):
                yield from self._made_up_for(item.episode_id)
            self._add(refer(item), item if isinstance(item, Cut) else None)
        yield from self.poll()

    def poll(self) -> Iterator[Passed]:
        """Pass on what is ready."""
        for reference in self._owed.due():
            self._try_again(reference)
        for reference, done in self._jobs.finished():
            if isinstance(done, ExtractResult):
                yield from self._passed(reference, done)
            elif reference["is"] == "owed":
                if done is None:
                    self._owed.failed(reference)
                else:
                    log.warning("%s stays as rules extracted it: %s", reference["id"], done)
                    self._owed.remove(lambda owed: owed["id"] == reference["id"])  # noqa: B023  at once
            elif done is None:
                if reference["is"] != "erasure" or not self._holds_up(reference):
                    yield referred(reference)
            elif isinstance(done, MessagesGone):
                log.warning("%s", done)
            elif is_defect(done):
                log.error("%s is not extracted: %s; see the dead letter", reference["id"], type(done).__name__)
                yield dead_letter_of(reference, end_of_traceback(done), self._services)
            else:
                raise done
        if (reading := self._services.reading) is not None:
            chunks = sum(reference.get("document") is not None for reference in self._jobs.items())
            reading.in_flight.jobs(f"extract-{id(self)}", chunks)

    def wake_at(self) -> datetime | None:
        """The time of the next poll."""
        return self._jobs.wake_at() or self._owed.wake_at()

    @property
    def unfinished(self) -> int:
        """Messages of the episodes at work."""
        return sum(weight_of(reference) for reference in self._jobs.items())

    def snapshot(self) -> bytes:
        """References to the cuts at work, and to those that a model owes."""
        at_work = [reference for reference in self._jobs.items() if reference["is"] != "owed"]
        return encode_state(STATE_VERSION, [*at_work, *(reference | {"is": "owed"} for reference in self._owed)])

    def _passed(self, reference: Reference, done: ExtractResult) -> Iterator[Passed]:
        """Pass an episode on, and note whether its model owes more of it."""
        yield done.extracted
        if done.failure:
            yield dead_letter_of(reference, done.failure, self._services)
        if done.is_owed:
            self._owed.add(reference)
            return
        yield from self._made_up_for(reference["id"])
        if reference["is"] == "owed":
            for other in list(self._owed.succeeded()):
                self._try_again(other)

    def _made_up_for(self, episode_id: str) -> Iterator[Recovered]:
        """An episode is owed no more."""
        yield from map(Recovered, self._owed.remove(lambda owed: owed["id"] == episode_id))

    def _try_again(self, reference: Reference) -> None:
        """Ask the model once more for an episode that rules extracted."""
        call = partial(extract_again, reference, self._services)
        self._jobs.add(str(reference["lane"]), reference | {"is": "owed"}, call)

    def epoch_done(self) -> None:
        """Nothing here depends on epochs."""

    def _wait_for_all(self, erasure: Erasure) -> None:
        """An erasure goes on behind everything of the erased that is at work: it waits in each of their queues."""
        ahead = [reference for reference in self._jobs.items() if reference["is"] in ("cut", "owed")]
        lanes = [each["lane"] for each in ahead if erasure.concerns(each["lane"], owner_of(each))]
        for lane in dict.fromkeys(lanes or [erasure.lane]):
            self._add(refer(erasure) | {"queue": lane}, None)

    def _holds_up(self, erasure: Reference) -> bool:
        """Return whether an erasure that came out of one queue still waits in another."""
        return any({**each, "queue": ""} == {**erasure, "queue": ""} for each in self._jobs.items())

    def _add(self, reference: Reference, cut: Cut | None) -> None:
        call: Callable[[], ExtractResult | None] | None = None
        if reference["is"] == "cut":
            call = lambda: extract(reference, cut or read_cut(reference, self._services.index), self._services)  # noqa: E731
        self._jobs.add(str(reference.get("queue", reference["lane"])), reference, call)


def dead_letter_of(reference: Reference, failure: str, services: Services, stage: str = "extract") -> DeadLetter:
    """The dead letter of an episode; its bytes are the reference, from which it can be made again."""
    return DeadLetter(stage, failure, json.dumps(reference).encode(), None, services.clock())


def extract(reference: Reference, cut: Cut, services: Services) -> ExtractResult:
    """One episode of a cut. Blocks: for the pool.

    Raises:
        ModelError: the embedder is out of reach (worth trying again).
    """
    extraction, extractor, failure, is_owed = _extraction(cut, services)
    done = _embedded(reference, cut, extraction, extractor, services)
    return replace(done, failure=failure or done.failure, is_owed=is_owed)


def extract_again(reference: Reference, services: Services) -> ExtractResult | None:
    """One episode by the model that was away; None where it still is. Blocks: for the pool.

    Raises:
        MessagesGone: none of its messages is there.
        ModelError: the model is there, and refuses this episode; or the embedder is out of reach (worth trying again).
    """
    cut, extractor = read_cut(reference, services.index), services.extractor
    try:
        extraction = _checked(extract_amended(extractor, cut), cut)
    except ModelError as error:
        if worth_retrying(error):
            return None
        raise
    return _embedded(reference, cut, extraction, extractor, services)


def _embedded(
    reference: Reference, cut: Cut, extraction: Extraction, extractor: Extractor, services: Services
) -> ExtractResult:
    """The records of an extraction, with their embeddings."""
    extracted, failure = assemble(reference, cut, extraction, extractor.name), ""
    embeddings: Sequence[Embedding | None]
    try:
        embeddings = services.embeddings(extracted.texts, cut.is_document).result()
    except ModelError as error:
        if worth_retrying(error):
            raise
        embeddings, failure = [None] * len(extracted.texts), f"{type(error).__name__}: {error}"
    return ExtractResult(extracted.embedded(embeddings), failure)


def _extraction(cut: Cut, services: Services) -> tuple[Extraction, Extractor, str, bool]:
    """The extraction, by the extractor without a model if the other fails; who made it; the failure, and whether it may pass.

    Raises:
        ModelPaused: the model's endpoint asks for time.
    """
    extractor, failure, is_owed = services.extractor, "", False
    for attempt in range(_MODEL_ATTEMPTS if extractor.calls_a_model else 1):
        try:
            return _checked(extract_amended(extractor, cut), cut), extractor, "", False
        except ModelPaused:
            raise
        except ModelError as error:
            failure, is_owed = f"{type(error).__name__}: {error}", worth_retrying(error)
            if not (worth_retrying(error) or isinstance(error, ModelMalformed)):  # a model may find the form another time
                break
            log.warning("extraction attempt %d of %s: %s", attempt + 1, cut.id, error)
        except Exception:  # noqa: BLE001  a defect in an extractor costs one episode's depth, never the stream
            failure, is_owed = traceback.format_exc(limit=-3), False
            break
    extractor = services.fallback_extractor
    try:
        return _checked(extract_amended(extractor, cut), cut), extractor, failure, is_owed
    except Exception:  # as above: the words themselves are kept
        log.exception("the local extractor failed on %s", cut.id)
        text = "\n".join(f"{u.message.sender_name}: {u.message.text}" for u in cut.utterances)
        return Extraction(subject=text[:80], summary=text[:400], narrative=text, facts=()), extractor, failure, is_owed


def _checked(extraction: Extraction, cut: Cut) -> Extraction:
    """The extraction, if everything in it cites messages of the cut; else it could not be told where it is from."""
    must_cite = [fact.sources for fact in extraction.facts] + [foresight.sources for foresight in extraction.foresights]
    may_cite = [entity.sources for entity in extraction.entities] + [edge.sources for edge in extraction.relationships]
    may_cite += [item.sources for item in extraction.profile]
    places = range(len(cut.utterances))
    if not all(must_cite) or any(at not in places for sources in (*must_cite, *may_cite) for at in sources):
        raise ValueError(f"the extraction of {cut.id} cites messages that are not there, or none")
    return extraction


def read_cut(reference: Reference, index: MemoryIndex) -> Cut:
    """The cut of a reference, its messages read from the index. Blocks: for the pool.

    Raises:
        MessagesGone: none of its messages is there.
        StoreUnavailable: the index does not answer.
    """
    owner = owner_of(reference)
    keys = [Key(Collection.MESSAGES, owner.key, identity) for identity in reference["ids"]]
    rows = index.get(keys, with_vectors=True)
    utterances = tuple(
        Utterance(record, rows[key].vector)
        for key in keys
        if key in rows and isinstance(record := rows[key].record(), StoredMessage) and not record.deleted
    )
    if not utterances:
        raise MessagesGone(f"the messages of {reference['id']} are no longer in the index; the episode is not made")
    return Cut(
        id=reference["id"],
        owner=owner,
        conversation_id=reference["conversation"],
        document_id=reference["document"],
        utterances=utterances,
        closed_by=reference["closed_by"],
        provisional=reference["provisional"],
        begins_because=tuple(reference["because"]),
    )
