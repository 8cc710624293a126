"""What an episode is about, in words that were said in it. Pure."""

from collections.abc import Sequence

from flows.extraction.spoken import Sentence


def subject_of(sentences: Sequence[Sentence], closeness: Sequence[float] = ()) -> str:
    """A short clause of the most central sentence."""
    return sentences[0].text[:60] if sentences else ""
