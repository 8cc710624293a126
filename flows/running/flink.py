"""The flow on a Flink cluster: submitted, followed, and stopped with a savepoint, from which the next start goes on.

1. Hold the recovery store, which names the newest checkpoint, and begin a run on the index.
2. Submit the dataflow (flows/engines/flink.py). A job of this store that still runs is followed instead; one that was submitted
   with other settings, another number of slots or by another Mneme is stopped with a savepoint first.
3. Follow it. Flink restarts what fails. A job that is gone, with a JobManager that died, is submitted again from its newest
   checkpoint, as a new run.
4. Told to stop, stop it with a savepoint. Another number of slots, or a newer Mneme, then goes on from there.
"""

import json
import logging
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from connectors.durable import replace_json
from flows.engines.flink_worker import FlinkRun
from flows.running.recovery import RecoveryStore
from mneme import __version__
from mneme.errors import SettingsError, StoreError, StoreRejected, StoreUnavailable
from mneme.ids import short_hash
from mneme.records import is_another_topic
from mneme.settings import Settings
from mneme.times import to_milliseconds, utc_now

Submit = Callable[[FlinkRun, int, str, str | None], str]

_PLACE = "newest.json"  # in the store: the job, and the checkpoint or savepoint to go on from
_GLANCE_SECONDS = 1.0
_TOPICS_SECONDS = 10.0  # between looks whether a topic was made anew
_ALL_MOVED = 5  # checkpoints: each function had a tick for each group before, and took in what was moved
_ANSWER_SECONDS = 10.0
_SAVEPOINT_SECONDS = 120.0
_CANCEL_SECONDS = 60.0
_ALIVE = ("INITIALIZING", "CREATED", "RUNNING", "RESTARTING", "FAILING")

log = logging.getLogger(__name__)


class FlinkCluster:
    """A cluster by the REST address of its JobManager.

    Raises, each call:
        StoreUnavailable: it does not answer.
    """

    def __init__(self, jobmanager: str, transport: httpx.BaseTransport | None = None) -> None:
        self.address = jobmanager
        self._client = httpx.Client(base_url=f"http://{jobmanager}", timeout=_ANSWER_SECONDS, transport=transport)

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def slots(self) -> int:
        """The number of its slots."""
        return int(self._get("/overview")["slots-total"])

    def state_of(self, job: str) -> str | None:
        """The state of a job; None if it knows none of this name."""
        answer = self._ask("GET", f"/jobs/{job}")
        return str(answer["state"]) if answer is not None else None

    def newest_checkpoint(self, job: str) -> str | None:
        """The place of the newest complete checkpoint or savepoint of a job."""
        answer = self._ask("GET", f"/jobs/{job}/checkpoints") or {}
        latest = answer.get("latest") or {}
        complete = [each for each in (latest.get("completed"), latest.get("savepoint")) if each]
        return str(max(complete, key=lambda each: each["id"])["external_path"]) if complete else None

    def checkpoints(self, job: str) -> int:
        """The number of checkpoints of a job that are complete."""
        answer = self._ask("GET", f"/jobs/{job}/checkpoints") or {}
        return int((answer.get("counts") or {}).get("completed", 0))

    def runs_whole(self, job: str) -> bool:
        """Return whether all parts of a job run."""
        answer = self._ask("GET", f"/jobs/{job}") or {"vertices": []}
        return bool(answer["vertices"]) and all(each["status"] == "RUNNING" for each in answer["vertices"])

    def newest_failure(self, job: str) -> tuple[int, str]:
        """The time of the newest failure of a job, in milliseconds since 1970, and its cause in a line; 0 if there is none."""
        answer = self._ask("GET", f"/jobs/{job}/exceptions") or {}
        for entry in (answer.get("exceptionHistory") or {}).get("entries") or ():
            return int(entry["timestamp"]), _cause(entry["stacktrace"])
        return 0, "see the log of the JobManager"

    def checkpoint_folder(self) -> str | None:
        """The URI that the cluster has for checkpoints; None where it has none."""
        settings = {each["key"]: each["value"] for each in self._get("/jobmanager/config")}
        return settings.get("execution.checkpointing.dir") or settings.get("state.checkpoints.dir")

    def stop(self, job: str, folder: str) -> str:
        """Stop a job with a savepoint in a folder; where it is.

        Raises:
            StoreUnavailable: there is none within two minutes.
        """
        request = self._ask("POST", f"/jobs/{job}/stop", {"targetDirectory": folder, "drain": False}) or {}
        waited = threading.Event()
        for _ in range(int(_SAVEPOINT_SECONDS / _GLANCE_SECONDS)):
            answer = self._ask("GET", f"/jobs/{job}/savepoints/{request.get('request-id')}") or {}
            operation = answer.get("operation") or {}
            if "location" in operation:
                return str(operation["location"])
            if "failure-cause" in operation:
                raise StoreUnavailable(f"Flink made no savepoint: {_cause(operation['failure-cause'].get('stack-trace', ''))}")
            waited.wait(_GLANCE_SECONDS)
        raise StoreUnavailable(f"Flink made no savepoint within {_SAVEPOINT_SECONDS:.0f} s")

    def cancel(self, job: str) -> None:
        """End a job without a savepoint; its checkpoints stay.

        Raises:
            StoreUnavailable: it has not ended within a minute.
        """
        with suppress(StoreUnavailable):  # one that has just ended refuses it
            self._ask("PATCH", f"/jobs/{job}")
        waited = threading.Event()
        for _ in range(int(_CANCEL_SECONDS / _GLANCE_SECONDS)):
            if self.state_of(job) not in (*_ALIVE, "CANCELLING"):
                return
            waited.wait(_GLANCE_SECONDS)
        raise StoreUnavailable(f"Flink has not cancelled the job {job} within {_CANCEL_SECONDS:.0f} s: stop it again")

    def _get(self, path: str) -> Any:
        answer = self._ask("GET", path)
        if answer is None:
            raise SettingsError(f"--jobmanager {self.address}: no JobManager of Flink answers there; give its REST address")
        return answer

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        try:
            answer = self._client.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise StoreUnavailable(
                f"the JobManager at {self.address} does not answer: {error}; start it, or give its address with --jobmanager"
            ) from error
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        if answer.is_error:
            raise StoreUnavailable(f"the JobManager at {self.address} answers {answer.status_code}: {answer.text[:300]}")
        return answer.json()


def run_on_flink(
    settings: Settings,
    store: RecoveryStore,
    cluster: FlinkCluster,
    stopping: threading.Event,
    on_ready: Callable[[], None],
    topic_ids: Callable[[], Mapping[str, str]],
    begin: Callable[[], int],
    submit: Submit,
    wrote: Callable[[], None],
) -> None:
    """Run the flow from Kafka in ``flow.processes`` slots of a cluster, until ``stopping``.

    Args:
        settings: where and how; the workers get them with the job.
        store: the recovery store, held by this process.
        cluster: where it runs.
        stopping: set when the flow is to end.
        on_ready: called when all slots read for the first time.
        topic_ids: the ids of the topics that are read, by name; makes those that are missing.
        begin: begins a run on the index; its number.
        submit: hands the dataflow to the cluster (flows/engines/flink.py).
        wrote: called when a newer checkpoint is complete, and so something may have been written (``WriteMark``).

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
    """
    settings = settings.model_copy(update={"data": settings.data.absolute()})  # a worker has a working directory of its own
    if settings.index.backend == "embedded":
        raise SettingsError("--engine flink: the embedded index has one writing process; set MNEME_INDEX__BACKEND=opensearch")
    if (slots := cluster.slots()) < settings.flow.processes:
        raise SettingsError(
            f"--processes is {settings.flow.processes}, and the cluster has {slots} slots: start TaskManagers, or ask for fewer"
        )
    jobs, was_whole, failed_at = _Jobs(settings, store, cluster), False, to_milliseconds(utc_now())
    ids, looked_at = topic_ids(), time.monotonic()
    jobs.refuse_made_anew(ids)
    job = jobs.running() or jobs.submitted(ids, begin, submit)
    while not stopping.wait(_GLANCE_SECONDS):
        try:
            state = cluster.state_of(job)
            if state in _ALIVE:
                failure, cause = cluster.newest_failure(job)
                if failure > failed_at:
                    failed_at = failure
                    log.warning("Flink begins again from the newest checkpoint: %s", cause)
                if store.moved.exists() and cluster.checkpoints(job) >= _ALL_MOVED:
                    store.moved.unlink()
                if (newest := cluster.newest_checkpoint(job)) is not None and jobs.keep(newest):
                    wrote()
                if time.monotonic() - looked_at >= _TOPICS_SECONDS:
                    looked_at = time.monotonic()
                    with suppress(StoreError):  # of a broker that does not tell; the job's own failure will
                        ids = topic_ids()
                    jobs.refuse_made_anew(ids)
                if not was_whole and cluster.runs_whole(job):
                    was_whole = True
                    on_ready()
                continue
            if state is not None and not was_whole:
                raise StoreUnavailable(f"the job {job} of Flink is {state}: {cluster.newest_failure(job)[1]}")
            log.warning("the job %s of Flink is %s; submitting it again", job, state or "gone")
            jobs.refuse_made_anew(ids := topic_ids())
            job = jobs.submitted(ids, begin, submit)
        except StoreUnavailable as error:
            if not was_whole:
                raise
            log.warning("%s", error)
        except StoreRejected:
            with suppress(StoreUnavailable):  # what was refused is the news
                if cluster.state_of(job) in _ALIVE:
                    jobs.stop(job)
            raise
    if cluster.state_of(job) in _ALIVE:
        jobs.stop(job)


class _Jobs:
    """The jobs of a store on a cluster, and the store's note of the newest: its id, and the checkpoint to go on from."""

    def __init__(self, settings: Settings, store: RecoveryStore, cluster: FlinkCluster) -> None:
        self._settings = settings
        self._store = store
        self._cluster = cluster
        self._folder = cluster.checkpoint_folder() or store.epochs.absolute().as_uri()
        self._note = store.epochs / _PLACE
        self._settings_now = short_hash(f"{__version__} {settings.model_dump_json()}")

    def submitted(self, ids: Mapping[str, str], begin: Callable[[], int], submit: Submit) -> str:
        """The id of a job that goes on from the newest checkpoint."""
        settings, store, number = self._settings, self._store, begin()
        moved = store.moved.absolute() if store.moved.exists() else None
        run = FlinkRun(settings, number, utc_now(), f"mneme {store.id}", self._cluster.address, ids, moved)
        newest = self._newest()
        job = submit(run, settings.flow.processes, self._folder, newest)
        replace_json(self._note, {"job": job, "newest": newest, "stopped": False, "of": self._settings_now, "topics": ids})
        return job

    def refuse_made_anew(self, ids: Mapping[str, str]) -> None:
        """Refuse topics that were made anew since the job was submitted: its offsets are of those before, and it stops.

        Raises:
            StoreRejected: names them.
        """
        note = self._read_note()
        before = note.get("topics", {})
        anew = [topic for topic, now in ids.items() if is_another_topic(before.get(topic, ""), now)]
        if not anew:
            return
        if self._cluster.state_of(note["job"]) in _ALIVE:
            self.stop(note["job"])
        raise StoreRejected(
            f"{', '.join(anew)}: made anew in Kafka, whose offsets begin again. To go on, remove {self._store.epochs.parent}, "
            "and start the flow once with MNEME_FLOW__ADOPT_INDEX=true: what the topics have is read, and nothing is "
            "duplicated. Then `mneme admin rebuild` makes the episodes of conversations that were open"
        )

    def running(self) -> str | None:
        """The job that runs as these settings say; None where there is none, or no longer."""
        note = self._read_note()
        if not note or self._cluster.state_of(note["job"]) not in _ALIVE:
            return None
        if note["of"] == self._settings_now:
            return str(note["job"])
        self.stop(note["job"])
        return None

    def stop(self, job: str) -> None:
        """Stop a job with a savepoint. One that makes none, as while it begins again, is cancelled: a checkpoint is as good."""
        try:
            self.keep(self._cluster.stop(job, self._folder), is_stopped=True)
        except StoreUnavailable as error:
            if (newest := self._cluster.newest_checkpoint(job)) is not None:
                self.keep(newest)
            if self._cluster.state_of(job) in _ALIVE:
                self._cluster.cancel(job)
            log.warning("%s; the next start goes on from its newest checkpoint", error)

    def keep(self, newest: str, is_stopped: bool = False) -> bool:
        """Note a checkpoint or a savepoint; whether it is another one than before."""
        note = self._read_note()
        if is_news := (value := note | {"newest": newest, "stopped": is_stopped}) != note:
            replace_json(self._note, value)
        return is_news

    def _read_note(self) -> dict[str, Any]:
        note: dict[str, Any] = json.loads(self._note.read_text()) if self._note.exists() else {}
        return note

    def _newest(self) -> str | None:
        """The newest checkpoint: the one that was noted, or one that its job made since, if the folder can be looked into."""
        note, place = self._read_note(), urlsplit(self._folder)
        noted: str | None = note.get("newest")
        if not note or place.scheme != "file" or note["stopped"]:
            return noted
        made = [each.parent for each in (Path(unquote(place.path)) / note["job"]).glob("chk-*/_metadata")]
        newest = max(made, key=lambda each: int(each.name.removeprefix("chk-")), default=None)
        return newest.as_uri() if newest is not None else noted


def _cause(stacktrace: str) -> str:
    """The line that tells most: the last of a traceback of Python, else the last cause of Java."""
    lines = stacktrace.splitlines()
    errors = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception|Unavailable|Rejected)\b", line)]
    return (errors or [line for line in lines if line.startswith("Caused by")] or lines or [""])[-1]
