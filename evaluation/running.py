"""Mneme as an operator runs it, for benchmarks: processes of their own on topics, indices and a folder of their own.

With OpenSearch that is ``mneme run`` between Kafka and the index, and ``mneme serve`` beside it where a service is wanted;
with the embedded index it is ``mneme serve`` alone, whose inbox and flow are its own.
"""

import socket
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from connectors import Publisher
from connectors.kafka.client import create_topics
from evaluation.faults.deployment import Deployment
from evaluation.faults.flow_process import FlowProcess, RunningFlow
from mneme.settings import Settings
from queries import Memories

_START_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Running(RunningFlow):
    """Processes that run. ``settings`` are those by which they are reached: with ``service.url`` where there is a service."""

    settings: Settings
    processes: tuple[FlowProcess, ...]

    def publisher(self) -> Publisher:
        """The way in: the service, or else Kafka."""
        return Publisher.connect(self.settings)

    def memories(self) -> Memories:
        """The way to search: the service, or else the index itself."""
        return Memories.connect(self.settings)

    @property
    def is_running(self) -> bool:
        """True while all processes run."""
        return all(process.is_running for process in self.processes)

    def status(self) -> str:
        """That of each process."""
        return ", ".join(process.status() for process in self.processes)

    def log(self) -> str:
        """The ends of what the processes printed."""
        return "\n".join(process.log() for process in self.processes)


@contextmanager
def running(
    settings: Settings, bench: str, service: bool, fill: Callable[[Settings], object] = lambda settings: None
) -> Iterator[Running]:
    """Start Mneme on an empty index, or one that ``fill`` has filled, and end it and remove everything afterwards.

    Args:
        settings: where the servers are; ``index.backend`` chooses what is run.
        bench: names the folder.
        service: whether there is a service; always with the embedded index, whose flow runs in it.
        fill: puts into the index, with the settings of it, what is to be there from the start.

    Raises:
        StoreError: a server does not answer, or a process ended at once; with the end of its log.
    """
    with tempfile.TemporaryDirectory(prefix=f"mneme-{bench}-") as folder, ExitStack() as stack:
        own, processes = settings, []
        if settings.index.backend == "opensearch":
            deployment = Deployment(settings, Path(folder))
            create_topics(deployment.settings.kafka)
            stack.enter_context(deployment)
            own = deployment.settings
            fill(own)
            deployment.start()
            deployment.flow.until_reading()
            processes.append(deployment.flow)
        else:
            own = settings.model_copy(update={"data": Path(folder)})
            fill(own)
            service = True
        own = own.replace(service={"url": None, "port": _free_port()})
        if service:
            server = stack.enter_context(FlowProcess(own, command=("serve",), log="serve.log"))
            processes.append(server)
            url = f"http://{own.service.host}:{own.service.port}"
            Running(own, tuple(processes)).until(lambda: _is_live(url), _START_SECONDS)
            own = own.replace(service={"url": url})
        yield Running(own, tuple(processes))


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _is_live(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health/live", timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, TimeoutError):
        return False
