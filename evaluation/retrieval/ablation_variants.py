"""The parts of the retrieval that are switched off one at a time: (name, settings of ``Retrieval`` that differ)."""

from collections.abc import Mapping
from typing import Any

Variant = tuple[str, Mapping[str, Any]]

_MIN_MAX = {"scoring": "min-max"}

VARIANTS: tuple[Variant, ...] = (
    # What leads to candidates.
    ("no viewpoint", {"viewpoint": False}),
    ("no graph leg", {"graph_weight": 0.0}),
    # How they are scored.
    ("min-max scores", _MIN_MAX),
    ("alpha 0: episodes' scores alone", {"alpha": 0.0}),
    ("alpha 0.25", {"alpha": 0.25}),
    ("alpha 0.5", {"alpha": 0.5}),
    ("alpha 0.75", {"alpha": 0.75}),
    ("alpha 1: facts' scores alone", {"alpha": 1.0}),
    # How they compete.
    ("no competition: episodes alone", {"competition": False}),
    ("no granularity", {"granularity": False}),
)
"""A variant whose settings equal those of the run is left out: there is nothing to compare."""
