"""Who is meant in an episode by "I", "she", "my sister" and a name."""

from collections.abc import Iterable

from flows.extraction.graph.kinship import CHINESE_RELATION, FEMALE, MALE, RELATION
from flows.extraction.wording.names import is_name
from flows.extraction.wording.retelling import Retelling
from mneme.text import has_cjk

_FIRST, _SECOND = frozenset("i we my our me us mine".split()), frozenset("you your".split())
_THIRD = {"he": MALE, "his": MALE, "him": MALE, "she": FEMALE, "her": FEMALE}
_JUST_NOW = 3  # messages


class People:
    """The people of one episode, message by message.

    Someone without a name is called by what they are to somebody: "Ann's husband". When a later message names them,
    ``name_of`` knows it.
    """

    def __init__(self, speakers: Iterable[str]) -> None:
        self._speakers = {speaker.lower(): speaker for speaker in speakers}
        self._speaker = ""
        self._listener: str | None = None
        self._last: tuple[str, str] | None = None  # who a pronoun means in this message, and the word for them
        self._unnamed: tuple[str, str] | None = None  # the last one without a name, and the word
        self._names: dict[str, str | None] = {}
        self._message, self._unnamed_at = 0, 0

    def enter(self, retelling: Retelling) -> None:
        """Go to the next message."""
        self._speaker, self._listener, self._last = retelling.speaker, retelling.listener, None
        self._message += 1

    @property
    def speaker(self) -> str:
        """Who says this message."""
        return self._speaker

    def is_present(self, name: str) -> bool:
        """Whether a name is that of somebody who takes part, or a short form of it ("Mel" for Melanie)."""
        lowered = name.lower()
        return any(lowered in (speaker, speaker.partition(" ")[0]) or _is_short(lowered, speaker) for speaker in self._speakers)

    def meant_by(self, words: str) -> str | None:
        """Who a pronoun or a name stands for; None when it cannot be known."""
        lowered = words.lower()
        if lowered in _FIRST:
            return self._speaker
        if lowered in _SECOND:
            return self._listener
        if lowered in _THIRD:
            return self._last[0] if self._last and self._last[1] not in _opposite(lowered) else None
        for name in (lowered, f"the {lowered}"):
            if name in self._speakers:
                return self._speakers[name]
        if not is_name(words):
            return None
        self._last = (words, "")
        return words

    def kin(self, owner: str, word: str, names: Iterable[str] = ()) -> list[str]:
        """The owner's kin, friend or pet: under the names given here or without one."""
        unnamed = unnamed_kin(owner, word)
        named = [name for name in names if name.lower() != owner.lower()]
        if not named:
            self._unnamed = self._last = (unnamed, word)
            self._unnamed_at = self._message
            return [unnamed]
        for name in named:
            self._name(unnamed, name)
        self._last = (named[-1], word)
        return named

    def name_last(self, names: Iterable[str], pronoun: str) -> tuple[str, list[str]] | None:
        """ "His name is Max": the one without a name that was spoken of just now, and the names; None when it can be nobody.

        ``pronoun`` is the word before the verb: "his" is no aunt's, and "I named her" tells of the speaker's own.
        """
        if self._unnamed is None or self._message - self._unnamed_at > _JUST_NOW:
            return None
        unnamed, word = self._unnamed
        own = pronoun in _FIRST and not unnamed.startswith(f"{self._speaker}'s ")
        if own or (pronoun in _THIRD and word in _opposite(pronoun)):
            return None
        given = list(names)
        for name in given:
            self._name(unnamed, name)
        self._last = (given[-1], word)
        return unnamed, given

    def name_of(self, whom: str) -> str:
        """The name of somebody who was without one when they were first spoken of; else as they were called."""
        return self._names.get(whom) or whom

    def _name(self, unnamed: str, name: str) -> None:
        known = self._names.get(unnamed, name)
        self._names[unnamed] = name if known == name else None  # two dogs: "my dog" is neither


def unnamed_kin(owner: str, word: str) -> str:
    """What somebody without a name is called.

    >>> unnamed_kin("Ann", "husband"), unnamed_kin("小明", "妻子")
    ("Ann's husband", '小明的妻子')
    """
    return f"{owner}的{word}" if word in CHINESE_RELATION else f"{owner}'s {word}"


def relation_of(word: str) -> str:
    """What somebody called ``word`` is to the one who says "my"."""
    return RELATION.get(word.lower().replace(" ", "-")) or CHINESE_RELATION[word]


def _opposite(pronoun: str) -> frozenset[str]:
    return FEMALE if _THIRD[pronoun] is MALE else MALE


def _is_short(name: str, speaker: str) -> bool:
    if has_cjk(name):
        return len(name) > 1 and speaker.endswith(name)  # 晓雨 for 林晓雨
    return len(name) > 1 and speaker.startswith(name)
