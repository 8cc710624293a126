"""Small rows for somebody who waits: everything before a flush is searchable, everything of an erasure is gone."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mneme.ids import content_hash, lasting_name, make_id
from mneme.records import Owner
from mneme.rows import Row, control_row

FLUSH_MARKER = "flush"  # the kind of row


def flush_marker(tenant_id: str, flush_id: str, at: datetime, attempt: int = 0) -> Row:
    """The row that says: everything before this flush is searchable."""
    return _note(tenant_id, FLUSH_MARKER, flush_id, at, {"flush_id": flush_id, "attempt": attempt})


CLAIMS_REFUSED = "claims_refused"  # in a receipt: claim checks that their store did not let us delete


def erasure_receipt(tenant_id: str, erasure_id: str, at: datetime, removed: Mapping[str, int], subject: str = "") -> Row:
    """The row that says: everything of this erasure is gone, since ``at``. ``removed`` counts what was taken from where.

    Only if it counts ``CLAIMS_REFUSED`` something is left. The hash of the ``subject`` tells whether the id was used before.
    """
    body = {"erased_at": at.isoformat(), "removed": dict(removed), "of": content_hash(subject.encode())}
    return _note(tenant_id, "erasure", erasure_id, at, body)


def _note(tenant_id: str, kind: str, identity: str, at: datetime, body: dict[str, Any]) -> Row:
    """A row of the tenant's."""
    owner = Owner(tenant_id=tenant_id, type="tenant", id=tenant_id)
    return control_row(owner, kind, lasting_name(make_id(kind, tenant_id, identity)), 1, at, body)
