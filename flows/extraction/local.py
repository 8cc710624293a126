"""Extraction without a model: rules, patterns and the vectors that the messages already have."""

from collections.abc import Sequence
from dataclasses import replace

from flows.cuts import Cut, Extraction
from flows.extraction.agent_cases import case_of
from flows.extraction.centre import closeness
from flows.extraction.corrections.meant import corrected
from flows.extraction.documents.sections import extract_document
from flows.extraction.facts.messages import message_facts
from flows.extraction.facts.untold import untold
from flows.extraction.foresight import foresights_of
from flows.extraction.graph.entities import graph_of
from flows.extraction.narratives import narrative_of
from flows.extraction.portrait.profile import profile_of
from flows.extraction.subjects import subject_of
from flows.extraction.summaries import summary_of
from flows.extraction.wording.retelling import Kind, Retelling, retell

_SUBJECT_READ = 20_000  # characters of a message that tell what an episode is about; each name in them is compared with all


class LocalExtractor:
    """What an episode yields by rules alone. Pure: the same cut gives the same extraction; no text makes it fail."""

    name = "local"
    calls_a_model = False

    def extract(self, cut: Cut) -> Extraction:
        """The memories of one cut; facts carry the subject of their episode as topic."""
        if cut.is_document:
            return extract_document(cut)
        meant = corrected(cut.utterances)
        retellings = retell(meant.utterances)
        speakers = list(dict.fromkeys(retelling.speaker for retelling in retellings))
        near = closeness(cut.utterances)
        closest = [near[one.index] for one in retellings]
        subject = (
            subject_of(_words_said(retellings), speakers, closest)
            or subject_of(_words_read(retellings), speakers, closest)
            or " and ".join(speakers)
        )
        entities, relationships = graph_of(retellings)
        facts = tuple(meant.facts(message_facts(retellings, subject)))
        return Extraction(
            subject=subject,
            summary=summary_of(retellings, near),
            narrative=narrative_of(retellings),
            facts=facts,
            remarks=tuple(untold(retellings, facts)),
            entities=entities,
            relationships=relationships,
            foresights=tuple(replace(each, sources=meant.cite(each.sources)) for each in foresights_of(retellings)),
            profile=tuple(profile_of(retellings, relationships)),
            case=case_of(cut.utterances),
        )


def _words_read(retellings: Sequence[Retelling]) -> list[str]:
    """What was read in the attachments of each message."""
    return [" ".join(one.reads for one in retelling.said if one.informative)[:_SUBJECT_READ] for retelling in retellings]


def _words_said(retellings: Sequence[Retelling]) -> list[str]:
    """Each message without its attachments and small talk."""
    return [
        " ".join(one.text for one in retelling.said if one.informative and one.kind is not Kind.ATTACHMENT)[:_SUBJECT_READ]
        for retelling in retellings
    ]
