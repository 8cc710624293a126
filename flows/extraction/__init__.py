"""The extractors: by rules (``LocalExtractor``) or by a chat model (``ModelExtractor``).

Of a cut in which words were corrected or retracted, what was corrected stays as a fact that claims nothing any more. Everything
else is extracted from the messages without it. Words that were retracted are in no message; of what a model wrote in its own
words, the statement itself is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from flows.cuts import Cut, ExtractedFact, ExtractedForesight, Extraction, Extractor, Utterance
from flows.extraction.agent_cases import case_of
from flows.extraction.documents import extract_document
from flows.extraction.entities import entities_of, relationships_of
from flows.extraction.episode_texts import closeness, narrative_of, subject_of, summary_of
from flows.extraction.foresight import foresights_of
from flows.extraction.model import ModelExtractor
from flows.extraction.portrait import profile_of
from flows.extraction.quotes import annotated, quotes_of, rendered
from flows.words import hash_of, says, without
from mneme.errors import SettingsError
from mneme.ports import ChatModel, Role
from mneme.records import StoredMessage
from mneme.settings import Settings

__all__ = ["LocalExtractor", "ModelExtractor", "extract_amended", "open_extractor"]


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
            case=case_of(cut.utterances) if cut.agent_id else None,
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


# --- words that were corrected or retracted ---------------------------------------------------------------------------


def extract_amended(extractor: Extractor, cut: Cut) -> Extraction:
    """Extract a cut, with what became of the words of its messages.

    Raises:
        ModelError: from an extractor that calls a model.
    """
    messages = [utterance.message for utterance in cut.utterances]
    if not any(message.corrected or message.retracted for message in messages):
        return extractor.extract(cut)
    full = extractor.extract(cut)
    claiming = tuple(map(_claiming, cut.utterances))
    if all(one is other for one, other in zip(claiming, cut.utterances, strict=True)):
        rest = full
    elif any(utterance.message.text.strip() for utterance in claiming):
        rest = extractor.extract(replace(cut, utterances=claiming))
    else:
        rest = replace(full, facts=(), entities=(), relationships=(), foresights=(), profile=())
    facts = [each for fact in full.facts for each in _corrected(fact, messages)]
    facts += [
        replace(fact, same_as_source=fact.same_as_source and claiming[fact.sources[0]] is cut.utterances[fact.sources[0]])
        for fact in rest.facts
        if not _is_retracted(fact, messages) and not any(_corrected(fact, messages))
    ]
    foresights = tuple(each for each in rest.foresights if not _is_retracted(each, messages))
    return replace(rest, facts=tuple(sorted(facts, key=lambda fact: _place(fact, messages))), foresights=foresights)


def _claiming(utterance: Utterance) -> Utterance:
    """A message without what was corrected of it."""
    message = utterance.message
    text = without(message.text, *message.corrected)
    return utterance if text == message.text else replace(utterance, message=message.model_copy(update={"text": text}))


def _corrected(fact: ExtractedFact, messages: Sequence[StoredMessage]) -> Iterator[ExtractedFact]:
    """The fact, or each part of it, that was corrected."""
    message = messages[fact.sources[0]]
    for words, corrected in message.corrected.items():
        if fact.quote is None:
            if hash_of(words) == hash_of(fact.statement):
                yield replace(fact, claims=(), corrected=corrected)
        elif says(words, fact.quote.words):
            yield replace(fact, claims=(), corrected=corrected)
        elif says(fact.quote.words, words):
            quote = fact.quote.model_copy(update={"words": words})
            statement = rendered(quote, message.sent_at, message.timezone)
            yield replace(fact, statement=statement, quote=quote, same_as_source=False, claims=(), corrected=corrected)


def _is_retracted(each: ExtractedFact | ExtractedForesight, messages: Sequence[StoredMessage]) -> bool:
    """Tell whether what a model wrote is not to be said again. A foresight has no history: one that was corrected goes too."""
    if isinstance(each, ExtractedFact) and each.quote is not None:
        return False
    gone = {hashed for at in each.sources for hashed in messages[at].retracted}
    if isinstance(each, ExtractedForesight):
        gone |= {hash_of(words) for at in each.sources for words in messages[at].corrected}
    return hash_of(each.statement) in gone


def _place(fact: ExtractedFact, messages: Sequence[StoredMessage]) -> tuple[int, int]:
    """The place of a fact among what is said: what is corrected keeps its own, and the others theirs."""
    return fact.sources[0], max(0, messages[fact.sources[0]].text.find(fact.quote.words)) if fact.quote is not None else 0
