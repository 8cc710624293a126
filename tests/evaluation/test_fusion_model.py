"""What is learned from questions with evidence."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.fit_fusion import METRICS, Example, conversation_folds, cross_validated, fit, fit_languages, measure
from queries.scoring.features import EPISODE_FEATURES, STATEMENT_FEATURES

BM25, COSINE = STATEMENT_FEATURES.index("bm25"), STATEMENT_FEATURES.index("cosine")


def example(conversation: str, seed: int, question_set: str = "made up") -> Example:
    """Twelve statements in three episodes; the one with the highest BM25 answers, cosines are noise."""
    chance = np.random.default_rng(seed)
    statements = np.zeros((12, len(STATEMENT_FEATURES)))
    statements[:, BM25], statements[:, COSINE] = chance.random(12), chance.random(12)
    answer = int(statements[:, BM25].argmax())
    parents = np.repeat([0, 1, 2], 4)
    return Example(
        question_set,
        conversation,
        "any",
        False,
        frozenset({f"m{answer}"}),
        statements,
        np.arange(12) == answer,
        [(f"m{place}",) for place in range(12)],
        parents,
        np.zeros((3, len(EPISODE_FEATURES))),
        np.arange(3) == parents[answer],
        np.full(12, np.nan),
    )


EXAMPLES = [example(f"c{number % 6}", number) for number in range(60)]


def test_what_decides_gets_the_weight_and_noise_gets_none():
    model = fit(EXAMPLES)
    assert model.statements.weights["bm25"] > 4 * abs(model.statements.weights["cosine"])


def test_a_conversation_is_measured_by_a_model_that_has_not_seen_it():
    folds = conversation_folds(EXAMPLES)
    assert len({folds[each.conversation] for each in EXAMPLES}) == 5
    # In one conversation the worst answers: who has seen only it would learn the opposite.
    odd = [replace(each, statements=-each.statements) if each.conversation == "c0" else each for each in EXAMPLES]
    (figures,) = cross_validated(odd, [1.0])
    seen = np.array([each.conversation != "c0" for each in odd])
    assert figures[seen, METRICS.index("mrr")].mean() > 0.7 > 0.3 > figures[~seen, METRICS.index("mrr")].mean()


def test_a_small_set_counts_as_much_as_a_large_one():
    small = [replace(example(f"s{number}", number, "small"), statements=-example("", number).statements) for number in range(6)]
    weights = fit([*EXAMPLES, *small]).statements.weights
    alone = fit(EXAMPLES).statements.weights
    assert weights["bm25"] < 0.7 * alone["bm25"]


@pytest.mark.parametrize(("alpha", "first"), [(1.0, True), (0.0, False)])
def test_alpha_is_the_share_of_the_statement(alpha, first):
    one = EXAMPLES[0]
    best = int(one.statements[:, BM25].argmax())
    episodes = np.zeros((3, len(EPISODE_FEATURES)))
    episodes[(one.parents[best] + 1) % 3, EPISODE_FEATURES.index("bm25")] = 1.0
    misled = replace(one, episodes=episodes)
    model = fit(EXAMPLES)
    weights = model.episodes.model_copy(update={"weights": model.episodes.weights | {"bm25": 100.0}})
    assert (measure(misled, model.model_copy(update={"episodes": weights}), alpha)[METRICS.index("mrr")] == 1.0) is first


def test_questions_in_other_languages_are_measured_by_weights_of_their_own():
    """In the other language the lowest BM25 answers: the model of English would find the worst."""
    foreign = [replace(example(f"f{n % 6}", n, "talks"), is_foreign=True) for n in range(60, 120)]
    foreign = [replace(each, statements=-each.statements) for each in foreign]
    english, others = fit_languages([*EXAMPLES, *foreign])
    assert others
    assert english == fit(EXAMPLES)
    assert english.statements.weights["bm25"] > 0 > others.statements.weights["bm25"]
    assert fit_languages(EXAMPLES)[1] is None
