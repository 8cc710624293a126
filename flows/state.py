"""State values: versioned bytes with references and counters, no texts and no pickled classes.

A value is the version, a colon and deflated JSON, or what a step makes of it itself (``split_state``). A step that changes the
form of its state raises its version, and the format of the store with it (mneme/store_format.py): no older form is read.
"""

import json
import zlib
from typing import Any

from mneme.errors import StoreRejected


def encode_state(version: int, state: Any) -> bytes:
    """A state value from plain JSON values."""
    return b"%d:" % version + zlib.compress(json.dumps(state, separators=(",", ":"), ensure_ascii=False).encode(), 1)


def decode_state(value: bytes, version: int) -> Any:
    """The plain values of a state value.

    Raises:
        StoreRejected: the value was written by another Mneme, or is none.
    """
    try:
        return json.loads(zlib.decompress(split_state(value, version)))
    except (ValueError, zlib.error) as error:
        raise StoreRejected(_DAMAGED) from error


def split_state(value: bytes, version: int) -> bytes:
    """The body of a state value.

    Raises:
        StoreRejected: the value was written by another Mneme, or is none.
    """
    head, _, body = value.partition(b":")
    try:
        found = int(head)
    except ValueError as error:
        raise StoreRejected(_DAMAGED) from error
    if found != version:
        raise StoreRejected(
            f"another version of Mneme wrote the recovery store (state {found}, here {version}); use that version, or run "
            "`mneme admin rebuild`"
        )
    return body


_DAMAGED = "the recovery store holds a state value that is not Mneme's; use its own directory"
