"""Words around numbers."""


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: ``1 message``, ``2 messages``; ``plural`` where an s is not enough."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"
