"""All names of an owner at once: what the incremental way must come to."""

from collections.abc import Collection

from flows.consistency.aggregates.names import Heads, parsed


def merged_names(names: Collection[tuple[str, str]]) -> dict[str, str]:
    """The names that stand for another, and the name that each means; each name is given with the type of its entity."""
    heads = Heads([parsed(*each) for each in dict.fromkeys(names)])
    meant = {name.written: heads.of(name).written for name in heads.names}
    return {alias: name for alias, name in meant.items() if alias != name}
