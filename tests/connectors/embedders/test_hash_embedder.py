"""The hash embedder keeps what every embedder promises."""

import subprocess
import sys

import pytest

from connectors.embedders.hash_embedder import HashEmbedder
from connectors.models import open_embedder
from mneme.ports import Embedder
from mneme.settings import EmbedderSettings, Settings
from tests.contracts.embedder import EmbedderContract


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder()


def test_the_setting_chooses_it() -> None:
    assert isinstance(open_embedder(Settings(embedder=EmbedderSettings(provider="hash"))), HashEmbedder)


def test_another_process_makes_the_same_vectors() -> None:
    load = "from connectors.embedders.hash_embedder import HashEmbedder"
    code = f"{load}; print(HashEmbedder().embed(['a red apple']).tobytes().hex())"
    there = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    assert there == HashEmbedder().embed(["a red apple"]).tobytes().hex()
