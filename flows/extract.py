"""extract: a cut becomes an episode with its facts; the work runs in the pool, in order within a conversation.

A model that fails costs no episode: what needs no model extracts it instead, and a dead letter says why. A defect costs the
one episode that meets it (flows/lanes/scheduling.py). Model calls are cached by content before they are used
(connectors/endpoints/answer_cache.py), so that a replay pays nothing and says the same.
"""

import json
import logging
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.consistency.aggregates.relationships import edge_of
from flows.cuts import Cut, ExtractedFact, Extraction, Extractor, Utterance, embedded_words
from flows.items import AggregateMention, Erasure, Extracted, Pause, Reference, Retraction, SinkItem
from flows.lanes.scheduling import KeyedJobs, end_of_traceback, is_defect, worth_retrying
from flows.lanes.services import Services
from flows.lanes.snapshots import MessagesGone, decode_state, encode_state, owner_of, read_cut, refer, referred, weight_of
from mneme.errors import ModelError, ModelMalformed
from mneme.ids import case_id, entity_id, fact_id, foresight_id, profile_id, relationship_id
from mneme.labels import joined
from mneme.ports import DeadLetter
from mneme.records import AgentCase, AtomicFact, Citation, Episode, Foresight, Mention, Metadata, StoredMessage, Validity
from mneme.rows import Embedding, Row, row_of

STATE_VERSION = 3
_MODEL_ATTEMPTS = 3  # of the whole call, each with the connector's own retries, before the local extractor serves

Passed = Extracted | Retraction | Pause | Erasure | SinkItem

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class ExtractResult:
    """An episode that was extracted, and what was lost on the way."""

    extracted: Extracted
    failure: str = ""


class ExtractLane:
    """The extract step of one bucket of conversations."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._jobs: KeyedJobs[Reference, ExtractResult] = KeyedJobs(
            services.pool(services.extractor.calls_a_model), services.clock
        )
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
        for reference, done in self._jobs.finished():
            if isinstance(done, ExtractResult):
                yield done.extracted
                if done.failure:
                    yield dead_letter_of(reference, done.failure, self._services)
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
        return self._jobs.wake_at()

    @property
    def unfinished(self) -> int:
        """Messages of the episodes at work."""
        return sum(weight_of(reference) for reference in self._jobs.items())

    def snapshot(self) -> bytes:
        """References to the cuts at work."""
        return encode_state(STATE_VERSION, self._jobs.items())

    def epoch_done(self) -> None:
        """Nothing here depends on epochs."""

    def _wait_for_all(self, erasure: Erasure) -> None:
        """An erasure goes on behind everything of the erased that is at work: it waits in each of their queues."""
        ahead = [reference for reference in self._jobs.items() if reference["is"] == "cut"]
        lanes = [each["lane"] for each in ahead if erasure.concerns(each["lane"], owner_of(each))]
        for lane in dict.fromkeys(lanes or [erasure.lane]):
            self._add(refer(erasure) | {"queue": lane}, None)

    def _holds_up(self, erasure: Reference) -> bool:
        """Return whether an erasure that came out of one queue still waits in another."""
        return any(each["is"] == "erasure" and each["id"] == erasure["id"] for each in self._jobs.items())

    def _add(self, reference: Reference, cut: Cut | None) -> None:
        call: Callable[[], ExtractResult] | None = None
        if reference["is"] == "cut":
            call = lambda: extract(reference, cut or read_cut(reference, self._services), self._services)  # noqa: E731
        self._jobs.add(str(reference.get("queue", reference["lane"])), reference, call)


def dead_letter_of(reference: Reference, failure: str, services: Services, stage: str = "extract") -> DeadLetter:
    """The dead letter of an episode; its bytes are the reference, from which it can be made again."""
    return DeadLetter(stage, failure, json.dumps(reference).encode(), None, services.clock())


def extract(reference: Reference, cut: Cut, services: Services) -> ExtractResult:
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
    return ExtractResult(assemble(reference, cut, extraction, embeddings, extractor.name), failure)


def _extraction(cut: Cut, services: Services) -> tuple[Extraction, Extractor, str]:
    """The extraction, by the extractor without a model if the other fails; who made it; and the failure."""
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


_UNDISPUTED = Validity()  # the same object for all: a record makes a deep copy of what it has by default
_LONGEST_EVIDENCE = 300  # characters of an episode's words kept in an aggregate's mention


@dataclass(frozen=True, slots=True)
class NewTexts:
    """The texts of an extraction that no message's vector serves, in the order in which they are embedded."""

    texts: tuple[str, ...]

    @classmethod
    def of(cls, cut: Cut, extraction: Extraction) -> "NewTexts":
        """Subject with summary, then facts that are not their message's text, foresights and the case."""
        texts = [f"{extraction.subject}. {extraction.summary}"]
        texts += [
            embedded_words(fact.statement, fact.quote)
            for fact in extraction.facts
            if _of_message(cut, fact.same_as_source, fact.sources) is None
        ]
        texts += [foresight.statement for foresight in extraction.foresights]
        if extraction.case is not None:
            texts.append(extraction.case.task_intent)
        return cls(tuple(texts))


def assemble(
    reference: Reference, cut: Cut, extraction: Extraction, embeddings: Sequence[Embedding | None], extractor: str
) -> Extracted:
    """The rows of one episode (first) with its facts, foresights and case, and its mentions for the aggregates.

    Args:
        reference: names the cut (flows/lanes/snapshots.py).
        cut: the episode as it was cut.
        extraction: what was taken from it.
        embeddings: one for each of ``NewTexts.of(cut, extraction)``; None where the embedder did not serve.
        extractor: who extracted it.

    Returns:
        Rows with version 0: reconcile gives the versions.
    """
    new = iter(embeddings)
    newest = max(utterance.message.created_at for utterance in cut.utterances)
    common = {
        "owner": cut.owner,
        "conversation_id": cut.conversation_id,
        "document_id": cut.document_id,
        "created_at": newest,
        "version": 0,
    }
    messages = [utterance.message for utterance in cut.utterances]
    agent_id = next((message.agent_id for message in messages if message.agent_id), None)
    of_episode = next(new)

    children: list[Row] = []
    fact_ids = []
    for index, fact in enumerate(extraction.facts):
        reused = _of_message(cut, fact.same_as_source, fact.sources)
        sources = [cut.utterances[at].message for at in fact.sources]
        record = AtomicFact(
            id=fact_id(cut.id, index),
            parent_episode_id=cut.id,
            atomic_fact=fact.statement,
            topic_name=fact.topic,
            message_ids=tuple(message.message_id for message in sources),
            speakers=tuple(dict.fromkeys(message.sender_name for message in (sources[:1] if fact.quote else sources))),
            said_at=sources[0].sent_at if fact.quote else max(message.sent_at for message in sources),
            event_at=fact.event_at,
            event_until=fact.event_until,
            agent_id=agent_id,
            metadata=_metadata(sources),
            citation=_citation(sources[0], fact.place),
            quote=fact.quote,
            claims=fact.claims,
            validity=_UNDISPUTED,
            **common,
        )
        fact_ids.append(record.id)
        children.append(row_of(record, reused if reused is not None else next(new), _context(cut, fact)))
    foresight_ids = []
    for index, foresight in enumerate(extraction.foresights):
        sources = [cut.utterances[at].message for at in foresight.sources]
        expected = Foresight(
            id=foresight_id(cut.id, index),
            parent_episode_id=cut.id,
            statement=foresight.statement,
            evidence=foresight.evidence,
            message_ids=tuple(message.message_id for message in sources),
            said_at=max(message.sent_at for message in sources),
            start=foresight.start,
            end=foresight.end,
            metadata=_metadata(sources),
            citation=_citation(sources[0], foresight.place),
            claims=foresight.claims,
            validity=_UNDISPUTED,
            **common,
        )
        foresight_ids.append(expected.id)
        children.append(row_of(expected, next(new)))
    case = None
    if extraction.case is not None and agent_id is not None:
        case = AgentCase(
            id=case_id(cut.id),
            parent_episode_id=cut.id,
            agent_id=agent_id,
            task_intent=extraction.case.task_intent,
            approach=extraction.case.approach,
            quality_score=extraction.case.quality_score,
            key_insight=extraction.case.key_insight,
            message_ids=tuple(u.message.message_id for u in cut.utterances),
            metadata=_metadata(messages),
            at=_ended_at(cut),
            **common,
        )
        children.append(row_of(case, next(new)))
    mentions = tuple(_mentions(cut, extraction))
    episode = Episode(
        id=cut.id,
        subject=extraction.subject,
        summary=extraction.summary,
        episode=extraction.narrative,
        started_at=min(u.message.sent_at for u in cut.utterances),
        ended_at=_ended_at(cut),
        timezone=cut.utterances[0].message.timezone,
        participants=tuple(dict.fromkeys(u.message.sender_name for u in cut.utterances)),
        message_ids=tuple(u.message.message_id for u in cut.utterances),
        fact_ids=tuple(fact_ids),
        foresight_ids=tuple(foresight_ids),
        case_id=case.id if case else None,
        aggregate_ids=tuple(dict.fromkeys(mention.row_id for mention in mentions)),
        agent_id=agent_id,
        metadata=_metadata(messages),
        section=cut.section if cut.is_document else None,
        citation=messages[0].citation,
        begins_because=cut.begins_because,
        closed_by=cut.closed_by,
        provisional=cut.provisional,
        extractor=extractor,
        **common,
    )
    return Extracted(reference["lane"], reference, cut.owner, (row_of(episode, of_episode), *children), mentions)


def _citation(source: StoredMessage, place: str) -> Citation | None:
    return source.citation.model_copy(update={"place": place}) if source.citation is not None and place else source.citation


def _metadata(messages: Sequence[StoredMessage]) -> Metadata:
    return joined(message.metadata for message in messages)


def _of_message(cut: Cut, same_as_source: bool, sources: Sequence[int]) -> Embedding | None:
    """The vector of a fact that is told in the words of its one message; those of its tokens lie with the message."""
    vector = cut.utterances[sources[0]].vector if same_as_source and len(sources) == 1 else None
    return None if vector is None else Embedding(vector)


def _context(cut: Cut, fact: ExtractedFact) -> str:
    """The messages before and after: an answer is found by the words of its question. Of a quote those beside its own."""
    sources = fact.sources if fact.quote is None else fact.sources[:1]
    around = (min(sources) - 1, max(sources) + 1)
    return "\n".join(cut.utterances[at].message.text for at in around if 0 <= at < len(cut.utterances))


def _ended_at(cut: Cut) -> datetime:
    return max(utterance.message.sent_at for utterance in cut.utterances)


def _mentions(cut: Cut, extraction: Extraction) -> "list[AggregateMention]":
    owner = cut.owner.key
    mentions = [
        AggregateMention(
            entity_id(owner, entity.name),
            "entity",
            (),
            _mention(cut, entity.summary, entity.sources, name=entity.name, type=entity.type),
        )
        for entity in extraction.entities
    ]
    for edge in extraction.relationships:
        ends = edge_of(edge.source, edge.relation, edge.target)
        mentions.append(
            AggregateMention(
                relationship_id(owner, *ends),
                "relationship",
                ends,
                _mention(cut, " ".join(ends), edge.sources, date=edge.date, ended=edge.ended),
            )
        )
    for item in extraction.profile:
        mentions.append(
            AggregateMention(
                profile_id(owner),
                "profile",
                (item.about, item.category, "implicit" if item.implicit else "explicit"),
                _mention(cut, item.statement, item.sources, claim=item.claim),
            )
        )
    return mentions


def _mention(cut: Cut, text: str, sources: Sequence[int], **of_kind: Any) -> Mention:
    messages = [cut.utterances[at].message for at in sources] or [_first(cut).message]
    return Mention(
        episode_id=cut.id,
        text=text[:_LONGEST_EVIDENCE],
        at=max(message.sent_at for message in messages),
        message_ids=tuple(message.message_id for message in messages),
        **of_kind,
    )


def _first(cut: Cut) -> Utterance:
    return cut.utterances[0]
