"""Embedders: texts to vectors. Here, what the fingerprint of an index says of the vectors that it was made with."""

MODEL = "all-MiniLM-L6-v2"
VARIANTS = {"none": "fp32", "int8": "int8-per-token"}
"""By ``EmbedderSettings.quantize``. "int8" was the name of earlier vectors, with one scale for all tokens of a text."""


def is_multilingual(fingerprint: str) -> bool:
    """True if a model for other languages made some of the vectors."""
    return "+" in fingerprint.partition("/")[0]


def has_token_vectors(fingerprint: str) -> bool:
    """True if the vectors of tokens are kept beside those of texts."""
    return "/tokens" in fingerprint


def how_to_set(fingerprint: str) -> str:
    """The settings of the embedder with a fingerprint, in brackets behind a space; nothing where only its user knows."""
    models, _, rest = fingerprint.partition("/")
    model = models.partition("+")[0]
    if model != MODEL or not rest.startswith(VARIANTS["int8"]):
        return ""
    settings = {
        "PROVIDER": "local",
        "MULTILINGUAL": str(is_multilingual(fingerprint)).lower(),
        "TOKEN_VECTORS": str(has_token_vectors(fingerprint)).lower(),
    }
    return f" ({' '.join(f'MNEME_EMBEDDER__{name}={value}' for name, value in settings.items())})"
