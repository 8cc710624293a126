"""The dataflow on the real Bytewax: what was settled is not done again, what was not is, and conversations go on."""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from bytewax._bytewax import AbortExecution

from flows.engine import Source, build, execute
from flows.items import Arrived, Pause
from flows.lanes.epochs import Versions
from flows.lanes.pending import Pending
from flows.lanes.services import Services
from flows.running.feeds import Fed
from flows.write import Writer
from mneme.ports import DeadLetter, Incoming
from mneme.records import Position
from mneme.rows import Embedding
from mneme.settings import Settings
from mneme.times import utc_now
from tests.flows.river import IDENTITY, CutOnWord, Letters, OneFactEach, contents, embed, episodes, message
from tests.memory_index_reference import ReferenceIndex

BUCKETS = 4


class Listed:
    """A feed of a list, a few at a time; at ``abort_at`` the process dies without a farewell."""

    def __init__(self, count: int, place: int | None, pending: Pending, abort_at: int | None) -> None:
        self._count, self._at, self._pending, self._abort_at = count, place or 0, pending, abort_at
        self._ended = False

    def next_batch(self) -> list[Fed]:
        if self._abort_at is not None and self._at >= self._abort_at:
            raise AbortExecution
        if self._at < self._count:
            end = min(self._at + 3, self._count)
            batch: list[Fed] = [
                Incoming(b"%d" % n, Position(topic="t", partition=0, offset=n), None) for n in range(self._at, end)
            ]
            self._at = end
        elif not self._ended:
            self._ended = True
            batch = [Pause("", "end", bucket=bucket) for bucket in range(BUCKETS)]
        elif self._pending.total == 0:
            raise StopIteration
        else:
            return []
        self._pending.enter(len(batch))
        return batch

    def resume_state(self) -> int:
        return self._at

    def close(self) -> None:
        pass


def decode(incoming: Incoming) -> Iterator[Arrived | Pause | DeadLetter]:
    number = int(incoming.raw)
    text = ["NEW day for Ann", "coffee", "with Bob", "NEW Paris", "rain"][number % 5]
    yield message(number, text, conversation=f"talk{number % 3}")


def run(index: ReferenceIndex, store: Path, count: int, number: int = 1, abort_at: int | None = None) -> Counter[str]:
    settings = Settings(_env_file=None)
    update: dict[str, Any] = {
        "boundaries": settings.boundaries.model_copy(update={"hold_back_seconds": 0.0}),
        "flow": settings.flow.model_copy(update={"buckets": BUCKETS}),
    }
    pending, pool, tally = Pending(), ThreadPoolExecutor(4), Counter[str]()
    index.prepare(IDENTITY)
    services = Services(
        settings=settings.model_copy(update=update),
        index=index,
        embed=lambda texts: pool.submit(lambda: list(map(Embedding, embed(texts)))),
        submit=ThreadPoolExecutor(4).submit,
        clock=utc_now,
        versions=Versions(number),
        pending=pending,
        detector=CutOnWord(),
        fallback_detector=CutOnWord(),
        extractor=OneFactEach(),
        fallback_extractor=OneFactEach(),
        judge=None,
        skill_writer=None,
        tally=tally,
    )
    writer = Writer(index, Letters(), None, utc_now, threading.Event())
    source = Source("list", ("only",), lambda name, place: Listed(count, place, pending, abort_at))
    execute(build([source], decode, services, writer), store, epoch_seconds=0, partitions=2)
    assert abort_at is not None or pending.total == 0
    return tally


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    index = ReferenceIndex()
    run(index, tmp_path_factory.mktemp("undisturbed") / "epochs", 40)
    return contents(index)


def test_everything_that_a_source_gave_is_in_the_index_when_it_ends(undisturbed: dict[str, dict[str, Any]]) -> None:
    kinds = Counter(body["kind"] for body in undisturbed.values())
    assert kinds["message"] == kinds["fact"] == 40


@pytest.mark.parametrize("aborts", [(9,), (3, 12, 30), (6, 6, 6)])
def test_a_process_that_dies_goes_on_and_ends_at_the_same(
    tmp_path: Path, undisturbed: dict[str, dict[str, Any]], aborts: Sequence[int]
) -> None:
    index = ReferenceIndex()
    for number, abort_at in enumerate(aborts, start=1):
        run(index, tmp_path / "epochs", 40, number, abort_at)
    tally = run(index, tmp_path / "epochs", 40, len(aborts) + 1)
    assert contents(index) == undisturbed
    assert tally["duplicate"] == 0


def test_a_source_that_grew_goes_on_where_it_ended_under_the_same_episodes(
    tmp_path: Path, undisturbed: dict[str, dict[str, Any]]
) -> None:
    index = ReferenceIndex()
    run(index, tmp_path / "epochs", 17, 1)
    before = len(episodes(index))
    run(index, tmp_path / "epochs", 40, 2)
    assert before < len(episodes(index))
    assert contents(index) == undisturbed


def test_a_store_that_was_half_made_when_the_process_died_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "epochs.draft").mkdir()
    (tmp_path / "epochs.draft" / "part-0.sqlite3").write_bytes(b"half")
    index = ReferenceIndex()
    run(index, tmp_path / "epochs", 5)
    assert len(contents(index)) > 5
