"""Vectors of messages; an embedder that refuses costs the vectors, never the messages."""

from collections.abc import Sequence

from flows.cuts import embedding_text
from flows.defects import is_defect
from flows.pump import worth_retrying
from flows.services import Services
from mneme.errors import ModelError
from mneme.records import StoredMessage
from mneme.rows import Embedding


def embeddings_of(messages: Sequence[StoredMessage], services: Services) -> tuple[Sequence[Embedding | None], str]:
    """What the embedder makes of each message, and what kept them from having one ("" if nothing did). Blocks: for the pool.

    Raises:
        ModelError: the embedder is out of reach (worth trying again).
    """
    if not messages:
        return [], ""
    try:
        of_document = all(message.document_id is not None for message in messages)
        return services.embeddings([embedding_text(message) for message in messages], of_document).result(), ""
    except ModelError as error:
        if worth_retrying(error):
            raise
        return [None] * len(messages), str(error)
    except Exception as error:  # a defect that one text meets must not cost the others theirs
        if not is_defect(error):
            raise
        if len(messages) == 1:
            return [None], f"{type(error).__name__}: {error}"
    each = [embeddings_of([message], services) for message in messages]
    return [embedding for [embedding], _ in each], next((failure for _, failure in each if failure), "")
