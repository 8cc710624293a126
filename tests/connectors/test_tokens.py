"""Tokens are counted exactly where ranks are at hand, else estimated, and the network is never asked."""

import base64
import hashlib
import socket
import sys
from pathlib import Path

import pytest

from connectors import tokens
from connectors.tokens import token_counter
from mneme.text import estimate_tokens


@pytest.fixture(autouse=True)
def nothing_at_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No ranks anywhere, no encoding loaded before, and no network."""
    registry = pytest.importorskip("tiktoken.registry")
    monkeypatch.setattr(registry, "ENCODINGS", {})
    monkeypatch.setattr(tokens, "_BUNDLES", ())
    monkeypatch.setattr(tokens.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)

    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ranks of single bytes, taken for those of o200k_base."""
    content = b"".join(base64.b64encode(bytes([byte])) + f" {byte}\n".encode() for byte in range(256))
    file_name, _ = tokens._RANKS["o200k_base"]
    sha256 = hashlib.sha256(content).hexdigest()
    monkeypatch.setitem(tokens._RANKS, "o200k_base", (file_name, sha256))
    public = pytest.importorskip("tiktoken_ext.openai_public")
    load = public.load_tiktoken_bpe
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda path, expected_hash: load(path, expected_hash=sha256))
    folder = tmp_path / "ranks"
    folder.mkdir()
    (folder / file_name).write_bytes(content)
    return folder


def test_without_ranks_tokens_are_estimated() -> None:
    assert token_counter("gpt-4.1-mini") is estimate_tokens


def test_without_tiktoken_tokens_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert token_counter("") is estimate_tokens


def test_ranks_in_the_folder_of_tiktoken_count_exactly(ranks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(ranks))
    counter = token_counter("gpt-4.1-mini")
    assert counter("grün") == 5  # these ranks know only bytes


def test_bundled_ranks_are_read_and_left_alone(ranks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "bundling_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('it was imported')")
    ranks.rename(package / "ranks")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(tokens, "_BUNDLES", (("bundling_package", "ranks"),))
    before = sorted((package / "ranks").iterdir())
    assert token_counter("an-unknown-model")("grün") == 5
    assert sorted((package / "ranks").iterdir()) == before


def test_damaged_ranks_are_neither_used_nor_deleted(ranks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(ranks))
    (file,) = ranks.iterdir()
    file.write_bytes(b"damaged")
    assert token_counter("") is estimate_tokens
    assert file.read_bytes() == b"damaged"


def test_the_environment_is_as_it_was(ranks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(ranks))
    token_counter("")
    assert tokens.os.environ["TIKTOKEN_CACHE_DIR"] == str(ranks)
