"""Loggers of libraries that write down whole requests: passwords and texts must reach no log, not even with ``--debug``."""

import logging


def silence(*names: str, below: int) -> None:
    """Drop what these loggers say below a level, whatever level somebody sets for them; safe to repeat."""
    for name in names:
        logging.getLogger(name).addFilter(_Silence(below))


class _Silence(logging.Filter):
    """Equal to any other for its level, so that a logger keeps one of them."""

    def __init__(self, below: int) -> None:
        super().__init__()
        self._below = below

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is passed on."""
        return record.levelno >= self._below

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Silence) and other._below == self._below

    def __hash__(self) -> int:
        return hash(self._below)
