"""Shared parts of the `mneme bench fit` commands: the regression, folds, and files."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter
from sklearn.linear_model import LogisticRegression

from connectors.models import open_embedder
from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets import LOADERS
from mneme.errors import InputError
from mneme.ports import EmbedderIdentity
from mneme.settings import Settings

Entry = TypeVar("Entry", bound=BaseModel)


def fitted(
    names: Sequence[str], rows: Any, labels: Any, counts: Any, strength: float, digits: int = 3, **more: Any
) -> tuple[dict[str, float], float]:
    """The weight of each feature and the bias of a logistic regression, rounded as they are shipped.

    Args:
        names: of the features.
        rows: the features of each example.
        labels: which examples are right.
        counts: how much each counts.
        strength: inverse of the L2 penalty.
        digits: behind the point.
        more: as ``LogisticRegression`` takes it.
    """
    model = LogisticRegression(C=strength, **more).fit(rows, labels, sample_weight=counts)
    weights = {name: round(float(value), digits) for name, value in zip(names, model.coef_[0], strict=True)}
    return weights, round(float(model.intercept_[0]), digits)


def folds_of(groups: Iterable[str], count: int) -> dict[str, int]:
    """The fold of each group, dealt in turn in the order in which they first come."""
    return {group: place % count for place, group in enumerate(dict.fromkeys(groups))}


def check_ready(out: Path) -> None:
    """Refuse to begin where the result could not be written.

    Args:
        out: the file that will be written.

    Raises:
        InputError: ``out`` is a folder, or in none.
    """
    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"out: {out} is no file in a folder that exists; choose another")


def given_sets(locomo: Sequence[Path] | None, beam: Sequence[Path] | None) -> list[QuestionSet]:
    """The question sets of the files that are given."""
    return [LOADERS[name](paths) for name, paths in (("locomo", locomo), ("beam", beam)) if paths]


def identity_of(settings: Settings) -> EmbedderIdentity:
    """Return the identity of the embedder that is fitted for.

    Raises:
        SettingsError: it cannot be opened.
    """
    with closing(open_embedder(settings)) as embedder:
        return embedder.identity


_MADE_FOR = ("backend", "embedder", "late_interaction")  # fields of coefficients: for which searches they are


def write_entry(out: Path, entry: Entry) -> None:
    """Write coefficients into a file of several, in place of those for the same searches; the others are kept.

    Raises:
        InputError: the file cannot be written, or holds something else.
    """
    entries: TypeAdapter[list[Entry]] = TypeAdapter(list[type(entry)])  # type: ignore[misc, arg-type]

    def key(each: Entry) -> list[Any]:
        return [getattr(each, name) for name in _MADE_FOR if name in type(each).model_fields]

    try:
        kept = entries.validate_json(out.read_text(encoding="utf-8")) if out.exists() else []
        kept = sorted([*(each for each in kept if key(each) != key(entry)), entry], key=key)
        out.write_bytes(entries.dump_json(kept, indent=1) + b"\n")
    except (OSError, ValueError) as error:
        raise InputError(f"out: {out} cannot be written or holds no coefficients ({error}); choose another file") from error
