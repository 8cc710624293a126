"""`mneme admin reindex`: the index moves to the embedder and the tokeniser of the settings, and is searched all the while.

1. No flow runs (flows/running/standstill.py), and the embedder answers.
2. Note in the index that a move has begun: from then on no flow starts on it. Begin the next generation; from then on nothing
   else can write to the one in use (connectors/opensearch/generations.py, connectors/lance/generations.py).
3. Copy all rows, with new vectors (flows/reindex/renewal.py), versions and contents as they are. Searches are answered by the
   generation in use.
4. Compare the numbers of rows, carry over the metadata, and switch.

One that was killed goes on when it is repeated: rows that are there are not embedded again. What was removed is not carried
over, nor for how long it must not come back: so nothing older than the removals may be on its way, which 1. sees to.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial

from connectors.indices import index_place, open_generations, open_index
from connectors.models import open_embedder
from flows.batches import batches
from flows.reindex.renewal import PROBE, renewed
from flows.running.recovery import REINDEX, refuse_unfinished
from flows.running.standstill import flows_at_rest
from mneme.errors import StoreRejected
from mneme.ports import Embedder, EmbedderIdentity, MemoryIndex, Outcome, Put, embeddings_of
from mneme.rows import Collection, Row
from mneme.settings import Settings
from mneme.store_format import FORMAT, check_format, number_of
from mneme.text import TOKENISER

_BATCH = 500  # rows of one write: some 3 MB with vectors

OnProgress = Callable[[int, int], None]
MadeFor = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Move:
    """What is to be moved: from which ``embedder`` and ``tokeniser`` to which, and how many rows of each collection.

    ``goes_on`` when one that was interrupted goes on.
    """

    before: MadeFor
    after: MadeFor
    rows: Mapping[Collection, int]
    goes_on: bool


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What was done: ``move`` is None where the index was made for these settings already.

    ``without_vector`` rows have a text that the embedder refused; ``dropped`` old generations were removed.
    """

    move: Move | None
    without_vector: int
    dropped: int
    seconds: float


def reindex(
    settings: Settings,
    drop_old: bool = False,
    agree: Callable[[Move], None] = lambda move: None,
    on_progress: OnProgress = lambda done, total: None,
) -> ReindexReport:
    """Move the index to the embedder and the tokeniser of the settings.

    Args:
        settings: where and to what.
        drop_old: also remove the generations before, at the end; else they stay for those who still search them.
        agree: called before anything is made; raises to stop.
        on_progress: called with rows done and rows in all.

    Raises:
        KeyboardInterrupt: stopped; a repetition goes on from there.
        StoreRejected: a flow runs, a rebuild has not ended, a move to another embedder has not ended, or something else wrote.
        ModelError: the embedder does not answer, or refuses.
        SettingsError, StoreError: the index or the embedder cannot be used.
    """
    started = time.monotonic()
    with ExitStack() as stack:
        # 1.
        stack.enter_context(flows_at_rest(settings))
        embedder = stack.enter_context(closing(open_embedder(settings)))
        generations = stack.enter_context(closing(open_generations(settings)))
        before, after = generations.made_for(), _wanted(embedder.identity)
        check_format(index_place(settings), number_of(before["format"]))
        unfinished = generations.unfinished()
        if unfinished is not None and unfinished != after:
            raise StoreRejected(
                f"a move of this index to {_named(unfinished)} has begun and not ended: set that embedder and repeat it, or "
                "give it up with `mneme admin reindex --abandon`"
            )
        if before == after:
            return ReindexReport(None, 0, generations.drop_old() if drop_old else 0, time.monotonic() - started)
        embedder.embed([PROBE])
        # 2.
        move = _begin(settings, Move(before, after, {}, goes_on=unfinished is not None), agree)
        with closing(generations.begin(embedder.identity)) as index:
            # 3.
            without_vector = _copy(settings, index, embedder, move, on_progress)
            # 4.
            _complete(settings, index)
        generations.switch()
        dropped = generations.drop_old() if drop_old else 0
    return ReindexReport(move, without_vector, dropped, time.monotonic() - started)


def abandon(settings: Settings) -> bool:
    """Give up a move that has not ended: the index stays as it is, and flows may start on it; whether there was one.

    Raises:
        StoreRejected: a flow runs.
        SettingsError, StoreError: the index cannot be used.
    """
    with flows_at_rest(settings), closing(open_generations(settings)) as generations:
        was_begun = generations.abandon()
        with closing(open_index(settings)) as index:
            was_noted = bool(index.metadata().get(REINDEX))
            if was_noted:
                index.set_metadata({REINDEX: ""})
        return was_begun or was_noted


def _begin(settings: Settings, move: Move, agree: Callable[[Move], None]) -> Move:
    """Note what begins; the move with the rows that there are."""
    with closing(open_index(settings)) as index:
        metadata = index.metadata()
        refuse_unfinished(metadata, but=REINDEX)
        index.refresh()
        rows = {collection: index.count(collection) for collection in Collection}
        move = Move(move.before, move.after, rows, move.goes_on)
        agree(move)
        if metadata.get(REINDEX) != _named(move.after):
            index.set_metadata({REINDEX: _named(move.after)})
    return move


def _copy(settings: Settings, index: MemoryIndex, embedder: Embedder, move: Move, on_progress: OnProgress) -> int:
    """Bring all rows into the next generation; how many lost their vector."""
    retokenise = move.before["tokeniser"] != move.after["tokeniser"]
    total, done, without_vector = sum(move.rows.values()), 0, 0
    on_progress(done, total)
    with closing(open_index(settings, read_only=True)) as old:
        for collection in Collection:
            for rows in batches(old.scan(collection, with_vectors=True), _BATCH):
                missing = _missing(rows, index) if move.goes_on else rows
                new = renewed(missing, old, partial(embeddings_of, embedder), retokenise)
                _write(new, index)
                lost = [row for row, now in zip(missing, new, strict=True) if row.vector is not None and now.vector is None]
                without_vector += len(lost)
                done += len(rows)
                on_progress(done, total)
    return without_vector


def _missing(rows: Sequence[Row], index: MemoryIndex) -> list[Row]:
    """The rows that the next generation does not have yet."""
    there = index.get([row.key for row in rows])
    return [row for row in rows if row.key not in there or there[row.key].version != row.version]


def _write(rows: Sequence[Row], index: MemoryIndex) -> None:
    for row, result in zip(rows, index.write([Put(row) for row in rows]), strict=True):
        if result.outcome is not Outcome.DONE:
            raise StoreRejected(
                f"{row.id}: the next generation refuses this row ({result.outcome} {result.reason}); give the move up with "
                "`mneme admin reindex --abandon`, and repeat it"
            )


def _complete(settings: Settings, index: MemoryIndex) -> None:
    """Everything is there, and the next generation says so of itself."""
    index.refresh()
    with closing(open_index(settings, read_only=True)) as old:
        wanted, there = ({collection: each.count(collection) for collection in Collection} for each in (old, index))
        if there != wanted:
            raise StoreRejected(
                f"{sum(wanted.values())} rows were to be moved, and {sum(there.values())} are there: something else wrote to "
                "the index meanwhile; stop it, give the move up with `mneme admin reindex --abandon`, and repeat it"
            )
        index.set_metadata({**old.metadata(), REINDEX: ""})


def _wanted(identity: EmbedderIdentity) -> MadeFor:
    return {"embedder": identity.fingerprint, "tokeniser": TOKENISER, "format": str(FORMAT)}


def _named(made_for: MadeFor) -> str:
    return f"{made_for['embedder']} with the tokeniser {made_for['tokeniser']}"
