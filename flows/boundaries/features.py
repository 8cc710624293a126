"""Features that speak for and against a boundary before a message. Pure: no model is called, nothing is remembered.

Lexical cohesion at several widths follows TextTiling (Hearst 1997), with vectors beside words; the comparison with the
neighbouring gaps is its depth score, cut to the short look-ahead that a stream allows. Each message is looked at by itself, in
training and in the flow, so that it has the same features to the last bit in whatever batch it comes.
"""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from statistics import median

import numpy as np
import numpy.typing as npt

from flows.boundaries.cues import CUES, OPENINGS, Reading, read, reading_of
from flows.cuts import Utterance
from mneme.records import StoredMessage
from mneme.rows import Vector

Places = npt.NDArray[np.int64]

MEMORY = 16  # messages of the open episode that are looked at, so that the work is bounded; ``all`` means these
REPLY_SECONDS = 300.0  # within minutes people answer: how soon says nothing of a subject
STAMPED_SECONDS = 5.0  # messages that follow faster than anybody writes, or ...
EVEN_SECONDS = 1.0  # ... one like the other, were stamped by a program: nothing is known of when they were said
_USUAL_COSINE = 0.07  # of unrelated messages with MiniLM, English
# The same, Chinese: without it everything Chinese seems to be one subject. Measured with MiniLM, before Chinese went to e5.
_USUAL_COSINE_CHINESE = 0.51
_USUAL_COHERENCE = 0.25  # of neighbouring messages, where there is only one yet
_NOTHING_LEFT = 1e-6  # of a sum of vectors that cancel out, but for rounding
_COMPARED = (
    "to_2", "to_4", "to_8", "to_all", "block_to_2", "block_to_4", "block_to_all", "ahead_to_message", "ahead_to_before",
    "ahead_to_last",
)  # fmt: skip
_SPLITS = ("next_split", "last_split")
_SIMILARITIES = [f"similarity.{name}" for name in ("known", "to_most", "coherence", "to_1", *_COMPARED, *_SPLITS)]


def features(context: Sequence[Utterance], message: Utterance, ahead: Sequence[Utterance]) -> dict[str, float]:
    """The features of a boundary before ``message``; ``context`` is the open episode and must not be empty.

    The names (``group.name``) are the same for every call. Of times only pauses count: at any pace of up to five minutes a
    message all features of time are 0, but for ``time.known``, which tells people's pace from the even steps of a program.
    Where a message has no vector (``similarity.known`` is 0), the features that need one are 0.
    """
    recent = context[-MEMORY:]
    readings = [reading_of(utterance) for utterance in recent]
    now = reading_of(message)
    later = [reading_of(utterance) for utterance in ahead]
    spoken, following = ([utterance.message for utterance in group] for group in (recent, ahead))
    return {
        **_time([*readings, now, *later], len(readings)),
        **_similarity(recent, message, ahead, now.chinese),
        **_overlap(readings, now, later),
        **_wording(readings, now, later),
        **_speakers(spoken, message.message, following),
        **_shape(len(context), readings, now, later),
    }


def _time(readings: Sequence[Reading], at: int) -> dict[str, float]:
    gaps = [(after.microseconds - before.microseconds) / 1e6 for before, after in pairwise(readings)]
    pauses = [math.log(max(1.0, gap / REPLY_SECONDS)) for gap in gaps]
    here = pauses[at - 1]
    return {
        "time.known": float(max(gaps) > STAMPED_SECONDS and max(gaps) - min(gaps) > EVEN_SECONDS),
        "time.pause": here,
        "time.pause_over_usual": here - (median(pauses[: at - 1]) if at > 1 else 0.0),
        "time.quarter_of_an_hour": float(gaps[at - 1] > 900),
        "time.hours": float(gaps[at - 1] > 3 * 3600),
        "time.day": float(gaps[at - 1] > 20 * 3600),
        "time.longer_pause_ahead": max(pauses[at:], default=here) - here,
    }


def _similarity(recent: Sequence[Utterance], message: Utterance, ahead: Sequence[Utterance], chinese: bool) -> dict[str, float]:
    vectors = [utterance.vector for utterance in (*recent, message, *ahead) if utterance.vector is not None]
    now, end = len(recent), len(recent) + 1 + len(ahead)
    if len(vectors) < end:
        return dict.fromkeys(_SIMILARITIES, 0.0)
    usual = _USUAL_COSINE_CHINESE if chinese else _USUAL_COSINE
    comparisons = _comparisons(now, len(ahead))
    cosines = ((_cosines(vectors, comparisons) - usual) / (1 - usual)).tolist()
    named = dict(zip(comparisons.names, cosines[comparisons.named], strict=True))
    single, neighbours = cosines[comparisons.single], cosines[comparisons.neighbours]
    here = named["block_to_3"]
    values = [
        1.0,
        max(single),
        sum(neighbours) / len(neighbours) if neighbours else _USUAL_COHERENCE,
        single[-1],
        *(named.get(name, here) for name in _COMPARED),
        *(named.get(name, here) - here for name in _SPLITS),
    ]
    return dict(zip(_SIMILARITIES, values, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Comparisons:
    """The stretches of a conversation that are compared: by name, single messages with this one, and neighbours.

    ``stretches`` (stretches, messages) adds up the vectors of each; ``left`` and ``right`` are those of each comparison.
    The slices are the places of the three kinds of comparison in them.
    """

    names: tuple[str, ...]
    named: slice
    single: slice
    neighbours: slice
    stretches: Vector
    left: Places
    right: Places


@cache
def _comparisons(before: int, ahead: int) -> _Comparisons:
    """The comparisons for so many messages before and ahead: made once, so that all cosines are three small products."""
    now, end = before, before + 1 + ahead
    this, after, block, everything = (now, now + 1), (now + 1, end), (now, end), (0, now)

    def last(count: int) -> tuple[int, int]:
        return max(0, now - count), now

    named = {
        "to_2": (last(2), this),
        "to_4": (last(4), this),
        "to_8": (last(8), this),
        "to_all": (everything, this),
        "block_to_2": (last(2), block),
        "block_to_3": (last(3), block),
        "block_to_4": (last(4), block),
        "block_to_all": (everything, block),
    }
    if ahead:
        named |= {
            "ahead_to_message": (after, this),
            "ahead_to_before": (last(4), after),
            "ahead_to_last": (last(1), (now + 1, now + 2)),
            "next_split": ((max(0, now - 2), now + 1), after),
        }
    if before > 1:
        named["last_split"] = (max(0, now - 4), now - 1), (now - 1, min(now + 2, end))
    single = [((at, at + 1), this) for at in range(*last(8))]
    neighbours = [((at, at + 1), (at + 1, at + 2)) for at in range(max(0, now - 6), now - 1)]
    pairs = [*named.values(), *single, *neighbours]
    stretches = list(dict.fromkeys(stretch for pair in pairs for stretch in pair))
    return _Comparisons(
        names=tuple(named),
        named=slice(len(named)),
        single=slice(len(named), len(named) + len(single)),
        neighbours=slice(len(named) + len(single), None),
        stretches=np.array([[first <= at < last for at in range(end)] for first, last in stretches], dtype=np.float32),
        left=np.array([stretches.index(left) for left, _ in pairs]),
        right=np.array([stretches.index(right) for _, right in pairs]),
    )


def _cosines(vectors: Sequence[Vector], comparisons: _Comparisons) -> npt.NDArray[np.float64]:
    """The cosines between the means of the stretches that are compared; 0 where vectors cancel out."""
    sums = comparisons.stretches @ np.concatenate(vectors).reshape(len(vectors), -1)
    products = (sums @ sums.T).astype(np.float64)
    lengths = np.sqrt(products.diagonal())
    sizes = lengths[comparisons.left] * lengths[comparisons.right]
    cosines: npt.NDArray[np.float64] = products[comparisons.left, comparisons.right] / np.maximum(sizes, _NOTHING_LEFT)
    return cosines


def _overlap(readings: Sequence[Reading], now: Reading, later: Sequence[Reading]) -> dict[str, float]:
    tokens, block = set(now.tokens), _tokens_of([now, *later])
    last = set(readings[-1].tokens)
    near = _tokens_of(readings[-3:-1], last)  # each holds the one before
    far = _tokens_of(readings[-8:-3], near)
    everything = _tokens_of(readings[:-8], far)
    return {
        "words.shared_1": _share(tokens, last),
        "words.shared_3": _share(tokens, near),
        "words.shared_8": _share(tokens, far),
        "words.shared_all": _share(tokens, everything),
        "words.block_shared_3": _share(block, near),
        "words.block_shared_all": _share(block, everything),
        "words.ahead_shared": _share(_tokens_of(later), tokens),
        "words.new_words": math.log1p(len(tokens - everything)),
        "words.no_common_word": float(tokens.isdisjoint(near)),
    }


def _tokens_of(readings: Sequence[Reading], others: AbstractSet[str] = frozenset()) -> set[str]:
    """The tokens of messages, and others."""
    return set(others).union(*[reading.tokens for reading in readings])


def _share(tokens: set[str], others: set[str]) -> float:
    return len(tokens & others) / len(tokens) if tokens else 0.0


def _wording(readings: Sequence[Reading], now: Reading, later: Sequence[Reading]) -> dict[str, float]:
    last, following = readings[-1], later[0] if later else _NOTHING
    said = now, last, following
    values = [*chain.from_iterable(each.opens for each in said), *chain.from_iterable(each.cues for each in said)]
    return dict(zip(_CUES, values, strict=True)) | {
        "cues.speaks_of_self": float(now.speaks_of_self),
        "cues.addresses_other": float(now.addresses_other),
        "cues.answers_question": float(last.ends_with_question and not now.ends_with_question),
        "cues.left_before": float(any(reading.takes_leave for reading in readings[-3:])),
        "cues.asks_anew": float(now.asks and not last.asks),
        "cues.answers_and_asks": float(now.ends_with_question and last.ends_with_question),
    }


_NOTHING = read("")
_CUES = (
    *(f"cues.{where}opens_{name}" for where in ("", "last_", "next_") for name in OPENINGS),
    *(f"cues.{where}{name}" for where in ("", "last_", "next_") for name in CUES),
)


def _speakers(recent: Sequence[StoredMessage], now: StoredMessage, later: Sequence[StoredMessage]) -> dict[str, float]:
    everybody = [*recent, now, *later]
    senders = [message.sender_id for message in everybody]
    assisted = any(message.role == "assistant" for message in everybody)
    return {
        "speakers.same_speaker": float(now.sender_id == recent[-1].sender_id),
        "speakers.same_speaker_next": float(bool(later) and later[0].sender_id == now.sender_id),
        "speakers.assisted": float(assisted),
        "speakers.by_assistant": float(now.role == "assistant"),
        "speakers.by_user_after_assistant": float(assisted and now.role == "user" and recent[-1].role == "assistant"),
        "speakers.monologue": float(len(recent) > 1 and recent[-1].sender_id == recent[-2].sender_id),
        "speakers.log_speakers": math.log(len(set(senders))),
        "speakers.new_speaker": float(now.sender_id not in {message.sender_id for message in recent}),
    }


def _shape(length: int, readings: Sequence[Reading], now: Reading, later: Sequence[Reading]) -> dict[str, float]:
    everything = [*readings, now, *later]
    return {
        "shape.first_reply": float(length == 1),
        "shape.log_length": math.log(length),
        "shape.length": min(length, 50) / 50,
        "shape.shortness": 1 / length,
        "shape.log_words": now.log_words,
        "shape.last_log_words": readings[-1].log_words,
        "shape.next_log_words": later[0].log_words if later else 0.0,
        "shape.usual_log_words": sum([reading.log_words for reading in everything]) / len(everything),
        "shape.questions": sum([reading.ends_with_question for reading in everything]) / len(everything),
        "shape.lower_case": sum([reading.lower_case for reading in everything]) / len(everything),
        "shape.few_ahead": 1 - len(later) / 2,
    }
