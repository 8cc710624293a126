"""The vectors of questions that were asked a moment ago: agents and pages of results ask the same again."""

from collections.abc import Sequence

import numpy as np

from connectors.aging_cache import AgingCache
from mneme.ports import Embedder, EmbedderIdentity, embeddings_of
from mneme.rows import Embedding, Vector

_MOST_QUESTIONS = 512  # in each of two generations: 1.5 MB of 384 dimensions
_SECONDS = 300.0  # of a generation: what nobody asks again leaves memory within ten minutes


class RememberingEmbedder:
    """An embedder of questions. May be used from several threads, if the one behind it may."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: AgingCache[str, Embedding] = AgingCache(_MOST_QUESTIONS, _SECONDS)

    @property
    def identity(self) -> EmbedderIdentity:
        """See ``Embedder``."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> Vector:
        """See ``Embedder``."""
        return np.stack([each.vector for each in self.embed_tokens(texts)]) if texts else self._embedder.embed(texts)

    def embed_tokens(self, texts: Sequence[str]) -> list[Embedding]:
        """See ``TokenEmbedder``. Only texts that are not remembered are embedded, together."""
        known = {text: embedding for text in texts if (embedding := self._known.get(text)) is not None}
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        if missing:
            for text, (vector, token_vectors) in zip(missing, embeddings_of(self._embedder, missing), strict=True):
                known[text] = Embedding(np.array(vector), token_vectors)  # no view into the batch, which it would keep alive
                self._known.put(text, known[text])
        return [known[text] for text in texts]

    def close(self) -> None:
        """Release the embedder."""
        self._embedder.close()
