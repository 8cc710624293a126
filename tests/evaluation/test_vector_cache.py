import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from evaluation import vector_cache
from evaluation.vector_cache import embed_texts
from mneme.errors import InputError
from mneme.settings import load_settings
from tests.queries.world import WordEmbedder

QUIET = Console(file=io.StringIO())


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    one = WordEmbedder()
    monkeypatch.setattr(vector_cache, "open_embedder", lambda settings: one)
    return one


def test_each_text_is_embedded_once_and_then_read_from_the_file(embedder: WordEmbedder, tmp_path: Path) -> None:
    cache = tmp_path / "kept" / "vectors"  # numpy would add .npz to the name
    first = embed_texts(["a kayak", "a lake", "a kayak"], load_settings({}), cache, QUIET)
    assert sorted(embedder.asked) == ["a kayak", "a lake"]
    second = embed_texts(["a lake", "a river"], load_settings({}), cache, QUIET)
    assert embedder.asked[2:] == ["a river"]
    np.testing.assert_array_equal(second["a lake"], first["a lake"])
    np.testing.assert_array_equal(first["a lake"], WordEmbedder().embed(["a lake"])[0])


def test_the_file_holds_no_text(embedder: WordEmbedder, tmp_path: Path) -> None:
    embed_texts(["a kayak on the lake"], load_settings({}), tmp_path / "v.npz", QUIET)
    with np.load(tmp_path / "v.npz") as stored:
        assert not any("kayak" in str(stored[name].tolist()) for name in stored.files)


def test_without_a_file_everything_is_embedded(embedder: WordEmbedder) -> None:
    assert set(embed_texts(["a", "b"], load_settings({}), None, QUIET)) == {"a", "b"}


def test_vectors_of_another_embedder_are_refused(embedder: WordEmbedder, tmp_path: Path, monkeypatch) -> None:
    embed_texts(["a kayak"], load_settings({}), tmp_path / "v.npz", QUIET)
    other = WordEmbedder()
    other.identity = other.identity.__class__("other", "test", 256)
    monkeypatch.setattr(vector_cache, "open_embedder", lambda settings: other)
    with pytest.raises(InputError, match=r"words/test/256, not of other/test/256"):
        embed_texts(["a kayak"], load_settings({}), tmp_path / "v.npz", QUIET)


def plain_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


def other_archive(path: Path) -> None:
    np.savez(path, texts=np.array(["a"]))


@pytest.mark.parametrize(
    "spoil", [lambda path: path.write_bytes(b"notes"), lambda path: path.write_bytes(b""), plain_array, other_archive]
)
def test_another_file_is_refused_by_its_name(embedder: WordEmbedder, tmp_path: Path, spoil) -> None:
    spoil(tmp_path / "v.npz")
    with pytest.raises(InputError, match=r"v\.npz is no cache of vectors"):
        embed_texts(["a"], load_settings({}), tmp_path / "v.npz", QUIET)


def test_a_place_that_cannot_be_written_is_named(embedder: WordEmbedder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be written"):
        embed_texts(["a"], load_settings({}), tmp_path / "file" / "v.npz", QUIET)
