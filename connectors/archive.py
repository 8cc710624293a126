"""The memory of an owner as a file: one line of JSON for each row, between a header and an end.

    {"mneme": "export", "format": ..., "owner": {...}, "embedder": ..., "tokeniser": ..., "exported_at": ..., "rows": {...}}
    {"collection": "messages", "id": ..., "version": ..., "body": {...}, "vector": "<base64 of little-endian float32>", ...}
    {"mneme": "end", "rows": {...}, "sha256": ...}

The end tells whether the file is whole: how many rows of each collection there are, and the hash of their lines. The same
rows give the same bytes, except for the date in the header.
"""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, create_model

from connectors.durable import whole_file
from mneme.errors import InputError, StoreUnavailable
from mneme.records import Owner
from mneme.rows import COLUMNS, Collection, Row, Vector
from mneme.store_format import FORMAT

_LONGEST_LINE = 64 * 1024 * 1024  # bytes; a row is a fraction of the largest event
_FLOAT32 = np.dtype("<f4")
_DEFAULTS = {each.name: each.default for each in fields(Row) if each.init}

Counts = dict[Collection, int]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Header(_Strict):
    """The first line of an archive: ``embedder`` is the fingerprint of the vectors."""

    mneme: Literal["export"] = "export"
    format: int = FORMAT
    owner: Owner
    embedder: str
    tokeniser: str
    exported_at: AwareDatetime
    rows: Counts


class _End(_Strict):
    mneme: Literal["end"] = "end"
    rows: Counts
    sha256: str


_IN_JSON: dict[Any, Any] = {datetime: AwareDatetime, int: Annotated[int, Field(ge=0, lt=2**63)], Vector: str, bytes: str}


def _field(name: str, default: Any) -> tuple[Any, Any]:
    """The type and the default of a column of ``Row`` as JSON has it."""
    kind = _IN_JSON.get(COLUMNS[name], COLUMNS[name])
    if default is MISSING:
        return kind, ...
    return (kind | None, None) if default is None else (kind, "" if default == b"" else default)


_fields: dict[str, Any] = {name: _field(name, default) for name, default in _DEFAULTS.items()}
_Line = create_model("_Line", __base__=_Strict, **_fields)


class Archive(NamedTuple):
    """An open archive: its header and its rows. The rows are read as they are asked for, once."""

    header: Header
    rows: Iterator[Row]


def write_archive(path: Path, header: Header, rows: Iterable[Row]) -> None:
    """Write an archive. It appears under its name when it is whole, and on the disk.

    Raises:
        InputError: there is a file of this name, or the folder cannot be written to.
        StoreUnavailable: the rows are not those that the header counts: they changed meanwhile.
    """
    if path.exists():
        raise InputError(f"{path}: is there already; give another name, or remove it")
    counts, digest = Counter[Collection](), hashlib.sha256()
    try:
        with whole_file(path) as draft, draft.open("wb") as file:
            draft.chmod(0o600)
            file.write(_encoded(header.model_dump(mode="json")))
            for row in rows:
                line = _encoded(_values_of(row))
                digest.update(line)
                counts[row.collection] += 1
                file.write(line)
            file.write(_encoded(_End(rows=dict(counts), sha256=digest.hexdigest()).model_dump(mode="json")))
            if counts != Counter(header.rows):
                raise StoreUnavailable(
                    f"the memory of {header.owner.type} {header.owner.id} changed while it was exported; try again when it "
                    "rests, or stop the flow meanwhile"
                )
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error}); give a folder with room") from error


@contextmanager
def read_archive(path: Path) -> Iterator[Archive]:
    """Open an archive. Its rows are given one by one, and then the end is compared with them.

    Raises, while the rows are read:
        InputError: it is no archive of a format that is known, or not whole: damaged, cut short, or put together by hand.
    """
    try:
        with path.open("rb") as file:
            first = file.readline(_LONGEST_LINE)
            yield Archive(_header(path, first), _rows(path, file))
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or error}); give the whole file that `mneme admin export` wrote"
        ) from error


def _header(path: Path, line: bytes) -> Header:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or values.get("mneme") != "export":
        raise InputError(f"{path}: is no export; give a file that `mneme admin export` wrote (events are for `mneme ingest`)")
    if values.get("format") != FORMAT:
        raise InputError(
            f"{path}: has format {values.get('format')!r}, this program reads {FORMAT}; export again from a store "
            "that `mneme admin rebuild` has made anew"
        )
    try:
        return Header.model_validate(values)
    except ValidationError as error:
        raise InputError(f"{path}: its header is damaged ({_first_fault(error)}); export again") from error


def _rows(path: Path, file: IO[bytes]) -> Iterator[Row]:
    counts, digest, number = Counter[Collection](), hashlib.sha256(), 1
    while line := file.readline(_LONGEST_LINE):
        number += 1
        try:
            values = json.loads(line)
            if isinstance(values, dict) and values.get("mneme") == "end":
                end = _End.model_validate(values)
                if Counter(end.rows) != counts or end.sha256 != digest.hexdigest():
                    raise InputError(
                        f"{path}: its rows are not those that its end tells of: lines are missing or changed; export again"
                    )
                if file.readline(1):
                    raise InputError(f"{path}: something follows its end, in line {number + 1}; give one export at a time")
                return
            row = _row_of(_Line.model_validate(values))
        except ValidationError as error:
            raise InputError(f"{path}: line {number} is damaged ({_first_fault(error)}); export again") from error
        except (ValueError, RecursionError) as error:  # a line that was cut is no JSON
            raise InputError(f"{path}: line {number} is damaged ({type(error).__name__}); export again") from error
        digest.update(line)
        counts[row.collection] += 1
        yield row
    raise InputError(f"{path}: ends after line {number}, without its end: it was cut short; get the whole file")


# --- lines -----------------------------------------------------------------------------------------------------------


def _values_of(row: Row) -> dict[str, Any]:
    """A row as JSON has it; columns that are empty are left out."""
    values: dict[str, Any] = {}
    for name, default in _DEFAULTS.items():
        value = getattr(row, name)
        if isinstance(value, datetime):
            value = value.astimezone(UTC).isoformat()
        elif isinstance(value, np.ndarray):
            value = base64.b64encode(value.astype(_FLOAT32).tobytes()).decode()
        elif isinstance(value, bytes):
            value = base64.b64encode(value).decode() or default
        if value != default:
            values[name] = value
    return values


def _row_of(line: BaseModel) -> Row:
    """Raises ValueError where the vectors are malformed."""
    columns: dict[str, Any] = dict(line)
    columns |= {name: value.astimezone(UTC) for name, value in line if isinstance(value, datetime)}
    if (vector := columns["vector"]) is not None:
        columns["vector"] = np.frombuffer(base64.b64decode(vector, validate=True), dtype=_FLOAT32).astype(np.float32)
    columns["token_vectors"] = base64.b64decode(columns["token_vectors"], validate=True)
    return Row(**columns)


def _encoded(values: dict[str, Any]) -> bytes:
    # Sorted: the two indices may give the keys of a body in different orders.
    return (
        json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
    )


def _first_fault(error: ValidationError) -> str:
    """Name the wrong field and its fault, without its value."""
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, fault['loc'][:2]))}: {fault['msg']}"
