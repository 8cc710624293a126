"""The features of boundaries (flows/boundaries/features.py) before messages that follow each other, all at once.

A row of numbers for each message, made by few operations for all of them. What is the same wherever an episode begins is found
once for a talk: behind a boundary its messages are looked at again, as they are seen from there.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from flows.boundaries import overlap, similarity
from flows.boundaries.cues import CUES, OPENINGS, Reading, ReadingColumns, reading_columns, reading_of
from flows.boundaries.features import EVEN_SECONDS, MEMORY, REPLY_SECONDS, STAMPED_SECONDS
from flows.cuts import Utterance

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

_QUARTER_OF_AN_HOUR, _HOURS, _DAY = 900, 3 * 3600, 20 * 3600

_TIME = tuple(
    f"time.{name}"
    for name in ("known", "pause", "pause_over_usual", "quarter_of_an_hour", "hours", "day", "longer_pause_ahead")
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


def _places(first: str, last: str) -> slice:
    return slice(NAMES.index(first), NAMES.index(last) + 1)


_OF_SIMILARITY, _OF_OVERLAP = (_places(group[0], group[-1]) for group in (similarity.NAMES, overlap.NAMES))
_TIME_KNOWN, _OVER_USUAL = NAMES.index("time.known"), NAMES.index("time.pause_over_usual")
_LEFT_BEFORE, _ASSISTED, _MONOLOGUE, _LOG_SPEAKERS, _NEW_SPEAKER = map(
    NAMES.index,
    ("cues.left_before", "speakers.assisted", "speakers.monologue", "speakers.log_speakers", "speakers.new_speaker"),
)
_LENGTHS, _USUAL_WORDING = _places("shape.first_reply", "shape.shortness"), _places("shape.usual_log_words", "shape.lower_case")
_FAREWELL = 3  # messages among which one counts
_FAR = 1 << 20


class FeatureTable:
    """Messages that follow each other, and what a row needs of them.

    Args:
        said: the messages of an open episode, those that are judged, and what follows them.
        unjudged: how many are in the open episode.
        look_ahead: how many are looked at of those that follow each.
    """

    def __init__(self, said: Sequence[Utterance], unjudged: int, look_ahead: int) -> None:
        self._skipped = max(0, unjudged - MEMORY)
        said = said[self._skipped :]
        self._length, self._look_ahead = len(said), look_ahead
        readings = [reading_of(utterance) for utterance in said]
        marks, gaps, senders = reading_columns(readings), _gaps(readings), _senders(said)
        pauses = _pauses(gaps)
        by_assistant, by_user = (np.array([each.message.role == role for each in said]) for role in ("assistant", "user"))
        at = np.arange(len(said))
        around = at[:, None] + np.arange(-MEMORY, 1 + look_ahead)
        self._around = np.where((around >= 0) & (around < len(said)), around, len(said))  # the last one is nobody
        self._gaps, self._pauses = gaps[self._around], pauses[self._around]
        self._heard_before = _heard_before(senders)[self._around]
        self._sums = _sums(marks, by_assistant)
        self._chinese = marks.chinese
        self._products = similarity.products_of([each.vector for each in said], MEMORY + 1 + look_ahead)
        self._shared = overlap.shared_words([reading.tokens for reading in readings], MEMORY, look_ahead)
        following = np.append(at[1:], len(said)) if look_ahead else np.full_like(at, len(said))
        self._alike = np.concatenate(
            (
                _time(gaps[at], pauses[at], self._pauses[:, MEMORY + 1 :], following < len(said)),
                np.zeros((len(said), len(similarity.NAMES) + len(overlap.NAMES))),
                _wording(marks, at, following),
                _speakers(senders, by_assistant, by_user, at, following),
                _shape(marks, at, following, look_ahead),
            ),
            axis=1,
        )

    def rows(self, began: int, first: int, last: int) -> Numbers:
        """The features before each message from ``first`` to ``last`` (exclusive), in the order of ``NAMES``.

        None of them begins an episode: the open one ``began`` before them. All three are places in what was said.
        """
        judged = slice(first - self._skipped, last - self._skipped)
        at, lengths = np.arange(judged.start, judged.stop), np.arange(first - began, last - began)
        begins = at - np.minimum(lengths, MEMORY)
        ends = np.minimum(at + (1 + self._look_ahead), self._length)
        rows, around, heard_before, since = (
            self._alike[judged],
            self._around[judged],
            self._heard_before[judged],
            begins[:, None],
        )
        rows = rows.copy()
        rows[:, _TIME_KNOWN] = _known(self._gaps[judged], (around > since) & (around < self._length))
        rows[:, _OVER_USUAL] -= _usual(self._pauses[judged, :MEMORY], at - begins - 1)
        rows[:, _OF_SIMILARITY] = similarity.rows_of(self._products, judged, begins, at, ends, self._chinese[judged])
        rows[:, _OF_OVERLAP] = overlap.rows_of(self._shared, judged, at - begins)
        rows[:, _LOG_SPEAKERS] = np.log(((around >= since) & (heard_before < since)).sum(axis=1))
        rows[:, _NEW_SPEAKER] = heard_before[:, MEMORY] < begins
        rows[:, _MONOLOGUE] *= lengths > 1
        *usual, assistants, _ = self._sums[:, ends] - self._sums[:, begins]
        rows[:, _USUAL_WORDING] = (np.array(usual) / (ends - begins)).T
        rows[:, _ASSISTED] = assistants > 0
        *_, farewells = self._sums
        rows[:, _LEFT_BEFORE] = farewells[at] > farewells[np.maximum(at - _FAREWELL, begins)]
        rows[:, _LENGTHS] = np.stack((lengths == 1, np.log(lengths), np.minimum(lengths, 50) / 50, 1 / lengths), axis=1)
        return rows


def _gaps(readings: Sequence[Reading]) -> Numbers:
    """The seconds before each message, and before nobody."""
    gaps = np.zeros(len(readings) + 1)
    np.maximum(np.diff([reading.microseconds for reading in readings]) / 1e6, 0.0, out=gaps[1:-1])
    return gaps


def _pauses(gaps: Numbers) -> Numbers:
    """Gaps as the logarithm of how many times longer they are than a reply takes; 0 for a reply."""
    pauses: Numbers = np.log(np.maximum(gaps / REPLY_SECONDS, 1.0))
    return pauses


def _time(gaps: Numbers, pauses: Numbers, ahead: Numbers, is_followed: npt.NDArray[np.bool_]) -> Numbers:
    """What times say, but for what depends on where the episode began."""
    longer_ahead = np.where(is_followed, ahead.max(axis=1, initial=0.0) - pauses, 0.0)
    steps = (gaps > step for step in (_QUARTER_OF_AN_HOUR, _HOURS, _DAY))
    return np.stack((np.zeros_like(pauses), pauses, pauses, *steps, longer_ahead), axis=1)


def _known(gaps: Numbers, in_view: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether the gaps in view are of people."""
    longest, shortest = gaps.max(axis=1, initial=0.0, where=in_view), gaps.min(axis=1, initial=np.inf, where=in_view)
    return np.asarray((longest > STAMPED_SECONDS) & (longest - shortest > EVEN_SECONDS), dtype=np.bool_)


def _usual(pauses: Numbers, counts: Places) -> Numbers:
    """The medians of the last ``counts`` of pauses; 0 of none."""
    unknown = np.arange(MEMORY, 0, -1) > counts[:, None]
    ascending = np.sort(np.where(unknown, np.inf, pauses), axis=1)
    row, last = np.arange(len(counts)), np.maximum(counts - 1, 0)
    medians = (ascending[row, last // 2] + ascending[row, (last + 1) // 2]) / 2
    return np.where(counts > 0, medians, 0.0)


def _wording(marks: ReadingColumns, at: Places, following: Places) -> Numbers:
    last, asks, ends_with_question = at - 1, marks.cue("asks"), marks.cue("ends_with_question")
    found = (
        marks.speaks_of_self[at],
        marks.addresses_other[at],
        ends_with_question[last] & ~ends_with_question[at],
        np.zeros_like(asks[at]),  # who took leave: that depends on where the episode began
        asks[at] & ~asks[last],
        ends_with_question[at] & ends_with_question[last],
    )
    said = at, last, following
    groups = (*(marks.openings[each] for each in said), *(marks.cues[each] for each in said), np.stack(found, axis=1))
    return np.concatenate(groups, axis=1, dtype=np.float64)


def _senders(said: Sequence[Utterance]) -> Places:
    """A number for everybody, and for nobody."""
    numbers: dict[str, int] = {}
    return np.array([*(numbers.setdefault(each.message.sender_id, len(numbers)) for each in said), -1])


def _heard_before(senders: Places) -> Places:
    """Where each sender spoke before: ``-_FAR`` if nowhere. Of nobody that is not asked."""
    latest: dict[int, int] = {}
    before = []
    for place, sender in enumerate(senders[:-1].tolist()):
        before.append(latest.get(sender, -_FAR))
        latest[sender] = place
    return np.array([*before, _FAR])


def _speakers(
    senders: Places, by_assistant: npt.NDArray[np.bool_], by_user: npt.NDArray[np.bool_], at: Places, following: Places
) -> Numbers:
    depends = np.zeros_like(by_user)  # on where the episode began
    found = (
        senders[at] == senders[at - 1],
        senders[at] == senders[following],
        depends,
        by_assistant,
        by_user & by_assistant[at - 1],
        senders[at - 1] == senders[at - 2],
        depends,
        depends,
    )
    return np.stack(found, axis=1, dtype=np.float64)


def _sums(marks: ReadingColumns, by_assistant: npt.NDArray[np.bool_]) -> Numbers:
    """Of all messages before each place: their log words, how many ask, are of lower case, by an assistant, or take leave."""
    each = (
        marks.log_words,
        marks.cue("ends_with_question"),
        marks.lower_case,
        np.append(by_assistant, False),
        marks.cue("takes_leave"),
    )
    return np.concatenate((np.zeros((len(each), 1)), np.cumsum(each, axis=1)[:, :-1]), axis=1)


def _shape(marks: ReadingColumns, at: Places, following: Places, look_ahead: int) -> Numbers:
    depends = np.zeros(len(at))
    found = (
        *(depends,) * 4,
        marks.log_words[at],
        marks.log_words[at - 1],
        marks.log_words[following],
        *(depends,) * 3,
        1 - np.minimum(len(at) - 1 - at, look_ahead) / 2,
    )
    return np.stack(found, axis=1)
