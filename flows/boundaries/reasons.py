"""Why a new episode begins, in words for people: ``pause of 5 h, new subject``."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from flows.boundaries.cues import reading_of, turning_words
from flows.cuts import Utterance

_WORDS = {"similarity": "new subject", "words": "other words", "speakers": "other speakers", "shape": "length"}
_NAMED = 2  # groups of features: the loudest ones


def reason(context: Sequence[Utterance], message: Utterance, evidence: Mapping[str, float]) -> str:
    """What spoke loudest for a boundary before ``message``; ``evidence`` is what each feature (``group.name``) added."""
    sums: dict[str, float] = {}
    for name, value in evidence.items():
        group = name.partition(".")[0]
        sums[group] = sums.get(group, 0.0) + value
    loudest = sorted((group for group in sums if sums[group] > 0), key=lambda group: -sums[group])[:_NAMED]
    return ", ".join(_in_words(group, context[-1], message) for group in loudest) or "several weak signals"


def _in_words(group: str, before: Utterance, message: Utterance) -> str:
    if group == "time":
        return f"pause of {_length(message.message.sent_at - before.message.sent_at)}"
    if group == "cues":
        return _cue(before, message)
    return _WORDS[group]


def _cue(before: Utterance, message: Utterance) -> str:
    if words := turning_words(message.message.text):
        return f'"{words}"'
    if reading_of(message).greets:
        return "greeting"
    if reading_of(before).takes_leave:
        return "after a farewell"
    return "wording"


def _length(pause: timedelta) -> str:
    minutes = max(pause, timedelta(0)) / timedelta(minutes=1)
    if minutes < 1:
        return "seconds"
    if minutes < 90:
        return f"{minutes:.0f} min"
    if minutes < 48 * 60:
        return f"{minutes / 60:.0f} h"
    return f"{minutes / 60 / 24:.0f} days"
