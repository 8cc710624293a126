"""The models that questions need: opened when they are first asked, and asked once for the same question."""

from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock

import numpy as np

from connectors.aging_cache import AgingCache
from connectors.models import open_chat_for_queries
from mneme.ports import Embedder, EmbedderIdentity, QueryChat, embeddings_of
from mneme.rows import Embedding, Vector
from mneme.settings import Settings
from queries.agents.model_planner import ModelPlanner
from queries.agents.planner import Planner
from queries.agents.rule_planner import RulePlanner

_MOST_QUESTIONS = 512  # in each of two generations: 1.5 MB of 384 dimensions
_SECONDS = 300.0  # of a generation: what nobody asks again leaves memory within ten minutes


class QueryModels:
    """The models of agents and answers. Safe for several threads."""

    def __init__(self, settings: Settings, chat: QueryChat | None = None) -> None:
        """Prepare, without opening.

        Args:
            settings: of the program.
            chat: in place of the one that the settings name.
        """
        self._settings = settings
        self._chat = chat
        self._lock = Lock()

    def planner(self) -> Planner:
        """The planner of agentic searches.

        Raises:
            SettingsError: a model is to decide, and there is none.
        """
        agents = self._settings.agents
        if agents.planner == "rules" or (agents.planner == "auto" and not self.has_chat):
            return RulePlanner()
        return ModelPlanner(self.chat, agents)

    @property
    def has_chat(self) -> bool:
        """True if there is a chat model."""
        return self._chat is not None or self._settings.models.provider != "none"

    @property
    def chat(self) -> QueryChat:
        """The chat model.

        Raises:
            SettingsError: there is none.
        """
        with self._lock:
            if self._chat is None:
                longest = max(self._settings.agents.seconds, self._settings.answers.seconds)
                self._chat = open_chat_for_queries(self._settings, longest, repair=False)
            return self._chat

    def close(self) -> None:
        """Close the model, where one was opened or given."""
        if self._chat is not None:
            self._chat.close()


class LazyEmbedder:
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


class CachingEmbedder:
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
