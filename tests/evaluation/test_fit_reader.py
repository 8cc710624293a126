"""The fit of the reader: what answers is told from what does not."""

from pathlib import Path

import numpy as np
import pytest

from evaluation import fit_reader
from evaluation.fit_reader import Asked, fit, run_fit_reader
from mneme.errors import SettingsError
from mneme.rows import TOKEN_DIMENSION
from mneme.settings import Settings
from queries.scoring.late_interaction import max_sim
from queries.scoring.reader import CIRCUMSTANCES, SHAPES, Passages, read


def question(number: int) -> Asked:
    """A question with five messages: all of them repeat it, and one has a token that always answers."""
    chance = np.random.default_rng(number)

    def some(count: int) -> bytes:
        return chance.integers(-127, 128, (count, TOKEN_DIMENSION), np.int8).tobytes()

    asked = some(3)
    answering = np.full((1, TOKEN_DIMENSION), 90, np.int8).tobytes()
    right = int(chance.integers(5))
    said = [asked + some(2) + (answering if at == right else some(1)) for at in range(5)]
    passages = Passages.of([b""] * 5, said, [[0.0] * CIRCUMSTANCES] * 5, full=True)
    return Asked(f"talk{number}", asked, passages, np.eye(5, dtype=np.float32)[right], max_sim(asked, said).astype(np.float32))


def test_what_answers_is_learned_where_the_words_are_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fit_reader, "_QUESTIONS", 4)
    monkeypatch.setattr(fit_reader, "_MESSAGES", 5)
    import jax  # which takes seconds

    jax.config.update("jax_disable_most_optimizations", True)  # to compile is what takes the time, and not the steps
    weights = fit([question(number) for number in range(100)], steps=40)
    unseen = [question(number) for number in range(1000, 1040)]
    found = [int(read(each.tokens, each.passages, weights).argmax()) == int(each.answers.argmax()) for each in unseen]
    assert {name: part.shape for name, part in weights.items()} == SHAPES
    assert np.mean(found) > 0.9


def test_the_talks_have_their_answers_in_their_messages():
    talks = fit_reader.read_talks()
    for talk in talks:
        for text, answered_by, *_ in talk["asked"]:
            assert text
            assert all(1 <= each <= len(talk["says"]) for each in answered_by), text
    assert len({talk["id"] for talk in talks}) == len(talks)


def test_an_embedder_without_vectors_of_tokens_is_refused(tmp_path: Path):
    settings = Settings(_env_file=None).replace(embedder={"provider": "hash"})
    with pytest.raises(SettingsError, match="MNEME_EMBEDDER__PROVIDER"):
        run_fit_reader(settings, tmp_path)
