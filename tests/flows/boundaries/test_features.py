import math
from datetime import timedelta

import pytest

from connectors.files.chat_events import PACE
from flows.boundaries.cues import read
from flows.boundaries.features import REPLY_SECONDS, features
from flows.boundaries.semantic import shipped_heads
from flows.cuts import Utterance
from tests.flows.boundaries.talk import BANK, DAY, GARDEN, START, talk, utterance


def times_of(messages: list[Utterance], at: int = 3) -> dict[str, float]:
    """What times say before one of the messages, but for zeros."""
    found = features(messages[:at], messages[at], messages[at + 1 : at + 3])
    return {name: value for name, value in found.items() if name.startswith("time.") and value}


def stamped(*seconds: float) -> list[Utterance]:
    """Messages so many seconds after the start."""
    return [utterance(line, at=START + timedelta(seconds=after)) for line, after in zip(GARDEN, seconds, strict=False)]


@pytest.mark.parametrize("step", [timedelta(0), timedelta(seconds=1), PACE, timedelta(minutes=5)], ids=str)
def test_the_even_steps_of_a_program_say_nothing(step: timedelta) -> None:
    assert times_of(stamped(*(index * step.total_seconds() for index in range(6)))) == {}


def test_what_came_in_a_bulk_says_nothing() -> None:
    assert times_of(stamped(0, 0.1, 4, 4.2, 4.3, 7)) == {}


def test_the_pace_of_people_is_known_and_says_nothing_else() -> None:
    assert times_of(stamped(0, 20, 95, 105, 390, 400)) == {"time.known": 1.0}


def test_a_pause_is_told_in_logarithms_of_a_reply_and_against_the_usual_pause() -> None:
    messages = talk(GARDEN[:4])
    late = utterance("Good idea.", at=messages[-1].message.sent_at + DAY)
    found = features(messages, late, [])
    assert found["time.known"] == 1
    assert found["time.pause"] == pytest.approx(math.log(86_400 / REPLY_SECONDS))
    assert found["time.pause_over_usual"] == found["time.pause"]


def test_where_pauses_are_usual_one_more_is_not_above_them() -> None:
    found = times_of(stamped(0, 3600, 7200, 10_800, 14_400, 18_000))
    assert found["time.pause"] == pytest.approx(math.log(3600 / REPLY_SECONDS))
    assert "time.pause_over_usual" not in found
    assert "time.longer_pause_ahead" not in found


def test_a_longer_pause_that_is_still_to_come_is_seen_ahead() -> None:
    messages = talk(GARDEN[:4])
    tomorrow = utterance("Hi again", at=messages[-1].message.sent_at + DAY)
    assert features(messages[:3], messages[3], [tomorrow])["time.longer_pause_ahead"] > 5


def test_a_late_message_is_no_negative_pause() -> None:
    first, second = utterance("One", at=START + DAY), utterance("Two", at=START)
    assert features([first], second, [])["time.pause"] == 0


def test_without_vectors_similarity_is_unknown_and_words_still_count() -> None:
    messages = talk(GARDEN)
    found = features(messages[:4], messages[4], messages[5:7])
    assert not any(value for name, value in found.items() if name.startswith("similarity."))
    assert found["words.shared_3"] > 0


def test_one_missing_vector_in_view_makes_similarity_unknown() -> None:
    messages = talk(GARDEN, topic="garden")
    messages[2] = utterance(GARDEN[2])
    assert features(messages[:4], messages[4], messages[5:7])["similarity.known"] == 0


def test_a_new_subject_is_less_similar_at_every_width() -> None:
    garden, bank = talk(GARDEN, topic="garden"), talk(BANK, topic="bank")
    same = features(garden[:5], garden[5], garden[6:8])
    other = features(garden[:5], bank[0], bank[1:3])
    widths = ("to_1", "to_2", "to_4", "to_8", "to_all", "block_to_2", "block_to_4", "block_to_all")
    assert all(other[f"similarity.{width}"] < same[f"similarity.{width}"] - 0.2 for width in widths)
    assert other["words.shared_all"] < same["words.shared_all"]


def test_the_split_is_deepest_where_the_subject_changes() -> None:
    messages = [*talk(GARDEN[:4], topic="garden"), *talk(BANK[:4], topic="bank")]
    at_change = features(messages[:4], messages[4], messages[5:7])
    before_it = features(messages[:3], messages[3], messages[4:6])
    assert at_change["similarity.next_split"] > 0
    assert before_it["similarity.next_split"] < 0


def test_chinese_words_are_compared_by_characters_and_their_pairs() -> None:
    messages = talk(["我们今天去公园种花吧", "公园的花已经种好了", "那我们去公园浇花"])
    assert features(messages[:2], messages[2], [])["words.shared_3"] > 0.3


def test_an_answer_is_told_from_a_question_put_against_a_question() -> None:
    question = utterance("Did you water the basil?")
    assert features([question], utterance("I did.", "Ben"), [])["cues.answers_question"] == 1
    assert features([question], utterance("Where is the can?", "Ben"), [])["cues.answers_question"] == 0


def test_speakers_and_length_are_counted() -> None:
    messages = talk(GARDEN[:3])
    found = features(messages, utterance("And then", "Cleo"), [])
    assert found["speakers.new_speaker"] == 1
    assert found["speakers.log_speakers"] == pytest.approx(math.log(3))
    assert found["shape.log_length"] == pytest.approx(math.log(3))


@pytest.mark.parametrize(
    ("cue", "texts"),
    [
        ("greets", ["Hey Mel!", "Good MORNING everybody", "大家早上好，各位", "大家好，早上好", "你好", "Hello 你好"]),
        ("takes_leave", ["Bye!", "Have a great day", "Talk to you later then", "好的，明天见", "晚安"]),
        ("changes_subject", ["By the way, the car is back", "Another question: who pays?", "对了，车修好了", "顺便问一下"]),
        ("ends_with_question", ["Where is it?", "你吃了吗", "是这样吗？"]),
    ],
)
def test_cues_are_heard_in_any_case_and_mixture(cue: str, texts: list[str]) -> None:
    assert [getattr(read(text), cue) for text in texts] == [True] * len(texts)


def test_plain_statements_show_no_cue() -> None:
    reading = read("The bread rose for two hours.")
    assert not any((reading.greets, reading.takes_leave, reading.changes_subject, reading.asks, reading.thanks))


def test_the_shipped_coefficients_are_of_these_features() -> None:
    messages = talk(GARDEN, topic="garden")
    found = features(messages[:3], messages[3], messages[4:6])
    assert set(shipped_heads()) == {"vectors", "words only"}
    assert set(shipped_heads()["vectors"].names) == set(found) - {"similarity.known"}
    assert all(set(head.names) < set(found) for head in shipped_heads().values())
