"""Vectors of messages; an embedder that refuses costs the vectors, never the messages."""

from collections.abc import Sequence

from flows.cuts import embedding_text
from flows.pump import worth_retrying
from flows.services import Services
from mneme.errors import ModelError
from mneme.records import StoredMessage
from mneme.rows import Vector


def vectors_of(messages: Sequence[StoredMessage], services: Services) -> tuple[Sequence[Vector | None], str]:
    """The vector of each message, and what kept them from having one ("" if nothing did). Blocks: for the pool.

    Raises:
        ModelError: the embedder is out of reach (worth trying again).
    """
    if not messages:
        return [], ""
    try:
        return list(services.embed([embedding_text(message) for message in messages]).result()), ""
    except ModelError as error:
        if worth_retrying(error):
            raise
        return [None] * len(messages), str(error)
