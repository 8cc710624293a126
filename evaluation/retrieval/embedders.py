"""Embedders by a short name, so that several can be compared on the same questions.

local            all-MiniLM-L6-v2, fp32
local:int8       the same in int8
hash             no meaning at all: what is left when vectors say nothing
openai           the endpoint of the settings (MNEME_EMBEDDER__BASE_URL, ...__MODEL, ...__DIMENSION)
openai:M:D       the same endpoint, model M of dimension D
"""

from typing import Any

from mneme.errors import InputError
from mneme.settings import Settings

FORMS = "local, local:int8, hash, openai, openai:MODEL:DIMENSION"


def named_embedder(settings: Settings, spec: str) -> Settings:
    """The settings with another embedder.

    Raises:
        InputError: the name is none of those above.
    """
    changes: dict[str, Any]
    match spec.split(":"):
        case ["local"]:
            changes = {"provider": "local", "quantize": "none"}
        case ["local", "int8"]:
            changes = {"provider": "local", "quantize": "int8"}
        case ["hash"]:
            changes = {"provider": "hash"}
        case ["openai"]:
            changes = {"provider": "openai"}
        case ["openai", *model, dimension] if model and dimension.isdecimal() and int(dimension):
            changes = {"provider": "openai", "model": ":".join(model), "dimension": int(dimension)}
        case _:
            raise InputError(f"embedder: {spec!r} is not known; accepted are {FORMS}")
    return settings.model_copy(update={"embedder": settings.embedder.model_copy(update=changes)})
