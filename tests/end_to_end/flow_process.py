"""A deployment on the test's servers: run as an operator runs it, or in a thread of the test."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from evaluation.faults.deployment import Background
from evaluation.faults.flow_process import FlowProcess
from flows import run
from mneme.settings import Kafka, OpenSearch, Settings

__all__ = ["FlowProcess", "FlowThread", "settings_for"]


class FlowThread(Background):
    """The flow in a thread, for tests of what it makes: a process of its own takes seconds of a processor to begin.

    Leaving the context stops it in order; what it failed with is raised there.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(partial(run, settings), ends_by_itself=False)

    def until(self, condition: Callable[[], bool], timeout: float = 90.0) -> None:
        """Wait for something that the flow does, for at most so many seconds."""
        end = time.monotonic() + timeout
        while not condition():
            if self._failure is not None:
                raise self._failure
            assert not self.is_done, "the flow has ended"
            assert time.monotonic() < end, f"the flow did not get there in {timeout:.0f} s"
            self.wait(0.05)


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
