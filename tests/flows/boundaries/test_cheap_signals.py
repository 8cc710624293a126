"""The short ways to the signals give what the long ways would."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.boundaries import cues
from flows.boundaries.features import features
from flows.boundaries.semantic import SemanticDetector, expand, head_of, logistic, probability, shipped_heads
from flows.cuts import Utterance
from mneme.rows import Vector
from mneme.settings import Settings
from tests.flows.river import message

USUAL = 0.07  # of unrelated English messages, taken off every cosine


def said(count: int, seed: int) -> list[Utterance]:
    drawn = np.random.default_rng(seed).normal(size=(count, 16)).astype(np.float32)
    words = ["coffee with Bob?", "Bye, see you later", "And the garden", "by the way, trains", "我喜欢咖啡", "Yes."]
    return [Utterance(message(at, words[(at * 7 + seed) % len(words)]).message, vector) for at, vector in enumerate(drawn)]


def between(left: list[Vector], right: list[Vector]) -> float:
    one, other = np.mean(left, axis=0), np.mean(right, axis=0)
    cosine = float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
    return (cosine - USUAL) / (1 - USUAL)


@settings(max_examples=50)
@given(st.integers(1, 20), st.integers(0, 2), st.integers(0, 1000))
def test_similarities_are_cosines_of_the_means_of_messages(before: int, ahead: int, seed: int) -> None:
    talk = [Utterance(each.message.model_copy(update={"text": "tea"}), each.vector) for each in said(before + 1 + ahead, seed)]
    found = features(talk[:before], talk[before], talk[before + 1 :])
    vectors = [each.vector for each in talk if each.vector is not None]
    past, now, later = vectors[max(0, before - 16) : before], vectors[before : before + 1], vectors[before + 1 :]
    expected = {
        "to_1": between(past[-1:], now),
        "to_4": between(past[-4:], now),
        "to_all": between(past, now),
        "to_most": max(between([vector], now) for vector in past[-8:]),
        "block_to_2": between(past[-2:], [*now, *later]),
        "ahead_to_before": between(past[-4:], later) if later else between(past[-3:], now),
        "next_split": (between([*past[-2:], *now], later) - between(past[-3:], [*now, *later])) if later else 0.0,
    }
    if before > 1:
        split = between(past[-4:-1], [past[-1], *now, *later[:1]])
        expected["last_split"] = split - between(past[-3:], [*now, *later])
    assert {name: found[f"similarity.{name}"] for name in expected} == pytest.approx(expected, abs=1e-5)


def test_vectors_that_cancel_out_have_no_direction() -> None:
    one, other, third = said(3, 1)
    assert one.vector is not None
    opposite = Utterance(other.message, -one.vector)
    assert features([one, opposite], third, [])["similarity.to_2"] == pytest.approx(-USUAL / (1 - USUAL), abs=1e-6)


@settings(max_examples=50)
@given(st.integers(1, 20), st.integers(0, 2), st.integers(0, 1000))
def test_a_probability_is_that_of_all_its_evidence_and_of_what_is_fitted(before: int, ahead: int, seed: int) -> None:
    talk = said(before + 1 + ahead, seed)
    values = features(talk[:before], talk[before], talk[before + 1 :])
    head = head_of(shipped_heads(), values)
    found = probability(shipped_heads(), values)
    assert found == pytest.approx(logistic(head.intercept + sum(head.evidence(values).values())), abs=1e-9)
    standardised = (np.array([[values[name] for name in head.names]]) - head.means) / head.scales
    fitted = expand(standardised, [head.names.index(gate) for gate in head.gates])[0] @ head.weights.ravel()
    assert found == pytest.approx(logistic(head.intercept + fitted), abs=1e-9)


@settings(max_examples=50)
@given(st.integers(0, 20), st.integers(1, 12), st.integers(0, 2), st.integers(0, 1000), st.sets(st.integers(0, 34), max_size=3))
def test_messages_judged_together_are_judged_as_each_alone(
    before: int, judged: int, look_ahead: int, seed: int, without_vector: set[int]
) -> None:
    talk = [
        Utterance(each.message, None if at in without_vector else each.vector)
        for at, each in enumerate(said(before + judged + look_ahead, seed))
    ]
    boundaries = Settings(_env_file=None).boundaries.model_copy(update={"look_ahead": look_ahead, "threshold": 0.2})
    detector = SemanticDetector(boundaries)
    together = detector.judge(talk[:before], talk[before : before + judged], talk[before + judged :])
    began, alone = 0, []
    for at in range(before, before + judged):
        verdict = detector.judge(talk[began:at], [talk[at]], talk[at + 1 :][:look_ahead])
        if verdict.boundaries:
            began = at
            alone.append((at - before, *verdict.reasons))
    assert list(zip(together.boundaries, together.reasons, strict=True)) == alone


def test_a_message_is_read_once_however_long_its_conversation_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    once = cues.read

    def counted(text: str, microseconds: int) -> cues.Reading:
        read.append(text)
        return once(text, microseconds)

    monkeypatch.setattr(cues, "read", counted)
    detector = SemanticDetector(Settings(_env_file=None).boundaries)
    talk = said(20, 3)
    for at in range(1, 18):
        detector.judge(talk[:at], [talk[at]], talk[at + 1 : at + 3])
    assert len(read) == len(talk)
