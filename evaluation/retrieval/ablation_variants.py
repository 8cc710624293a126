"""The parts of the retrieval that are switched off one at a time: (name, settings of ``Retrieval`` that differ)."""

from collections.abc import Mapping
from typing import Any

Variant = tuple[str, Mapping[str, Any]]

_MIN_MAX = {"scoring": "min-max"}

VARIANTS: tuple[Variant, ...] = (
    # What leads to candidates.
    ("no viewpoint", {"viewpoint": False}),
    ("no graph leg", {"graph_weight": 0.0}),
    ("fusion rrf", {"fusion": "rrf"}),
    ("fusion lr", {"fusion": "lr"}),
    ("recall 50", {"recall": 50}),
    ("recall 200", {"recall": 200}),
    ("15 candidates", {"candidates": 15}),
    ("60 candidates", {"candidates": 60}),
    # How they are scored.
    ("min-max scores", _MIN_MAX),
    ("min-max scores, words alone", {**_MIN_MAX, "bm25_weight": 1.0}),
    ("min-max scores, meaning alone", {**_MIN_MAX, "bm25_weight": 0.0}),
    ("min-max scores, no neighbours", {**_MIN_MAX, "neighbour_weight": 0.0}),
    ("min-max scores, no speaker", {**_MIN_MAX, "speaker_weight": 0.0}),
    ("episodes by their text", {"episodes_by": "narrative"}),
    ("episodes by their messages", {"episodes_by": "messages"}),
    ("alpha 0: episodes' scores alone", {"alpha": 0.0}),
    ("alpha 0.25", {"alpha": 0.25}),
    ("alpha 0.5", {"alpha": 0.5}),
    ("alpha 0.75", {"alpha": 0.75}),
    ("alpha 1: facts' scores alone", {"alpha": 1.0}),
    # How they compete.
    ("no competition: episodes alone", {"competition": False}),
    ("no granularity", {"granularity": False}),
    ("patience 1", {"patience": 1}),
    ("patience 1000: every episode is expanded", {"patience": 1000}),
)
"""A variant whose settings equal those of the run is left out: there is nothing to compare."""
