"""Whose memory a tenant has: ``Memories.owners``."""

from mneme.ports import MemoryIndex
from queries.browsing.listed import OwnerSummary

MOST_OWNERS = 1_000


def read_owners(index: MemoryIndex, tenant_id: str) -> tuple[OwnerSummary, ...]:
    """The owners of a tenant's memories, that of the latest message first.

    Raises:
        StoreError: the index cannot answer.
    """
    return tuple(
        OwnerSummary.model_validate(
            {"type": each.owner_type, "id": each.owner_id, "messages": each.rows, "last_at": each.last_at}
        )
        for each in index.owners(tenant_id, MOST_OWNERS)
    )
