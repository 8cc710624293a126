"""The process that asks the models in a run's place, and outlives it."""

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from connectors.endpoints.openai_chat import OpenAiChat
from evaluation.answers.recorder import has_form, recorded, traffic
from evaluation.recording.replayer import replayed
from mneme.errors import StoreUnavailable
from mneme.ports import Prompt, Role
from mneme.settings import Models, Settings, load_settings
from tests.servers.models import Fault, ModelServer

A_RUN_THAT_ASKS = """
import sys
from pathlib import Path
from tests.evaluation.answers.test_recorder import ask, recorded, settings_for
with recorded(settings_for(sys.argv[1]), Path(sys.argv[2])) as settings:
    ask(settings)
"""


class Note(BaseModel):
    """The form of the answers."""

    subject: str


def settings_for(url: str) -> Settings:
    models = Models(provider="openai", base_url=url, deadline_seconds=20).model_copy(
        update={"retries": 3, "retry_base_seconds": 0.01}
    )
    return load_settings({}).model_copy(update={"models": models})


def ask(settings: Settings, text: str = "What grows in the garden?") -> str:
    chat = OpenAiChat(settings.models)
    try:
        return chat.answer(Prompt(Role.JUDGE, "Rules.", text), Note).subject
    finally:
        chat.close()


def test_what_was_answered_once_is_not_asked_again(model_server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "recordings.jsonl"
    with recorded(settings_for(model_server.url), path) as settings:
        first = ask(settings)
    with recorded(settings_for(model_server.url), path) as settings:
        assert ask(settings) == first
        ask(settings, "Another question")
    assert model_server.calls() == 2
    assert traffic(path) == {"recorded": 2, "from the file": 1}


def test_a_run_that_is_killed_loses_no_answer_that_was_under_way(tmp_path: Path) -> None:
    path = tmp_path / "recordings.jsonl"
    waiting, go_on = threading.Event(), threading.Event()
    with ModelServer() as server:

        def slowly(schema: dict[str, Any], user: str) -> dict[str, str]:
            waiting.set()
            assert go_on.wait(120)
            return {"subject": "beans"}

        server.answer = slowly
        with subprocess.Popen([sys.executable, "-c", A_RUN_THAT_ASKS, server.url, str(path)]) as run:
            assert waiting.wait(120)
            run.send_signal(signal.SIGKILL)
        # The next run waits for the recorder of the first, which waits for the model.
        threading.Timer(0.3, go_on.set).start()
        with recorded(settings_for(server.url), path) as settings:
            assert ask(settings) == "beans"
        assert server.calls() == 1


def test_faults_pass_through_and_are_counted(model_server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "recordings.jsonl"
    model_server.script(Fault("rate_limited"), Fault("error"))
    with recorded(settings_for(model_server.url), path) as settings:
        ask(settings)
    assert traffic(path) == {"not recorded (429)": 1, "not recorded (500)": 1, "recorded": 1}


def test_an_answer_of_another_form_is_asked_again_at_the_next_start(model_server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "recordings.jsonl"
    model_server.script(Fault("malformed"), None)
    for _ in range(2):
        with recorded(settings_for(model_server.url), path) as settings:
            ask(settings)
    bodies = [request.body["messages"] for request in model_server.requests]
    assert [len(messages) for messages in bodies] == [2, 4, 2]  # asked, corrected; asked


def test_a_run_whose_endpoint_does_not_know_a_form_can_be_repeated_offline(tmp_path: Path) -> None:
    path = tmp_path / "recordings.jsonl"
    with ModelServer(formats=["json_object", "text"]) as server:
        asking = settings_for(server.url)
        with recorded(asking, path) as settings:
            first = ask(settings)
    with replayed(asking, path, tmp_path / "pending.jsonl") as settings:
        assert ask(settings) == first


def completion(content: str) -> str:
    return json.dumps({"choices": [{"message": {"content": content}}]})


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (completion('{"subject": "beans"}'), True),
        (completion('```json\n{"subject": "beans",}\n```'), True),
        (completion('{"weather": "fine"}'), False),
        (completion('{"subject": "be'), False),
        (completion("I would rather not"), False),
        (completion("[1]"), False),
        ("{}", False),
        ("", False),
    ],
)
def test_an_answer_has_the_form_if_its_fields_are_there(answer: str, expected: bool) -> None:
    schema = {"type": "object", "properties": {"subject": {}}, "required": ["subject"]}
    request = {"messages": [], "response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}
    assert has_form(request, answer) is expected


def streamed(*pieces: str) -> str:
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces] + [{"choices": [], "usage": {}}]
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (completion("I would rather not"), True),
        (completion(" \n"), False),
        ("{}", False),
        ("", False),
        (streamed("", "I would ", "rather not"), True),
        (streamed("", "\n"), False),
        (streamed(), False),
        ("data: [1]\n\n", False),
    ],
)
def test_an_answer_for_which_no_form_was_asked_has_a_text(answer: str, expected: bool) -> None:
    assert has_form({"messages": []}, answer) is expected


def test_what_is_no_chat_has_every_form() -> None:
    assert has_form({"input": "a kayak"}, "{}")


def test_a_recorder_that_cannot_start_is_told(tmp_path: Path) -> None:
    (tmp_path / "recordings.jsonl").write_text('{"not": "a recording"}\n')
    with (
        pytest.raises(StoreUnavailable, match="did not start"),
        recorded(settings_for("http://127.0.0.1:9/v1"), tmp_path / "recordings.jsonl"),
    ):
        pass
