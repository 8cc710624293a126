"""The queue in front of an embedder: many callers, few batches, nobody harmed by another's failure."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.embedders.queue import EmbeddingQueue
from connectors.telemetry.metrics import EMBEDDER_QUEUE
from mneme.errors import ModelError, ModelKeyRefused, ModelMalformed, ModelRefused, ModelTimeout
from mneme.ports import EmbedderIdentity
from mneme.rows import Embedding, Vector, directions, whole_numbers
from tests.servers.model_answers import embedding
from tests.waiting import wait_until

DIMENSION = 16


class Recorder:
    """An embedder that notes its batches, waits for its gate and fails where it is told to."""

    identity = EmbedderIdentity("bag", "test", DIMENSION)

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.failures: dict[str, Exception] = {}
        self.spoil: Callable[[Vector], Vector] = lambda vectors: vectors

    def embed(self, texts: Sequence[str]) -> Vector:
        self.batches.append(list(texts))
        assert self.gate.wait(120)
        for text in texts:
            if text in self.failures:
                raise self.failures[text]
        return self.spoil(vectors_of(texts))

    def wait_for_batches(self, number: int) -> None:
        wait_until(lambda: len(self.batches) >= number)


def assert_are_vectors_of(texts: Sequence[str], embeddings: Sequence[Embedding]) -> None:
    kept = [directions(whole_numbers(vector)) for vector in vectors_of(texts)]
    np.testing.assert_array_equal([each.vector for each in embeddings], kept)


def vectors_of(texts: Sequence[str]) -> Vector:
    return np.array([embedding(text, DIMENSION) for text in texts], np.float32).reshape(-1, DIMENSION)


@pytest.fixture
def embedder() -> Recorder:
    return Recorder()


@pytest.fixture
def queue(embedder: Recorder) -> Iterator[EmbeddingQueue]:
    """A queue whose worker begins only with a full batch of four, or after a moment."""
    queue = EmbeddingQueue(embedder, batch=4, max_wait_seconds=0.02)
    yield queue
    embedder.gate.set()
    queue.close()


def test_vectors_come_in_the_order_of_the_texts(queue: EmbeddingQueue) -> None:
    texts = [f"text {number}" for number in range(11)]
    assert_are_vectors_of(texts, queue.submit(texts).result(120))


def test_texts_in_no_hurry_go_behind_all_others_and_in_smaller_batches(queue: EmbeddingQueue, embedder: Recorder) -> None:
    embedder.gate.clear()
    first = queue.submit(["first"])
    embedder.wait_for_batches(1)
    pages = queue.submit([f"page {number}" for number in range(3)], behind=True)
    said = queue.submit([f"said {number}" for number in range(3)])
    embedder.gate.set()
    for future in (first, pages, said):
        future.result(120)
    assert embedder.batches == [["first"], ["said 0", "said 1", "said 2"], ["page 0"], ["page 1"], ["page 2"]]
    assert_are_vectors_of([f"page {number}" for number in range(3)], pages.result())


def test_closing_cancels_texts_in_no_hurry_too(embedder: Recorder) -> None:
    queue = EmbeddingQueue(embedder, batch=4, max_wait_seconds=0.02)
    embedder.gate.clear()
    first = queue.submit(["first"])
    embedder.wait_for_batches(1)
    pages = queue.submit(["page"], behind=True)
    assert EMBEDDER_QUEUE.collect()[0].samples[0].value == 1
    threading.Timer(0.05, embedder.gate.set).start()
    queue.close()
    assert first.done()
    assert pages.cancelled()
    assert EMBEDDER_QUEUE.collect()[0].samples[0].value == 0


def test_texts_of_many_callers_share_a_batch(queue: EmbeddingQueue, embedder: Recorder) -> None:
    futures = [queue.submit([f"text {number}"]) for number in range(8)]
    for number, future in enumerate(futures):
        assert_are_vectors_of([f"text {number}"], future.result(120))
    assert [len(batch) for batch in embedder.batches] == [4, 4]


def test_a_lone_text_waits_for_company_only_for_a_while(embedder: Recorder) -> None:
    queue = EmbeddingQueue(embedder, batch=100, max_wait_seconds=0.1)
    began = time.monotonic()
    queue.submit(["alone"]).result(120)
    assert 0.1 <= time.monotonic() - began < 60
    queue.close()


def test_batches_grow_while_the_embedder_is_busy(embedder: Recorder) -> None:
    queue = EmbeddingQueue(embedder, batch=100, max_wait_seconds=0)
    embedder.gate.clear()
    futures = [queue.submit(["first"])]
    embedder.wait_for_batches(1)
    futures += [queue.submit([f"text {number}"]) for number in range(50)]
    embedder.gate.set()
    for future in futures:
        future.result(120)
    assert [len(batch) for batch in embedder.batches] == [1, 50]
    queue.close()


def test_submitting_does_not_wait_for_the_embedder(queue: EmbeddingQueue, embedder: Recorder) -> None:
    embedder.gate.clear()
    futures = [queue.submit([f"text {number}"]) for number in range(1000)]
    assert not any(future.done() for future in futures)
    embedder.gate.set()
    futures[-1].result(120)


def test_no_texts_are_done_at_once(queue: EmbeddingQueue, embedder: Recorder) -> None:
    future = queue.submit([])
    assert future.done()
    assert future.result() == []
    assert embedder.batches == []


def test_a_failure_is_that_of_its_batch_only(queue: EmbeddingQueue, embedder: Recorder) -> None:
    embedder.failures["bad"] = ModelTimeout("too slow")
    together = queue.submit(["bad", "text 1"]), queue.submit(["text 2", "text 3"])
    apart = queue.submit(["text 4", "text 5"])
    for future in together:
        with pytest.raises(ModelTimeout):
            future.result(120)
    assert_are_vectors_of(["text 4", "text 5"], apart.result(120))


def test_a_text_that_is_refused_harms_nobody_else(queue: EmbeddingQueue, embedder: Recorder) -> None:
    embedder.failures["bad"] = ModelRefused("not this")
    good, bad, other = queue.submit(["text 1"]), queue.submit(["bad", "text 2"]), queue.submit(["text 3"])
    with pytest.raises(ModelRefused):
        bad.result(120)
    assert_are_vectors_of(["text 1"], good.result(120))
    assert_are_vectors_of(["text 3"], other.result(120))


def test_the_rest_of_a_failed_request_is_not_embedded(queue: EmbeddingQueue, embedder: Recorder) -> None:
    embedder.failures["bad"] = ModelError("down")
    future = queue.submit(["bad", *[f"text {number}" for number in range(20)]])
    with pytest.raises(ModelError):
        future.result(120)
    queue.submit(["text 99"]).result(120)
    assert [len(batch) for batch in embedder.batches] == [4, 1]


def test_an_embedder_with_a_bug_fails_its_futures_and_the_worker_goes_on(queue: EmbeddingQueue, embedder: Recorder) -> None:
    embedder.failures["bad"] = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        queue.submit(["bad"]).result(120)
    embedder.spoil = lambda vectors: vectors[:, 1:]
    with pytest.raises(ModelMalformed, match="shape"):
        queue.submit(["text"]).result(120)
    embedder.spoil = lambda vectors: vectors
    queue.submit(["text"]).result(120)


def test_a_text_that_fails_every_time_takes_nobody_along_twice_and_is_refused_at_last(embedder: Recorder) -> None:
    queue = EmbeddingQueue(embedder, batch=10, max_wait_seconds=0.05)
    embedder.failures["poison"] = ModelTimeout("no answer")
    for attempt in range(3):
        bad, good = queue.submit(["poison"]), queue.submit([f"good {attempt}"])
        with pytest.raises(ModelRefused if attempt == 2 else ModelTimeout):
            bad.result(120)
        if attempt == 0:  # they were together
            with pytest.raises(ModelTimeout):
                good.result(120)
            good = queue.submit(["good 0"])
        good.result(120)
    assert embedder.batches[0] == ["poison", "good 0"]
    assert all(batch == ["poison"] for batch in embedder.batches[1:] if "poison" in batch)
    queue.close()


def test_texts_are_not_to_blame_for_a_key_that_is_refused_now_and_then(embedder: Recorder) -> None:
    queue = EmbeddingQueue(embedder, batch=10, max_wait_seconds=0)
    embedder.failures["a"] = ModelKeyRefused("no credit")
    for number in range(5):
        with pytest.raises(ModelKeyRefused):
            queue.submit(["a"]).result(120)
        queue.submit([f"other {number}"]).result(120)
    queue.close()


def test_texts_are_not_to_blame_for_an_embedder_that_is_down(embedder: Recorder) -> None:
    queue = EmbeddingQueue(embedder, batch=10, max_wait_seconds=0)
    embedder.failures = {"a": ModelTimeout("down"), "b": ModelTimeout("down")}
    for text in "ab" * 5:
        with pytest.raises(ModelTimeout):
            queue.submit([text]).result(120)
    embedder.failures = {}
    queue.submit(["a"]).result(120)
    queue.submit(["b"]).result(120)
    queue.close()


def test_texts_that_come_again_are_not_embedded_again(queue: EmbeddingQueue, embedder: Recorder) -> None:
    queue.submit(["a", "b"]).result(120)
    again = queue.submit(["b", "a", "c"]).result(120)
    assert_are_vectors_of(["b", "a", "c"], again)
    assert embedder.batches == [["a", "b"], ["c"]]


def test_what_a_caller_does_to_its_vectors_is_not_remembered(queue: EmbeddingQueue) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            queue.submit(["a"]).result(120)[0].vector[:] = 7
    assert_are_vectors_of(["a"], queue.submit(["a"]).result(120))


def test_only_so_many_vectors_are_remembered(embedder: Recorder) -> None:
    queue = EmbeddingQueue(embedder, batch=1, max_wait_seconds=0, remembered=1)
    for text in "a", "b", "b", "c", "a":
        queue.submit([text]).result(120)
    assert embedder.batches == [["a"], ["b"], ["c"], ["a"]]
    queue.close()


def test_a_cancelled_request_is_not_embedded(queue: EmbeddingQueue, embedder: Recorder) -> None:
    embedder.gate.clear()
    busy = queue.submit(["text 1", "text 2", "text 3", "text 4"])
    embedder.wait_for_batches(1)
    cancelled, kept = queue.submit(["text 5", "text 6"]), queue.submit(["text 7"])
    assert cancelled.cancel()
    embedder.gate.set()
    busy.result(120)
    kept.result(120)
    assert embedder.batches[1:] == [["text 7"]]


def test_closing_ends_what_runs_and_cancels_what_waits(embedder: Recorder) -> None:
    queue = EmbeddingQueue(embedder, batch=2, max_wait_seconds=0)
    embedder.gate.clear()
    running, waiting = queue.submit(["text 1", "text 2"]), queue.submit(["text 3"])
    embedder.wait_for_batches(1)
    halfway = queue.submit(["text 4"])
    threading.Timer(0.05, embedder.gate.set).start()
    queue.close()
    queue.close()
    assert len(running.result(0)) == 2
    for future in waiting, halfway:
        with pytest.raises(CancelledError):
            future.result(0)
    with pytest.raises(RuntimeError, match="closed"):
        queue.submit(["text 5"])


def test_a_request_that_is_half_done_when_the_queue_closes_fails(embedder: Recorder) -> None:
    queue = EmbeddingQueue(embedder, batch=2, max_wait_seconds=0)
    embedder.gate.clear()
    future = queue.submit(["text 1", "text 2", "text 3"])
    embedder.wait_for_batches(1)
    threading.Timer(0.05, embedder.gate.set).start()
    queue.close()
    with pytest.raises(CancelledError):
        future.result(0)


@settings(max_examples=25, deadline=None)
@given(
    requests=st.lists(st.lists(st.text(max_size=6), max_size=9), max_size=30),
    batch=st.integers(1, 7),
    threads=st.integers(1, 3),
    remembered=st.integers(0, 5),
)
def test_everybody_gets_their_own_vectors(requests: list[list[str]], batch: int, threads: int, remembered: int) -> None:
    queue = EmbeddingQueue(Recorder(), batch, 0.001, threads, remembered)
    with ThreadPoolExecutor(4) as pool:
        futures = list(pool.map(queue.submit, requests))
    for texts, future in zip(requests, futures, strict=True):
        assert_are_vectors_of(texts, future.result(120))
    queue.close()
