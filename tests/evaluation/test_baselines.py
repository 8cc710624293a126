from dataclasses import replace

import numpy as np
import pytest

from evaluation.baselines import cut_every, deepest, depth_scores, gap_similarities, no_cut, term_counts, text_tiled
from evaluation.boundary_sets import Kind
from evaluation.segmentation import Dialogue, spoken
from flows.cuts import embedding_text
from tests.flows.boundaries.talk import BANK, GARDEN, START

TALK = (*GARDEN[:5], *BANK[:5])


def kind(boundaries: list[set[int]]) -> Kind:
    """Conversations of ten messages that turn from a garden to a bank in the middle, with these boundaries as truth."""
    dialogues = [
        Dialogue(
            str(number),
            tuple(spoken(str(number), at, "Ana", text, START) for at, text in enumerate(TALK)),
            frozenset(true),
        )
        for number, true in enumerate(boundaries)
    ]
    return Kind("made up", tuple(dialogues), 1.0)


def cuts(results: object) -> list[set[int]]:
    return [set(made) for _, made in results]  # type: ignore[attr-defined]


def test_no_cut_leaves_every_conversation_whole() -> None:
    assert cuts(no_cut(kind([{5}] * 5))) == [set()] * 5


def test_a_cut_every_n_takes_n_from_the_other_folds() -> None:
    # Conversations 0 and 5 are fold 0 and have segments of two messages, all others of five. For fold 0 that makes
    # 80 messages in 16 segments, n = 5; for the others 80 in 10 + 12, n = 4.
    found = cuts(cut_every(kind([{2, 4, 6, 8}, {5}, {5}, {5}, {5}] * 2)))
    assert found[0] == found[5] == {5}
    assert found[1] == found[9] == {4, 8}


def test_text_tiling_finds_the_turn_from_words_and_from_vectors() -> None:
    vectors = {
        embedding_text(message): np.array([at < 5, at >= 5], dtype=np.float32)
        for at, message in enumerate(kind([{5}]).dialogues[0].messages)
    }
    assert cuts(text_tiled(kind([{5}] * 5), vectors)) == [{5}] * 5
    assert cuts(text_tiled(kind([{5}] * 5), None)) == [{5}] * 5


def test_what_is_true_of_a_fold_does_not_change_how_it_is_tiled() -> None:
    before = kind([{5}, {5}, {3}, {5}, {2, 7}] * 2)
    turned = tuple(
        replace(dialogue, boundaries=frozenset({1, 3, 6, 9})) if at % 5 == 2 else dialogue
        for at, dialogue in enumerate(before.dialogues)
    )
    after = replace(before, dialogues=turned)
    for at in (2, 7):
        assert cuts(text_tiled(after, None))[at] == cuts(text_tiled(before, None))[at]


TURNS = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])  # the subject turns in the middle


def test_terms_are_counted_without_endings_and_common_words() -> None:
    rows = term_counts(["The boats and a boat", "a river", "the and"])
    assert rows.tolist() == [[2, 0], [0, 1], [0, 0]]


def test_a_gap_is_as_similar_as_the_blocks_beside_it() -> None:
    assert gap_similarities(TURNS, width=1).tolist() == [1, 0, 1]
    half = 1 / np.sqrt(2)  # (1, 0) against (1, 1)
    assert gap_similarities(TURNS, width=2) == pytest.approx([half, 0, half])


def test_blocks_end_where_the_conversation_ends() -> None:
    # At the first gap (1, 0) against (1, 2), at the second (2, 0) against (0, 2), at the third (2, 1) against (0, 1).
    assert gap_similarities(TURNS, width=3) == pytest.approx([1 / np.sqrt(5), 0, 1 / np.sqrt(5)])


def test_nothing_is_similar_to_silence() -> None:
    assert gap_similarities(np.array([[1.0], [0.0], [1.0]]), width=1).tolist() == [0, 0]


def test_depth_is_measured_from_the_nearest_peak_on_either_side() -> None:
    similarities = np.array([0.9, 0.4, 0.6, 0.1, 0.5, 0.3])
    # 0.4: from 0.9 and 0.6. 0.1: from 0.6, not from 0.9 behind the valley, and from 0.5. The last has no right side.
    assert depth_scores(similarities) == pytest.approx([0, 0.7, 0, 0.9, 0, 0.2])


def test_a_level_stretch_does_not_end_the_climb() -> None:
    assert depth_scores(np.array([0.5, 0.2, 0.2, 0.6])) == pytest.approx([0, 0.7, 0.7, 0])


@pytest.mark.parametrize(("cutoff", "cuts"), [(-1.0, {1, 3, 5}), (0.0, {3, 5}), (1.0, {3}), (2.0, set())])
def test_cuts_are_deeper_than_the_mean_by_so_many_deviations(cutoff: float, cuts: set[int]) -> None:
    assert deepest(np.array([1.0, 0.0, 3.0, 0.0, 2.0]), cutoff) == cuts  # mean 1.2, standard deviation 1.17


def test_of_neighbouring_gaps_the_deeper_is_cut_and_of_equals_the_earlier() -> None:
    assert deepest(np.array([0.0, 2.0, 3.0, 0.0]), 0.0) == {3}
    assert deepest(np.array([0.0, 2.0, 2.0, 0.0]), 0.0) == {2}


@pytest.mark.parametrize("depths", [[], [0.0], [0.0, 0.0, 0.0]])
def test_where_nothing_is_deep_nothing_is_cut(depths: list[float]) -> None:
    assert deepest(np.array(depths), -1.0) == frozenset()
