"""The folders of an embedded index: the tables of each generation in one, and a file that names the one in use.

``index.json`` names the folder of the tables in use (``tables``, then ``tables-2``, ...), ``next.json`` that of the tables that
are being filled. The second becomes the first by renaming it: a reader finds the one or the other, and nothing between.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from mneme.errors import NoIndexYet, StoreRejected

MANIFEST = "index.json"
NEXT_MANIFEST = "next.json"
FIRST_TABLES = "tables"


def tables_of(generation: int) -> str:
    """The folder of a generation's tables."""
    return FIRST_TABLES if generation == 1 else f"{FIRST_TABLES}-{generation}"


def generation_of(tables: str) -> int:
    """The generation whose tables are in this folder."""
    return int(tables.removeprefix(f"{FIRST_TABLES}-")) if tables != FIRST_TABLES else 1


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of an index: what it was made for, and its metadata.

    Raises:
        NoIndexYet: there is no such file.
        StoreRejected: it is damaged.
    """
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        remedy = "`mneme serve` and `mneme run` make it when they start, `mneme ingest FILE` does too"
        raise NoIndexYet(f"{path.parent}: there is no index here yet; {remedy}") from None
    except json.JSONDecodeError as error:
        raise StoreRejected(f"{path}: not JSON ({error}); restore it, or ingest into a new folder") from error
    return manifest


def generation_in_use(path: Path) -> int:
    """The generation that the index in a folder is read from.

    Raises:
        NoIndexYet, StoreRejected: see ``read_manifest``.
    """
    return generation_of(read_manifest(path / MANIFEST).get("tables", FIRST_TABLES))


def drop_generations(path: Path, first: int, last: int) -> int:
    """Delete the tables of the generations from ``first`` to ``last``; how many there were."""
    there = [each for each in path.iterdir() if re.fullmatch(rf"{FIRST_TABLES}(-\d+)?", each.name)]
    dropped = [each for each in there if first <= generation_of(each.name) <= last]
    for folder in dropped:
        shutil.rmtree(folder)
    return len(dropped)
