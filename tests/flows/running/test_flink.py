"""The program that submits the flow to a Flink cluster and follows it; the cluster's REST address is played."""

import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest

from flows.engines.flink_worker import FlinkRun
from flows.running.flink import FlinkCluster, run_on_flink
from flows.running.recovery import RecoveryStore
from mneme.errors import SettingsError, StoreRejected, StoreUnavailable
from mneme.settings import Settings

pytestmark = pytest.mark.slow


class PlayedCluster:
    """A cluster of four slots, and what is submitted to it. ``stops`` are the states of the job at which a run is stopped."""

    def __init__(self) -> None:
        self.jobs: dict[str, str] = {}
        self.submitted: list[tuple[int, int, str | None]] = []
        self.moved: list[Path | None] = []
        self.savepoints = self.completed = 0
        self.checkpoint: str | None = None
        self.topic_ids = {"mneme.messages": "id"}
        self.refuses_savepoints = False
        self.stopping = threading.Event()

    def submit(self, run: FlinkRun, parallelism: int, folder: str, newest: str | None) -> str:
        self.moved.append(run.moved)
        self.submitted.append((run.number, parallelism, newest))
        job = f"job{len(self.submitted)}"
        self.jobs[job] = "RUNNING"
        return job

    def told_topics(self) -> dict[str, str]:
        return self.topic_ids

    def answer(self, request: httpx.Request) -> httpx.Response:
        parts = request.url.path.strip("/").split("/")
        if parts == ["overview"]:
            return httpx.Response(200, json={"slots-total": 4})
        if parts == ["jobmanager", "config"]:
            return httpx.Response(200, json=[{"key": "execution.checkpointing.dir", "value": "s3://folder"}])
        if parts[1] not in self.jobs:
            return httpx.Response(404, json={})
        match parts[2:]:
            case [] if request.method == "PATCH":
                self.jobs[parts[1]] = "CANCELED"
                return httpx.Response(202, json={})
            case []:
                state = self.jobs[parts[1]]
                return httpx.Response(200, json={"state": state, "vertices": [{"status": state}]})
            case ["checkpoints"]:
                latest = {"completed": {"id": 1, "external_path": self.checkpoint}} if self.checkpoint else {}
                return httpx.Response(200, json={"latest": latest, "counts": {"completed": self.completed}})
            case ["exceptions"]:
                trace = "org.apache.flink.Failed\nmneme.errors.StoreRejected: the index is full\n\tat java.lang.Thread"
                return httpx.Response(200, json={"exceptionHistory": {"entries": [{"timestamp": 1, "stacktrace": trace}]}})
            case ["stop"] if self.refuses_savepoints:
                return httpx.Response(202, json={"request-id": "refused"})
            case ["savepoints", "refused"]:
                cause = {"stack-trace": "CheckpointException: Not all required tasks are currently running."}
                return httpx.Response(200, json={"operation": {"failure-cause": cause}})
            case ["stop"]:
                self.jobs[parts[1]] = "FINISHED"
                self.savepoints += 1
                return httpx.Response(202, json={"request-id": "r"})
            case ["savepoints", "r"]:
                return httpx.Response(200, json={"operation": {"location": f"s3://folder/savepoint{self.savepoints}"}})
        raise AssertionError(request.url)


@pytest.fixture
def cluster() -> PlayedCluster:
    return PlayedCluster()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RecoveryStore]:
    with RecoveryStore(tmp_path / "store", "kafka", 256, 1, "flink") as store:
        store.epochs.mkdir()
        yield store


def settings_of(processes: int = 2) -> Settings:
    return Settings(_env_file=None).replace(index={"backend": "opensearch"}, flow={"processes": processes})


def follow(
    cluster: PlayedCluster,
    store: RecoveryStore,
    settings: Settings | None = None,
    on_ready: Callable[[], None] | None = None,
    wrote: Callable[[], None] = lambda: None,
) -> None:
    """Follow until the job runs, and stop; unless something else is to be done ``on_ready``."""
    run_on_flink(
        settings or settings_of(),
        store,
        FlinkCluster("flink:8081", httpx.MockTransport(cluster.answer)),
        cluster.stopping,
        on_ready or cluster.stopping.set,
        lambda: cluster.told_topics(),
        lambda: len(cluster.submitted) + 1,
        cluster.submit,
        wrote,
    )


def test_a_topic_that_was_made_anew_is_refused_by_name_and_its_job_stopped(
    cluster: PlayedCluster, store: RecoveryStore
) -> None:
    follow(cluster, store)
    cluster.jobs["job1"] = "RUNNING"  # as after a kill of the program that followed it
    cluster.topic_ids = {"mneme.messages": "another id"}
    with pytest.raises(StoreRejected, match=r"mneme.messages: made anew.*MNEME_FLOW__ADOPT_INDEX"):
        follow(cluster, store)
    assert cluster.jobs["job1"] == "FINISHED"
    assert len(cluster.submitted) == 1


def test_a_topic_that_is_made_anew_while_the_flow_runs_ends_it_and_stops_its_job(
    cluster: PlayedCluster, store: RecoveryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.running.flink._TOPICS_SECONDS", 0.0)
    made_anew = partial(cluster.topic_ids.update, {"mneme.messages": "another id"})
    with pytest.raises(StoreRejected, match=r"mneme.messages: made anew"):
        follow(cluster, store, on_ready=made_anew)
    assert cluster.jobs["job1"] == "FINISHED"


def test_a_broker_that_does_not_tell_its_topics_ends_no_flow(
    cluster: PlayedCluster, store: RecoveryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.running.flink._TOPICS_SECONDS", 0.0)
    at_the_start = iter([cluster.topic_ids])

    def told() -> dict[str, str]:
        for ids in at_the_start:
            return ids
        cluster.stopping.set()
        raise StoreRejected("see the broker's log")

    cluster.told_topics = told  # type: ignore[method-assign]
    follow(cluster, store, on_ready=lambda: None)
    assert cluster.savepoints == 1, "it was stopped in order"


def test_each_newer_checkpoint_is_told_once_as_something_written(cluster: PlayedCluster, store: RecoveryStore) -> None:
    told: list[str | None] = []

    def wrote() -> None:
        told.append(cluster.checkpoint)
        cluster.checkpoint = "s3://folder/chk-8"
        if told[-1] == cluster.checkpoint:
            cluster.stopping.set()

    cluster.checkpoint = "s3://folder/chk-7"
    follow(cluster, store, on_ready=lambda: None, wrote=wrote)
    assert told == ["s3://folder/chk-7", "s3://folder/chk-8"]


def test_an_index_that_another_flow_took_over_ends_the_flow_and_stops_its_job(
    cluster: PlayedCluster, store: RecoveryStore
) -> None:
    def wrote() -> None:
        raise StoreRejected("another flow has begun on this index")

    cluster.checkpoint = "s3://folder/chk-7"
    with pytest.raises(StoreRejected, match="another flow"):
        follow(cluster, store, wrote=wrote)
    assert cluster.jobs["job1"] == "FINISHED"


@pytest.mark.parametrize(("before", "now"), [("", "id"), ("id", "")])
def test_a_topic_without_an_id_is_not_refused(cluster: PlayedCluster, store: RecoveryStore, before: str, now: str) -> None:
    cluster.topic_ids = {"mneme.messages": before}
    follow(cluster, store)
    cluster.stopping.clear()
    cluster.topic_ids = {"mneme.messages": now}
    follow(cluster, store)
    assert len(cluster.submitted) == 2


def test_a_stop_makes_a_savepoint_from_which_the_next_start_goes_on_in_other_slots(
    cluster: PlayedCluster, store: RecoveryStore
) -> None:
    follow(cluster, store)
    cluster.stopping.clear()
    follow(cluster, store, settings_of(4))
    assert cluster.submitted == [(1, 2, None), (2, 4, "s3://folder/savepoint1")]


def test_a_job_that_makes_no_savepoint_is_cancelled_and_the_next_start_goes_on_from_its_newest_checkpoint(
    cluster: PlayedCluster, store: RecoveryStore
) -> None:
    cluster.refuses_savepoints, cluster.checkpoint = True, "s3://folder/chk-7"
    follow(cluster, store)
    assert cluster.jobs["job1"] == "CANCELED"
    cluster.stopping.clear()
    follow(cluster, store)
    assert cluster.submitted[1] == (2, 2, "s3://folder/chk-7")


def test_a_job_that_ends_by_itself_while_it_is_cancelled_is_stopped_all_the_same(
    cluster: PlayedCluster, store: RecoveryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.refuses_savepoints, answer = True, cluster.answer

    def ends(request: httpx.Request) -> httpx.Response:
        if request.method == "PATCH":
            cluster.jobs["job1"] = "FINISHED"
            return httpx.Response(409, json={"errors": ["the job has already reached another terminal state"]})
        return answer(request)

    monkeypatch.setattr(cluster, "answer", ends)
    follow(cluster, store)
    assert cluster.jobs["job1"] == "FINISHED"


def test_a_job_that_still_runs_as_the_settings_say_is_followed(cluster: PlayedCluster, store: RecoveryStore) -> None:
    follow(cluster, store)
    cluster.jobs["job1"] = "RUNNING"
    cluster.stopping.clear()
    follow(cluster, store)
    assert len(cluster.submitted) == 1


def test_a_job_that_runs_with_other_settings_is_stopped_first(cluster: PlayedCluster, store: RecoveryStore) -> None:
    follow(cluster, store)
    cluster.jobs["job1"] = "RUNNING"
    cluster.stopping.clear()
    follow(cluster, store, settings_of(3))
    assert cluster.submitted[1] == (2, 3, "s3://folder/savepoint2")
    assert cluster.jobs["job1"] == "FINISHED"


def test_a_job_that_went_with_its_jobmanager_is_submitted_again_from_its_newest_checkpoint(
    cluster: PlayedCluster, store: RecoveryStore
) -> None:
    cluster.checkpoint = "s3://folder/chk-7"
    answer = cluster.answer

    def forgets(request: httpx.Request) -> httpx.Response:
        if len(cluster.submitted) == 1 and (store.epochs / "newest.json").read_text().find("chk-7") > 0:
            cluster.jobs.clear()
        if len(cluster.submitted) == 2:
            cluster.stopping.set()
        return answer(request)

    cluster.answer = forgets  # type: ignore[method-assign]
    follow(cluster, store, on_ready=lambda: None)
    assert cluster.submitted == [(1, 2, None), (2, 2, "s3://folder/chk-7")]


def test_a_job_that_fails_at_once_is_told_with_the_error_of_its_worker(cluster: PlayedCluster, store: RecoveryStore) -> None:
    def submit(run: FlinkRun, parallelism: int, folder: str, newest: str | None) -> str:
        job = PlayedCluster.submit(cluster, run, parallelism, folder, newest)
        cluster.jobs[job] = "FAILED"
        return job

    cluster.submit = submit  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable, match=r"is FAILED: mneme.errors.StoreRejected: the index is full$"):
        follow(cluster, store)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (settings_of(5), "the cluster has 4 slots"),
        (settings_of().replace(index={"backend": "embedded"}), "MNEME_INDEX__BACKEND=opensearch"),
    ],
)
def test_what_cannot_run_there_is_refused(cluster: PlayedCluster, store: RecoveryStore, settings: Settings, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        follow(cluster, store, settings)
    assert not cluster.submitted


def test_the_store_of_one_engine_is_refused_by_the_other(store: RecoveryStore, tmp_path: Path) -> None:
    state = {"recovery_id": "x", "run": 1, "buckets": 256, "format": 1, "engine": "bytewax"}
    (tmp_path / "other" / "epochs").mkdir(parents=True)
    (tmp_path / "other" / "mneme.json").write_text(json.dumps(state))
    with pytest.raises(Exception, match="--engine bytewax"), RecoveryStore(tmp_path / "other", "kafka", 256, 1, "flink"):
        pass


def test_what_was_moved_goes_when_it_is_in_the_checkpoints(cluster: PlayedCluster, store: RecoveryStore) -> None:
    store.moved.write_bytes(b"archive")
    follow(cluster, store)
    assert store.moved.exists(), "no checkpoint is complete"
    assert cluster.moved == [store.moved.absolute()]
    cluster.completed = 5
    cluster.jobs["job1"] = "RUNNING"
    cluster.stopping.clear()
    follow(cluster, store)
    assert not store.moved.exists()
