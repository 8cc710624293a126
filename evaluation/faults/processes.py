"""Looking at processes of this machine by their ids, as Linux shows them in /proc: children, memory."""

import os
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def family_of(pid: int) -> list[int]:
    """A process and all its descendants that live now, parents first; empty when it is gone."""
    parents = {int(entry.name): parent for entry in Path("/proc").glob("[0-9]*") if (parent := _parent_of(entry))}
    if pid not in parents:
        return []
    family = [pid]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return family


def resident_bytes(pid: int) -> int:
    """Memory that a process and its descendants hold (RSS; what they share counts for each)."""
    return sum(_resident_of(member) for member in family_of(pid))


def _parent_of(entry: Path) -> int | None:
    try:
        state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:  # it ended meanwhile
        return None
    return None if state == "Z" else int(parent)


def _resident_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    except OSError:
        return 0
