"""The default detector: decides message by message from cheap signals, offline, seeing at most two messages ahead."""

from collections.abc import Mapping, Sequence

import numpy as np

from flows.boundaries.cues import reading_of
from flows.boundaries.features import features
from flows.boundaries.model import Head, probabilities, shipped_heads, situations
from flows.boundaries.reasons import reason
from flows.boundaries.rows import NAMES, FeatureTable, Numbers
from flows.cuts import Utterance, Verdict
from mneme.settings import Boundaries

# What counts as a signal is a fraction of what counts as a boundary: at .3, 4.5 % of LoCoMo's messages signal, and those
# are where its sessions end.
_SIGNAL = 0.3
_HINT = 0.1
_WINDOW = 96  # messages
_FEW = 3  # messages: fewer are judged one by one, which is quicker
_TOGETHER = 32  # messages; what is behind a boundary among them is looked at again


class SemanticDetector:
    """Cuts where a logistic model of the features finds a boundary more probable than ``settings.threshold``.

    Merges by default: a greeting, a farewell or midnight alone is no boundary, a long pause with a new subject is.
    Pure and cheap (under a millisecond for a message); works without vectors, from words and times alone.
    """

    def __init__(self, settings: Boundaries, heads: Mapping[str, Head] | None = None) -> None:
        self._settings = settings
        self._heads = shipped_heads() if heads is None else heads

    @property
    def window(self) -> int:
        """Each message is decided by itself; many in one call, which is less work."""
        return _WINDOW

    @property
    def look_ahead(self) -> int:
        """``settings.look_ahead``."""
        return self._settings.look_ahead

    @property
    def calls_a_model(self) -> bool:
        """It does not."""
        return False

    def probability(self, context: Sequence[Utterance], message: Utterance, ahead: Sequence[Utterance] = ()) -> float:
        """How probable it is that a new episode begins with ``message``; 0 without context."""
        if not context:
            return 0.0
        return probabilities(self._heads, _row_of(context, message, ahead))[0]

    def signals(self, context: Sequence[Utterance], message: Utterance) -> bool:
        """Whether a boundary before the message is thinkable, before one has seen what follows."""
        return self.probability(context, message) > self._settings.threshold * _SIGNAL

    def suggests(self, context: Sequence[Utterance], message: Utterance) -> bool:
        """Whether there is any ground to ask somebody who understands the words: a signal, or words that hint at a turn.

        With times the model trusts pauses, and hears no change of subject within a session; so the words are also read as
        if nothing were known of times, and a hint is enough.
        """
        if not context:
            return False
        row = _row_of(context, message, ())
        untimed = np.where([name.startswith("time.") for name in NAMES], 0.0, row)
        found, by_words = probabilities(self._heads, np.concatenate((row, untimed)))
        return found > self._settings.threshold * _SIGNAL or by_words > self._settings.threshold * _HINT

    def judge(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        """Decides about each message in turn; see ``BoundaryDetector``."""
        said = [*context, *judged, *ahead]
        talk = FeatureTable(said, len(context), self.look_ahead) if len(judged) >= _FEW else None
        boundaries, reasons = [], []
        began, at, end = 0, len(context), len(context) + len(judged)
        while at < end:
            if at == began:
                at += 1
                continue
            if talk is not None:
                rows = talk.rows(began, at, min(at + _TOGETHER, end))
            else:
                rows = _row_of(said[began:at], said[at], said[at + 1 : at + 1 + self.look_ahead])
            found = probabilities(self._heads, rows)
            turn = next((place for place, each in enumerate(found) if each > self._settings.threshold), None)
            if turn is None:
                at += len(rows)
                continue
            at += turn
            evidence = self._heads[situations(rows[[turn]])[0]].evidence(rows[turn])
            boundaries.append(at - len(context))
            reasons.append(reason(said[began:at], said[at], evidence))
            began = at
        complete = bool(judged) and not ahead and reading_of(judged[-1]).takes_leave
        return Verdict(tuple(boundaries), tuple(reasons), tail_complete=complete)


def _row_of(context: Sequence[Utterance], message: Utterance, ahead: Sequence[Utterance]) -> Numbers:
    """The features before one message as a row of ``NAMES``."""
    return np.array([[*features(context, message, ahead).values()]])
