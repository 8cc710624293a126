"""``mneme run`` as an operator runs it: a process of its own, that a test may kill."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mneme.settings import Kafka, OpenSearch, Settings


def settings_for(data: Path, kafka: Kafka, opensearch: OpenSearch, **groups: object) -> Settings:
    """Settings of a deployment on the test's servers."""
    base = Settings(_env_file=None)
    return base.model_copy(
        update={
            "data": data,
            "kafka": kafka,
            "opensearch": opensearch,
            "index": base.index.model_copy(update={"backend": "opensearch"}),
            **groups,
        }
    )


def environment(settings: Settings) -> dict[str, str]:
    """The environment that gives a process these settings."""
    kafka, topics = settings.kafka, settings.kafka.topics
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_") or name == "MNEME_CACHE"}
    return clean | {
        "MNEME_DATA": str(settings.data),
        "MNEME_INDEX__BACKEND": settings.index.backend,
        "MNEME_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
        "MNEME_KAFKA__GROUP_ID": kafka.group_id,
        "MNEME_KAFKA__PARTITIONS": str(kafka.partitions),
        **{f"MNEME_KAFKA__TOPICS__{name.upper()}": getattr(topics, name) for name in type(topics).model_fields},
        "MNEME_OPENSEARCH__URL": settings.opensearch.url,
        "MNEME_OPENSEARCH__INDEX_PREFIX": settings.opensearch.index_prefix,
        "MNEME_BOUNDARIES__HOLD_BACK_SECONDS": str(settings.boundaries.hold_back_seconds),
        "MNEME_BOUNDARIES__IDLE_SECONDS": str(settings.boundaries.idle_seconds),
        "MNEME_FLOW__PENDING_LIMIT": str(settings.flow.pending_limit),
    }


class FlowProcess:
    """A running flow; leaving the context kills it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._log = settings.data / "run.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "FlowProcess":
        """Start it, or start it again after a kill."""
        self._settings.data.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "serving", "run"], env=environment(self._settings), stdout=log, stderr=log
            )
        return self

    def kill(self) -> None:
        """SIGKILL: no farewell."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def terminate(self, timeout: float = 20.0) -> int:
        """SIGTERM, and the exit status."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout)

    def until(self, condition: Callable[[], bool], timeout: float = 90.0) -> None:
        """Wait for something that the flow does; fails with its log if it ends or takes too long."""
        assert self._process is not None
        end = time.monotonic() + timeout
        while not condition():
            status = self._process.poll()
            if status is not None or time.monotonic() > end:
                raise AssertionError(f"the flow (exit status {status}) did not get there:\n{self.log()}")
            time.sleep(0.2)

    def wait(self, timeout: float = 20.0) -> int:
        """Wait for its end; the exit status."""
        assert self._process is not None
        return self._process.wait(timeout)

    def log(self) -> str:
        """The end of what it printed."""
        return self._log.read_text(errors="replace")[-6000:] if self._log.exists() else ""

    def __enter__(self) -> "FlowProcess":
        return self.start()

    def __exit__(self, *error: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
