"""Embedders: texts to vectors. Here, what the fingerprint of an index says of the vectors that it was made with."""

from collections.abc import Mapping

from mneme.errors import StoreRejected
from mneme.ports import EmbedderIdentity
from mneme.store_format import check_format, made_for

MODEL = "all-MiniLM-L6-v2"
VARIANTS = {"none": "fp32", "int8": "int8-per-token"}
"""Precisions by ``EmbedderSettings.quantize``. "int8" named earlier vectors, with one scale for all tokens of a text."""


def is_multilingual(fingerprint: str) -> bool:
    """True if a model for other languages made some of the vectors."""
    return "+" in fingerprint.partition("/")[0]


def has_token_vectors(fingerprint: str) -> bool:
    """True if the vectors of tokens are kept beside those of texts."""
    return "/tokens" in fingerprint


def check_made_for(place: str, facts: Mapping[str, object], embedder: EmbedderIdentity) -> None:
    """Refuse a store that was made in another format, for another embedder or with another tokeniser.

    Args:
        place: the store, as it may be shown.
        facts: those that it carries (``made_for``).
        embedder: of this program.

    Raises:
        StoreRejected: says what to do.
    """
    check_format(place, facts.get("format"))
    for name, wanted in made_for(embedder).items():
        if (found := facts.get(name, "unknown")) != wanted:
            back = "set it back (MNEME_EMBEDDER__*)" if name == "embedder" else "use that version of Mneme"
            raise StoreRejected(
                f"{place} was made with the {name} {found!r}, and {wanted!r} is set now; "
                f"{back}, or move the index to it with `mneme admin reindex`"
            )
