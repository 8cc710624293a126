"""Lanes: what keeps its order on the way through the flow, a conversation or a document."""

from mneme.ids import conversation_path, document_key
from mneme.records import StoredMessage
from mneme.rows import Row


def lane_of(tenant_id: str, conversation_id: str) -> str:
    """The lane of a conversation. That of a document is its key (mneme/ids.py)."""
    return conversation_path(tenant_id, conversation_id)


def lane_of_message(message: StoredMessage) -> str:
    """The lane of a message; an attachment of a message has its own."""
    if message.document_id is not None:
        return document_key(message.owner.key, message.document_id)
    return message.id.rpartition("/")[0]  # its id begins with it (mneme/ids.py), and percent-encoding takes ten times as long


def lane_of_row(row: Row) -> str:
    """The lane of the row of a message, and of what is made from it."""
    if row.document_id is not None:
        return document_key(row.owner_key, row.document_id)
    return lane_of(row.tenant_id, row.conversation_id or "")
