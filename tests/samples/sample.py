"""What a sample is: a file with known text; and a hostile one: a file with a known end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A file, and what a reader must find in it.

    Attributes:
        name: of the file.
        format: what it is, in the words of connectors/documents/kinds.py.
        content: its bytes.
        texts: what stands at which place (``page 2``, ``sheet Prices``, ``attachment offer.pdf, page 1``), a line for each
            heading, paragraph, item and row of a table; ``""`` is the place in formats that cite lines or nothing.
        title: what it calls itself; empty where it does not.
        dated_at: its own date; None where it has none.
        language: ``en`` or ``zh``.
        scan: whether it can be read by OCR only.
        spoken: who says what, where its content is speech.
    """

    name: str
    format: str
    content: bytes
    texts: Mapping[str, str]
    title: str = ""
    dated_at: datetime | None = None
    language: str = "en"
    scan: bool = False
    spoken: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """All that is known to stand in it."""
        return "\n".join(self.texts.values())


@dataclass(frozen=True, slots=True, eq=False)
class Hostile:
    """A file that does harm to who reads it without care.

    Attributes:
        name: of the file.
        content: its bytes.
        refusal: words that the reason must have, in any case of letters, ``a|b`` being either; None where it must be read.
        text: what must be found where it is read.
        never: what must not be found: a secret that it reaches for, or a program that must not count as text.
    """

    name: str
    content: bytes
    refusal: tuple[str, ...] | None = None
    text: str = ""
    never: str = ""
