"""The names of the indices: numbered generations of each collection, one of them in use behind an alias.

``mneme-facts`` is the alias by which the facts are found, ``mneme-facts-2`` the index behind it, ``mneme-facts-2-writes`` an
alias of this index alone. Whoever writes does so by the last one: to the generation that it was opened with, whichever takes
its place, and never to an index that is gone and would be made anew.
"""

import re
from collections.abc import Mapping

from opensearchpy import OpenSearch

from mneme.rows import Collection


def alias_of(prefix: str, collection: Collection) -> str:
    """The name under which a collection is found."""
    return f"{prefix}-{collection}"


def index_of(prefix: str, collection: Collection, generation: int) -> str:
    """The index of a generation."""
    return f"{alias_of(prefix, collection)}-{generation}"


def writes_of(index: str) -> str:
    """The alias under which an index is written."""
    return f"{index}-writes"


def indices_by_generation(client: OpenSearch, prefix: str) -> Mapping[int, Mapping[Collection, str]]:
    """The names of all indices that there are, by generation, the oldest first."""
    found: dict[int, dict[Collection, str]] = {}
    names = client.indices.get(index=f"{prefix}-*")
    for collection in Collection:
        for name in names:
            if match := re.fullmatch(rf"{re.escape(alias_of(prefix, collection))}-(\d+)", name):
                found.setdefault(int(match[1]), {})[collection] = name
    return dict(sorted(found.items()))


def generation_in_use(client: OpenSearch, prefix: str) -> int | None:
    """The generation behind the alias; None where there is no index."""
    alias = alias_of(prefix, Collection.CONTROL)
    names = client.indices.get(index=alias, params={"ignore_unavailable": "true"})
    numbers = [int(match[1]) for name in names if (match := re.fullmatch(rf"{re.escape(alias)}-(\d+)", name))]
    return max(numbers, default=None)


def drop_generations(client: OpenSearch, prefix: str, first: int, last: int) -> int:
    """Delete the indices of the generations from ``first`` to ``last``; how many generations there were."""
    there = [names for number, names in indices_by_generation(client, prefix).items() if first <= number <= last]
    for names in there:
        client.indices.delete(index=",".join(names.values()), params={"ignore_unavailable": "true"})
    return len(there)
