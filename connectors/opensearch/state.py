"""The set-up of an OpenSearch for Mneme, for `mneme doctor`: answered within seconds, or refused."""

from dataclasses import dataclass

from opensearchpy import OpenSearch

from connectors.opensearch.client import Refusal, open_client
from mneme import settings as mneme_settings

_SECONDS = 4.0
_FORBIDDEN = 403


@dataclass(frozen=True, slots=True)
class OpenSearchState:
    """The state that was found.

    ``health`` is that of our indices (green if there are none); ``plugins`` is None if they may not be listed;
    ``disks_percent`` is how full the disks of the nodes are; ``bytes`` those of our indices.
    """

    version: str
    plugins: tuple[str, ...] | None
    health: str
    bytes: int
    disks_percent: tuple[float, ...]


def read_state(settings: mneme_settings.OpenSearch) -> OpenSearchState:
    """The state of a cluster.

    Raises:
        SettingsError, StoreUnavailable, StoreRejected
    """
    client = open_client(settings.model_copy(update={"timeout_seconds": min(settings.timeout_seconds, _SECONDS)}))
    try:
        version = str(client.info()["version"]["number"])
        asked = {"format": "json", "h": "health,store.size", "bytes": "b", "expand_wildcards": "open"}
        indices = client.cat.indices(index=f"{settings.index_prefix}-*", params=asked)
        levels = {each["health"] for each in indices}
        health = next((level for level in ("red", "yellow") if level in levels), "green")
        size = sum(int(each["store.size"] or 0) for each in indices)
        return OpenSearchState(version, _plugins(client), health, size, _disks(client))
    finally:
        client.close()


def _plugins(client: OpenSearch) -> tuple[str, ...] | None:
    try:
        return tuple(each["component"] for each in client.cat.plugins(params={"format": "json", "h": "component"}))
    except Refusal as error:
        if error.status == _FORBIDDEN:  # of a managed cluster, which has it
            return None
        raise


def _disks(client: OpenSearch) -> tuple[float, ...]:
    try:
        nodes = client.cat.allocation(params={"format": "json", "h": "disk.percent"})
    except Refusal as error:
        if error.status == _FORBIDDEN:
            return ()
        raise
    return tuple(float(each["disk.percent"]) for each in nodes if each.get("disk.percent"))
