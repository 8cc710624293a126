"""Values between segment and extract: messages with vectors, an episode as it was cut, and what was extracted from it.

``BoundaryDetector`` (flows/boundaries/) says where to cut, ``Extractor`` (flows/extraction/) what to remember.
Both are plain objects over plain values: they know neither Bytewax nor an index.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from mneme.ids import chunk_episode_id, conversation_path, document_key, episode_id
from mneme.records import Citation, Claim, ClosedBy, Corrected, Owner, Quote, StoredMessage
from mneme.rows import Embedding, Row, Vector
from mneme.times import to_milliseconds


def lane_of_message(message: StoredMessage) -> str:
    """The lane of a message: the path of its conversation, or the key of its document (mneme/ids.py)."""
    if message.document_id is not None:
        return document_key(message.owner.key, message.document_id)
    return message.id.rpartition("/")[0]  # its id begins with it (mneme/ids.py), and percent-encoding takes ten times as long


def lane_of_row(row: Row) -> str:
    """The lane of the row of a message, and of what is made from it."""
    if row.document_id is not None:
        return document_key(row.owner_key, row.document_id)
    return conversation_path(row.tenant_id, row.conversation_id or "")


_STRETCH = timedelta(minutes=10)  # a time is written anew after so long
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def under_times(lines: Iterable[tuple[datetime, str]]) -> Iterator[str]:
    """Lines under their times, which are local times of whoever speaks."""
    written: datetime | None = None
    for at, line in lines:
        same_zone = written is not None and written.utcoffset() == at.utcoffset()
        if written is None or not same_zone or not timedelta(0) <= at - written < _STRETCH or at.date() != written.date():
            written = at
            offset = f"{at:%z}"  # +0100
            zone = f"{offset[:3]}:{offset[3:5]}" if at.utcoffset() else "UTC"
            yield f"{_WEEKDAYS[at.weekday()]} {at:%Y-%m-%d %H:%M} {zone}"
        yield line


def one_line(text: str, longest: int | None = None) -> str:
    """A text as one line; of a longer one the beginning and the end, which say what it is about."""
    line = " ".join(text.split())  # splits at every line break that Unicode knows
    if longest is None or len(line) <= longest:
        return line
    return f"{line[: longest * 3 // 4]} ... {line[-longest // 4 :]}"


@dataclass(frozen=True, slots=True, eq=False)
class Utterance:
    """A message with its vector (of ``embedding_text``); None where the embedder did not serve.

    ``token_vectors`` are kept until it is stored with them. ``reading`` is what a detector noted about it, kept for the next
    question about the same conversation.
    """

    message: StoredMessage
    vector: Vector | None
    token_vectors: bytes = b""
    reading: object = field(default=None, init=False, repr=False)

    @classmethod
    def of(cls, message: StoredMessage, embedding: Embedding | None) -> "Utterance":
        """A message with what was made of its text."""
        return cls(message, *(embedding or (None,)))

    @property
    def embedding(self) -> Embedding | None:
        """The embedding that it is stored with."""
        return None if self.vector is None else Embedding(self.vector, self.token_vectors)


def embedding_text(message: StoredMessage) -> str:
    """The text that is embedded for a message: who says what; for a chunk of a document, where it stands and what it says."""
    return f"{', '.join(dict.fromkeys(_context(message)))}: {message.text}"


def embedded_words(statement: str, quote: Quote | None) -> str:
    """The text that is embedded for a fact: of a quote who says what to which question, without the day that is shown."""
    if quote is None:
        return statement
    before = quote.question or quote.context
    return f"{f'{before.words} ' if before else ''}{quote.speaker}: {quote.words}"


def _context(message: StoredMessage) -> Iterator[str]:
    yield message.sender_name
    if message.document_id is not None and message.citation is not None and message.citation.section:
        yield message.citation.section


# --- segment ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """A detector's decision on where new episodes begin.

    ``boundaries`` are indices into the judged messages, ascending: a new episode begins with that message.
    ``reasons`` names for each boundary what spoke for it. ``tail_complete`` says that the last episode is finished,
    as far as one can see.
    """

    boundaries: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()
    tail_complete: bool = False


class BoundaryDetector(Protocol):
    """Judges where a conversation turns to something new. Pure: the same messages give the same verdict.

    ``window`` is the most messages that one call judges. One that ``calls_a_model`` is not asked before so many are there, and
    not on the worker, since ``judge`` is slow. ``look_ahead`` is the number of messages after the judged ones that it wants to
    see, unless the conversation pauses.
    """

    window: int
    look_ahead: int
    calls_a_model: bool

    def signals(self, context: Sequence[Utterance], message: Utterance) -> bool:
        """Return whether cheap signals suggest a boundary before this message: a reason to judge before the window is full."""

    def judge(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        """Find the boundaries among ``judged``.

        Args:
            context: the messages of the open episode so far, oldest first; empty at the start of a conversation,
                and then index 0 is never a boundary.
            judged: the messages to decide about, in order, directly after ``context``.
            ahead: the messages that follow, at most ``look_ahead``; fewer when the conversation pauses.

        Raises:
            ModelError: from a detector that calls a model.
        """


# --- extract ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """An episode as it was cut: a stretch of a conversation, or a chunk of a document.

    ``begins_because`` names what spoke for the cut before it. For a document there is one utterance, the chunk.
    """

    id: str
    owner: Owner
    conversation_id: str | None
    document_id: str | None
    utterances: tuple[Utterance, ...]
    closed_by: ClosedBy
    provisional: bool = False
    begins_because: tuple[str, ...] = ()

    @property
    def is_document(self) -> bool:
        """Return whether this is a chunk of a document."""
        return self.document_id is not None

    @property
    def lane(self) -> str:
        """The conversation or document it belongs to."""
        return lane_of_message(self.utterances[0].message)

    @property
    def agent_id(self) -> str | None:
        """The agent that takes part."""
        return next((each.message.agent_id for each in self.utterances if each.message.agent_id), None)

    @property
    def citation(self) -> Citation | None:
        """The citation of its place in a document."""
        return self.utterances[0].message.citation

    @property
    def document_name(self) -> str | None:
        """The file of a chunk of a document."""
        return self.citation.name if self.citation is not None else None

    @property
    def section(self) -> str | None:
        """The title of the section that a chunk of a document is from."""
        return self.citation.section or None if self.citation is not None else None


def cut_of_chunk(utterance: Utterance) -> Cut:
    """A chunk of a document is an episode of its own."""
    message = utterance.message
    return Cut(
        id=chunk_episode_id(message.id),
        owner=message.owner,
        conversation_id=message.conversation_id,
        document_id=message.document_id,
        utterances=(utterance,),
        closed_by="section",
    )


def correction_id(correction: StoredMessage) -> str:
    """The id of the episode that is made from a correction."""
    message, conversation = correction, correction.conversation_id or ""
    return episode_id(message.owner.tenant_id, conversation, to_milliseconds(message.sent_at), message.message_id)


def cut_of_correction(utterance: Utterance) -> Cut:
    """A correction is an episode of its own: it answers nothing that is said around it."""
    message = utterance.message
    return Cut(
        id=correction_id(message),
        owner=message.owner,
        conversation_id=message.conversation_id,
        document_id=None,
        utterances=(utterance,),
        closed_by="correction",
        begins_because=("correction",),
    )


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """A statement, with its parts where it is a quote. ``sources`` are indices of the cut's utterances, its own first.

    ``same_as_source`` says that the statement is the text of its one source, so that the vector of the message serves it too.
    ``place`` cites the line or row of a document itself; empty where the place of its chunk is exact enough. What was
    ``corrected`` claims nothing.
    """

    statement: str
    topic: str
    sources: tuple[int, ...]
    event_at: datetime | None = None
    event_until: datetime | None = None
    same_as_source: bool = False
    quote: Quote | None = None
    claims: tuple[Claim, ...] = ()
    place: str = ""
    corrected: Corrected | None = None


@dataclass(frozen=True, slots=True)
class ExtractedEntity:
    """A thing with a name; ``type`` is person, organisation, location, object or an open word."""

    name: str
    type: str
    summary: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExtractedRelationship:
    """An edge between two entities: ``works_at``, ``married_to``, ``lives_in``, ...

    ``date`` is when it began; ``ended`` says that it is over ("Ann left Google"), and then ``date`` is when it ended.
    """

    source: str
    relation: str
    target: str
    date: datetime | None
    sources: tuple[int, ...]
    ended: bool = False


@dataclass(frozen=True, slots=True)
class ExtractedForesight:
    """Something expected; ``place`` as of an ``ExtractedFact``."""

    statement: str
    evidence: str
    sources: tuple[int, ...]
    start: datetime | None = None
    end: datetime | None = None
    claims: tuple[Claim, ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True)
class ExtractedProfileItem:
    """Something that says what ``about`` is like; ``implicit`` when it was shown rather than said.

    ``claim`` is what the line is made from, where it is: one that ``ends`` is no line, it ends lines.
    """

    about: str
    statement: str
    category: str
    implicit: bool
    sources: tuple[int, ...]
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class ExtractedCase:
    """A task that an agent did; ``quality_score`` 0 to 1."""

    task_intent: str
    approach: str
    quality_score: float
    key_insight: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything that one episode yields. Texts are in the language of the conversation."""

    subject: str
    summary: str
    narrative: str
    facts: tuple[ExtractedFact, ...]
    entities: tuple[ExtractedEntity, ...] = ()
    relationships: tuple[ExtractedRelationship, ...] = ()
    foresights: tuple[ExtractedForesight, ...] = ()
    profile: tuple[ExtractedProfileItem, ...] = ()
    case: ExtractedCase | None = None
    dropped: int = 0


class Extractor(Protocol):
    """Turns a cut into what is worth remembering.

    ``name`` is for the record: ``local`` or the model's name. Where it ``calls_a_model``, ``extract`` waits for it.
    """

    name: str
    calls_a_model: bool

    def extract(self, cut: Cut) -> Extraction:
        """The memories of one cut. ``dropped`` counts statements that failed the check against their sources.

        Raises:
            ModelError: from an extractor that calls a model.
        """
