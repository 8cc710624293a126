"""How often a process of our own looks for garbage: the program ``mneme``, and the processes of a flow; never a library."""

import gc

# Python's own is 700 or 2,000: a message and a search make more than that, nearly all of which goes by itself. The flow spent
# a sixth of its time on the rest, and a start a tenth.
_OBJECTS_BETWEEN_COLLECTIONS = 50_000


def raise_gc_threshold() -> None:
    """Say that this process is nobody's but ours."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
