"""What to set, when an index holds vectors of another precision."""

import pytest

from connectors.embedders import how_to_set


@pytest.mark.parametrize(
    ("fingerprint", "multilingual", "token_vectors"),
    [
        ("all-MiniLM-L6-v2/int8-per-token/384/tokens64", "false", "true"),
        ("all-MiniLM-L6-v2+multilingual-e5-small/int8-per-token-0123456789ab/384", "true", "false"),
    ],
)
def test_a_local_embedder_can_be_set_again(fingerprint: str, multilingual: str, token_vectors: str) -> None:
    assert how_to_set(fingerprint) == (
        f" (MNEME_EMBEDDER__PROVIDER=local MNEME_EMBEDDER__MULTILINGUAL={multilingual}"
        f" MNEME_EMBEDDER__TOKEN_VECTORS={token_vectors})"
    )


@pytest.mark.parametrize(
    "fingerprint",
    ["all-MiniLM-L6-v2/int8/384", "all-MiniLM-L6-v2/fp32/384", "bge-m3/openai/1024", "hashed-tokens/fp32/384", "None"],
)
def test_of_others_nothing_is_said(fingerprint: str) -> None:
    assert how_to_set(fingerprint) == ""
