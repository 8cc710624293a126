"""The extractors: by rules (``LocalExtractor``) or by a chat model (``ModelExtractor``)."""

from flows.cuts import Cut, Extraction, Extractor
from flows.extraction.agent_cases import case_of
from flows.extraction.documents import extract_document
from flows.extraction.entities import entities_of
from flows.extraction.episode_texts import closeness, narrative_of, summary_of
from flows.extraction.foresight import foresights_of
from flows.extraction.graph import relationships_of
from flows.extraction.model import ModelExtractor
from flows.extraction.portrait import profile_of
from flows.extraction.quotes import annotated, quotes_of
from flows.extraction.subjects import subject_of
from mneme.errors import SettingsError
from mneme.ports import ChatModel, Role
from mneme.settings import Settings

__all__ = ["LocalExtractor", "ModelExtractor", "open_extractor"]


class LocalExtractor:
    """Extract memories by rules alone. Pure: the same cut gives the same extraction; no text makes it fail."""

    name = "local"
    calls_a_model = False

    def extract(self, cut: Cut) -> Extraction:
        """The memories of one cut; facts carry the subject of their episode as topic."""
        if cut.is_document:
            return extract_document(cut)
        messages = annotated(cut.utterances)
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


def open_extractor(settings: Settings, chat: ChatModel | None) -> Extractor:
    """The extractor that the settings name.

    Raises:
        SettingsError: a model is to extract, and there is none.
    """
    if settings.extraction.extractor == "local":
        return LocalExtractor()
    if chat is None:
        raise SettingsError("MNEME_EXTRACTION__EXTRACTOR is 'model', but no model is set: set MNEME_MODELS__PROVIDER")
    models = settings.models
    name = models.by_role.get(Role.EXTRACTION, models.default)
    return ModelExtractor(chat, settings.extraction, name, models.output_language, models.prompts.get("extraction", ""))
