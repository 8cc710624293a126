"""State values: versioned bytes with references and counters, no texts and no pickled classes.

A value is the version, a colon and deflated JSON, or what a step makes of it itself (``split_state``). A step that changes the
form of its state raises its version and keeps the older forms readable (``migrations``), so that a store of an older Mneme can
be continued.
"""

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from mneme.errors import StoreRejected


def encode_state(version: int, state: Any) -> bytes:
    """A state value from plain JSON values."""
    return b"%d:" % version + zlib.compress(json.dumps(state, separators=(",", ":"), ensure_ascii=False).encode(), 1)


def decode_state(value: bytes, version: int, migrations: Mapping[int, Callable[[Any], Any]] | None = None) -> Any:
    """The plain values of a state value; ``migrations[n]`` turns the form of version n into that of n + 1.

    Raises:
        StoreRejected: the value was written by a newer Mneme, or is none.
    """
    found, body = split_state(value, version)
    try:
        state = json.loads(zlib.decompress(body))
    except (ValueError, zlib.error) as error:
        raise StoreRejected(_DAMAGED) from error
    for step in range(found, version):
        state = (migrations or {})[step](state)
    return state


def split_state(value: bytes, version: int) -> tuple[int, bytes]:
    """The version and the body of a state value.

    Raises:
        StoreRejected: the value was written by a newer Mneme, or is none.
    """
    head, _, body = value.partition(b":")
    try:
        found = int(head)
    except ValueError as error:
        raise StoreRejected(_DAMAGED) from error
    if found > version:
        raise StoreRejected(f"the recovery store was written by a newer Mneme (state {found}, here {version}); upgrade")
    return found, body


_DAMAGED = "the recovery store holds a state value that is not Mneme's; use its own directory"
