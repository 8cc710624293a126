"""Extraction by a chat model: one structured call for an episode, and a check of what it says."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from flows.cuts import (
    Cut,
    ExtractedCase,
    ExtractedEntity,
    ExtractedFact,
    ExtractedForesight,
    ExtractedProfileItem,
    ExtractedRelationship,
    Extraction,
)
from flows.extraction.answer_form import CaseForm, EpisodeForm, FactForm
from flows.extraction.grounding import is_grounded
from flows.extraction.narratives import narrative_of
from flows.extraction.retelling import retell, zone_of
from mneme.dates import DateMention, DaySpan, resolve_dates
from mneme.ports import ChatModel, Prompt, Role
from mneme.records import StoredMessage
from mneme.settings import Extraction as ExtractionSettings

RULES = """\
You turn one episode of a conversation or document into memories. Rules:
- Use only what the messages say. Cite them by their numbers.
- One fact for each thing worth knowing later: events, plans, decisions, opinions, numbers, advice given by an assistant. \
No greetings, no praise, nothing an assistant only repeats from its memory.
- Each fact stands alone: third person, names instead of pronouns, "Asked ..., Ann said ..." where an answer needs its question.
- Resolve relative dates against the time of the message and write them in full, also as event_start and event_end.
- Keep names, numbers and negations exactly as written. When a message corrects an earlier one, keep only the correction.
- Write in {language}."""
CONVERSATION_LANGUAGE = "the language of the conversation"
INSTRUCTIONS = "\nAlso:\n{instructions}"

_LONGEST_TOOL_TEXT = 300  # characters of a tool's arguments and of its result in the prompt


class ModelExtractor:
    """What an episode yields by a model's reading.

    The model's statements are checked: sources that are not there fall away, a fact without a source or with a number,
    name or date that its sources do not have is dropped and counted, and a date that mneme/dates resolves differently
    is replaced.
    """

    calls_a_model = True

    def __init__(self, chat: ChatModel, settings: ExtractionSettings, name: str, language: str | None = None) -> None:
        """A model that extracts.

        Args:
            chat: who is asked, in the role ``extraction``.
            settings: ``custom_instructions`` are added to the rules.
            name: the model's name, for the record.
            language: of the output; None for the conversation's own.
        """
        self.name = name
        self._chat = chat
        self._system = RULES.format(language=language or CONVERSATION_LANGUAGE)
        if settings.custom_instructions:
            self._system += INSTRUCTIONS.format(instructions=settings.custom_instructions)

    def prompt(self, cut: Cut) -> Prompt:
        """What the model is asked for a cut: rules in ``system``, the numbered messages in ``user``."""
        scope = f"{cut.owner.key}/{cut.conversation_id or cut.document_id}"
        return Prompt(Role.EXTRACTION, self._system, _shown(cut), scope)

    def extract(self, cut: Cut) -> Extraction:
        """The memories of one cut.

        Raises:
            ModelError: the model gave no usable answer.
        """
        answer = self._chat.answer(self.prompt(cut), EpisodeForm)
        messages = [utterance.message for utterance in cut.utterances]
        participants = tuple(dict.fromkeys(message.sender_name for message in messages))
        facts = [_fact(form, messages) for form in answer.facts]
        kept = [fact for fact in facts if fact is not None and _holds(fact, messages, participants)]
        return Extraction(
            subject=answer.subject.strip(),
            summary=answer.summary.strip(),
            narrative=answer.narrative.strip() or narrative_of(retell(cut.utterances)),
            facts=tuple(kept),
            entities=tuple(
                ExtractedEntity(form.name.strip(), form.type.strip().lower(), form.summary.strip(), sources)
                for form in answer.entities
                if form.name.strip() and (sources := _known(form.sources, messages))
            ),
            relationships=tuple(
                ExtractedRelationship(
                    form.source.strip(),
                    form.relation.strip(),
                    form.target.strip(),
                    _start(form.date, messages, sources),
                    sources,
                )
                for form in answer.relationships
                if form.source.strip()
                and form.relation.strip()
                and form.target.strip()
                and (sources := _known(form.sources, messages))
            ),
            foresights=tuple(
                ExtractedForesight(
                    form.statement.strip(),
                    form.evidence.strip(),
                    sources,
                    *_checked_event(form.start, form.end, sources, messages),
                )
                for form in answer.foresights
                if (sources := _known(form.sources, messages))
                and is_grounded(form.statement, [messages[at] for at in sources], participants)
            ),
            profile=tuple(
                ExtractedProfileItem(form.about.strip(), form.statement.strip(), form.category.strip(), form.implicit, sources)
                for form in answer.profile
                if (sources := _known(form.sources, messages))
                and is_grounded(form.statement, [messages[at] for at in sources], participants)
            ),
            case=_case(answer.case, messages),
            dropped=len(facts) - len(kept),
        )


# --- the prompt ------------------------------------------------------------------------------------------------------


def _shown(cut: Cut) -> str:
    """The messages, numbered, one line each, with the speaker's local time."""
    lines = []
    if cut.is_document:
        lines.append(f"Document: {', '.join(part for part in (cut.document_name, cut.section) if part)}")
    for number, utterance in enumerate(cut.utterances):
        message = utterance.message
        local = message.sent_at.astimezone(zone_of(message)).isoformat(timespec="minutes")
        role = "" if message.role == "user" else f" ({message.role})"
        lines.append(f"[{number}] {local} {message.sender_name}{role}: {_one_line(message.text)}")
        for call in message.tool_calls:
            result = f" -> {_one_line(call.result)[:_LONGEST_TOOL_TEXT]}" if call.result else ""
            lines.append(f"    called {call.name}({_one_line(call.arguments)[:_LONGEST_TOOL_TEXT]}){result}")
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())


# --- the check -------------------------------------------------------------------------------------------------------


def _fact(form: FactForm, messages: Sequence[StoredMessage]) -> ExtractedFact | None:
    sources = _known(form.sources, messages)
    if not sources or not form.statement.strip():
        return None
    event_at, event_until = _checked_event(form.event_start, form.event_end, sources, messages)
    return ExtractedFact(form.statement.strip(), form.topic.strip(), sources, event_at, event_until)


def _holds(fact: ExtractedFact, messages: Sequence[StoredMessage], participants: Sequence[str]) -> bool:
    return is_grounded(fact.statement, [messages[at] for at in fact.sources], participants)


def _known(sources: Sequence[int], messages: Sequence[StoredMessage]) -> tuple[int, ...]:
    """The sources that exist, each once, in order."""
    return tuple(sorted({at for at in sources if 0 <= at < len(messages)}))


def _checked_event(
    start: str | None, end: str | None, sources: Sequence[int], messages: Sequence[StoredMessage]
) -> tuple[datetime | None, datetime | None]:
    """When it happens: the model's days where the sources mention them; else what the sources mention; else nothing."""
    mentions = [mention for at in sources for mention in _mentions(messages[at])]
    if not mentions:
        return None, None
    first, last = _day(start), _day(end) or _day(start)
    meant = [mention for mention in mentions if first and last and mention.span.first <= last and first <= mention.span.last]
    if first and last and meant and first <= last:
        zone = zone_of(messages[sources[0]])
        return DaySpan.between(first, last).bounds(zone)
    best = min(mentions, key=lambda mention: mention.span.days)
    return best.since, best.until


def _mentions(message: StoredMessage) -> list[DateMention]:
    return resolve_dates(message.text, message.sent_at, zone_of(message))


def _start(written: str | None, messages: Sequence[StoredMessage], sources: Sequence[int]) -> datetime | None:
    return _checked_event(written, written, sources, messages)[0] if written else None


def _day(written: str | None) -> date | None:
    """The day of an ISO date or time; None where it is neither, or too near the ends of the calendar."""
    if not written:
        return None
    try:
        day = date.fromisoformat(written.strip()[:10])
    except ValueError:
        return None
    margin = timedelta(days=2)
    return day if date.min + margin <= day <= date.max - margin else None


def _case(form: CaseForm | None, messages: Sequence[StoredMessage]) -> ExtractedCase | None:
    """The case of an episode in which an agent called tools; what else a model calls a case is none."""
    if form is None or not any(message.tool_calls for message in messages) or not any(message.agent_id for message in messages):
        return None
    return ExtractedCase(form.task_intent, form.approach, min(1.0, max(0.0, form.quality_score)), form.key_insight)
