"""Rows as Arrow batches and back, and a ``Filter`` as the SQL that LanceDB prefilters with."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic_core import from_json

from mneme.ports import Filter
from mneme.rows import COLUMNS, HIDDEN_KINDS, Collection, Row, directions, whole_numbers

ADDRESS = "_rowid"  # LanceDB's name for where a row lies
REMOVED_AT = "removed_at"  # set on a tombstone: a removed row keeps its key and version, and nothing else

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_TIME = pa.timestamp("us", "UTC")
_TEXTS = pa.list_(pa.string())
_TYPES = {str: pa.string(), int: pa.int64(), datetime: _TIME, tuple[str, ...]: _TEXTS, dict[str, Any]: pa.string()}
_COLUMNS: dict[str, pa.DataType] = {name: _TYPES[of] for name, of in COLUMNS.items() if of in _TYPES} | {REMOVED_AT: _TIME}
ROW_COLUMNS = [name for name in _COLUMNS if name != REMOVED_AT]
NULLABLE_TEXTS = ["tokens", "conversation_id", "document_id", "parent_id", "agent_id"]  # none of them is ever empty
VECTOR_COLUMNS = ["vector", "token_vectors"]


def schema(dimension: int) -> pa.Schema:
    """The columns of a table: those of ``Row``, the body as JSON, the mark of a tombstone, and the vectors."""
    return pa.schema([*_COLUMNS.items(), ("vector", pa.list_(pa.int8(), dimension)), ("token_vectors", pa.binary())])


def to_arrow(rows: Sequence[Row], tombstones: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows, then tombstones (dictionaries with the columns they have), as one batch for a merge."""
    columns = {name: [_cell(row, name) for row in rows] + [stone.get(name) for stone in tombstones] for name in _COLUMNS}
    vectors = [None if row.vector is None else whole_numbers(row.vector) for row in rows]
    columns["vector"] = vectors + [None] * len(tombstones)
    columns["token_vectors"] = [row.token_vectors or None for row in rows] + [None] * len(tombstones)
    return pa.table(columns, schema=schema)


def to_rows(
    collection: Collection, table: pa.Table, share: Callable[[str, list[Any]], list[Any]] = lambda name, values: values
) -> list[Row]:
    """The rows of a result; with vectors if it has those columns.

    Args:
        collection: where they lie.
        table: some columns of the table.
        share: what it gives for the values of a column is taken in their place: equal ones that are in memory already.
    """
    columns = {name: share(name, _values(name, table[name])) for name in table.column_names if name in ROW_COLUMNS}
    if "vector" in table.column_names:
        vectors, place = vectors_of(table["vector"])
        columns["vector"] = [None if at < 0 else vectors[at] for at in place.tolist()]
    if "token_vectors" in table.column_names:
        columns["token_vectors"] = [each or b"" for each in table["token_vectors"].to_pylist()]
    return [Row(collection=collection, **dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]


def vectors_of(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """The vectors that are there, each of length 1, and for each row the place of its vector, -1 if it has none."""
    present = column.is_valid().to_numpy(zero_copy_only=False)
    numbers = column.drop_null().combine_chunks().flatten().to_numpy().reshape(-1, column.type.list_size)
    return directions(numbers), np.where(present, np.cumsum(present) - 1, -1)


def _values(name: str, column: pa.ChunkedArray) -> list[Any]:
    """The values as ``Row`` has them: times aware, lists as tuples, a list that was never written as an empty one."""
    if pa.types.is_timestamp(column.type):  # made from numbers: pyarrow takes ten times as long
        return [None if each is None else EPOCH + timedelta(microseconds=each) for each in column.cast(pa.int64()).to_pylist()]
    values: list[Any] = column.to_pylist()
    if pa.types.is_list(column.type):
        return [tuple(each or ()) for each in values]
    if name == "body":
        return list(map(from_json, values))  # in 40 % of the time of the standard library's
    return [each or "" for each in values] if name == "tokens" else values


def labels_pass(filter: Filter, column: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """A mask of the labels that pass the conditions of a filter: SQL can compare no element of a list."""
    return np.array([all(each.holds(labels or ()) for each in filter.labels) for labels in column.to_pylist()], np.bool_)


def condition(filter: Filter) -> str:
    """The SQL of a filter without its labels. Everything given must hold; tombstones never pass."""
    parts = [f"{REMOVED_AT} IS NULL", f"tenant_id = {_quoted(filter.tenant_id)}", any_of("owner_key", filter.owner_keys)]
    for column, values in filter.allowed_values().items():
        is_list = _COLUMNS[column] == _TEXTS
        parts.append(f"array_has_any({column}, [{_list(values)}])" if is_list else any_of(column, values))
    if filter.since:
        parts.append(f"at >= {_time(filter.since)}")
    if filter.before:
        parts.append(f"at < {_time(filter.before)}")
    if filter.valid_at is not None:
        parts.append(f"(valid_to IS NULL OR valid_to > {_time(filter.valid_at)})")
    if not filter.hidden:
        parts.append(f"kind NOT IN ({_list(HIDDEN_KINDS)})")
    if filter.outside_documents:
        parts.append("document_id IS NULL")
    if filter.ended:
        parts.append("valid_to IS NOT NULL")
    return " AND ".join(parts)


def any_of(column: str, values: Sequence[str]) -> str:
    """SQL that is true where a column has one of the values; without values it is true nowhere."""
    return f"{column} IN ({_list(values)})" if values else "false"


def live(tenant_id: str) -> str:
    """SQL for what there is of a tenant, and is not hidden."""
    return f"{REMOVED_AT} IS NULL AND tenant_id = {_quoted(tenant_id)} AND kind NOT IN ({_list(HIDDEN_KINDS)})"


def before(column: str, moment: datetime) -> str:
    """SQL that is true where a time lies before a moment."""
    return f"{column} < {_time(moment)}"


def _list(values: Sequence[str]) -> str:
    return ", ".join(_quoted(value) for value in values)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _time(moment: datetime) -> str:
    return f"timestamp '{moment.astimezone(UTC).replace(tzinfo=None).isoformat(sep=' ', timespec='microseconds')}'"


def _cell(row: Row, name: str) -> Any:
    if name == REMOVED_AT:
        return None
    value = getattr(row, name)
    if name == "body":
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return (value or None) if name == "tokens" else value  # a row without tokens must not count in BM25's averages
