"""Patterns by name from data files: rules are code, and the words that they look for stand beside it as data.

The file of a module is named like it (``foresight.toml`` beside ``foresight.py``). It has a section for each language where
one rule serves two. A pattern is one text, or a list of texts that are joined; ``{name}`` in it stands for a text of the
section ``fragments``, there or in patterns.toml.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mneme.pattern_index import Cue

_FRAGMENT = re.compile(r"\{([a-zA-Z_]+)\}")


@cache
def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


COMMON: Mapping[str, str | Sequence[str]] = _read(Path(__file__).with_suffix(".toml"))["fragments"]
"""The fragments of the patterns of all files: weekdays, months, feasts."""


def expanded(pattern: str, fragments: Mapping[str, str | Sequence[str]]) -> str:
    """A pattern with what its fragments stand for."""
    while _FRAGMENT.search(pattern):
        pattern = _FRAGMENT.sub(lambda mark: "".join(fragments[mark[1]]), pattern)
    return pattern


class _Section:
    """One section of the file of a module; what stands above all sections where none is named."""

    def __init__(self, module: str, section: str = "") -> None:
        """The patterns of a module, by its ``__file__``."""
        self._file, self._name = Path(module).with_suffix(".toml"), section

    def words(self, name: str) -> frozenset[str]:
        """The words of a list, which stand with blanks between them."""
        texts = self._texts()[name]
        return frozenset((texts if isinstance(texts, str) else " ".join(texts)).split())

    def fragment(self, name: str) -> str:
        """The text of a fragment, for patterns that are put together elsewhere."""
        return self._expanded(f"{{{name}}}", name)

    def _texts(self) -> Mapping[str, Any]:
        data = _read(self._file)
        section: Mapping[str, Any] = data[self._name] if self._name else data
        return section

    def _expanded(self, text: str, name: str) -> str:
        try:
            return expanded(text, {**COMMON, **_read(self._file).get("fragments", {})})
        except KeyError as error:
            raise AttributeError(f"{self._file.name} has no fragment {error.args[0]}, for {name}") from error

    def _text(self, name: str) -> str:
        """The text of a pattern.

        Raises:
            AttributeError: the section has none of this name, or it names a fragment that is in no file.
        """
        texts = self._texts()
        if name not in texts or isinstance(texts[name], dict):
            raise AttributeError(f"{self._file.name} has no pattern {self._name}.{name}")
        return self._expanded("".join(texts[name]), f"{self._name}.{name}")


class Patterns(_Section):
    """Patterns as attributes, compiled when they are first asked for."""

    def __getattr__(self, name: str) -> re.Pattern[str]:
        self.__dict__[name] = found = re.compile(self._text(name))
        return found

    def by_name(self) -> dict[str, re.Pattern[str]]:
        """All patterns of the section, in their order."""
        return {name: getattr(self, name) for name in _read(self._file)[self._name]}


class Cues(_Section):
    """The same as ``Cue``: searched only in sentences with a word that they need."""

    def __getattr__(self, name: str) -> Cue:
        self.__dict__[name] = found = Cue(self._text(name))
        return found
