"""A deployment on the test's servers: run as an operator runs it, or in a thread of the test."""

from pathlib import Path

from evaluation.faults.flow_process import FlowProcess, FlowThread
from mneme.settings import Kafka, OpenSearch, Settings

__all__ = ["FlowProcess", "FlowThread", "settings_for"]


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
