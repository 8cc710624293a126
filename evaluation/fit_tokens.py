"""``mneme bench fit tokens``: fits by what the local embedder reduces the vectors of tokens, once for each of its models.

1. Read texts; each goes to the model of its language.
2. Take the vectors of all tokens in full, and of them the mean and the directions in which they differ most (principal
   component analysis).

What ships was fitted on texts of this project, and on nobody else's.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import orjson
import typer
from rich.console import Console

from connectors import embedders
from connectors.embedders import multilingual_e5
from connectors.embedders.encoder import DIMENSION, Encoder, Model
from connectors.embedders.minilm_weights import find_weights
from evaluation.options import FittedOption
from mneme.errors import InputError
from mneme.languages import foreign_language
from mneme.rows import TOKEN_DIMENSION, Vector

DEFAULT_OUT = Path(embedders.__file__).parent
_SHORTEST, _LONGEST = 12, 600  # characters of a text
_BATCH = 8


def run_fit_tokens(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Markdown, by paragraphs, and JSON (lines), by strings, in many languages.",
            show_default=False,
        ),
    ],
    console: Console,
    out: FittedOption = DEFAULT_OUT,
) -> None:
    """By what the local embedder reduces the vectors of tokens: prints how much of their variance is kept, then writes it.

    A file for each model goes into the folder ``out``.

    Raises:
        InputError: a file cannot be read, or there are too few texts for one of the models.
        SettingsError: the weights of a model are missing.
    """
    texts = sorted({text for file in files for text in _texts(file)})
    other = multilingual_e5.find_model(wanted=True)
    assert other is not None, "refused otherwise"
    for name, model, is_foreign in (
        ("minilm_tokens", find_weights(None).model, False),
        ("multilingual_e5_tokens", other, True),
    ):
        own = [text for text in texts if bool(foreign_language(text)) is is_foreign]
        with console.status(f"{model.name}: {len(own)} texts"):
            projection, kept, tokens = _fit(model, own)
        projection.astype("<f2").tofile(out / f"{name}.f16")
        console.print(
            f"FIT tokens model={model.name} texts={len(own)} tokens={tokens} variance_kept={kept:.3f}", highlight=False
        )


def _texts(file: Path) -> Iterator[str]:
    try:
        read = file.read_text(encoding="utf-8")
        if file.suffix == ".md":
            parts = read.split("\n\n")
        else:
            parts = list(_strings([orjson.loads(part) for part in (read.splitlines() if file.suffix == ".jsonl" else [read])]))
    except (OSError, ValueError) as error:
        raise InputError(f"files: {file} cannot be read ({error}); give Markdown or JSON lines") from error
    return (part.strip() for part in parts if _SHORTEST <= len(part.strip()) <= _LONGEST)


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _strings(each)
        case dict():
            yield from _strings(list(value.values()))


def _fit(model: Model, texts: Sequence[str]) -> tuple[Vector, float, int]:
    """The mean and the directions, the share of the variance that they keep, and how many tokens there were."""
    whole = np.vstack([np.zeros((1, DIMENSION)), np.eye(DIMENSION)]).astype(np.float32)
    with tempfile.TemporaryDirectory() as cache:
        encoder = Encoder(replace(model, projection=whole), True, Path(cache))
        tokens = encoder.tokens(texts)
        made = (each for at in range(0, len(texts), _BATCH) for each in encoder.run(tokens[at : at + _BATCH]))
        vectors = np.concatenate([np.frombuffer(each.token_vectors, np.int8).reshape(-1, DIMENSION) for each in made]) / 127.0
    if len(vectors) < DIMENSION:
        raise InputError(f"files: they have {len(vectors)} tokens for {model.name}; give more texts in its languages")
    mean = vectors.mean(axis=0)
    variances, directions = np.linalg.eigh(np.cov(vectors - mean, rowvar=False))
    kept = directions[:, : -TOKEN_DIMENSION - 1 : -1].T
    return np.vstack([mean, kept]).astype(np.float32), float(variances[-TOKEN_DIMENSION:].sum() / variances.sum()), len(vectors)
