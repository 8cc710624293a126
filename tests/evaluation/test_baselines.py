from dataclasses import replace

import numpy as np

from evaluation.baselines import cut_every, no_cut, text_tiled
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
