"""What a process that runs for long tells of itself, begun by its settings: logs, traces, metrics on a port."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from connectors.telemetry import tracing
from connectors.telemetry.logs import start_logs
from mneme.settings import Settings


@contextmanager
def telemetry(settings: Settings, service: str, mark: str = "", metrics_port: bool = False) -> Iterator[None]:
    """Tell of this process while the block runs.

    Args:
        settings: what is told, and how.
        service: its name in traces: ``mneme-serve``, ``mneme-flow``.
        mark: of this process among several: ``2/4``.
        metrics_port: whether its metrics are shown on ``telemetry.metrics_port``.

    Raises:
        SettingsError: the port is taken, or OpenTelemetry is asked for and not installed.
    """
    told = settings.telemetry
    with ExitStack() as stack:
        start_logs(settings, mark)
        if told.traces:
            tracing.start(service)
            stack.callback(tracing.stop)
        if metrics_port and told.metrics_port:
            from connectors.telemetry.exposition import show_metrics

            stack.callback(show_metrics(told.host, told.metrics_port))
        yield
