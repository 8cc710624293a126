"""The local embedder: all-MiniLM-L6-v2 in onnxruntime, without torch, network or key.

The model is made from its weights once (connectors/embedders/minilm_graph.py) and kept in the cache folder.
"""

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from connectors.cache_folder import cache_folder, make_once
from connectors.embedders.minilm_weights import PINNED_SHA256, Weights, find_weights
from connectors.embedders.precision import MODEL, VARIANTS
from mneme.errors import ModelError, SettingsError
from mneme.ports import EmbedderIdentity
from mneme.rows import Vector
from mneme.settings import EmbedderSettings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSION = 384
BUILD = 2  # counted up with every change of minilm_graph.py that changes a vector: it names the cached file
LONGEST_TOKENS = 256  # what the model was published with; the rest of a text is not seen

# Texts of about one length that one thread embeds at once. On 2 processors, texts of 32 tokens, a second of one
# processor embeds 180 one by one, 270 by eight, 250 by thirty-two: a bigger batch leaves the processor's cache.
_BATCH = 8


class MiniLmEmbedder:
    """Texts to vectors with all-MiniLM-L6-v2, for English.

    Work is spread over ``threads`` threads, each with its own small batch, however many threads ask at once. A text's
    vector does not depend on what is embedded beside it: padding changes at most the last bits.

    Nothing is loaded before the first ``embed``.
    """

    def __init__(self, settings: EmbedderSettings, cache: Path | None = None) -> None:
        """Find the weights.

        Args:
            settings: ``path``, ``quantize`` and ``threads`` are used.
            cache: the setting ``MNEME_CACHE``, where the converted model is kept.

        Raises:
            SettingsError: there are no weights, or a needed package is missing; says how to install them.
        """
        self._weights: Weights = find_weights(settings.path)
        self._quantize = settings.quantize
        self._cache = cache
        self._threads = settings.threads or _processors()
        self._loading = threading.Lock()
        self._loaded: MiniLmModel | None = None
        self._pool = ThreadPoolExecutor(self._threads, "minilm")

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """``all-MiniLM-L6-v2`` in fp32 or int8; weights of the user's own add their hash, for they give other vectors."""
        own = "" if self._weights.identity == PINNED_SHA256 else f"-{self._weights.identity[:12]}"
        return EmbedderIdentity(MODEL, f"{VARIANTS[self._quantize]}{own}", DIMENSION, ("en",))

    def embed(self, texts: Sequence[str]) -> Vector:
        """Float32 of shape (texts, 384), each row of length 1, in the order of the texts.

        Raises:
            ModelError: onnxruntime cannot run the model.
            SettingsError: the first time, if the weights are not what they should be.
        """
        vectors = np.empty((len(texts), DIMENSION), np.float32)
        if not texts:
            return vectors
        model = self._model()
        tokens = model.tokens(texts)
        by_length = sorted(range(len(texts)), key=lambda index: len(tokens[index]))
        size = min(_BATCH, -(-len(texts) // self._threads))
        batches = [by_length[start : start + size] for start in range(0, len(texts), size)]
        results = self._pool.map(model.run, ([tokens[index] for index in batch] for batch in batches))
        for batch, result in zip(batches, results, strict=True):
            vectors[batch] = result
        return vectors

    def close(self) -> None:
        """Let the threads and the model go."""
        self._pool.shutdown()
        self._loaded = None

    def _model(self) -> "MiniLmModel":
        with self._loading:
            if self._loaded is None:
                self._loaded = MiniLmModel(self._weights, self._quantize == "int8", self._cache)
            return self._loaded


class MiniLmModel:
    """Tokeniser and session; both may be used by several threads at once."""

    def __init__(self, weights: Weights, quantized: bool, cache: Path | None) -> None:
        """Load them; the model is made if the cache folder does not hold it.

        Raises:
            SettingsError: a package is missing, or the weights are not what they should be.
            ModelError: onnxruntime cannot load the model.
        """
        try:
            import onnxruntime
            from onnxruntime.capi import onnxruntime_pybind11_state as runtime

            from connectors.embedders import onnx_session
        except ImportError as error:
            raise _missing(error) from error
        self._failures = (runtime.Fail, runtime.RuntimeException, runtime.InvalidProtobuf, runtime.InvalidGraph)
        self._tokeniser = _tokeniser(weights.folder)
        name = f"minilm-{weights.identity[:16]}-{'int8' if quantized else 'fp32'}-{BUILD}-{onnxruntime.__version__}"
        file = make_once(cache_folder("models", cache) / f"{name}{onnx_session.SUFFIX}", partial(_convert, weights, quantized))
        try:
            self._session = onnx_session.open_session(file)
        except self._failures as error:
            raise ModelError(f"{file} cannot be loaded ({error}); delete it, and it is made again") from error

    @property
    def vocabulary(self) -> int:
        """How many tokens there are; their ids begin at 0."""
        return self._tokeniser.get_vocab_size()

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text, with [CLS] and [SEP], at most ``LONGEST_TOKENS``."""
        # Half a surrogate pair is no text; it becomes a question mark.
        whole = [text.encode(errors="replace").decode() for text in texts]
        return [encoding.ids for encoding in self._tokeniser.encode_batch(whole)]

    def run(self, batch: Sequence[Sequence[int]]) -> Vector:
        """The vectors of one batch of token ids, in one call of the session, padded to the longest.

        Raises:
            ModelError: onnxruntime cannot run the model.
        """
        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(batch):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        try:
            vectors: Vector = self._session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        except self._failures as error:
            raise ModelError(f"onnxruntime cannot run the local embedder: {error}") from error
        return vectors


def _convert(weights: Weights, quantized: bool, file: Path) -> None:
    """Write the model that is made of the weights.

    Raises:
        SettingsError: they are not what they should be, or a needed package is missing.
    """
    try:
        from connectors.embedders.minilm_graph import build_model
    except ImportError as error:
        raise _missing(error) from error
    from connectors.embedders.onnx_session import optimise

    assert weights.sha256 == weights.identity, "refused otherwise"
    plain = file.with_suffix(".onnx")
    build_model(weights.file, plain, quantized=quantized)
    optimise(plain, file)


def _missing(error: ImportError) -> SettingsError:
    return SettingsError(f"MNEME_EMBEDDER__PROVIDER: the local embedder needs {error.name}; pip install 'mneme[local]'")


def _processors() -> int:
    """How many this process may use; where that cannot be asked (macOS), how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tokeniser(folder: Path) -> "Tokenizer":
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    file = folder / "tokenizer.json"
    if file.is_file():
        tokeniser = Tokenizer.from_file(str(file))
    else:
        tokeniser = Tokenizer(models.WordPiece.from_file(str(folder / "vocab.txt"), unk_token="[UNK]"))
        tokeniser.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokeniser.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        marks: list[Any] = [(mark, tokeniser.token_to_id(mark)) for mark in ("[CLS]", "[SEP]")]
        tokeniser.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    tokeniser.no_padding()  # a batch is padded where it is run, to its own longest text
    tokeniser.enable_truncation(LONGEST_TOKENS)
    return tokeniser
