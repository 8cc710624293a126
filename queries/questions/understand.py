"""understand: what a question asks for, before anything is searched."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mneme.errors import InputError, ModelError
from mneme.languages import foreign_language
from mneme.ports import Embedder, embeddings_of
from mneme.relations import attributes_asked
from mneme.rows import Embedding, Vector
from mneme.text import tokenise
from queries.questions.exceptions import without_exception
from queries.questions.people import (
    from_viewpoint,
    is_asker,
    is_assistant,
    likely_people,
    names_asker,
    names_person,
    without_names,
)
from queries.questions.periods import Period, period_of
from queries.questions.tense import asks_about_past, asks_for_state
from queries.questions.types import QuestionType, question_type, top_k_of

LONGEST_QUESTION = 10_000  # characters; what is longer is a document, not a question
_WITHOUT_LETTERS = ("zh", "ja", "ko")  # of these a model for English knows not even names and words that were taken over
_WHERE_ASKED = 1000  # characters at both ends of a long text in which it says what it asks


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question ready to be searched for.

    ``tokens`` are those of mneme/text.py; ``vector`` is None where the method needs none or the embedder cannot serve, and
    then ``notes`` say why. ``token_vectors``: see ``Embedding``. ``spoken`` is the question as those it is about would put
    it. ``top_k`` is how many results the ranking may hold. ``about_past`` tells whether the words ask for what used to be so.
    ``period`` is the time that the question speaks of, None when it names none. ``owner`` is the user whose memory is asked,
    where it is a user's. ``asked`` are (subject, attribute) of the claims that tell what is asked for, as far as they are
    known (mneme/relations), and ``asks_for_state`` tells whether it asks for what is so, in the present.
    """

    text: str
    type: QuestionType
    top_k: int
    tokens: tuple[str, ...]
    vector: Vector | None
    notes: tuple[str, ...] = ()
    about_past: bool = False
    period: Period | None = None
    owner: str | None = None
    spoken: "Spoken | None" = None
    asked: tuple[tuple[str, str], ...] = ()
    asks_for_state: bool = False
    token_vectors: bytes = b""

    def names(self, people: Iterable[str]) -> bool:
        """True if the question names one of these people: in full, by one part of a name, or as "I" or as the assistant.

        >>> understand("What did Mei-Lin decide?", None, top_k=5).names(["Mei-Lin Chen"])
        True
        >>> understand("Where do I work?", None, owner="maya").names(["Maya Chen"])
        True
        """
        people = tuple(people)
        if any(names_person(self.text, person) for person in people):
            return True
        if self.type is QuestionType.ASSISTANT_RECALL:
            return any(is_assistant(person) for person in people)
        return names_asker(self.text) and any(is_asker(person, self.owner) for person in people)


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """A question from the point of view of those it is about (queries/questions/people.py)."""

    text: str
    embedding: Embedding


def understand(
    text: str,
    embedder: Embedder | None,
    top_k: int | None = None,
    default_top_k: int = 20,
    asked_at: datetime | None = None,
    owner: str | None = None,
) -> Question:
    """A question with its tokens, its type, its vector and the time that it speaks of.

    Args:
        text: the question.
        embedder: None where the method needs no vector; then no model is touched.
        top_k: how many results the caller wants; None leaves it to the question's type.
        default_top_k: for a question that neither counts nor asks for one fact.
        asked_at: when it is asked, in the zone of who asks: what "yesterday" means. Without it no time is read.
        owner: the user whose memory is asked, who "I" is.

    Raises:
        InputError: the question is empty, without a word or too long, or ``top_k`` is out of range.
    """
    text = checked(text, top_k)
    asked = both_ends(text)
    kind = question_type(asked)
    sought = without_exception(text)
    spoken = from_viewpoint(sought, likely_people(sought))
    about_past = asks_about_past(asked)
    attributes = () if about_past else tuple(attributes_asked(asked))
    made, notes = _embed(list(dict.fromkeys((sought, spoken))), embedder) if embedder else ((), ())
    return Question(
        text,
        kind,
        top_k or top_k_of(asked, default_top_k),
        tuple(tokenise(sought)),
        made[0].vector if made else None,
        notes,
        about_past,
        period_of(asked, asked_at) if asked_at else None,
        owner,
        Spoken(spoken, made[-1]) if made and spoken != sought else None,
        attributes,
        bool(attributes) or asks_for_state(asked),
        made[0].token_vectors if made else b"",
    )


def checked(text: str, top_k: int | None) -> str:
    """A question that can be asked, without the blanks around it.

    Raises:
        InputError: it is empty, without a word or too long, or ``top_k`` is out of range.
    """
    text = text.strip()
    if not text:
        raise InputError("query: it is empty; ask something")
    if not any(character.isalnum() for character in text):
        raise InputError("query: there is no word in it; ask something")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError("query: it holds half of a surrogate pair, which is no character; ask in well-formed Unicode")
    if len(text) > LONGEST_QUESTION:
        raise InputError(f"query: it has {len(text)} characters; at most {LONGEST_QUESTION} are searched for")
    if top_k is not None and (isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= 1000):
        raise InputError(f"top_k: {str(top_k)[:20]} is no number between 1 and 1000")
    return text


def both_ends(text: str) -> str:
    """The part of a text that asks: of a long one its beginning and its end."""
    return text if len(text) <= 2 * _WHERE_ASKED else f"{text[:_WHERE_ASKED]} {text[-_WHERE_ASKED:]}"


def as_question(text: str) -> str:
    """A text that nobody wrote as a question, as one that can be searched for; empty where it has no word."""
    if not any(map(str.isalnum, text)):
        return ""
    return both_ends(text) if len(text) > LONGEST_QUESTION else text


def focus(question: Question, people: Iterable[str], embedder: Embedder) -> Question | None:
    """The question as it is compared with what these people said: their names taken out of its words, and their point of view.

    Who said something is told by ``Question.names``; a name among the words would only repeat it, and drown the rest. None
    where it names none of them.
    """
    people, sought = tuple(people), without_exception(question.text)
    viewpoint = from_viewpoint(sought, people)
    if viewpoint == sought:
        return None
    tokens = tuple(tokenise(without_names(sought, people))) or question.tokens
    spoken = question.spoken
    if question.vector is not None and (spoken is None or spoken.text != viewpoint):
        made, _ = _embed([viewpoint], embedder)
        spoken = Spoken(viewpoint, made[0]) if made else None
    if spoken is None:
        return replace(question, tokens=tokens)
    return replace(question, tokens=tokens, vector=spoken.embedding.vector, token_vectors=spoken.embedding.token_vectors)


def _embed(texts: list[str], embedder: Embedder) -> tuple[Sequence[Embedding], tuple[str, ...]]:
    """Embed texts, where the embedder serves them; with notes."""
    served, language = embedder.identity.languages, foreign_language(texts[0])
    notes: tuple[str, ...] = ()
    if language and not {"*", language} & set(served):
        why = f"{embedder.identity.model} serves {', '.join(served)}, and the question is in {language}"
        if language in _WITHOUT_LETTERS:
            return (), (f"vector leg off: {why}",)
        notes = (f"vectors say little: {why}",)
    try:
        return embeddings_of(embedder, texts), notes
    except ModelError as error:
        return (), (f"vector leg off: the embedder did not answer ({error})",)
