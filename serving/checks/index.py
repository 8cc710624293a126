"""The index: whether it is there, fits the embedder, has room, and belongs to this flow."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mneme.errors import MnemeError, StoreError, StoreRejected, StoreUnavailable
from mneme.settings import Settings
from serving.checks.check import Check, State

if TYPE_CHECKING:
    from mneme.ports import MemoryIndex

_FLOOD_PERCENT, _HIGH_PERCENT = 95.0, 85.0  # of a disk: OpenSearch blocks writes, and takes no more shards (its defaults)
_OLDEST_OPENSEARCH = (2, 4)  # the first with efficient filters for the lucene engine


def index(settings: Settings) -> Iterator[Check]:
    """The index of the settings."""
    if settings.index.backend == "opensearch":
        from connectors.opensearch.state import read_state

        try:
            state = read_state(settings.opensearch)
        except StoreError as error:
            yield Check("index", "OpenSearch", "", "missing", str(error), needed=True)
            return
        yield _version(state.version)
        yield _plugin(state.plugins)
        yield _health(state.health)
        yield from _disks(state.disks_percent)
    else:
        from connectors.durable import is_locked
        from connectors.indices import embedded_folder

        folder = embedded_folder(settings)
        by = f"{folder}, {'a process writes to it' if is_locked(folder) else 'nobody writes to it'}"
        yield Check("index", "embedded index", by, "ready")
    yield from _contents(settings)


def _contents(settings: Settings) -> Iterator[Check]:
    """The rows, the embedder that they are of, and the recovery store that wrote them."""
    from connectors.indices import open_index
    from mneme.rows import Collection

    opened = open_index(settings, read_only=True)
    try:
        try:
            metadata = opened.metadata()
            rows = opened.count(Collection.MESSAGES)
        except StoreError as error:
            state: State = "missing" if isinstance(error, StoreRejected) and "no index here yet" not in str(error) else "partly"
            yield Check("index", "memories", "none yet", state, str(error))
            return
        yield Check("index", "memories", f"{rows:,} messages", "ready")
        yield _embedder(settings, opened)
        yield from _recovery(settings, metadata)
    finally:
        opened.close()


def _embedder(settings: Settings, opened: "MemoryIndex") -> Check:
    from connectors.models import open_embedder

    try:
        embedder = open_embedder(settings)
    except MnemeError:
        return Check("index", "embedder of the index", "not compared", "partly", "see models: the embedder cannot be opened")
    try:
        opened.prepare(embedder.identity)
    except StoreUnavailable as error:
        return Check("index", "embedder of the index", "not compared", "partly", str(error))
    except StoreRejected as error:
        return Check("index", "embedder of the index", "another", "missing", str(error), needed=True)
    finally:
        embedder.close()
    identity, is_local = embedder.identity, settings.embedder.provider == "local"
    lacks, settings_to_set = [], []
    if "*" not in identity.languages:
        lacks.append(f"other languages than {', '.join(identity.languages)} are found by their words alone")
        settings_to_set.append("MNEME_EMBEDDER__MULTILINGUAL=true")
    if is_local and not identity.token_dimension:
        lacks.append("there are no vectors of tokens, so nothing is ranked by late interaction")
        settings_to_set.append("MNEME_EMBEDDER__TOKEN_VECTORS=true")
    if not lacks:
        return Check("index", "embedder of the index", identity.fingerprint, "ready")
    remedy = " and ".join(lacks)
    if is_local:
        remedy += f"; set {' '.join(settings_to_set)}, then run `mneme reindex`"
    return Check("index", "embedder of the index", identity.fingerprint, "partly", remedy)


def _recovery(settings: Settings, metadata: "dict[str, str]") -> Iterator[Check]:
    """Whether each flow's recovery store is the one that wrote the index."""
    from flows.running.partition_range import store_name

    for name in (store_name(settings), "files"):
        written_by = metadata.get(f"recovery_{name}")
        if not written_by:
            continue
        folder = settings.data / "recovery" / name
        try:
            own = json.loads((folder / "mneme.json").read_text(encoding="utf-8"))["recovery_id"]
        except FileNotFoundError:
            own = None
        except (OSError, ValueError, KeyError, TypeError):
            remedy = f"{folder / 'mneme.json'} cannot be read; restore the recovery store (docs/operations.md)"
            yield Check("index", f"recovery store of {name}", str(folder), "missing", remedy, needed=True)
            continue
        if own == written_by:
            yield Check("index", f"recovery store of {name}", str(folder), "ready")
        else:
            what = "there is none here" if own is None else "another one is here"
            remedy = (
                f"{what}: the index was written with {written_by}. Where the flow runs, restore that store, or set "
                "MNEME_FLOW__ADOPT_INDEX=true; to search only, nothing is needed"
            )
            yield Check("index", f"recovery store of {name}", str(folder), "partly", remedy)


def _version(version: str) -> Check:
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < _OLDEST_OPENSEARCH:
        return Check(
            "index", "OpenSearch", version, "missing", f"OpenSearch {version} is too old; use 2.4 or later", needed=True
        )
    return Check("index", "OpenSearch", version, "ready")


def _plugin(plugins: tuple[str, ...] | None) -> Check:
    if plugins is None:
        return Check("index", "k-NN plugin", "unknown", "partly", "this user may not list plugins (cluster:monitor/nodes/info)")
    if "opensearch-knn" not in plugins:
        remedy = "the k-NN plugin is missing: opensearch-plugin install opensearch-knn, or use the full distribution"
        return Check("index", "k-NN plugin", "", "missing", remedy, needed=True)
    return Check("index", "k-NN plugin", "opensearch-knn", "ready")


def _health(health: str) -> Check:
    if health == "red":
        remedy = "some shards are not there: GET /_cluster/allocation/explain says why"
        return Check("index", "indices", health, "missing", remedy, needed=True)
    if health == "yellow":
        remedy = "replicas have no node to lie on: add a node, or set MNEME_OPENSEARCH__REPLICAS=0"
        return Check("index", "indices", health, "partly", remedy)
    return Check("index", "indices", health, "ready")


def _disks(percents: tuple[float, ...]) -> Iterator[Check]:
    if not percents:
        return
    fullest = max(percents)
    by = f"fullest {fullest:.0f} % used"
    if fullest >= _FLOOD_PERCENT:
        yield Check("index", "disks", by, "missing", "writes are blocked at 95 %; make room, then lift the block", needed=True)
    elif fullest >= _HIGH_PERCENT:
        yield Check("index", "disks", by, "partly", "at 95 % writes are blocked; make room")
    else:
        yield Check("index", "disks", by, "ready")
