"""What a dry run found, in the form of an inspection: cuts and extractions that no index has seen."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mneme.ids import fact_id, foresight_id
from queries.browsing.inspection import inspected_message
from queries.browsing.responses import (
    InspectedCase,
    InspectedEntity,
    InspectedEpisode,
    InspectedLine,
    InspectedRelationship,
    InspectedStatement,
    Inspection,
)

if TYPE_CHECKING:
    from flows.cuts import Cut, Extraction


def inspections(found: "Iterable[tuple[Cut, Extraction]]", extractor: str) -> Iterator[Inspection]:
    """One inspection for each conversation or document, in the order in which they come.

    Args:
        found: what ``flows.dry_run.dry_run`` yields.
        extractor: its name, for the record.
    """
    for (owner, conversation, document), episodes in groupby(found, key=lambda pair: _place(pair[0])):
        yield Inspection(
            conversation_id=conversation,
            document_id=document,
            owner=owner,
            episodes=tuple(_episode(cut, extraction, extractor) for cut, extraction in episodes),
        )


def _place(cut: "Cut") -> tuple[str, str | None, str | None]:
    return cut.owner.key, cut.conversation_id, cut.document_id


def _episode(cut: "Cut", made: "Extraction", extractor: str) -> InspectedEpisode:
    messages = [utterance.message for utterance in cut.utterances]

    def sources(indices: Iterable[int]) -> dict[str, Any]:
        cited = [messages[at] for at in indices]
        return {
            "message_ids": tuple(message.message_id for message in cited),
            "said_at": max((message.sent_at for message in cited), default=messages[0].sent_at),
        }

    return InspectedEpisode(
        id=cut.id,
        subject=made.subject,
        summary=made.summary,
        document_id=cut.document_id,
        section=cut.section if cut.is_document else None,
        citation=messages[0].citation,
        started_at=messages[0].sent_at,
        ended_at=messages[-1].sent_at,
        timezone=messages[0].timezone,
        begins_because=cut.begins_because,
        closed_by=cut.closed_by,
        provisional=cut.provisional,
        extractor=extractor,
        dropped=made.dropped,
        messages=tuple(inspected_message(message) for message in messages),
        facts=tuple(
            InspectedStatement(id=fact_id(cut.id, number), text=fact.statement, event_at=fact.event_at, **sources(fact.sources))
            for number, fact in enumerate(made.facts)
        ),
        foresights=tuple(
            InspectedStatement(
                id=foresight_id(cut.id, number), text=each.statement, start=each.start, end=each.end, **sources(each.sources)
            )
            for number, each in enumerate(made.foresights)
        ),
        entities=tuple(InspectedEntity(name=each.name, type=each.type, text=each.summary) for each in made.entities),
        relationships=tuple(
            InspectedRelationship(
                source=each.source, relation=each.relation, target=each.target, date=each.date, ended=each.ended
            )
            for each in made.relationships
        ),
        profile=tuple(
            InspectedLine(about=each.about, statement=each.statement, category=each.category, implicit=each.implicit)
            for each in made.profile
        ),
        case=made.case
        and InspectedCase(
            task_intent=made.case.task_intent,
            approach=made.case.approach,
            key_insight=made.case.key_insight,
            quality_score=made.case.quality_score,
        ),
    )
