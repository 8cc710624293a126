"""The OpenSearch client, and its errors as Mneme's.

What the server answers is sorted by one question: may the same request succeed later? ``may_pass`` knows, for whole
responses and for single items of a bulk alike.
"""

import logging
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
from opensearchpy import OpenSearch, Transport
from opensearchpy.exceptions import (
    ConnectionError,
    ConnectionTimeout,
    ImproperlyConfigured,
    OpenSearchException,
    SerializationError,
    SSLError,
    TransportError,
)
from opensearchpy.serializer import JSONSerializer

from connectors.clients import silence, without_credentials
from mneme import settings as mneme_settings
from mneme.errors import SettingsError, StoreError, StoreRejected, StoreUnavailable

silence("opensearch", "opensearchpy.trace", below=logging.CRITICAL)  # bodies, and what quotes them; what counts is raised

_CONNECTIONS = 32  # kept open; flows write and queries search from many threads
_PASSING_TYPES = frozenset(
    {
        "cluster_block_exception",  # until an operator or free disk lifts it
        "index_closed_exception",
        "no_shard_available_action_exception",  # of an index that was made a moment ago, or whose node is gone
        "unavailable_shards_exception",
    }
)
_SHARD_LIMIT = re.compile(r"maximum (\w+ )?shards open")


def open_client(settings: mneme_settings.OpenSearch) -> OpenSearch:
    """A client for ``settings.url``; nothing is sent yet.

    Raises:
        SettingsError: the URL or the TLS settings cannot be used.
    """
    scheme = urlsplit(settings.url).scheme
    if scheme not in ("http", "https"):
        url = without_credentials(settings.url)
        raise SettingsError(f"MNEME_OPENSEARCH__URL: {url!r} is no URL like 'https://search.example.org:9200'")
    options: dict[str, Any] = {
        "timeout": settings.timeout_seconds,
        "pool_maxsize": _CONNECTIONS,
        "max_retries": 1,  # for a kept connection that the server closed; real patience is the caller's
        "retry_on_status": (),
    }
    if settings.username is not None:
        password = settings.password.get_secret_value() if settings.password else ""
        options["http_auth"] = (settings.username, password)
    if settings.api_key is not None:
        options["headers"] = {"Authorization": f"ApiKey {settings.api_key.get_secret_value()}"}
    if scheme == "https":
        options |= {"verify_certs": settings.verify_certs, "ssl_show_warn": False}
        if settings.ca_certs is not None:
            if not Path(settings.ca_certs).is_file():
                raise SettingsError(f"MNEME_OPENSEARCH__CA_CERTS: there is no file {settings.ca_certs!r}")
            options["ca_certs"] = settings.ca_certs
    try:
        return OpenSearch(settings.url, partial(_Transport, settings.url), serializer=_Json(), **options)  # type: ignore[arg-type]
    except (ImproperlyConfigured, ValueError) as error:
        raise SettingsError(f"MNEME_OPENSEARCH__URL: {error}") from error


class Refusal(StoreRejected):
    """The server refuses a request: with this HTTP status, and its own name for the reason."""

    def __init__(self, message: str, status: int = 0, type: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.type = type


class _Transport(Transport):
    """Raises the client's errors as ``StoreRejected`` (a ``Refusal`` where the server answered) or ``StoreUnavailable``."""

    def __init__(self, url: str, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._url = url

    def perform_request(self, *arguments: Any, **options: Any) -> Any:
        """See ``Transport``."""
        try:
            return super().perform_request(*arguments, **options)
        except OpenSearchException as error:
            raise store_error(error, self._url) from error


class _Json(JSONSerializer):
    """JSON as the client writes it, read in a third of the time: an answer to a search has some 2 MB."""

    def loads(self, data: str) -> Any:
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise SerializationError(data, error) from error


def may_pass(status: int, type: str, reason: str) -> bool:
    """True if a request that was refused like this may succeed later, unchanged.

    Besides overload (429) and trouble of the server (5xx) these are states of the cluster that come as 403 or 400:
    the read-only block of a full disk, the limit of open shards, a closed index.
    """
    return status == 429 or status >= 500 or type in _PASSING_TYPES or bool(_SHARD_LIMIT.search(reason))


def store_error(error: OpenSearchException, url: str) -> StoreError:
    """The client's error as Mneme's, with what to do next."""
    where = f"OpenSearch at {without_credentials(url)}"
    if isinstance(error, ConnectionTimeout):
        return StoreUnavailable(f"{where} gave no answer in time; look at its load and at the network")
    if isinstance(error, SSLError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
        return StoreRejected(f"{where}: its certificate is not trusted; set MNEME_OPENSEARCH__CA_CERTS to its authority's file")
    if isinstance(error, ConnectionError):
        return StoreUnavailable(f"{where} cannot be reached ({_cause(error)}); start it, or correct MNEME_OPENSEARCH__URL")
    if isinstance(error, TransportError) and isinstance(error.status_code, int):
        return refusal(error.status_code, *_type_and_reason(error.info, error.error), url)
    if isinstance(error, SerializationError):
        return StoreRejected(f"{where} does not answer in JSON; is MNEME_OPENSEARCH__URL that of an OpenSearch?")
    return StoreRejected(f"{where}: {error}")


def refusal(status: int, type: str, reason: str, url: str) -> StoreError:
    """An answer of the server with an error status, as Mneme's error with what to do next."""
    where, what = f"OpenSearch at {without_credentials(url)}", f"{type}: {reason}"
    if type == "cluster_block_exception":
        return StoreUnavailable(f"{where} is blocked ({reason}); free disk space or lift the block of the index")
    if _SHARD_LIMIT.search(reason):
        return StoreUnavailable(f"{where} has no shards left ({reason}); remove indices or raise cluster.max_shards_per_node")
    if may_pass(status, type, reason):
        return StoreUnavailable(f"{where} cannot serve now ({status} {what}); try again, or look at its load")
    if status in (401, 403):
        return Refusal(
            f"{where} refuses these credentials ({status}); check MNEME_OPENSEARCH__USERNAME and "
            "MNEME_OPENSEARCH__PASSWORD, or MNEME_OPENSEARCH__API_KEY, and what the user may do with the indices of "
            "MNEME_OPENSEARCH__INDEX_PREFIX",
            status,
            type,
        )
    if type == "index_not_found_exception":
        return Refusal(
            f"{where}: there is no index here yet ({reason}); fill it with `mneme ingest` or `mneme run`, "
            "or correct MNEME_OPENSEARCH__INDEX_PREFIX; after `mneme admin reindex --drop-old` restart with the new settings",
            status,
            type,
        )
    return Refusal(f"{where} refuses the request ({status} {what})", status, type)


def _type_and_reason(info: Any, fallback: str) -> tuple[str, str]:
    error = info.get("error") if isinstance(info, Mapping) else None
    return reason_of(error) if isinstance(error, Mapping) else (str(fallback), str(error or info))


def reason_of(error: Mapping[str, Any]) -> tuple[str, str]:
    """Type and reason of an error object of the server, with the deepest cause, which names the field."""
    type, reason = str(error.get("type", "unknown")), str(error.get("reason", ""))
    cause, deepest = error.get("caused_by"), None
    while isinstance(cause, Mapping):
        cause, deepest = cause.get("caused_by"), cause
    if deepest is None:
        roots = error.get("root_cause") or ()
        deepest = next((root for root in roots if root.get("reason") != reason), None)
    return (type, f"{reason} ({deepest.get('reason')})") if deepest else (type, reason)


def _cause(error: ConnectionError) -> str:
    return str(error.info).rsplit(": ", 1)[-1]  # what urllib3 says before the last colon repeats host and port
