"""The features of boundaries (flows/boundaries/features.py) before messages that follow each other, all at once.

A row of numbers for each message, made by few operations for all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from flows.boundaries import overlap, similarity
from flows.boundaries.cues import CUES, OPENINGS, Flags, Marks, Reading, marks_of, reading_of
from flows.boundaries.features import MEMORY, PACE_SECONDS
from flows.cuts import Utterance

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

_QUARTER_OF_AN_HOUR, _HOURS, _DAY = 900, 3 * 3600, 20 * 3600
_USUAL_GAP = 60.0  # seconds, where there is none yet

_TIME = tuple(
    f"time.{name}"
    for name in ("known", "log_gap", "gap_over_usual", "quarter_of_an_hour", "hours", "day", "longer_gap_ahead")
)  # fmt: skip
_WORDING = (
    *(f"cues.{where}opens_{name}" for where in ("", "last_", "next_") for name in OPENINGS),
    *(f"cues.{where}{name}" for where in ("", "last_", "next_") for name in CUES),
    "cues.speaks_of_self", "cues.addresses_other", "cues.answers_question", "cues.left_before", "cues.asks_anew",
    "cues.answers_and_asks",
)  # fmt: skip
_SPEAKERS = tuple(
    f"speakers.{name}"
    for name in (
        "same_speaker", "same_speaker_next", "assisted", "by_assistant", "by_user_after_assistant", "monologue",
        "log_speakers", "new_speaker",
    )
)  # fmt: skip
_SHAPE = tuple(
    f"shape.{name}"
    for name in (
        "first_reply", "log_length", "length", "shortness", "log_words", "last_log_words", "next_log_words",
        "usual_log_words", "questions", "lower_case", "few_ahead",
    )
)  # fmt: skip
NAMES = (*_TIME, *similarity.NAMES, *overlap.NAMES, *_WORDING, *_SPEAKERS, *_SHAPE)


def rows_of(context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance], look_ahead: int) -> Numbers:
    """The features before each of ``judged``, in the order of ``NAMES``, as long as none of them begins an episode.

    ``ahead`` is what follows behind the last of them; of what follows each, ``look_ahead`` messages are looked at.
    """
    recent = context[-MEMORY:]
    talk = [*recent, *judged, *ahead]
    readings = [reading_of(utterance) for utterance in talk]
    view = _view(len(recent), len(judged), len(talk), look_ahead)
    marks = marks_of(readings)
    vectors, tokens = [utterance.vector for utterance in talk], [reading.tokens for reading in readings]
    return np.concatenate(
        (
            _time(readings, view),
            similarity.rows_of(vectors, view.begins, view.at, view.ends, marks.chinese[view.at]),
            overlap.rows_of(tokens, view.begins, view.at, view.ends),
            *_wording(marks, view),
            _speakers(talk, view),
            _shape(len(context), marks, view),
        ),
        axis=1,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """What is looked at before each judged message: its place ``at``, from where (``begins``) to where (``ends``).

    ``around`` (judged, ``MEMORY`` + 1 + look-ahead) are the places in view, and ``nobody``, one behind the last, where there
    is none; column ``MEMORY`` is the message itself. ``following`` is the place behind each, or ``nobody``.
    """

    begins: Places
    at: Places
    ends: Places
    around: Places
    following: Places
    nobody: int


def _view(before: int, judged: int, length: int, look_ahead: int) -> _View:
    at = np.arange(before, before + judged)
    begins, ends = np.maximum(at - MEMORY, 0), np.minimum(at + (1 + look_ahead), length)
    around = at[:, None] + np.arange(-MEMORY, 1 + look_ahead)
    around = np.where((around >= begins[:, None]) & (around < ends[:, None]), around, length)
    following = np.where(at + 1 < ends, at + 1, length)
    return _View(begins, at, ends, around, following, length)


def _time(readings: Sequence[Reading], view: _View) -> Numbers:
    sent = np.array([reading.microseconds for reading in readings])
    gaps = np.zeros(len(sent) + 1)  # before each message
    np.maximum(np.diff(sent) / 1e6, 0.0, out=gaps[1:-1])
    within = np.where(view.around > view.begins[:, None], gaps[view.around], 0.0)  # the first gap in view is before all of it
    timed = within.max(axis=1) > PACE_SECONDS
    if not timed.any():
        return np.zeros((len(timed), len(_TIME)))
    here = gaps[view.at]
    log_here = np.log1p(here)
    longest_ahead = within[:, MEMORY + 1 :].max(axis=1, initial=0.0)
    ahead = np.where(view.following < view.nobody, np.log1p(longest_ahead), log_here)
    found = np.stack(
        (
            np.ones(len(here)),
            log_here,
            log_here - np.log1p(_usual_gap(within[:, :MEMORY], view.at - view.begins - 1)),
            here > _QUARTER_OF_AN_HOUR,
            here > _HOURS,
            here > _DAY,
            ahead - log_here,
        ),
        axis=1,
    )
    told: Numbers = found * timed[:, None]
    return told


def _usual_gap(gaps: Numbers, counts: Places) -> Numbers:
    """The medians of the last ``counts`` of gaps."""
    unknown = np.arange(MEMORY, 0, -1) > counts[:, None]
    ascending = np.sort(np.where(unknown, np.inf, gaps), axis=1)
    row, last = np.arange(len(counts)), np.maximum(counts - 1, 0)
    medians = (ascending[row, last // 2] + ascending[row, (last + 1) // 2]) / 2
    return np.where(counts > 0, medians, _USUAL_GAP)


def _wording(marks: Marks, view: _View) -> tuple[Flags, ...]:
    now, last, following = view.at, view.at - 1, view.following
    asks, ends_with_question = marks.cue("asks"), marks.cue("ends_with_question")
    found = (
        marks.speaks_of_self[now],
        marks.addresses_other[now],
        ends_with_question[last] & ~ends_with_question[now],
        marks.cue("takes_leave")[view.around[:, MEMORY - 3 : MEMORY]].any(axis=1),
        asks[now] & ~asks[last],
        ends_with_question[now] & ends_with_question[last],
    )
    openings = marks.openings[now], marks.openings[last], marks.openings[following]
    return (*openings, marks.cues[now], marks.cues[last], marks.cues[following], np.stack(found, axis=1))


def _speakers(talk: Sequence[Utterance], view: _View) -> Numbers:
    numbers: dict[str, int] = {}
    senders = np.array([numbers.setdefault(each.message.sender_id, len(numbers)) for each in talk] + [-1])
    roles = [each.message.role for each in talk]
    by_assistant = np.array([role == "assistant" for role in roles] + [False])
    by_user = np.array([role == "user" for role in roles] + [False])
    now, last = view.at, view.at - 1
    assisted = by_assistant[view.around].any(axis=1)
    who = senders.tolist()
    several = [len(set(who[begin:end])) for begin, end in zip(view.begins.tolist(), view.ends.tolist(), strict=True)]
    found = (
        senders[now] == senders[last],
        senders[now] == senders[view.following],
        assisted,
        by_assistant[now],
        assisted & by_user[now] & by_assistant[last],
        (now - view.begins > 1) & (senders[last] == senders[last - 1]),
        np.log(several),
        ~(senders[view.around[:, :MEMORY]] == senders[now][:, None]).any(axis=1),
    )
    return np.stack(found, axis=1)


def _shape(length: int, marks: Marks, view: _View) -> Numbers:
    lengths = np.arange(length, length + len(view.at))
    counts = view.ends - view.begins
    found = (
        lengths == 1,
        np.log(lengths),
        np.minimum(lengths, 50) / 50,
        1 / lengths,
        marks.log_words[view.at],
        marks.log_words[view.at - 1],
        marks.log_words[view.following],
        marks.log_words[view.around].sum(axis=1) / counts,
        marks.cue("ends_with_question")[view.around].sum(axis=1) / counts,
        marks.lower_case[view.around].sum(axis=1) / counts,
        1 - (view.ends - view.at - 1) / 2,
    )
    return np.stack(found, axis=1)
