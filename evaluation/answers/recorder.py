"""The process through which a run asks its chat models, so that nothing is asked twice whenever the run is killed.

A run that is killed has calls under way; what they answer is paid for, and would be lost with it. Hence a process of its own
stands in front of the endpoint (evaluation/recording/recorder.py) and outlives the run:

1. The run starts it and tells it the endpoint; it waits until the one of the run before has ended.
2. Each answer is in the file of recordings, on the disk, before the run has it; what is in it is not asked again.
3. When the run ends, in whatever way, it finishes the calls under way, keeps their answers, and ends.

If it is killed as well, or the machine stops, the calls under way are asked again, and no others. An answer that does not
have the form that was asked for, or no text, is not kept: at the next start the model is asked again.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import RootModel

from connectors.durable import exclusive
from connectors.endpoints.answer_forms import parse_answer
from evaluation.recording.keyed_lines import KeyedLines
from evaluation.recording.local_endpoint import LocalEndpoint
from evaluation.recording.recorder import ModelRecorder
from evaluation.recording.recordings import Recording, Recordings, events
from mneme.errors import MnemeError, ModelMalformed, StoreUnavailable
from mneme.settings import Settings

_TRAFFIC = "traffic.jsonl"


@contextmanager
def recorded(settings: Settings, recordings: Path) -> Iterator[Settings]:
    """Settings whose chat models are asked through a recorder.

    Args:
        settings: of the program, with an endpoint.
        recordings: the file of recordings.

    Raises:
        StoreUnavailable: the process did not start.
    """
    started = subprocess.Popen(
        [sys.executable, "-m", "evaluation.answers.recorder", str(recordings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # what stops the run on a terminal does not stop it
    )
    assert started.stdin is not None
    assert started.stdout is not None
    with started:
        # 1. An URL may hold a login: it goes through the pipe, since anybody may read the words of a command.
        print(json.dumps([settings.models.base_url, settings.models.deadline_seconds]), file=started.stdin, flush=True)
        base_url = started.stdout.readline().strip()
        if not base_url:
            raise StoreUnavailable(f"{recordings}: the recorder of the models did not start; see its message above")
        yield settings.replace(models={"base_url": base_url})


def traffic(recordings: Path) -> Counter[str]:
    """Count all requests so far by their result, of each process that ended by itself."""
    counts: Counter[str] = Counter()
    for line in KeyedLines(recordings.with_name(_TRAFFIC), "count of requests", _ended):
        counts.update(line["counts"])
    return counts


class _Object(RootModel[dict[str, Any]]):
    """Any JSON object."""


class _FittingRecordings(Recordings):
    """Recordings without the answers that do not have the form that was asked for."""

    def add(self, *recordings: Recording) -> int:
        # What is no success is the refusal of a form, by which a repetition learns which form to ask for.
        return super().add(*(each for each in recordings if each.status >= 400 or has_form(each.request, each.answer)))


def has_form(request: Any, answer: str) -> bool:
    """Return whether the answer of a chat model is the JSON object that was asked for, with the fields that its schema wants.

    Slips of the pen that a client repairs count for nothing (connectors/endpoints/answer_forms.py). Where no form was asked
    for, whether it has a text: of none nothing can be made, and from the file it would come again for ever.
    """
    if not isinstance(request, dict) or "messages" not in request:
        return True
    wanted = request.get("response_format")
    try:
        text = _text(answer)
        if not isinstance(wanted, dict) or wanted.get("type") not in ("json_schema", "json_object"):
            return bool(text.strip())
        content = parse_answer(text, _Object).root
    except (ModelMalformed, ValueError, KeyError, IndexError, TypeError, AttributeError):
        return False
    return set(wanted.get("json_schema", {}).get("schema", {}).get("required", ())) <= set(content)


def _text(answer: str) -> str:
    """Return the text of a chat model, sent at once or as a stream."""
    if streamed := events(answer.encode(errors="surrogateescape")):
        choices = [choice for event in streamed for choice in (json.loads(event).get("choices") or ())[:1]]
        return "".join(choice["delta"].get("content") or "" for choice in choices)
    return json.loads(answer)["choices"][0]["message"]["content"] or ""


def _ended(line: Any) -> str:
    return str(line["ended"])


@contextmanager
def standing_before(upstream: str, seconds: float, recordings: Path) -> Iterator[str]:
    """The recorder's address, once the one before has ended. On leaving, steps 2 and 3: what is under way is finished."""
    with exclusive(recordings.with_name("recorder.lock")):
        recorder = ModelRecorder(_FittingRecordings(recordings), upstream, seconds)
        try:
            with LocalEndpoint(recorder) as front:
                yield front.base_url
        finally:
            recorder.close()
            ended = {"ended": datetime.now(UTC).isoformat(), "counts": recorder.counts}
            KeyedLines(recordings.with_name(_TRAFFIC), "count of requests", _ended).add(ended)


def main() -> None:
    """The process: says its address on standard output, and ends after standard input has ended."""
    upstream, seconds = json.loads(sys.stdin.readline())
    with standing_before(upstream, seconds, Path(sys.argv[1])) as address:
        print(address, flush=True)
        sys.stdin.read()  # until the run ends


if __name__ == "__main__":
    try:
        main()
    except MnemeError as error:
        sys.exit(str(error))
