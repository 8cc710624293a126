"""The vectors of questions that were asked a moment ago: agents and pages of results ask the same again."""

from collections.abc import Sequence

import numpy as np

from connectors.aging_cache import AgingCache
from mneme.ports import Embedder, EmbedderIdentity
from mneme.rows import Vector

_MOST_QUESTIONS = 512  # in each of two generations: 1.5 MB of 384 dimensions
_SECONDS = 300.0  # of a generation: what nobody asks again leaves memory within ten minutes


class RememberingEmbedder:
    """An embedder of questions. May be used from several threads, if the one behind it may."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: AgingCache[str, Vector] = AgingCache(_MOST_QUESTIONS, _SECONDS)

    @property
    def identity(self) -> EmbedderIdentity:
        """See ``Embedder``."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> Vector:
        """See ``Embedder``. Only texts that are not remembered are embedded, together."""
        known = {text: vector for text in texts if (vector := self._known.get(text)) is not None}
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        if missing:
            for text, vector in zip(missing, self._embedder.embed(missing), strict=True):
                known[text] = np.array(vector)  # no view into the batch, which it would keep alive
                self._known.put(text, known[text])
        return np.stack([known[text] for text in texts]) if texts else self._embedder.embed(texts)

    def close(self) -> None:
        """Release the embedder."""
        self._embedder.close()
