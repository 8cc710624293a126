"""Extraction without a model: quotes, and what is certain about them."""

from flows.cuts import Cut, Extraction
from flows.extraction.agent_cases import case_of
from flows.extraction.centre import closeness
from flows.extraction.documents import extract_document
from flows.extraction.entities import entities_of
from flows.extraction.foresight import foresights_of
from flows.extraction.graph import relationships_of
from flows.extraction.narratives import narrative_of
from flows.extraction.portrait import profile_of
from flows.extraction.quotes import quotes_of, told
from flows.extraction.subjects import subject_of
from flows.extraction.summaries import summary_of


class LocalExtractor:
    """What an episode yields by rules alone. Pure: the same cut gives the same extraction; no text makes it fail."""

    name = "local"
    calls_a_model = False

    def extract(self, cut: Cut) -> Extraction:
        """The memories of one cut; facts carry the subject of their episode as topic."""
        if cut.is_document:
            return extract_document(cut)
        messages = told(cut.utterances)
        sentences = [one for each in messages for one in each.sentences]
        near = closeness(cut.utterances)
        subject = subject_of(sentences, near) or " and ".join(dict.fromkeys(each.message.sender_name for each in messages))
        relationships = relationships_of(sentences)
        return Extraction(
            subject=subject,
            summary=summary_of(sentences, near),
            narrative=narrative_of(messages),
            facts=tuple(quotes_of(messages, subject)),
            entities=entities_of(sentences),
            relationships=relationships,
            foresights=tuple(foresights_of(sentences)),
            profile=tuple(profile_of(sentences)),
            case=case_of(cut.utterances),
        )
