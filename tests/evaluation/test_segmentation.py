import json
import random
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from connectors.files.chat_events import PACE
from evaluation.boundary_sets import (
    Dialogue,
    half_segment,
    load_dialogues,
    load_locomo_sessions,
    paced,
    pk,
    score,
    spoken,
    timed_chats,
)
from mneme.errors import InputError
from tests.flows.boundaries.talk import BANK, GARDEN, START

# Ten messages, boundaries before 3 and 6; with a window of 2, eight pairs (0,2) (1,3) ... (7,9) are compared.
TRUTH = (3, 6)


def test_a_perfect_segmentation_has_no_error() -> None:
    assert pk(10, TRUTH, TRUTH, 2) == 0


def test_no_cut_at_all_is_wrong_for_each_pair_that_a_boundary_parts() -> None:
    assert pk(10, TRUTH, (), 2) == 4 / 8  # (1,3) (2,4) by the first, (4,6) (5,7) by the second


def test_a_cut_one_off_is_less_wrong_than_none() -> None:
    assert pk(10, (5,), (), 3) == pytest.approx(3 / 7)  # (2,5) (3,6) (4,7)
    assert pk(10, (5,), (6,), 3) == pytest.approx(2 / 7)  # (2,5) is not parted, (5,8) is


@pytest.mark.parametrize(
    ("length", "boundaries", "window"), [(10, (3, 6), 2), (20, (10,), 5), (20, (), 10), (3, (1, 2), 2), (2, (), 1)]
)
def test_the_window_is_half_the_mean_true_segment(length: int, boundaries: tuple[int, ...], window: int) -> None:
    assert half_segment(length, boundaries) == window


def dialogue(boundaries: Sequence[int], length: int = 10) -> Dialogue:
    return Dialogue("d", tuple(spoken("d", index, "Ana", "text", START) for index in range(length)), frozenset(boundaries))


def test_f1_counts_exact_boundaries_over_all_dialogues() -> None:
    found = score([(dialogue((3, 6)), frozenset({3, 7})), (dialogue((5,)), frozenset()), (dialogue(()), frozenset({2}))])
    assert found.f1 == pytest.approx(1 / 3)


def test_pk_is_the_mean_over_dialogues() -> None:
    perfect, missed = (dialogue((3, 6)), frozenset({3, 6})), (dialogue((3, 6)), frozenset[int]())
    assert score([perfect, missed]).pk == pytest.approx((0 + 4 / 8) / 2)


def test_nothing_to_find_and_nothing_found_scores_zero_without_a_crash() -> None:
    assert score([]).f1 == 0
    assert score([(dialogue(()), frozenset())]).f1 == 0


# --- data ------------------------------------------------------------------------------------------------------------


def test_a_dialogue_of_the_bundle_is_read_with_its_boundaries(tmp_path: Path) -> None:
    text = "[NEWLINE]".join(["user: I need a bus", "agent: Where to: town?", "[BOUNDARY]", "user: And a hotel", "[BOUNDARY]"])
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"id": "x", "dialogue": text}) + "\n", encoding="utf-8")
    (found,) = load_dialogues(path)
    assert found.boundaries == {2}
    assert [(message.role, message.text) for message in found.messages] == [
        ("user", "I need a bus"),
        ("assistant", "Where to: town?"),
        ("user", "And a hotel"),
    ]
    steps = {after.sent_at - before.sent_at for before, after in pairwise(found.messages)}
    assert steps == {timedelta(seconds=1)}


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"id": "x", "dialogue": "user: a"}\n{"id": "y"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"set\.jsonl:2"):
        load_dialogues(path)


def test_a_dialogue_without_a_message_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"id": "x", "dialogue": " [NEWLINE] "}', encoding="utf-8")
    with pytest.raises(InputError, match=r"set\.jsonl:1: a dialogue without a message"):
        load_dialogues(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        load_dialogues(tmp_path / "nowhere.jsonl")


def locomo_file(folder: Path) -> Path:
    conversation = {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ana", "text": "Hello"}, {"speaker": "Ben", "text": "Look", "blip_caption": "a dog"}],
        "session_2_date_time": "10:00 am on 9 May, 2023",
        "session_2": [{"speaker": "Ana", "text": "Back again"}],
        "session_3_date_time": "10:00 am on 12 May, 2023",
    }
    path = folder / "locomo.json"
    path.write_text(json.dumps([{"conversation": conversation, "qa": []}]), encoding="utf-8")
    return path


def test_sessions_of_locomo_begin_at_their_times(tmp_path: Path) -> None:
    (found,) = load_locomo_sessions(locomo_file(tmp_path), timed=True)
    assert found.boundaries == {2}
    assert found.messages[1].text == "Look [image: a dog]"
    assert f"{found.messages[0].sent_at:%Y-%m-%d %H:%M}" == "2023-05-08 13:56"
    assert f"{found.messages[2].sent_at:%Y-%m-%d %H:%M}" == "2023-05-09 10:00"
    assert found.messages[0].sent_at < found.messages[1].sent_at


def test_without_times_locomo_is_one_message_a_second(tmp_path: Path) -> None:
    (found,) = load_locomo_sessions(locomo_file(tmp_path), timed=False)
    assert found.messages[2].sent_at - found.messages[1].sent_at == timedelta(seconds=1)


def test_another_file_is_no_locomo(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('[{"talk": {}}]', encoding="utf-8")
    with pytest.raises(InputError, match="not a LoCoMo file"):
        load_locomo_sessions(path, timed=True)


def garden_and_bank(number: int) -> Dialogue:
    texts = [*GARDEN, *BANK]
    messages = (spoken(str(number), at, "Ana", f"{number} {text}", START) for at, text in enumerate(texts))
    return Dialogue(str(number), tuple(messages), frozenset({8}))


def test_timed_chats_hold_the_dialogues_in_one_order_of_time_and_are_the_same_again() -> None:
    dialogues = [garden_and_bank(number) for number in range(7)]
    chats = timed_chats(dialogues, seed=1)
    assert len(chats) == 2
    assert timed_chats(dialogues, seed=1) == chats
    for chat in chats:
        times = [message.sent_at for message in chat.messages]
        assert times == sorted(times)
        turns = (GARDEN[0], BANK[0])
        assert chat.boundaries | {0} == {at for at, message in enumerate(chat.messages) if message.text.endswith(turns)}


def test_a_fold_of_timed_chats_is_made_of_the_same_fold_of_dialogues() -> None:
    for number, chat in enumerate(timed_chats([garden_and_bank(number) for number in range(28)], seed=1, folds=2)):
        said_in = {int(message.text.split()[0]) for message in chat.messages if message.text[0].isdigit()}
        assert {dialogue % 2 for dialogue in said_in} == {number % 2}


def test_a_dialogue_at_a_pace_varies_around_it_and_without_times_has_those_of_a_file() -> None:
    dialogue = garden_and_bank(1)
    steps = gaps_of(paced(dialogue, 30, random.Random(1)))
    assert 15 < median(steps) < 60
    assert len(set(steps)) == len(steps)
    assert set(gaps_of(paced(dialogue, None, random.Random(1)))) == {PACE.total_seconds()}


def gaps_of(dialogue: Dialogue) -> list[float]:
    """The seconds between its messages."""
    return [(later.sent_at - earlier.sent_at).total_seconds() for earlier, later in pairwise(dialogue.messages)]
