"""The record of a row, parsed once for as long as the index gives the same row: searches mostly show what others showed.

An index keeps the rows that it decoded (connectors/opensearch/hit_rows.py, connectors/lance/owner_rows.py); a row that was
written again is another one, and its record is parsed anew.
"""

from connectors.aging_cache import Derived
from mneme.records import AnyRecord
from mneme.rows import Row

_MOST_RECORDS = 10_000  # in each of two generations; some 3 KB a record

_parsed = Derived(Row.record, _MOST_RECORDS)


def words_of(row: Row) -> str:
    """The words that a statement tells: of a quote those that were said, without what is put around them."""
    body = row.body
    told = (body.get("quote") or {}).get("words") or body.get("atomic_fact") or body.get("text") or body.get("statement")
    return str(told or "")


def record_of(row: Row) -> AnyRecord:
    """The record that a row stores. May be called from several threads."""
    return _parsed(row)
