"""Services from outside that the steps need: handed in, so that a test drives a step without an engine or a server."""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from flows.consistency.aggregates.skills import SkillWriter
from flows.consistency.judge import Judge
from flows.cuts import BoundaryDetector, Extractor, Utterance, Verdict
from flows.lanes.pending import Pending
from flows.lanes.state import Versions
from mneme.errors import MnemeError, ModelError, ModelPaused, StoreUnavailable
from mneme.ports import DocumentReader, MemoryIndex, References
from mneme.rows import Embedding
from mneme.settings import Settings

Result = TypeVar("Result")

log = logging.getLogger(__name__)


class Submit(Protocol):
    """Runs a callable in the pool."""

    def __call__(self, call: Callable[[], Result], /) -> "Future[Result]":
        """The future of its result."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The reader of documents and attachments. ``submit`` runs it in a pool of its own: parsing takes seconds, or minutes.

    ``in_flight`` counts chunks on their way through the other steps, ``at_work`` what waits to be read, in all processes.
    """

    reader: DocumentReader
    references: References
    submit: Submit
    in_flight: Pending
    at_work: Pending


@dataclass(frozen=True, slots=True)
class Services:
    """Everything outside the steps.

    ``embed`` turns texts into one future of what the embedder makes of each; it batches over all who call; ``embed_last``
    does so when nothing else waits, for documents (None: there is no difference). ``detector``,
    ``extractor`` and ``judge`` are those of the settings, the ``fallback_`` ones need no model and serve when a model fails;
    without a ``judge`` claims alone decide.
    ``submit_call`` runs what waits for a chat model in a pool of its own, so that nothing else queues behind it; None where
    no model is called. ``skill_writer`` gives for a scope what writes skills with a model; None where a rule does.
    ``reading`` is None where no documents come.
    ``tally`` counts what happened, for reports; only the worker's thread touches it. ``processes`` is how many run the flow
    together.
    """

    settings: Settings
    index: MemoryIndex
    embed: Callable[[list[str]], "Future[Sequence[Embedding]]"]
    submit: Submit
    clock: Callable[[], datetime]
    versions: Versions
    pending: Pending
    detector: BoundaryDetector
    fallback_detector: BoundaryDetector
    extractor: Extractor
    fallback_extractor: Extractor
    judge: Judge | None
    skill_writer: Callable[[str], SkillWriter] | None
    tally: Counter[str]
    submit_call: Submit | None = None
    processes: int = 1
    reading: Reading | None = None
    embed_last: Callable[[list[str]], "Future[Sequence[Embedding]]"] | None = None

    def embeddings(self, texts: list[str], of_document: bool) -> "Future[Sequence[Embedding]]":
        """The embeddings of texts, those of documents behind all others."""
        return (self.embed_last if of_document and self.embed_last is not None else self.embed)(texts)

    def pool(self, waits_for_a_model: bool) -> Submit:
        """The pool that a job belongs in."""
        return self.submit_call if waits_for_a_model and self.submit_call is not None else self.submit

    def verdict(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        """The detector's verdict (``BoundaryDetector.judge``), or the fallback's where a model fails. Blocks for a model.

        Raises:
            ModelPaused: the model's endpoint asks for time.
            MnemeError: settings or a store are wrong, which no other detector would help.
        """
        try:
            return self.detector.judge(context, judged, ahead)
        except ModelPaused:
            raise
        except Exception as error:  # a model may fail in any way, and costs no more than its verdict
            wrong_here = isinstance(error, MnemeError) and not isinstance(error, ModelError | StoreUnavailable)
            if wrong_here or not self.detector.calls_a_model:
                raise
            log.warning("the boundary model failed, cutting without it: %s: %s", type(error).__name__, error)
        return self.fallback_detector.judge(context, judged, ahead)
