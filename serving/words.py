"""Words around numbers."""


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 message``, ``2 messages``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
