"""Checks of servers: the index and Kafka."""

import json
from collections.abc import Iterator

from connectors.durable import is_locked
from connectors.inbox import inbox_folder
from connectors.indices import embedded_folder, open_index
from connectors.models import open_embedder
from flows.running.recovery import FILES, IMPORT, NAMED_FILES, why_unfinished
from mneme.errors import MnemeError, StoreError, StoreRejected, StoreUnavailable
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Settings
from serving.checks import Check, failed, flows_running

_FLOOD_PERCENT, _HIGH_PERCENT = 95.0, 85.0  # of a disk: OpenSearch blocks writes, and takes no more shards (its defaults)
_OLDEST_OPENSEARCH = (2, 4)  # the first with efficient filters for the lucene engine


def index(settings: Settings) -> Iterator[Check]:
    """The index of the settings."""
    if settings.index.backend == "opensearch":
        from connectors.opensearch.state import read_state

        try:
            state = read_state(settings.opensearch)
        except StoreError as error:
            yield failed("index", "OpenSearch", "", error)
            return
        yield _version(state.version)
        yield _plugin(state.plugins)
        yield _health(state.health)
        yield from _disks(state.disks_percent)
    else:
        folder = embedded_folder(settings)
        by = f"{folder}, {'a process writes to it' if is_locked(folder) else 'nobody writes to it'}"
        yield Check("index", "embedded index", by, "ready")
    yield from _contents(settings)


def _contents(settings: Settings) -> Iterator[Check]:
    """The rows, the embedder that they are of, and what was interrupted."""
    opened = open_index(settings, read_only=True)
    try:
        try:
            metadata = opened.metadata()
            rows = opened.count(Collection.MESSAGES)
        except StoreError as error:
            if "no index here yet" in str(error):
                yield Check("index", "memories", "none yet", "partly", str(error))
                yield from _unfinished(settings, {})
            else:
                yield failed("index", "memories", "", error, needed=isinstance(error, StoreRejected))
            return
        yield Check("index", "memories", f"{rows:,} messages", "ready")
        yield _embedder(settings, opened)
        yield from _unfinished(settings, metadata)
    finally:
        opened.close()


def _embedder(settings: Settings, opened: "MemoryIndex") -> Check:
    try:
        embedder = open_embedder(settings)
    except MnemeError:
        return Check("index", "embedder of the index", "not compared", "partly", "see models: the embedder cannot be opened")
    try:
        opened.prepare(embedder.identity)
    except StoreUnavailable as error:
        return Check("index", "embedder of the index", "not compared", "unknown", str(error))
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
        remedy += f"; set {' '.join(settings_to_set)}, then run `mneme admin reindex`"
    return Check("index", "embedder of the index", identity.fingerprint, "partly", remedy)


def _unfinished(settings: Settings, metadata: "dict[str, str]") -> Iterator[Check]:
    """Tell what was interrupted: a rebuild or move of the index, an import, an ingestion of files. What runs is no concern."""
    running = flows_running(settings.data)
    if (why := why_unfinished(metadata)) and not running and not is_locked(settings.data / "rebuild"):
        yield Check("index", "rebuild or move", "interrupted, or running elsewhere", "missing", why, needed=True)
    if (begun := metadata.get(IMPORT)) and not running:
        owner = begun.rpartition("@")[0]
        remedy = f"an import of {owner} has begun and not ended: repeat `mneme admin import` with its file"
        yield Check("index", "import", "interrupted, or running elsewhere", "missing", remedy, needed=True)
    note = settings.data / "recovery" / FILES / NAMED_FILES
    if note.exists() and (FILES not in running or is_locked(inbox_folder(settings.data))):  # the inbox's flow holds it as well
        files = ", ".join(json.loads(note.read_text(encoding="utf-8")))
        remedy = f"an ingestion of {files} has begun and not ended: repeat it, and it goes on where it was"
        yield Check("index", "ingestion of files", "interrupted", "partly", remedy)


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


_SHORTEST_RETENTION_HOURS = 24.0  # a weekend would be better: what is deleted before it was read is lost


def kafka(settings: Settings) -> Iterator[Check]:
    """Broker, topics, retention and group; one line where events do not come by Kafka."""
    if settings.intake != "kafka":
        yield Check("kafka", "not used", "events come by files and the inbox (MNEME_SERVICE__INTAKE)", "ready")
        return
    from connectors.kafka.state import read_state

    servers = settings.kafka.bootstrap_servers
    try:
        state = read_state(settings.kafka)
    except StoreError as error:
        yield failed("kafka", "broker", servers, error)
        return
    brokers = f"{servers}, {state.brokers} broker{'s' * (state.brokers != 1)}"
    yield Check("kafka", "broker", brokers, "ready")
    for topic in state.topics:
        if topic.partitions == 0:
            remedy = f"{topic.name} is not there yet: `mneme run` makes it"
            yield Check("kafka", topic.name, "", "missing", remedy)
            continue
        what = f"{topic.partitions} partitions"
        remedies = []
        if topic.retention_hours is not None:
            what += f", kept {topic.retention_hours:g} h"
            if topic.is_input and topic.retention_hours < _SHORTEST_RETENTION_HOURS:
                remedies.append(
                    f"{topic.name} keeps events for {topic.retention_hours:g} h: if the flow rests for longer they are lost; "
                    "raise retention.ms"
                )
        if topic.is_compacted:
            remedies.append(f"{topic.name}: of events with one key Kafka keeps the last alone; set cleanup.policy=delete")
        if topic.replicas < min(2, state.brokers):
            remedies.append(f"{topic.name} lies on one broker; raise its replication factor")
        if topic.is_input and not topic.by_broker_time:
            remedies.append(f"{topic.name}: set message.timestamp.type=LogAppendTime, so that times of senders can be judged")
        yield Check("kafka", topic.name, what, "partly" if remedies else "ready", "; ".join(remedies))
    yield _consumer_group(settings.kafka.group_id, sum(state.unread.values()) if state.begun else None, state.lost)


def _consumer_group(name: str, unread: int | None, lost: tuple[str, ...]) -> Check:
    if lost:
        remedy = f"retention deleted what the flow had not read in {', '.join(lost)}; see docs/operations.md"
        return Check("kafka", f"group {name}", "", "missing", remedy, needed=True)
    if unread is None:
        return Check("kafka", f"group {name}", "nothing committed yet", "ready")
    return Check("kafka", f"group {name}", f"{unread:,} events not read", "ready")
