"""A small sentence encoder in onnxruntime, without torch, network or key: token ids to vectors, of the text and of its tokens.

The model is made from its weights once (connectors/embedders/bert_graph.py) and kept in the cache folder.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from connectors.folders import cache_folder, make_once
from mneme.errors import ModelError, SettingsError
from mneme.rows import TOKEN_DIMENSION, Embedding, Vector

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSION = 384
BUILD = 3  # counted up with every change of bert_graph.py that changes a vector: it names the cached file
LONGEST_TOKENS = 256  # what MiniLM was published with; the rest of a text is not seen


@dataclass(frozen=True)
class Model:
    """The parts of an encoder.

    ``name`` tells these weights from all others, in the name of a file. ``weights`` reads them, ``tokeniser`` makes what cuts
    texts into their tokens. ``prefix`` stands before each text. ``projection`` and ``centre``: see ``build_model``.
    """

    name: str
    layers: int
    weights: Callable[[], dict[str, Any]]
    tokeniser: Callable[[], "Tokenizer"]
    projection: Vector
    prefix: str = ""
    centre: Vector | None = None


class Encoder:
    """Tokeniser and session; both may be used by several threads at once."""

    def __init__(self, model: Model, quantized: bool, cache: Path | None) -> None:
        """Load them; the ONNX model is made if the cache folder does not hold it.

        Raises:
            SettingsError: a package is missing, or the weights are not what they should be.
            ModelError: onnxruntime cannot load the model.
        """
        try:
            import onnxruntime
            from onnxruntime.capi import onnxruntime_pybind11_state as runtime

            from connectors.embedders import onnx_session

            tokeniser = model.tokeniser()
        except ImportError as error:
            raise _missing(error) from error
        self._failures = (runtime.Fail, runtime.RuntimeException, runtime.InvalidProtobuf, runtime.InvalidGraph)
        tokeniser.no_padding()  # a batch is padded where it is run, to its own longest text
        tokeniser.enable_truncation(LONGEST_TOKENS)
        self._tokeniser, self._prefix = tokeniser, model.prefix
        self._own = slice(len(tokeniser.encode(model.prefix.strip()).ids) - 1, -1)  # a text's own tokens among all
        name = f"{model.name}-{'int8' if quantized else 'fp32'}-{BUILD}-{onnxruntime.__version__}"
        made = cache_folder("models", cache) / f"{name}{onnx_session.SUFFIX}"
        file = make_once(made, lambda file: _convert(model, quantized, file))
        try:
            self._session = onnx_session.open_session(file)
        except self._failures as error:
            raise ModelError(f"{file} cannot be loaded ({error}); delete it, and it is made again") from error

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text, with those that begin and end it, at most ``LONGEST_TOKENS``."""
        # Half a surrogate pair is no text; it becomes a question mark.
        whole = [f"{self._prefix}{text}".encode(errors="replace").decode() for text in texts]
        return [encoding.ids for encoding in self._tokeniser.encode_batch(whole)]

    def run(self, batch: Sequence[Sequence[int]]) -> list[Embedding]:
        """The vectors of one batch of token ids, in one call of the session, padded to the longest.

        The vectors of tokens are those of the text alone, without its prefix and its marks.

        Raises:
            ModelError: onnxruntime cannot run the model.
        """
        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(batch):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        try:
            vectors, tokens = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
        except self._failures as error:
            raise ModelError(f"onnxruntime cannot run the local embedder: {error}") from error
        return [
            Embedding(vector, of_tokens[: len(text)][self._own].tobytes())
            for vector, of_tokens, text in zip(vectors, tokens, batch, strict=True)
        ]


def read_projection(name: str) -> Vector:
    """The projection of vectors of tokens, of shape (1 + TOKEN_DIMENSION, 384): the mean and the main directions."""
    read = files(__package__).joinpath(f"{name}.f16").read_bytes()
    return np.frombuffer(read, "<f2").astype(np.float32).reshape(1 + TOKEN_DIMENSION, DIMENSION)


def _convert(model: Model, quantized: bool, file: Path) -> None:
    """Write the ONNX model that is made of the weights.

    Raises:
        SettingsError: they are not what they should be, or a needed package is missing.
    """
    try:
        from connectors.embedders.bert_graph import build_model
        from connectors.embedders.onnx_session import optimise

        plain = file.with_suffix(".onnx")
        build_model(model.weights(), plain, model.layers, quantized, model.projection, model.centre)
    except ImportError as error:
        raise _missing(error) from error
    except (KeyError, ValueError) as error:
        raise SettingsError(f"the weights are not those of {model.name} ({error}); set MNEME_EMBEDDER__PATH") from error
    optimise(plain, file)


def _missing(error: ImportError) -> SettingsError:
    return SettingsError(f"MNEME_EMBEDDER__PROVIDER: the local embedder needs {error.name}; pip install 'mneme-river[local]'")
