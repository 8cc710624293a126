"""Shared by the clients of other services: trusted certificates, loggers that must not write down requests, fast JSON."""

import json
import logging
import ssl
from functools import cache
from typing import Any
from urllib.parse import urlsplit, urlunsplit


@cache  # to read them takes 50 ms of a processor
def trusted_certificates() -> ssl.SSLContext:
    """Those of the environment (``SSL_CERT_FILE``, ``SSL_CERT_DIR``), else those that come with httpx."""
    import httpx  # a search in an index of one's own needs no client

    return httpx.create_ssl_context()


def silence(*names: str, below: int) -> None:
    """Drop what these loggers say below a level, whatever level somebody sets for them; safe to repeat.

    Some libraries write down whole requests: passwords and texts must reach no log, not even with ``--debug``.
    """
    for name in names:
        logging.getLogger(name).addFilter(_Silence(below))


def without_credentials(url: str) -> str:
    """A URL as it may be shown: without user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def encoded(value: Any) -> bytes:
    """JSON in UTF-8: fast where it can be, and for whatever Python's own encoder knows.

    Raises:
        UnicodeEncodeError: a text holds half of a surrogate pair.
    """
    import orjson  # not every extra has it

    try:
        return orjson.dumps(value)
    except TypeError:  # a surrogate, or an integer of more than 64 bits, which it does not know
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class _Silence(logging.Filter):
    """Equal to any other for its level, so that a logger keeps one of them."""

    def __init__(self, below: int) -> None:
        super().__init__()
        self._below = below

    def filter(self, record: logging.LogRecord) -> bool:
        """True if a record is passed on."""
        return record.levelno >= self._below

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Silence) and other._below == self._below

    def __hash__(self) -> int:
        return hash(self._below)
