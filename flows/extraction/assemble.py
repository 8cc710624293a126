"""Records of one episode, made from what was extracted of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from flows.consistency.aggregates.relationships import edge_of
from flows.cuts import Cut, ExtractedCase, ExtractedFact, ExtractedForesight, Extraction, embedded_words
from flows.items import AggregateMention, Extracted, NewRecord, Reference
from mneme.ids import case_id, entity_id, fact_id, foresight_id, profile_id, relationship_id
from mneme.labels import joined
from mneme.records import (
    AgentCase,
    AtomicFact,
    Citation,
    Episode,
    Foresight,
    Mention,
    Metadata,
    ProfileItem,
    StoredMessage,
    Validity,
)
from mneme.rows import Embedding

_UNDISPUTED = Validity()  # shared: a pydantic default is copied for each record
_LONGEST_EVIDENCE = 300  # characters of an episode's words kept in an aggregate's mention


def assemble(reference: Reference, cut: Cut, extraction: Extraction, extractor: str) -> Extracted:
    """The records of one episode, and its mentions for the aggregates; not embedded yet.

    Args:
        reference: names the cut (flows/items.py).
        cut: the episode as it was cut.
        extraction: what was taken from it.
        extractor: who extracted it.
    """
    common = {
        "owner": cut.owner,
        "conversation_id": cut.conversation_id,
        "document_id": cut.document_id,
        "created_at": max(utterance.message.created_at for utterance in cut.utterances),
        "version": 0,
    }
    with_agent = common | {"agent_id": cut.agent_id}
    facts = [_fact(cut, index, fact, with_agent) for index, fact in enumerate(extraction.facts)]
    foresights = [_foresight(cut, index, each, common) for index, each in enumerate(extraction.foresights)]
    cases = [_case(cut, extraction.case, with_agent)] if extraction.case is not None and cut.agent_id is not None else []
    mentions = tuple(_mentions(cut, extraction))
    links = {
        "fact_ids": tuple(fact.record.id for fact in facts),
        "foresight_ids": tuple(foresight.record.id for foresight in foresights),
        "case_id": cases[0].record.id if cases else None,
        "aggregate_ids": tuple(dict.fromkeys(mention.row_id for mention in mentions)),
    }
    episode = _episode(cut, extraction, extractor, with_agent | links)
    return Extracted(reference["lane"], reference, cut.owner, (episode, *facts, *foresights, *cases), mentions)


def _fact(cut: Cut, index: int, fact: ExtractedFact, common: dict[str, Any]) -> NewRecord:
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
        metadata=_metadata(sources),
        citation=_citation(sources[0], fact.place),
        quote=fact.quote,
        claims=fact.claims,
        corrected=fact.corrected,
        validity=_UNDISPUTED,
        **common,
    )
    return NewRecord(record, embedded_words(fact.statement, fact.quote), _reused_embedding(cut, fact), _context(cut, fact))


def _foresight(cut: Cut, index: int, foresight: ExtractedForesight, common: dict[str, Any]) -> NewRecord:
    sources = [cut.utterances[at].message for at in foresight.sources]
    record = Foresight(
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
    return NewRecord(record, record.statement)


def _case(cut: Cut, case: ExtractedCase, common: dict[str, Any]) -> NewRecord:
    record = AgentCase(
        id=case_id(cut.id),
        parent_episode_id=cut.id,
        task_intent=case.task_intent,
        approach=case.approach,
        quality_score=case.quality_score,
        key_insight=case.key_insight,
        message_ids=tuple(utterance.message.message_id for utterance in cut.utterances),
        metadata=_metadata([utterance.message for utterance in cut.utterances]),
        at=_ended_at(cut),
        **common,
    )
    return NewRecord(record, record.task_intent)


def _episode(cut: Cut, extraction: Extraction, extractor: str, common: dict[str, Any]) -> NewRecord:
    messages = [utterance.message for utterance in cut.utterances]
    record = Episode(
        id=cut.id,
        subject=extraction.subject,
        summary=extraction.summary,
        episode=extraction.narrative,
        started_at=min(message.sent_at for message in messages),
        ended_at=_ended_at(cut),
        timezone=messages[0].timezone,
        participants=tuple(dict.fromkeys(message.sender_name for message in messages)),
        message_ids=tuple(message.message_id for message in messages),
        metadata=_metadata(messages),
        section=cut.section if cut.is_document else None,
        citation=messages[0].citation,
        begins_because=cut.begins_because,
        closed_by=cut.closed_by,
        provisional=cut.provisional,
        extractor=extractor,
        **common,
    )
    return NewRecord(record, f"{record.subject}. {record.summary}")


def _citation(source: StoredMessage, place: str) -> Citation | None:
    return source.citation.model_copy(update={"place": place}) if source.citation is not None and place else source.citation


def _metadata(messages: Sequence[StoredMessage]) -> Metadata:
    return joined([message.metadata for message in messages])


def _reused_embedding(cut: Cut, fact: ExtractedFact) -> Embedding | None:
    """The vector of a fact that is told in the words of its one message; those of its tokens lie with the message."""
    vector = cut.utterances[fact.sources[0]].vector if fact.same_as_source and len(fact.sources) == 1 else None
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
            entity_id(owner, entity.name), _mention(cut, entity.summary, entity.sources, name=entity.name, type=entity.type)
        )
        for entity in extraction.entities
    ]
    for edge in extraction.relationships:
        ends = edge_of(edge.source, edge.relation, edge.target)
        said = _mention(cut, " ".join(ends), edge.sources, date=edge.date, ended=edge.ended)
        mentions.append(AggregateMention(relationship_id(owner, *ends), said, ends))
    for item in extraction.profile:
        shown = _mention(cut, item.statement, item.sources, claim=item.claim)
        line = ProfileItem(
            about=item.about, statement=shown.text, category=item.category, implicit=item.implicit, evidence=(shown,)
        )
        mentions.append(AggregateMention(profile_id(owner), line))
    return mentions


def _mention(cut: Cut, text: str, sources: Sequence[int], **of_kind: Any) -> Mention:
    messages = [cut.utterances[at].message for at in sources] or [cut.utterances[0].message]
    return Mention(
        episode_id=cut.id,
        text=text[:_LONGEST_EVIDENCE],
        at=max(message.sent_at for message in messages),
        message_ids=tuple(message.message_id for message in messages),
        **of_kind,
    )
