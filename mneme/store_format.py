"""The format of a store: how its ids, rows and tokens are made. A change of any of them raises the one number."""

from collections.abc import Mapping

from mneme import text
from mneme.errors import StoreRejected
from mneme.ports import EmbedderIdentity

FORMAT = 6


def made_for(embedder: EmbedderIdentity) -> dict[str, str | int]:
    """The facts that a store carries of how it was made. All must be equal for it to be used."""
    return {"format": FORMAT, "embedder": embedder.fingerprint, "tokeniser": text.TOKENISER}


def as_texts(facts: Mapping[str, object]) -> dict[str, str]:
    """These facts of a store as texts; other facts that it carries are left out."""
    return {name: str(facts.get(name, "unknown")) for name in ("embedder", "tokeniser", "format")}


def check_format(place: str, found: object) -> None:
    """Refuse a store of another format.

    Args:
        place: the store, as it may be shown.
        found: the number that it carries; anything else is an older one.

    Raises:
        StoreRejected: names what makes an older store anew.
    """
    if found == FORMAT:
        return
    refuse_newer(place, found)
    raise StoreRejected(
        f"{place}: an older Mneme made it (format {found}, now {FORMAT}). Stop the flow, run `mneme admin rebuild`: it makes "
        "the memory anew from the stored messages and documents, and leaves the old store until the new one is complete"
    )


def refuse_newer(place: str, found: object) -> None:
    """Refuse a store of a newer format alone.

    Raises:
        StoreRejected: it has one.
    """
    if isinstance(found, int) and found > FORMAT:
        raise StoreRejected(f"{place}: a newer Mneme made it (format {found}, here {FORMAT}); use that version")


def number_of(stated: str) -> int | None:
    """The format that a generation of the index states as text; None where it states none."""
    return int(stated) if stated.isdigit() else None
