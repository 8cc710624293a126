"""The default detector: decides message by message from cheap signals, offline, seeing at most two messages ahead."""

from collections.abc import Mapping, Sequence

from flows.boundaries.cues import reading_of
from flows.boundaries.features import features
from flows.boundaries.model import Head, head_of, probability, reason, shipped_heads
from flows.cuts import Utterance, Verdict
from mneme.settings import Boundaries

# What counts as a signal is a fraction of what counts as a boundary: at .3, 4.5 % of LoCoMo's messages signal, and those
# are where its sessions end.
_SIGNAL = 0.3
_HINT = 0.1


class SemanticDetector:
    """Cuts where a logistic model of the features finds a boundary more probable than ``settings.threshold``.

    Merges by default: a greeting, a farewell or midnight alone is no boundary, a long pause with a new subject is.
    Pure and cheap (under a millisecond for a message); works without vectors, from words and times alone.
    """

    window = 96  # messages of one call; each of them is decided by itself
    calls_a_model = False

    def __init__(self, settings: Boundaries, heads: Mapping[str, Head] | None = None) -> None:
        self.look_ahead = settings.look_ahead
        self._settings = settings
        self._heads = shipped_heads() if heads is None else heads

    def signals(self, context: Sequence[Utterance], message: Utterance) -> bool:
        """Return whether a boundary before the message is thinkable, before one has seen what follows."""
        if not context:
            return False
        return probability(self._heads, features(context, message, ())) > self._settings.threshold * _SIGNAL

    def suggests(self, context: Sequence[Utterance], message: Utterance) -> bool:
        """Return whether there is any ground to ask somebody who understands the words: a signal, or words that hint at a turn.

        With times the model trusts pauses, and hears no change of subject within a session; so the words are also read as
        if nothing were known of times, and a hint is enough.
        """
        if not context:
            return False
        found, threshold = features(context, message, ()), self._settings.threshold
        untimed = {name: 0.0 if name.startswith("time.") else value for name, value in found.items()}
        return probability(self._heads, found) > threshold * _SIGNAL or probability(self._heads, untimed) > threshold * _HINT

    def judge(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        """Decides about each message in turn; see ``BoundaryDetector``."""
        said = [*context, *judged, *ahead]
        boundaries, reasons = [], []
        began = 0
        for at in range(len(context) or 1, len(context) + len(judged)):  # the first message of all begins an episode anyway
            found = features(said[began:at], said[at], said[at + 1 : at + 1 + self.look_ahead])
            if probability(self._heads, found) > self._settings.threshold:
                boundaries.append(at - len(context))
                reasons.append(reason(said[began:at], said[at], head_of(self._heads, found).evidence(found)))
                began = at
        complete = bool(judged) and not ahead and reading_of(judged[-1]).takes_leave
        return Verdict(tuple(boundaries), tuple(reasons), tail_complete=complete)
