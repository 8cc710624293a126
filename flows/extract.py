"""extract: a cut becomes an episode with its facts; the work runs in the pool, in order within a conversation.

A model that fails costs no episode: what needs no model extracts it instead, and a dead letter says why. A defect costs the
one episode that meets it (flows/defects.py). Model calls are cached by content before they are used
(connectors/endpoints/answer_cache.py), so that a replay pays nothing and says the same.
"""

import json
import logging
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from flows.assemble import NewTexts, assemble
from flows.cuts import Cut, Extraction, Extractor
from flows.defects import end_of_traceback, is_defect
from flows.items import Erasure, Extracted, Pause, Reference, Retraction, SinkItem
from flows.pump import Pump, worth_retrying
from flows.references import MessagesGone, owner_of, read_cut, refer, referred, weight_of
from flows.services import Services
from flows.state import decode_state, encode_state
from mneme.errors import ModelError, ModelMalformed
from mneme.ports import DeadLetter
from mneme.rows import Embedding

STATE_VERSION = 3
_MODEL_ATTEMPTS = 3  # of the whole call, each with the connector's own retries, before the local extractor serves

Passed = Extracted | Retraction | Pause | Erasure | SinkItem

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """An episode that was extracted, and what was lost on the way."""

    extracted: Extracted
    failure: str = ""


class ExtractLane:
    """The extract step of one bucket of conversations."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._pump: Pump[Reference, Done] = Pump(services.pool(services.extractor.calls_a_model), services.clock)
        if state is not None:
            for reference in decode_state(state, STATE_VERSION):
                self._add(reference, None)

    def on_batch(self, items: Sequence[Cut | Retraction | Pause | Erasure]) -> Iterator[Passed]:
        """Take in what was cut."""
        for item in items:
            if isinstance(item, Erasure):
                self._wait_for_all(item)
                continue
            self._add(refer(item), item if isinstance(item, Cut) else None)
        yield from self.poll()

    def poll(self) -> Iterator[Passed]:
        """Pass on what is ready."""
        for reference, done in self._pump.finished():
            if isinstance(done, Done):
                yield done.extracted
                if done.failure:
                    yield letter(reference, done.failure, self._services)
            elif done is None:
                if reference["is"] != "erasure" or not self._holds_up(reference):
                    yield referred(reference)
            elif isinstance(done, MessagesGone):
                log.warning("%s", done)
            elif is_defect(done):
                log.error("%s is not extracted: %s; see the dead letter", reference["id"], type(done).__name__)
                yield letter(reference, end_of_traceback(done), self._services)
            else:
                raise done
        if (reading := self._services.reading) is not None:
            chunks = sum(reference.get("document") is not None for reference in self._pump.items())
            reading.in_flight.jobs(f"extract-{id(self)}", chunks)

    def wake_at(self) -> datetime | None:
        """When to poll again."""
        return self._pump.wake_at()

    @property
    def unfinished(self) -> int:
        """Messages of the episodes at work."""
        return sum(weight_of(reference) for reference in self._pump.items())

    def snapshot(self) -> bytes:
        """References to the cuts at work."""
        return encode_state(STATE_VERSION, self._pump.items())

    def _wait_for_all(self, erasure: Erasure) -> None:
        """An erasure goes on behind everything of the erased that is at work: it waits in each of their queues."""
        ahead = [reference for reference in self._pump.items() if reference["is"] == "cut"]
        lanes = [each["lane"] for each in ahead if erasure.concerns(each["lane"], owner_of(each))]
        for lane in dict.fromkeys(lanes or [erasure.lane]):
            self._add(refer(erasure) | {"queue": lane}, None)

    def _holds_up(self, erasure: Reference) -> bool:
        """Whether an erasure that came out of one queue still waits in another."""
        return any(each["is"] == "erasure" and each["id"] == erasure["id"] for each in self._pump.items())

    def _add(self, reference: Reference, cut: Cut | None) -> None:
        call: Callable[[], Done] | None = None
        if reference["is"] == "cut":
            call = lambda: extract(reference, cut or read_cut(reference, self._services), self._services)  # noqa: E731
        self._pump.add(str(reference.get("queue", reference["lane"])), reference, call)


def letter(reference: Reference, failure: str, services: Services, stage: str = "extract") -> DeadLetter:
    """What went wrong with an episode; its bytes are the reference, from which it can be made again."""
    return DeadLetter(stage, failure, json.dumps(reference).encode(), None, services.clock())


def extract(reference: Reference, cut: Cut, services: Services) -> Done:
    """One episode of a cut. Blocks: for the pool.

    Raises:
        ModelError: the embedder is out of reach (worth trying again).
    """
    extraction, extractor, failure = _extraction(cut, services)
    texts = list(NewTexts.of(cut, extraction).texts)
    embeddings: Sequence[Embedding | None]
    try:
        embeddings = services.embeddings(texts, cut.is_document).result()
    except ModelError as error:
        if worth_retrying(error):
            raise
        failure, embeddings = f"{type(error).__name__}: {error}", [None] * len(texts)
    return Done(assemble(reference, cut, extraction, embeddings, extractor.name), failure)


def _extraction(cut: Cut, services: Services) -> tuple[Extraction, Extractor, str]:
    """What the extractor says, or after its failure what the one without a model says; and the failure."""
    extractor, failure = services.extractor, ""
    for attempt in range(_MODEL_ATTEMPTS if extractor.calls_a_model else 1):
        try:
            return _checked(extractor.extract(cut), cut), extractor, ""
        except ModelError as error:
            failure = f"{type(error).__name__}: {error}"
            if not (worth_retrying(error) or isinstance(error, ModelMalformed)):  # a model may find the form another time
                break
            log.warning("extraction attempt %d of %s: %s", attempt + 1, cut.id, error)
        except Exception:  # noqa: BLE001  a defect in an extractor costs one episode's depth, never the stream
            failure = traceback.format_exc(limit=-3)
            break
    extractor = services.fallback_extractor
    try:
        return _checked(extractor.extract(cut), cut), extractor, failure
    except Exception:  # as above: the words themselves are kept
        log.exception("the local extractor failed on %s", cut.id)
        text = "\n".join(f"{u.message.sender_name}: {u.message.text}" for u in cut.utterances)
        return Extraction(subject=text[:80], summary=text[:400], narrative=text, facts=()), extractor, failure


def _checked(extraction: Extraction, cut: Cut) -> Extraction:
    """The extraction, if everything in it cites messages of the cut; else it could not be told where it is from."""
    must_cite = [fact.sources for fact in extraction.facts] + [foresight.sources for foresight in extraction.foresights]
    may_cite = [entity.sources for entity in extraction.entities] + [edge.sources for edge in extraction.relationships]
    may_cite += [item.sources for item in extraction.profile]
    known = range(len(cut.utterances))
    if not all(must_cite) or any(at not in known for sources in (*must_cite, *may_cite) for at in sources):
        raise ValueError(f"the extraction of {cut.id} cites messages that are not there, or none")
    return extraction
