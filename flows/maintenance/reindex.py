"""`mneme admin reindex`: the index moves to the embedder and the tokeniser of the settings, and is searched all the while.

1. No flow runs (flows/running/recovery.py), and the embedder answers.
2. Note in the index that a move has begun: from then on no flow starts on it. Begin the next generation; from then on nothing
   else can write to the one in use (connectors/opensearch/generations.py, connectors/lance/generations.py).
3. Copy all rows, with new vectors (flows/maintenance/reindex.py), versions and contents as they are. Searches are
   answered by the generation in use.
4. Compare the numbers of rows, carry over the metadata, and switch.

One that was killed goes on when it is repeated: rows that are there are not embedded again. What was removed is not carried
over, nor for how long it must not come back: so nothing older than the removals may be on its way, which 1. sees to.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from connectors.indices import index_place, open_generations, open_index
from connectors.models import open_embedder
from flows.cuts import embedded_words, embedding_text
from flows.lanes.scheduling import worth_retrying
from flows.maintenance.bulk import BATCH, OnProgress, batches, put_all, rows_in
from flows.running.recovery import REINDEX, flows_stopped, refuse_unfinished
from mneme.errors import ModelError, StoreRejected
from mneme.ports import Embedder, MemoryIndex, embeddings_of
from mneme.records import AgentCase, AgentSkill, AtomicFact, Episode, Foresight, StoredMessage
from mneme.rows import SCORED_BY_TOKENS, Collection, Embedding, Key, Row, Vector, message_key, row_of
from mneme.settings import Settings
from mneme.store_format import as_texts, check_format, made_for, number_of

PROBE = "Is anybody there?"  # a text that every embedder takes

_FACTS = ("fact", "repetition")

Embed = Callable[[Sequence[str]], Sequence[Embedding]]


def renewed(rows: Sequence[Row], index: MemoryIndex, embed: Embed, retokenise: bool) -> list[Row]:
    """The rows as they are to be in the next generation, in order.

    A text that the embedder refuses, while it takes others, costs its row the vector.

    Args:
        rows: of one collection, with their vectors.
        index: where they are from; messages and episodes around them are read there.
        embed: gives the new vectors.
        retokenise: whether the tokens are made anew.

    Raises:
        ModelError: the embedder does not answer, or refuses everything.
        StoreError: the index does not answer.
    """
    messages = _messages(rows, index)
    texts = {at: text for at, row in enumerate(rows) if (text := _text(row, messages)) is not None}
    made = dict(zip(texts, embed_unless_refused(list(texts.values()), embed), strict=True))
    tokens = _tokens(rows, index) if retokenise else [row.tokens for row in rows]
    renewed = []
    for at, row in enumerate(rows):
        vector, token_vectors = made.get(at) or (None, b"")
        if row.collection not in SCORED_BY_TOKENS or _message(row, messages) is not None:
            token_vectors = b""
        renewed.append(replace(row, vector=vector, token_vectors=token_vectors, tokens=tokens[at]))
    return renewed


def embed_unless_refused(texts: Sequence[str], embed: Embed) -> list[Embedding | None]:
    """The embedding of each text; None for one that is refused, which is found by halving.

    Raises:
        ModelError: it may pass, or everything is refused.
    """
    if not texts:
        return []
    try:
        return list(embed(texts))
    except ModelError as error:
        if worth_retrying(error):
            raise
    if len(texts) > 1:
        middle = len(texts) // 2
        return [*embed_unless_refused(texts[:middle], embed), *embed_unless_refused(texts[middle:], embed)]
    embed([PROBE])  # raises where not this text is to blame but the key, or the model's name
    return [None]


def _text(row: Row, messages: Mapping[Key, Row]) -> str | None:
    """The text that is embedded for a row; None for one without a vector."""
    if row.kind == "deleted" or row.collection is Collection.CONTROL:
        return None
    match record := row.record():
        case StoredMessage():
            return embedding_text(record)
        case Episode():
            return f"{record.subject}. {record.summary}"
        case AtomicFact():
            message = _message(row, messages)
            return embedding_text(message) if message is not None else embedded_words(record.atomic_fact, record.quote)
        case Foresight():
            return record.statement
        case AgentCase():
            return record.task_intent
        case AgentSkill():
            return f"{record.name}. {record.description}"
        case _:
            return None


def _message(row: Row, messages: Mapping[Key, Row]) -> StoredMessage | None:
    """The message in whose words a fact is stated."""
    said = messages.get(message_key(row, row.message_ids[0])) if row.kind in _FACTS and len(row.message_ids) == 1 else None
    message = said.record() if said is not None and _is_same(said.vector, row.vector) else None
    return message if isinstance(message, StoredMessage) else None


def _is_same(one: Vector | None, other: Vector | None) -> bool:
    return one is not None and other is not None and np.array_equal(one, other)


def _messages(rows: Iterable[Row], index: MemoryIndex) -> Mapping[Key, Row]:
    """The messages of facts that come from one alone."""
    facts = [(row, record) for row in rows if (record := _fact_in(row)) is not None]
    keys = [message_key(row, record.message_ids[0]) for row, record in facts if len(record.message_ids) == 1]
    return index.get(list(dict.fromkeys(keys)), with_vectors=True) if keys else {}


# --- tokens ----------------------------------------------------------------------------------------------------------


def _tokens(rows: Sequence[Row], index: MemoryIndex) -> list[str]:
    """The tokens of each row, made anew; those of facts with the words around them."""
    contexts = _contexts(rows, index)
    return [
        row.tokens if row.collection is Collection.CONTROL else row_of(row.record(), context=contexts.get(row.id, "")).tokens
        for row in rows
    ]


def _contexts(rows: Sequence[Row], index: MemoryIndex) -> Mapping[str, str]:
    """For each fact the texts of the messages before and after it in its episode (flows/extract.py)."""
    facts = [(row, record) for row in rows if row.tokens and (record := _fact_in(row)) is not None]
    keys = [Key(Collection.EPISODES, row.owner_key, record.parent_episode_id) for row, record in facts]
    episodes = {row.id: row.record() for row in index.get(list(dict.fromkeys(keys))).values()} if keys else {}
    around: dict[str, list[Key]] = {}
    for row, record in facts:
        episode = episodes.get(record.parent_episode_id)
        order = list(episode.message_ids) if isinstance(episode, Episode) else []
        own = record.message_ids if record.quote is None else record.message_ids[:1]
        places = [order.index(each) for each in own if each in order]
        beside = (min(places) - 1, max(places) + 1) if places else ()
        around[row.id] = [message_key(row, order[at]) for at in beside if 0 <= at < len(order)]
    wanted = list(dict.fromkeys(key for keys in around.values() for key in keys))
    texts = {key: row.body["text"] for key, row in index.get(wanted).items()} if wanted else {}
    return {identity: " ".join(texts[key] for key in keys if key in texts) for identity, keys in around.items()}


def _fact_in(row: Row) -> AtomicFact | None:
    if row.kind not in _FACTS:
        return None
    record = row.record()
    return record if isinstance(record, AtomicFact) else None


_GIVE_UP = "; give the move up with `mneme admin reindex --abandon`, and repeat it"

MadeFor = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Move:
    """A move from one ``embedder`` and ``tokeniser`` to another, and how many rows of each collection it concerns.

    ``goes_on`` when one that was interrupted goes on.
    """

    before: MadeFor
    after: MadeFor
    rows: Mapping[Collection, int]
    goes_on: bool


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """The result of a reindex: ``move`` is None where the index was made for these settings already.

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
        stack.enter_context(flows_stopped(settings))
        embedder = stack.enter_context(closing(open_embedder(settings)))
        generations = stack.enter_context(closing(open_generations(settings)))
        before, after = generations.made_for(), as_texts(made_for(embedder.identity))
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


def _begin(settings: Settings, move: Move, agree: Callable[[Move], None]) -> Move:
    """Note what begins; the move with the rows that there are."""
    with closing(open_index(settings)) as index:
        metadata = index.metadata()
        refuse_unfinished(metadata, but=REINDEX)
        index.refresh()
        move = replace(move, rows=rows_in(index))
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
            for rows in batches(old.scan(collection, with_vectors=True), BATCH):
                missing = _missing(rows, index) if move.goes_on else rows
                new = renewed(missing, old, partial(embeddings_of, embedder), retokenise)
                put_all(new, index, "the next generation refuses this row", remedy=_GIVE_UP)
                lost = [row for row, now in zip(missing, new, strict=True) if row.vector is not None and now.vector is None]
                without_vector += len(lost)
                done += len(rows)
                on_progress(done, total)
    return without_vector


def _missing(rows: Sequence[Row], index: MemoryIndex) -> list[Row]:
    """The rows that the next generation does not have yet."""
    there = index.get([row.key for row in rows])
    return [row for row in rows if row.key not in there or there[row.key].version != row.version]


def _complete(settings: Settings, index: MemoryIndex) -> None:
    """Everything is there, and the next generation says so of itself."""
    index.refresh()
    with closing(open_index(settings, read_only=True)) as old:
        wanted, there = rows_in(old), rows_in(index)
        if there != wanted:
            raise StoreRejected(
                f"{sum(wanted.values())} rows were to be moved, and {sum(there.values())} are there: something else wrote to "
                "the index meanwhile; stop it, give the move up with `mneme admin reindex --abandon`, and repeat it"
            )
        index.set_metadata({**old.metadata(), REINDEX: ""})


def _named(made_for: MadeFor) -> str:
    return f"{made_for['embedder']} with the tokeniser {made_for['tokeniser']}"
