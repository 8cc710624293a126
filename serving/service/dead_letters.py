"""Dead letters as people look at them: in a list, by ids that stay, and sent once more."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from connectors.letters.replay import event_again
from mneme.errors import InputError
from mneme.events import parse_event
from mneme.ids import content_hash
from mneme.ports import DeadLetter
from mneme.settings import Settings
from mneme.times import utc_now
from serving.service.service import Service

Place = Literal["kafka", "file"]

_ID_DIGITS = 32


@dataclass(frozen=True, slots=True)
class DeadLetterQueue:
    """Where dead letters are kept, and how their events go back on the stream."""

    read: Callable[[], Iterable[DeadLetter]]
    send_again: Callable[[Sequence[DeadLetter]], None]
    remove: Callable[[Callable[[DeadLetter], bool]], int]

    def letters(self) -> tuple[DeadLetter, ...]:
        """All letters, oldest first; one that was kept twice, by a crash, is one.

        Raises:
            StoreError: they cannot be read.
        """
        return tuple(sorted(dict.fromkeys(self.read()), key=lambda letter: letter.at))

    def replay(self, letters: Iterable[DeadLetter]) -> dict[DeadLetter, str]:
        """Send events again, and take their letters away; returns those that cannot be, and stay, with the reason.

        To repeat it, or to be interrupted in it, makes no duplicates: an event that arrives twice counts once.

        Raises:
            StoreError: some may not have been sent; their letters are still there.
        """
        ready, refused = _sorted_out(letters)
        if ready:
            self.send_again(ready)
            # Only now: whatever ends this before leaves the letters, to be replayed again.
            done = frozenset(ready)
            self.remove(lambda letter: letter in done)
        return refused


def dead_letter_id(letter: DeadLetter) -> str:
    """What a letter is called, wherever it stands in a list."""
    name = f"{letter.stage}\0{letter.at.isoformat()}\0{letter.position}\0{letter.reason}\0{letter.raw.hex()}"
    return content_hash(name.encode("utf-8", "surrogatepass"))[:_ID_DIGITS]


def dead_letters_of(service: Service) -> DeadLetterQueue:
    """The dead letters of a service. With a flow of its own they go back into the inbox."""

    def accept(letters: Sequence[DeadLetter]) -> None:
        service.accept([parse_event(event_again(letter)[1], utc_now()) for letter in letters])

    return open_dead_letters(service.settings, "kafka" if service.intake == "kafka" else "file", accept)


def open_dead_letters(settings: Settings, place: Place, send_again: Callable[[Sequence[DeadLetter]], None]) -> DeadLetterQueue:
    """The dead letters on the topic, or those in the file.

    Args:
        settings: where they lie.
        place: which of them.
        send_again: how events of those in the file are sent again; to Kafka it is known.
    """
    if place == "file":
        from connectors.letters.dead_letters import FileDeadLetters

        letters = FileDeadLetters(settings.data / "dead-letters.jsonl")
        return DeadLetterQueue(letters.read, send_again, letters.remove)

    from connectors.kafka.sinks import KafkaDeadLetters, read_dead_letters
    from connectors.letters.replay import publish_again

    def remove(unwanted: Callable[[DeadLetter], bool]) -> int:
        kept = KafkaDeadLetters(settings.kafka, lock=settings.data / "dead-letters.lock")
        try:
            return kept.remove(unwanted)
        finally:
            kept.close()

    return DeadLetterQueue(
        lambda: read_dead_letters(settings.kafka), lambda chosen: publish_again(settings.kafka, chosen), remove
    )


def _sorted_out(letters: Iterable[DeadLetter]) -> tuple[list[DeadLetter], dict[DeadLetter, str]]:
    """Those whose events can be sent again, and why the others cannot."""
    ready: list[DeadLetter] = []
    refused: dict[DeadLetter, str] = {}
    for letter in letters:
        try:
            event_again(letter)
        except InputError as error:
            refused[letter] = str(error)
        else:
            ready.append(letter)
    return ready, refused
