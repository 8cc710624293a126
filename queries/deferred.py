"""An embedder that is opened when it is first needed: keyword search runs where there is no model at all."""

from collections.abc import Callable, Sequence
from functools import cached_property

from mneme.ports import Embedder, EmbedderIdentity, embeddings_of
from mneme.rows import Embedding, Vector


class DeferredEmbedder:
    """Stands for the embedder that ``open_embedder`` makes, once somebody asks it for anything.

    Args:
        open_embedder: makes the embedder; what it raises reaches whoever asked first.
        check: told the identity before the first use: whether the index holds vectors of this embedder.
    """

    def __init__(self, open_embedder: Callable[[], Embedder], check: Callable[[EmbedderIdentity], None]) -> None:
        self._open = open_embedder
        self._check = check

    @property
    def identity(self) -> EmbedderIdentity:
        """See ``Embedder``."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> Vector:
        """See ``Embedder``."""
        return self._embedder.embed(texts)

    def embed_tokens(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """See ``TokenEmbedder``."""
        return embeddings_of(self._embedder, texts)

    def close(self) -> None:
        """Release the embedder, if it was opened."""
        opened = self.__dict__.pop("_embedder", None)
        if opened is not None:
            opened.close()

    @cached_property
    def _embedder(self) -> Embedder:
        embedder = self._open()
        self._check(embedder.identity)
        return embedder
