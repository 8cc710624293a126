"""Where a page ends: a cursor that a caller hands back, and need not understand."""

import base64
import binascii
import json
from datetime import UTC, datetime

from mneme.errors import InputError
from mneme.ports import Place

LARGEST_PAGE = 200


def cursor(place: Place) -> str:
    """A place in a list as a text.

    >>> place_of(cursor((datetime(2026, 3, 2, tzinfo=UTC), "standup")))
    (datetime.datetime(2026, 3, 2, 0, 0, tzinfo=datetime.timezone.utc), 'standup')
    """
    at, identity = place
    return base64.urlsafe_b64encode(json.dumps([at.isoformat(), identity]).encode()).decode().rstrip("=")


def place_of(after: str | None) -> Place | None:
    """The place behind which a page begins.

    Raises:
        InputError: it is no cursor.
    """
    if after is None:
        return None
    try:
        at, identity = json.loads(base64.b64decode(after + "=" * (-len(after) % 4), altchars=b"-_", validate=True))
        moment = datetime.fromisoformat(at).astimezone(UTC)
        identity.encode()
    except (ValueError, TypeError, AttributeError, OverflowError, binascii.Error, RecursionError) as error:
        raise InputError("after: this is no cursor; give the next of the page before, or leave it out") from error
    return moment, identity


def check_limit(limit: int) -> None:
    """
    Raises:
        InputError: a page cannot have so many items.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LARGEST_PAGE:
        raise InputError(f"limit: {limit!r} is not possible; a page has 1 to {LARGEST_PAGE} items")
