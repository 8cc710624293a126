"""Folders as sources: the files in them, in an order that never changes."""

import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from connectors.files.files import count_events, half_written
from mneme.errors import InputError


@dataclass(frozen=True, slots=True)
class Found:
    """A file with ``events``. ``name`` names its document: the path from the folder that was given, else the file's name."""

    path: Path
    name: str
    events: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file of a folder that is not taken in, or the last line of one that is, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Search:
    """The files found under the paths that were given."""

    files: tuple[Found, ...]
    skipped: tuple[Skipped, ...]


def find_files(paths: Sequence[Path], defaults: Mapping[str, str] | None = None) -> Search:
    """The files that are meant by files and folders.

    1. A file stands for itself, and must be understood.
    2. A folder stands for all files below it, sorted by their paths. Hidden ones (``.git``) are left out, and so is what a link
       leads to a second time, be it in a circle.
    3. What cannot be understood in a folder is told, and the rest is taken.

    Args:
        paths: files and folders.
        defaults: as of ``count_events``: an owner, for files that do not say whose they are.

    Raises:
        InputError: a path is not there, a file is not understood, or a folder has no file that is.
    """
    given = dict(defaults or {})
    files: list[Found] = []
    skipped: list[Skipped] = []
    for path in paths:
        if not path.is_dir():
            files.append(Found(path, path.name, count_events(path, **given)))
            skipped += _skipped_line(path)
            continue
        understood = len(files)
        for inside in _below(path):
            name = inside.relative_to(path).as_posix()
            try:
                _check(inside, name)
                files.append(Found(inside, name, count_events(inside, **given)))
                skipped += _skipped_line(inside)
            except InputError as error:
                skipped.append(Skipped(inside, str(error).removeprefix(f"{inside}: ")))
        if understood == len(files):
            raise InputError(_nothing_in(path, skipped))
    return Search(tuple(files), tuple(skipped))


def _skipped_line(path: Path) -> Iterator[Skipped]:
    if line := half_written(path):
        yield Skipped(path, f"line {line} is half written; give the file again when it is whole")


def _below(folder: Path) -> Iterator[Path]:
    """Every file below a folder once, sorted by the names on the way to it."""
    root, waiting = folder.resolve(), [folder]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        try:
            inside = sorted(each for each in path.iterdir() if not each.name.startswith("."))
        except OSError:  # a file, or a folder that may not be looked into
            yield path
        else:
            waiting.extend([each for each in inside if _is_new(each, root, seen)][::-1])


def _is_new(path: Path, root: Path, seen: set[Path]) -> bool:
    """True if nothing else leads to a file or folder: a link leads nowhere new within the folder that was given."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):  # a link to nothing, or to itself
        return False
    if real in seen or (path.is_symlink() and real.is_relative_to(root)):
        return False
    seen.add(real)
    return True


def _check(path: Path, name: str) -> None:
    try:
        mode = path.stat().st_mode
        name.encode()
    except OSError as error:
        raise InputError((error.strerror or "it cannot be read").lower()) from error
    except UnicodeEncodeError as error:
        raise InputError("its name is not UTF-8; rename it") from error
    if stat.S_ISDIR(mode):
        raise InputError("this folder may not be read; change its rights")
    if not stat.S_ISREG(mode):
        raise InputError("it is no regular file")


def _nothing_in(folder: Path, skipped: Sequence[Skipped]) -> str:
    if not skipped:
        return f"{folder}: there is no file in this folder"
    return f"{folder}: none of its {len(skipped)} files is understood; {skipped[-1].path.name}: {skipped[-1].reason}"
