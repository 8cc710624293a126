"""A sentence of a message as said: what every annotation of quotes reads."""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from mneme.dates import DateMention
from mneme.records import Claim, Spoken


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message as said.

    ``index`` is that of the utterance in the cut. ``artifact`` says that it stands inside one (code, draft, list, quotation
    ...), of which nothing is claimed. ``language`` is an ISO 639-1 code, empty where it is not known. ``dates`` are the
    certain dates in it, ``claims`` those of ``mneme.relations.claims_in``. ``corrects`` is the sentence that it corrects,
    ``meant`` that sentence with the right value, of which the dates and claims are then; ``withdrawn``: another corrects it.
    ``start`` is its place in its message.
    """

    index: int
    text: str
    speaker: str
    listener: str
    language: str
    said_at: datetime
    zone: tzinfo
    role: Literal["user", "assistant"]
    artifact: bool
    is_question: bool
    dates: tuple[DateMention, ...]
    claims: tuple[Claim, ...]
    corrects: Spoken | None = None
    meant: str = ""
    withdrawn: bool = False
    start: int = 0

    @property
    def end(self) -> int:
        """The place in the message where it ends."""
        return self.start + len(self.text)
