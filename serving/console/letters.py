"""What could not be taken in: why, its bytes, and once more."""

import time
from collections.abc import Sequence

from connectors.dead_letters import without_secrets
from mneme.errors import MnemeError
from mneme.ports import DeadLetter
from serving.console.markup import chip, notice, tag
from serving.console.shell import show_failure
from serving.console.visit import Visit
from serving.console.words import count, moment
from serving.service.dead_letters import letter_id, letters_of

_SHOWN = 50
_EVERY_SECONDS = 5.0  # they are read whole each time
_BYTES = 4_000  # of one that are shown


class Letters:
    """The dead letters of a service on a page, the newest first."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._shown: tuple[str, ...] | None = None
        self._read_at = 0.0
        with tag("section", classes="card", aria_labelledby="letters-title"):
            tag("h2", "Dead letters", id="letters-title")
            self._told = tag("div", role="status")
            self._place = tag("div", classes="letters")

    async def look(self) -> None:
        """Show what there is; what is shown already is left as it is."""
        if time.monotonic() - self._read_at < _EVERY_SECONDS:
            return
        self._read_at = time.monotonic()
        try:
            letters = await self._visit.in_thread("others", lambda: letters_of(self._visit.service).letters())
        except MnemeError as error:
            self._shown = None
            self._place.clear()
            with self._place:
                show_failure(error)
            return
        names = tuple(letter_id(letter) for letter in letters)
        if names != self._shown:
            self._shown = names
            self._draw(letters)

    def _draw(self, letters: Sequence[DeadLetter]) -> None:
        self._place.clear()
        with self._place:
            if not letters:
                tag("p", "None: everything that came could be taken in.", "quiet")
                return
            with tag("div", classes="actions"):
                tag(
                    "span",
                    f"{count(len(letters), 'letter')}{f', the newest {_SHOWN} of them' if len(letters) > _SHOWN else ''}",
                )
                tag("button", "Replay all", type="button").on("click", lambda: self._replay(letters))
            with tag("ul", classes="letters"):
                for letter in reversed(letters[-_SHOWN:]):
                    self._letter(letter)

    def _letter(self, letter: DeadLetter) -> None:
        with tag("li", classes="letter"):
            with tag("div", classes="actions"):
                chip(letter.stage, "problem")
                tag("span", moment(letter.at), "when")
                tag("span", str(letter.position or "place unknown"), "when")
            tag("p", without_secrets(letter.reason.rstrip().rsplit("\n", 1)[-1]))
            with tag("details", classes="raw"):
                tag("summary", f"{count(len(letter.raw), 'byte')}")
                tag("pre", _content(letter.raw), "bytes", tabindex="0", aria_label="The bytes of the event")
            with tag("div", classes="actions"):
                tag("button", "Replay", type="button").on("click", lambda: self._replay([letter]))

    async def _replay(self, letters: Sequence[DeadLetter]) -> None:
        box = letters_of(self._visit.service)
        self._told.clear()
        try:
            refused = await self._visit.in_thread("others", box.replay, letters)
        except MnemeError as error:
            with self._told:
                show_failure(error)
            return
        with self._told:
            if done := len(letters) - len(refused):
                notice(f"{count(done, 'letter')} sent again. What is still wrong comes back here, with the reason.", "done")
            for reason in sorted(set(refused.values())):
                notice(f"Not replayed: {reason}", "problem")
        self._read_at = 0.0
        await self.look()


def _content(raw: bytes) -> str:
    """The first bytes as text; of what is no text, hexadecimal digits."""
    try:
        text = without_secrets(raw.decode())
    except UnicodeDecodeError:
        text = raw[:_BYTES].hex(" ")
    return text if len(text) <= _BYTES else f"{text[:_BYTES]}… ({len(raw):,} bytes in all)"
