"""Texts of many threads, embedded together: batches fill over all conversations, and nobody waits for the embedder.

A batch goes off when it is full, or when its oldest text has waited long enough. While the workers are busy, texts
gather, so that batches grow with the load by themselves. Texts that are in no hurry, those of documents, go behind all
others, and in smaller batches, since the others wait for the one that runs. A text at which the embedder failed
goes by itself.
"""

import hashlib
import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import NamedTuple

from connectors.aging_cache import AgingCache
from connectors.telemetry.meters import measured_batch
from connectors.telemetry.metrics import EMBEDDER_QUEUE
from mneme.errors import ModelError, ModelKeyRefused, ModelMalformed, ModelRefused
from mneme.ports import Embedder, embeddings_of
from mneme.rows import Embedding

_TRIES = 3  # each with the endpoint's own retries
_KEPT = 8192  # texts; more than can be under way


@dataclass(slots=True)
class _Failures:
    times: int  # with others served in between
    last_at: float


class FailedTexts:
    """Texts at which the embedder failed. Not locked: its owner does that. Times are of a clock that never goes back."""

    def __init__(self) -> None:
        self._failed_texts: OrderedDict[bytes, _Failures] = OrderedDict()
        self._served_at = float("-inf")

    def contains(self, text: str) -> bool:
        """True if a text failed and was not served since."""
        return bool(self._failed_texts) and key_of(text) in self._failed_texts

    def failed(self, texts: Sequence[str], now: float) -> None:
        """A batch of these texts failed."""
        for text in texts:
            failures = self._failed_texts.setdefault(key_of(text), _Failures(0, float("-inf")))
            if not failures.times or failures.last_at < self._served_at:
                failures.times += 1
            failures.last_at = now
        while len(self._failed_texts) > _KEPT:
            self._failed_texts.popitem(last=False)

    def served(self, texts: Sequence[str], now: float) -> None:
        """A batch of these texts got its vectors."""
        self._served_at = now
        if self._failed_texts:
            for text in texts:
                self._failed_texts.pop(key_of(text), None)

    def are_to_blame(self, texts: Sequence[str]) -> bool:
        """True if one of these texts, tried by themselves, has failed too often."""
        found = (self._failed_texts.get(key_of(text)) for text in texts)
        return any(failures is not None and failures.times >= _TRIES for failures in found)


def key_of(text: str) -> bytes:
    """The key of a text."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


_BEHIND_PART = 4  # the share of a batch that texts in no hurry fill
_REMEMBERED = 2048  # texts: in two generations some 16 MB with the vectors of their tokens, for what comes again in minutes


@dataclass(slots=True, eq=False)
class _Request:
    """The texts of one caller; ``missing`` are not embedded yet. ``is_done``: the result or error is decided."""

    embeddings: list[Embedding | None]
    future: "Future[Sequence[Embedding]]"
    missing: int
    running: bool = False
    is_done: bool = False


class _Waiting(NamedTuple):
    """One text of a request, the ``key`` under which it is known, and since when it waits."""

    text: str
    key: bytes
    request: _Request
    place: int
    since: float


class EmbeddingQueue:
    """An embedder's queue. Safe for any number of threads."""

    def __init__(
        self,
        embedder: Embedder,
        batch: int = 32,
        max_wait_seconds: float = 0.01,
        threads: int = 1,
        remembered: int = _REMEMBERED,
    ) -> None:
        """Start the workers.

        Args:
            embedder: what makes the vectors.
            batch: the most texts that it is given at once.
            max_wait_seconds: how long a text waits for others to fill its batch.
            threads: batches at a time: one for a local embedder, which spreads a batch over the processors itself;
                several for an endpoint.
            remembered: how many texts' embeddings are kept in each of two generations, for when they come again.
        """
        self._embedder = embedder
        self._batch = batch
        self._max_wait_seconds = max_wait_seconds
        self._known: AgingCache[bytes, Embedding] = AgingCache(remembered, math.inf)
        self._failed_texts = FailedTexts()
        self._waiting: deque[_Waiting] = deque()
        self._behind: deque[_Waiting] = deque()
        self._closed = False
        self._changed = threading.Condition()
        # Daemons: a program that ends without close() is not held up by texts that nobody waits for.
        self._threads = [threading.Thread(target=self._work, name=f"embedding-{n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()

    def submit(self, texts: Sequence[str], behind: bool = False) -> "Future[Sequence[Embedding]]":
        """The future of what the embedder makes of each text, in their order; ``behind`` all in a hurry.

        The future fails with the embedder's error if a batch with one of its texts fails; other requests do not,
        unless they shared that batch. Submitted again they do not share one, and fail with ModelRefused at last if the
        embedder serves others all the while. A future that is cancelled before its batch goes off costs nothing.

        Raises:
            RuntimeError: the queue is closed.
        """
        future: Future[Sequence[Embedding]] = Future()
        request = _Request([None] * len(texts), future, len(texts))
        keys, now = list(map(key_of, texts)), time.monotonic()
        with self._changed:
            if self._closed:
                raise RuntimeError("the embedding queue is closed")
            for place, (text, key) in enumerate(zip(texts, keys, strict=True)):
                embedding = self._known.get(key)
                if embedding is None:
                    (self._behind if behind else self._waiting).append(_Waiting(text, key, request, place, now))
                else:
                    request.embeddings[place] = embedding
                    request.missing -= 1
            request.is_done = request.missing == 0
            self._show_length()
            self._changed.notify_all()
        if request.is_done and not request.running:  # all were known, or there was no text
            future.set_result(_all_of(request))
        return future

    def close(self, grace_seconds: float | None = None) -> None:
        """Cancel what has not begun, give the batches that have some time (None: all they need), and end the threads.

        Safe to repeat.
        """
        deadline = None if grace_seconds is None else time.monotonic() + grace_seconds
        with self._changed:
            self._closed = True
            abandoned = {waiting.request.future for waiting in (*self._waiting, *self._behind)}
            self._waiting.clear()
            self._behind.clear()
            self._show_length()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        for future in abandoned:
            if not future.cancel() and not future.done():  # a part of it was embedded: it counts as running
                future.set_exception(CancelledError())

    def _work(self) -> None:
        while batch := self._next_batch():
            try:
                self._deliver(batch, self._embed(batch))
            except ModelKeyRefused as error:  # whatever the text
                self._fail(batch, error)
            except ModelRefused as error:
                self._embed_apart(batch, error)
            except ModelError as error:
                self._fail(batch, self._judged(batch, error))
            except Exception as error:  # noqa: BLE001  whatever it is, those who wait must hear of it
                self._fail(batch, error)

    def _next_batch(self) -> list[_Waiting]:
        """The next texts, waited for; none when the queue is closed."""
        with self._changed:
            while not self._closed:
                queue, most = (self._waiting, self._batch)
                if not queue:
                    queue, most = self._behind, max(1, self._batch // _BEHIND_PART)
                if not queue:
                    self._changed.wait()
                    continue
                left = queue[0].since + self._max_wait_seconds - time.monotonic()
                if left > 0 and len(queue) < most:
                    self._changed.wait(left)
                elif batch := self._take(queue, most):
                    return batch
            return []

    def _take(self, queue: deque[_Waiting], most: int) -> list[_Waiting]:
        """The oldest texts whose requests are neither cancelled nor failed; those that failed before are not among others."""
        batch: list[_Waiting] = []
        while queue and len(batch) < most:
            request = queue[0].request
            if batch and request is not batch[0].request and self._goes_alone(batch[0], queue[0]):
                break
            waiting = queue.popleft()
            if request.is_done or request.future.cancelled():
                continue
            if not request.running:
                request.running = request.future.set_running_or_notify_cancel()
                if not request.running:
                    continue
            batch.append(waiting)
        self._show_length()
        return batch

    def _goes_alone(self, *texts: _Waiting) -> bool:
        return any(self._failed_texts.contains(waiting.text) for waiting in texts)

    def _embed(self, batch: Sequence[_Waiting]) -> Sequence[Embedding]:
        with measured_batch(len(batch)):
            embeddings = embeddings_of(self._embedder, [waiting.text for waiting in batch])
        given = (len(embeddings), *{size for each in embeddings for size in each.vector.shape})
        if given != (expected := (len(batch), self._embedder.identity.dimension)):
            raise ModelMalformed(f"the embedder gave vectors of shape {given}, not {expected}; check its settings")
        return embeddings

    def _show_length(self) -> None:
        EMBEDDER_QUEUE.set(len(self._waiting) + len(self._behind))

    def _judged(self, batch: Sequence[_Waiting], error: ModelError) -> ModelError:
        """The error of a batch: as it is while the embedder may be down, a refusal where its texts are to blame."""
        texts = [waiting.text for waiting in batch]
        with self._changed:
            self._failed_texts.failed(texts, time.monotonic())
            is_alone = len({waiting.request for waiting in batch}) == 1
            to_blame = is_alone and self._failed_texts.are_to_blame(texts)
        return ModelRefused(f"fails at this text again and again, and serves others ({error})") if to_blame else error

    def _embed_apart(self, batch: list[_Waiting], error: ModelRefused) -> None:
        """A refused batch again, request by request, so that one unusable text harms nobody else's."""
        requests: dict[_Request, list[_Waiting]] = {}
        for waiting in batch:
            requests.setdefault(waiting.request, []).append(waiting)
        if len(requests) == 1:
            self._fail(batch, error)
            return
        for part in requests.values():
            try:
                self._deliver(part, self._embed(part))
            except Exception as failure:  # noqa: BLE001  as above
                self._fail(part, failure)

    def _deliver(self, batch: Sequence[_Waiting], embeddings: Sequence[Embedding]) -> None:
        complete: list[_Request] = []
        with self._changed:
            self._failed_texts.served([waiting.text for waiting in batch], time.monotonic())
            for waiting, (vector, token_vectors) in zip(batch, embeddings, strict=True):
                own = vector.copy()  # a view would keep its whole batch in memory
                own.flags.writeable = False  # others may get the same
                embedding = Embedding(own, token_vectors)
                self._known.put(waiting.key, embedding)
                request = waiting.request
                request.embeddings[waiting.place] = embedding
                request.missing -= 1
                if not request.missing and not request.is_done:
                    request.is_done = True
                    complete.append(request)
        for request in complete:  # without the lock: callbacks run here
            request.future.set_result(_all_of(request))

    def _fail(self, batch: Sequence[_Waiting], error: Exception) -> None:
        with self._changed:
            failed = list(dict.fromkeys(waiting.request for waiting in batch if not waiting.request.is_done))
            for request in failed:
                request.is_done = True
        for request in failed:
            request.future.set_exception(error)


def _all_of(request: _Request) -> list[Embedding]:
    """The embeddings of a request that lacks none."""
    return [embedding for embedding in request.embeddings if embedding is not None]
