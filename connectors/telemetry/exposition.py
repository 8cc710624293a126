"""The metrics of this process and of those that it started, as Prometheus reads them.

A child process that was started with ``child_environment()`` keeps its values in files of a folder of ours
(prometheus_client's multiprocess mode); ``exposition`` adds them to ours, sample by sample. Of a child that ended its counts
stay, so that no counter falls when the flow is started again, and its gauges go (``child_ended``).
"""

import tempfile
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.samples import Sample

from connectors.telemetry.metrics import REGISTRY, TIMES
from mneme.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

CONTENT_TYPE = CONTENT_TYPE_LATEST

_folder: "tempfile.TemporaryDirectory[str] | None" = None
_making = threading.Lock()


def child_environment() -> dict[str, str]:
    """The environment variables with which a child process's metrics are shown with ours."""
    global _folder
    with _making:
        if _folder is None:
            _folder = tempfile.TemporaryDirectory(prefix="mneme-metrics-", ignore_cleanup_errors=True)
    return {"PROMETHEUS_MULTIPROC_DIR": _folder.name}


def child_ended(process_id: int) -> None:
    """A child process is gone: its gauges tell nothing any more."""
    if _folder is not None:
        mark_process_dead(process_id, _folder.name)  # type: ignore[no-untyped-call]


def exposition() -> bytes:
    """All metrics in Prometheus's text format, of type ``CONTENT_TYPE``."""
    return generate_latest(_both)


class _Both(CollectorRegistry):
    """Our registry and the children's folder as one."""

    def collect(self) -> Iterable[Metric]:
        own = list(REGISTRY.collect())
        if _folder is None or not any(Path(_folder.name).iterdir()):
            return own
        children: list[Metric] = list(MultiProcessCollector(None, _folder.name).collect())  # type: ignore[no-untyped-call]
        return added_up(own, children)


_both = _Both()


def added_up(own: Iterable[Metric], others: Iterable[Metric]) -> list[Metric]:
    """Both as one: samples of the same name and labels are added, of moments the latest counts, families keep the order of
    ``own``.
    """
    families: dict[str, Metric] = {}
    values: dict[str, dict[tuple[str, tuple[tuple[str, str], ...]], float]] = {}
    for family in (*own, *others):
        families.setdefault(family.name, family)
        sums = values.setdefault(family.name, {})
        for sample in family.samples:
            key = sample.name, tuple(sorted(sample.labels.items()))
            so_far = sums.get(key, 0.0)
            sums[key] = max(so_far, sample.value) if family.name.endswith(TIMES) else so_far + sample.value
    merged = []
    for name, family in families.items():
        whole = Metric(family.name, family.documentation, family.type, family.unit)
        whole.samples = [Sample(sample, dict(labels), value) for (sample, labels), value in values[name].items()]
        merged.append(whole)
    return merged


def show_metrics(host: str, port: int) -> "Callable[[], None]":
    """Answer ``GET /metrics`` on a port, in a thread of its own; what is returned ends it.

    Raises:
        SettingsError: the port cannot be opened.
    """
    try:
        server, thread = start_http_server(port, host, registry=_both)
    except OSError as error:
        raise SettingsError(
            f"MNEME_TELEMETRY__METRICS_PORT: {host}:{port} cannot be opened ({error.strerror}); choose another, or 0 for none"
        ) from error

    def end() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return end


Labels = Mapping[str, str]
Samples = Mapping[str, list[tuple[Labels, float]]]


def read_exposition(text: str) -> Samples:
    """The samples of a process by name: ``mneme_flow_events_total`` and its labels with their values."""
    from prometheus_client.parser import text_string_to_metric_families

    samples: dict[str, list[tuple[Labels, float]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            samples.setdefault(sample.name, []).append((sample.labels, sample.value))
    return samples
