"""Models: texts to vectors, questions to answers, texts to an order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from mneme.ports.index import EmbedderIdentity
from mneme.rows import Embedding, Vector, directions, whole_numbers

Answer = TypeVar("Answer", bound=BaseModel)


class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity of its vectors."""

    def embed(self, texts: Sequence[str]) -> Vector:
        """Float32 of shape (texts, dimension), each row of length 1; (0, dimension) for no texts.

        Raises:
            ModelError: after retries.
            SettingsError: the vectors are not what the settings promise (dimension, damaged weights).
        """

    def close(self) -> None:
        """Release connections and memory."""


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """Texts to vectors, and to those of their tokens, for late interaction."""

    def embed_tokens(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """As ``embed``, with the vectors of the tokens that the same forward pass gives."""


def embeddings_of(embedder: Embedder, texts: Sequence[str]) -> Sequence[Embedding]:
    """The embeddings of texts, with vectors of tokens where the embedder gives them; raises as ``Embedder.embed``.

    Vectors are as an index keeps them, so that whoever reads one again goes on with the same.
    """
    if embedder.identity.token_dimension and isinstance(embedder, TokenEmbedder):
        embeddings = embedder.embed_tokens(texts)
    else:
        embeddings = [Embedding(vector) for vector in embedder.embed(texts)]
    return [Embedding(directions(whole_numbers(vector)), token_vectors) for vector, token_vectors in embeddings]


class Role(StrEnum):
    """The task that a chat model is asked for; each can have a model of its own."""

    BOUNDARY = "boundary"
    EXTRACTION = "extraction"
    RECONCILE = "reconcile"
    RERANK = "rerank"
    AGENTS = "agents"
    ANSWER = "answer"
    JUDGE = "judge"
    VISION = "vision"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a chat model is shown it: ``media_type`` is ``image/png`` or ``image/jpeg``.

    ``sha256`` is of the file that it was made from, in hex: what was said of a picture is found again by it, also where
    another library would scale it to other bytes.
    """

    content: bytes = field(repr=False)
    media_type: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """Rules in ``system``, data in ``user``. ``scope`` (``tenant/owner/conversation``) is what an erase removes from caches.

    ``pictures`` are data too, and are shown after ``user``.
    """

    role: Role
    system: str
    user: str
    scope: str = ""
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """The calls so far that an endpoint answered, and their tokens."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class ChatModel(Protocol):
    """A chat model that answers in a given form."""

    def answer(self, prompt: Prompt, form: type[Answer]) -> Answer:
        """One structured answer, checked against the form's JSON schema.

        Raises:
            ModelError: ModelTimeout, ModelRateLimited, ModelMalformed, ModelRefused, or plain where the endpoint is down.
        """

    def usage(self) -> dict[Role, Usage]:
        """The usage of each role since the start."""

    def close(self) -> None:
        """Release connections and files."""


Spent = Callable[[int, int], None]
"""Is told of each completion, also of one that does not fit, the tokens that were asked and those that were answered."""


class QueryChat(ChatModel, Protocol):
    """A chat model for somebody who waits: each call has a time of its own, and tells what it used."""

    def answer(self, prompt: Prompt, form: type[Answer], seconds: float | None = None, spent: Spent | None = None) -> Answer:
        """As ``ChatModel.answer``, within ``seconds`` where they are fewer than those of the settings."""

    def write(self, prompt: Prompt, seconds: float | None = None, spent: Spent | None = None) -> Iterator[str]:
        """A free text, piece by piece as it is written; to close the iterator ends the call.

        Raises:
            ModelError: as ``answer``; after the first piece what failed is not tried again.
        """


class RememberingChat(ChatModel, Protocol):
    """A chat model that keeps, beside its answers, what it said of each single thing when it was asked about many.

    ``contents`` are everything that makes such an answer, as text; the model's name is added. What is kept is found again
    after a restart, whatever else was in the same call, and is erased with its scope.
    """

    def remembered(self, role: Role, scope: str, contents: Iterable[str]) -> dict[str, str]:
        """The answers that are kept, by content; contents without one are left out."""

    def remember(self, role: Role, scope: str, answers: Mapping[str, str]) -> dict[str, str]:
        """Keep answers by content, durably on return; the answers that now stand: of two, the one that was kept first."""


class Reranker(Protocol):
    """Scores texts against a query."""

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """A score for each text, higher is better; None for a text that was not judged.

        Raises:
            ModelError: no answer, or one that cannot be used.
        """

    def close(self) -> None:
        """Release connections."""
