"""Dead letters as people look at them: in a list, and sent once more."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Literal

from connectors.kafka.replay import event_to_replay
from mneme.errors import InputError
from mneme.events import parse_event
from mneme.ports import DeadLetter
from mneme.settings import Settings
from mneme.times import utc_now
from serving.service.service import Service

Place = Literal["kafka", "file"]


@dataclass(frozen=True, slots=True)
class DeadLetterQueue:
    """Storage of dead letters, and the way of their events back on the stream."""

    read: Callable[[], Iterable[DeadLetter]]
    send_again: Callable[[Sequence[DeadLetter]], None]
    remove: Callable[[Callable[[DeadLetter], bool]], int]

    def dead_letters(self) -> tuple[DeadLetter, ...]:
        """All letters, oldest first; one that was kept twice, by a crash, is one.

        Raises:
            StoreError: they cannot be read.
        """
        return tuple(sorted(dict.fromkeys(self.read()), key=lambda dead_letter: dead_letter.at))

    def replay(self, dead_letters: Iterable[DeadLetter]) -> dict[DeadLetter, str]:
        """Send events again, and take their letters away; returns those that cannot be, and stay, with the reason.

        To repeat it, or to be interrupted in it, makes no duplicates: an event that arrives twice counts once.

        Raises:
            StoreError: some may not have been sent; their letters are still there.
        """
        ready: list[DeadLetter] = []
        refused: dict[DeadLetter, str] = {}
        for dead_letter in dead_letters:
            try:
                event_to_replay(dead_letter)
            except InputError as error:
                refused[dead_letter] = str(error)
            else:
                ready.append(dead_letter)
        if ready:
            self.send_again(ready)
            # Only now: whatever ends this before leaves the letters, to be replayed again.
            done = frozenset(ready)
            self.remove(lambda dead_letter: dead_letter in done)
        return refused


def dead_letters_of(service: Service) -> DeadLetterQueue:
    """The dead letters of a service. With a flow of its own they go back into the inbox."""

    def accept(dead_letters: Sequence[DeadLetter]) -> None:
        service.accept([parse_event(event_to_replay(dead_letter)[1], utc_now()) for dead_letter in dead_letters])

    return open_dead_letters(service.settings, "kafka" if service.intake == "kafka" else "file", accept)


def open_dead_letters(settings: Settings, place: Place, send_again: Callable[[Sequence[DeadLetter]], None]) -> DeadLetterQueue:
    """The dead letters on the topic, or those in the file.

    Args:
        settings: where they lie.
        place: which of them.
        send_again: how events of those in the file are sent again; to Kafka it is known.
    """
    if place == "file":
        from connectors.dead_letters import FileDeadLetters

        dead_letters = FileDeadLetters(settings.data / "dead-letters.sqlite")
        return DeadLetterQueue(dead_letters.read, send_again, dead_letters.remove)

    from connectors.kafka.replay import replay
    from connectors.kafka.sinks import KafkaDeadLetters, read_dead_letters

    def remove(unwanted: Callable[[DeadLetter], bool]) -> int:
        with closing(KafkaDeadLetters(settings.kafka, lock=settings.data / "dead-letters.lock")) as kept:
            return kept.remove(unwanted)

    return DeadLetterQueue(lambda: read_dead_letters(settings.kafka), lambda chosen: replay(settings.kafka, chosen), remove)
