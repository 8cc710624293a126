"""The certificates that HTTPS connections trust. To read them takes 50 ms of a processor: once for a process, not a client."""

import ssl
from functools import cache

import httpx


@cache
def trusted() -> ssl.SSLContext:
    """Those of the environment (``SSL_CERT_FILE``, ``SSL_CERT_DIR``), else those that come with httpx."""
    return httpx.create_ssl_context()
