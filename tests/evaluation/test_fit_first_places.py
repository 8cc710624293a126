"""Fitting the order of the first places."""

import numpy as np

from evaluation.fit_first_places import Ten, fit_first_places
from queries.scoring.first_places import FIRST_PLACES_FEATURES

LENGTH, READING = map(FIRST_PLACES_FEATURES.index, ("length", "reading"))


def tens(name: str, column: int, count: int) -> list[Ten]:
    """Lists in which what has the highest number in a column answers; all else is chance."""
    chance = np.random.default_rng(7)
    features = chance.normal(size=(count, 10, len(FIRST_PLACES_FEATURES)))
    answers = features[:, :, column] == features[:, :, column].max(axis=1, keepdims=True)
    return [Ten(name, *each) for each in zip(features, answers, strict=True)]


def test_the_feature_that_tells_what_answers_decides():
    found = fit_first_places(tens("one", LENGTH, 200))
    assert found is not None
    assert max(found.weights, key=found.weights.__getitem__) == "length"
    right = [each.answers[np.argmax(found.log_odds(each.features, FIRST_PLACES_FEATURES))] for each in tens("one", LENGTH, 200)]
    assert np.mean(right) > 0.9


def test_a_large_set_counts_more_than_a_small_one_but_not_by_its_size():
    found = fit_first_places([*tens("large", LENGTH, 400), *tens("small", READING, 100)])
    assert found is not None
    length, reading = found.weights["length"], found.weights["reading"]
    assert length > reading > length / 4


def test_lists_in_which_all_or_nothing_answers_tell_nothing():
    features = np.zeros((3, len(FIRST_PLACES_FEATURES)))
    assert fit_first_places([Ten("one", features, np.ones(3, bool)), Ten("one", features, np.zeros(3, bool))]) is None
    assert fit_first_places([]) is None
