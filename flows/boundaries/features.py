"""What speaks for and against a boundary before a message, as numbers. Pure: no model is called, nothing is remembered.

Lexical cohesion at several widths follows TextTiling (Hearst 1997), with vectors beside words; the comparison with
the neighbouring gaps is its depth score, cut to the short look-ahead that a stream allows.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import numpy as np
import numpy.typing as npt

from flows.boundaries.cues import OPENINGS, Reading, read
from flows.cuts import Utterance
from mneme.records import StoredMessage
from mneme.rows import Vector

MEMORY = 16  # messages of the open episode that are looked at, so that the work is bounded; ``all`` means these
PACE_SECONDS = 5.0  # messages that follow faster than anybody writes were stamped by a program: their times say nothing
_USUAL_COSINE = 0.07  # of unrelated messages with MiniLM, English
_USUAL_COSINE_CHINESE = 0.51  # the same, Chinese: without this correction everything Chinese seems to be one subject


def features(context: Sequence[Utterance], message: Utterance, ahead: Sequence[Utterance]) -> dict[str, float]:
    """The features of a boundary before ``message``; ``context`` is the open episode and must not be empty.

    The names (``group.name``) are the same for every call. Where times carry no information (``time.known`` is 0),
    or a message has no vector (``similarity.known`` is 0), the features that need them are 0.
    """
    recent = context[-MEMORY:]
    readings = [read(utterance.message.text) for utterance in recent]
    now = read(message.message.text)
    later = [read(utterance.message.text) for utterance in ahead]
    spoken, following = ([utterance.message for utterance in group] for group in (recent, ahead))
    groups = {
        "time": _time([*spoken, message.message, *following], len(spoken)),
        "similarity": _similarity(recent, message, ahead, now.chinese),
        "words": _overlap(readings, now, later),
        "cues": _wording(readings, now, later),
        "speakers": _speakers(spoken, message.message, following),
        "shape": _shape(len(context), readings, now, later),
    }
    return {f"{group}.{name}": value for group, found in groups.items() for name, value in found.items()}


def _time(messages: Sequence[StoredMessage], at: int) -> dict[str, float]:
    gaps = [max(0.0, (after.sent_at - before.sent_at).total_seconds()) for before, after in pairwise(messages)]
    timed = max(gaps) > PACE_SECONDS
    here = math.log1p(gaps[at - 1]) if timed else 0.0
    usual = math.log1p(median(gaps[: at - 1])) if timed and at > 1 else math.log1p(60.0) if timed else 0.0
    return {
        "known": float(timed),
        "log_gap": here,
        "gap_over_usual": here - usual,
        "quarter_of_an_hour": float(timed and gaps[at - 1] > 900),
        "hours": float(timed and gaps[at - 1] > 3 * 3600),
        "day": float(timed and gaps[at - 1] > 20 * 3600),
        "longer_gap_ahead": max((math.log1p(gap) for gap in gaps[at:]), default=here) - here if timed else 0.0,
    }


def _similarity(recent: Sequence[Utterance], message: Utterance, ahead: Sequence[Utterance], chinese: bool) -> dict[str, float]:
    before = [utterance.vector for utterance in recent if utterance.vector is not None]
    after = [utterance.vector for utterance in ahead if utterance.vector is not None]
    if message.vector is None or len(before) < len(recent) or len(after) < len(ahead):
        return dict.fromkeys(_SIMILARITIES, 0.0)
    usual = _USUAL_COSINE_CHINESE if chinese else _USUAL_COSINE
    now = message.vector

    def cosine(left: Sequence[Vector], right: Sequence[Vector]) -> float:
        return (_cosine(_mean(left), _mean(right)) - usual) / (1 - usual)

    single = [cosine([vector], [now]) for vector in before[-8:]]
    neighbours = [cosine([left], [right]) for left, right in pairwise(before[-6:])]
    coherence = sum(neighbours) / len(neighbours) if neighbours else _COHERENCE
    block = [now, *after]
    here = cosine(before[-3:], block)
    next_split = cosine([*before[-2:], now], after) if after else here
    last_split = cosine(before[-4:-1], [before[-1], now, *after[:1]]) if len(before) > 1 else here
    return {
        "known": 1.0,
        "to_1": single[-1],
        "to_2": cosine(before[-2:], [now]),
        "to_4": cosine(before[-4:], [now]),
        "to_8": cosine(before[-8:], [now]),
        "to_all": cosine(before, [now]),
        "to_most": max(single),
        "block_to_2": cosine(before[-2:], block),
        "block_to_4": cosine(before[-4:], block),
        "block_to_all": cosine(before, block),
        "ahead_to_message": cosine(after, [now]) if after else here,
        "ahead_to_before": cosine(before[-4:], after) if after else here,
        "ahead_to_last": cosine(before[-1:], after[:1]) if after else here,
        "coherence": coherence,
        "next_split": next_split - here,
        "last_split": last_split - here,
    }


_COHERENCE = 0.25  # of neighbouring messages, where there is only one yet
_SIMILARITIES = (
    "known", "to_1", "to_2", "to_4", "to_8", "to_all", "to_most",
    "block_to_2", "block_to_4", "block_to_all", "ahead_to_message", "ahead_to_before",
    "ahead_to_last", "coherence", "next_split", "last_split",
)  # fmt: skip


def _mean(vectors: Sequence[Vector]) -> npt.NDArray[np.float64]:
    return np.mean(np.stack(vectors), axis=0, dtype=np.float64)  # type: ignore[no-any-return]


def _cosine(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> float:
    size = float(np.linalg.norm(left) * np.linalg.norm(right))
    return float(left @ right) / size if size else 0.0


def _overlap(readings: Sequence[Reading], now: Reading, later: Sequence[Reading]) -> dict[str, float]:
    last, near, far = (_tokens(readings[-width:]) for width in (1, 3, 8))
    everything = _tokens(readings)
    block = _tokens([now, *later])
    return {
        "shared_1": _share(now.tokens, last),
        "shared_3": _share(now.tokens, near),
        "shared_8": _share(now.tokens, far),
        "shared_all": _share(now.tokens, everything),
        "block_shared_3": _share(block, near),
        "block_shared_all": _share(block, everything),
        "ahead_shared": _share(_tokens(later), now.tokens),
        "new_words": math.log1p(len(now.tokens - everything)),
        "no_common_word": float(not now.tokens & near),
    }


def _tokens(readings: Sequence[Reading]) -> frozenset[str]:
    return frozenset().union(*(reading.tokens for reading in readings))


def _share(tokens: frozenset[str], others: frozenset[str]) -> float:
    return len(tokens & others) / len(tokens) if tokens else 0.0


def _wording(readings: Sequence[Reading], now: Reading, later: Sequence[Reading]) -> dict[str, float]:
    last = readings[-1]
    found = {f"opens_{name}": float(now.opening == name) for name in OPENINGS}
    found |= {f"last_opens_{name}": float(last.opening == name) for name in OPENINGS}
    found |= {f"next_opens_{name}": float(bool(later) and later[0].opening == name) for name in OPENINGS}
    for label, reading in (("", now), ("last_", last), ("next_", later[0] if later else _NOTHING)):
        found |= {
            f"{label}greets": float(reading.greets),
            f"{label}takes_leave": float(reading.takes_leave),
            f"{label}thanks": float(reading.thanks),
            f"{label}changes_subject": float(reading.changes_subject),
            f"{label}offers_more": float(reading.offers_more),
            f"{label}refers_back": float(reading.refers_back),
            f"{label}asks": float(reading.asks),
            f"{label}ends_with_question": float(reading.ends_with_question),
        }
    return found | {
        "speaks_of_self": float(now.speaks_of_self),
        "addresses_other": float(now.addresses_other),
        "answers_question": float(last.ends_with_question and not now.ends_with_question),
        "left_before": float(any(reading.takes_leave for reading in readings[-3:])),
        "asks_anew": float(now.asks and not last.asks),
        "answers_and_asks": float(now.ends_with_question and last.ends_with_question),
    }


_NOTHING = read("")


def _speakers(recent: Sequence[StoredMessage], now: StoredMessage, later: Sequence[StoredMessage]) -> dict[str, float]:
    everybody = [*recent, now, *later]
    senders = [message.sender_id for message in everybody]
    assisted = any(message.role == "assistant" for message in everybody)
    return {
        "same_speaker": float(now.sender_id == recent[-1].sender_id),
        "same_speaker_next": float(bool(later) and later[0].sender_id == now.sender_id),
        "assisted": float(assisted),
        "by_assistant": float(now.role == "assistant"),
        "by_user_after_assistant": float(assisted and now.role == "user" and recent[-1].role == "assistant"),
        "monologue": float(len(recent) > 1 and recent[-1].sender_id == recent[-2].sender_id),
        "log_speakers": math.log(len(set(senders))),
        "new_speaker": float(now.sender_id not in {message.sender_id for message in recent}),
    }


def _shape(length: int, readings: Sequence[Reading], now: Reading, later: Sequence[Reading]) -> dict[str, float]:
    everything = [*readings, now, *later]
    return {
        "first_reply": float(length == 1),
        "log_length": math.log(length),
        "length": min(length, 50) / 50,
        "shortness": 1 / length,
        "log_words": math.log1p(now.words),
        "last_log_words": math.log1p(readings[-1].words),
        "next_log_words": math.log1p(later[0].words) if later else 0.0,
        "usual_log_words": sum(math.log1p(reading.words) for reading in everything) / len(everything),
        "questions": sum(reading.ends_with_question for reading in everything) / len(everything),
        "lower_case": sum(reading.lower_case for reading in everything) / len(everything),
        "few_ahead": 1 - len(later) / 2,
    }
