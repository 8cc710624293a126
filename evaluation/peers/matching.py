"""Which turns of a conversation a returned text stands for, where the system does not say it.

1. A turn whose words all stand in the text, in one run, is in it; or the text stands in the turn. Those, in the text's order.
2. Otherwise the one turn that shares the most words with it, if it has most of the text's words.
"""

import re
from collections.abc import Mapping

_WORD = re.compile(r"\w+")
_FEWEST_WORDS = 4  # of a run that says which turn it is: "Thanks, Mel!" stands in many texts
_MOST = 0.6  # of the words of a text are in the turn that it tells again


class TurnFinder:
    """The turns of one conversation, ready to be recognised; ``turns`` are texts by id."""

    def __init__(self, turns: Mapping[str, str]) -> None:
        self._runs = {turn: f" {' '.join(words(text))} " for turn, text in turns.items()}
        self._words = {turn: frozenset(words(text)) for turn, text in turns.items()}

    def turns_of(self, text: str) -> tuple[str, ...]:
        """The ids of the turns that a text stands for; empty where none is recognised."""
        run = f" {' '.join(words(text))} "
        found = {}
        for turn, said in self._runs.items():
            shorter, longer = sorted((said, run), key=len)
            if len(shorter.split()) >= _FEWEST_WORDS and shorter in longer:
                found[turn] = max(0, run.find(said))
        if found:
            return tuple(sorted(found, key=lambda turn: found[turn]))
        told = frozenset(words(text))
        shared = {turn: len(told & said) for turn, said in self._words.items()}
        best = max(shared, key=lambda turn: (shared[turn], -len(self._words[turn])), default=None)
        return (best,) if best is not None and told and shared[best] >= _MOST * len(told) else ()


def words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())
