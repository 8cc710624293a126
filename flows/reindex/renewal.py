"""Rows with new vectors, and with new tokens where the tokeniser is another; nothing else of them changes.

The text that a row's vector is of follows from its record, but for one thing: a fact that is told in the words of its one
message has the vector of that message (flows/assemble.py). Which do is known from the old vectors: they are the same.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from flows.cuts import embedded_words, embedding_text
from flows.pump import worth_retrying
from mneme.errors import ModelError
from mneme.ports import MemoryIndex
from mneme.records import AgentCase, AgentSkill, AtomicFact, Episode, Foresight, StoredMessage
from mneme.rows import SCORED_BY_TOKENS, Collection, Embedding, Key, Row, Vector, message_key, row_of

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
    made = dict(zip(texts, embeddings_of(list(texts.values()), embed), strict=True))
    tokens = _tokens(rows, index) if retokenise else [row.tokens for row in rows]
    renewed = []
    for at, row in enumerate(rows):
        vector, token_vectors = made.get(at) or (None, b"")
        if row.collection not in SCORED_BY_TOKENS or _message(row, messages) is not None:
            token_vectors = b""
        renewed.append(replace(row, vector=vector, token_vectors=token_vectors, tokens=tokens[at]))
    return renewed


def embeddings_of(texts: Sequence[str], embed: Embed) -> list[Embedding | None]:
    """What the embedder makes of each text; None for one that is refused, which is found by halving.

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
        return [*embeddings_of(texts[:middle], embed), *embeddings_of(texts[middle:], embed)]
    embed([PROBE])  # raises where not this text is to blame but the key, or the model's name
    return [None]


def _text(row: Row, messages: Mapping[Key, Row]) -> str | None:
    """What is embedded for a row; None for one without a vector."""
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
    """The message in whose words a fact is told."""
    said = messages.get(message_key(row, row.message_ids[0])) if row.kind in _FACTS and len(row.message_ids) == 1 else None
    message = said.record() if said is not None and _is_same(said.vector, row.vector) else None
    return message if isinstance(message, StoredMessage) else None


def _is_same(one: Vector | None, other: Vector | None) -> bool:
    return one is not None and other is not None and np.array_equal(one, other)


def _messages(rows: Iterable[Row], index: MemoryIndex) -> Mapping[Key, Row]:
    """The messages of facts that come from one alone."""
    facts = [(row, record) for row in rows if row.kind in _FACTS and isinstance(record := row.record(), AtomicFact)]
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
    """For each fact the texts of the messages before and after it in its episode (flows/assemble.py)."""
    told = [(row, record) for row in rows if row.tokens and isinstance(record := _told(row), AtomicFact)]
    keys = [Key(Collection.EPISODES, row.owner_key, record.parent_episode_id) for row, record in told]
    episodes = {row.id: row.record() for row in index.get(list(dict.fromkeys(keys))).values()} if keys else {}
    around: dict[str, list[Key]] = {}
    for row, record in told:
        episode = episodes.get(record.parent_episode_id)
        order = list(episode.message_ids) if isinstance(episode, Episode) else []
        own = record.message_ids if record.quote is None else record.message_ids[:1]
        places = [order.index(each) for each in own if each in order]
        beside = (min(places) - 1, max(places) + 1) if places else ()
        around[row.id] = [message_key(row, order[at]) for at in beside if 0 <= at < len(order)]
    wanted = list(dict.fromkeys(key for keys in around.values() for key in keys))
    texts = {key: row.body["text"] for key, row in index.get(wanted).items()} if wanted else {}
    return {identity: " ".join(texts[key] for key in keys if key in texts) for identity, keys in around.items()}


def _told(row: Row) -> AtomicFact | None:
    if row.kind not in _FACTS:
        return None
    record = row.record()
    return record if isinstance(record, AtomicFact) else None
