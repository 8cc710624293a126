"""How often a process of the flow looks for garbage."""

import gc

# Python's own is 700: each message makes more than that, nearly all of which goes by itself, and the flow spent a sixth of
# its time on the rest. The program ``mneme`` says the same of itself (serving/quick_start.py).
_OBJECTS_BETWEEN_COLLECTIONS = 50_000


def look_less_often() -> None:
    """Say that this process is the flow's, and nobody's but ours."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
