"""A chat model for somebody who waits: text as it is written, a time for each call, and what it used."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from connectors.endpoints.backoff import Retries
from connectors.endpoints.openai_chat import OpenAiChat
from mneme.errors import ModelError, ModelMalformed, ModelRefused, ModelTimeout
from mneme.ports import Prompt, Role
from mneme.settings import Models
from tests.cases.groups import group_of
from tests.connectors.model_help import Clock
from tests.contracts.chat_model import Notes
from tests.servers.models import RATE_LIMITED, Fault, ModelServer

PROMPT = Prompt(Role.ANSWER, "Answer.", "Where does Lee work? Say it in a few words, please.")
Open = Callable[..., OpenAiChat]


@pytest.fixture
def open_chat(model_server: ModelServer) -> Iterator[Open]:
    opened: list[OpenAiChat] = []

    def open_with(retries: Retries | None = None, repair: bool = True, **settings: Any) -> OpenAiChat:
        defaults: dict[str, Any] = {"provider": "openai", "base_url": model_server.url, "default": "small"}
        opened.append(OpenAiChat(group_of(Models, **(defaults | settings)), retries or Clock().retries(), repair=repair))
        return opened[-1]

    yield open_with
    for chat in opened:
        chat.close()


class TestWrite:
    def test_a_text_comes_in_pieces(self, open_chat: Open) -> None:
        pieces = list(open_chat().write(PROMPT))
        assert len(pieces) > 3
        assert "".join(pieces) == f"You said: {PROMPT.user}"

    def test_the_first_piece_is_there_before_the_last_is_written(self, open_chat: Open, model_server: ModelServer) -> None:
        model_server.script(Fault("slow", seconds=20.0))
        writing = open_chat(Retries(0, 0.0, 60.0)).write(PROMPT)
        assert next(writing)
        assert model_server.in_flight == 1
        writing.close()

    def test_what_it_used_is_told_at_the_end(self, open_chat: Open) -> None:
        used: list[tuple[int, int]] = []
        chat = open_chat()
        text = "".join(chat.write(PROMPT, spent=lambda asked, answered: used.append((asked, answered))))
        (asked, answered) = used[0]
        assert asked > 10
        assert answered >= len(text) // 8
        assert chat.usage()[Role.ANSWER].calls == 1
        assert chat.usage()[Role.ANSWER].output_tokens == answered

    def test_a_text_that_nobody_reads_to_its_end_is_counted_too(self, open_chat: Open) -> None:
        used: list[tuple[int, int]] = []
        writing = open_chat().write(PROMPT, spent=lambda asked, answered: used.append((asked, answered)))
        next(writing)
        writing.close()
        assert used[0][1] > 0

    def test_a_call_that_nothing_came_of_used_nothing(self, open_chat: Open, model_server: ModelServer) -> None:
        model_server.script(*[Fault("error")] * 9)
        used: list[tuple[int, int]] = []
        with pytest.raises(ModelError):
            list(open_chat().write(PROMPT, spent=lambda asked, answered: used.append((asked, answered))))
        assert used == []

    def test_a_call_that_is_refused_for_now_is_tried_again_before_the_first_piece(
        self, open_chat: Open, model_server: ModelServer
    ) -> None:
        model_server.script(RATE_LIMITED, Fault("error"), None)
        assert "".join(open_chat().write(PROMPT)).startswith("You said")
        assert model_server.calls() == 3

    def test_a_text_that_breaks_off_is_an_error_and_is_not_asked_for_again(
        self, open_chat: Open, model_server: ModelServer
    ) -> None:
        model_server.script(Fault("drop"))
        writing = open_chat().write(PROMPT)
        assert next(writing)
        with pytest.raises(ModelError, match="broke off"):
            list(writing)
        assert model_server.calls() == 1

    def test_a_text_that_takes_too_long_is_a_time_out(self, open_chat: Open, model_server: ModelServer) -> None:
        model_server.script(Fault("slow", seconds=30.0))
        started = time.monotonic()
        with pytest.raises(ModelTimeout):
            list(open_chat(Retries(0, 0.0, 60.0)).write(PROMPT, seconds=0.5))
        assert time.monotonic() - started < 20

    def test_an_error_among_the_events_is_an_error(self, open_chat: Open, monkeypatch: pytest.MonkeyPatch) -> None:
        broken = [b'data: {"choices": [{"delta": {"content": "Lee"}}]}\n\n', b'data: {"error": {"message": "overloaded"}}\n\n']
        monkeypatch.setattr("tests.servers.model_http.events", lambda answer, with_usage: broken)
        with pytest.raises(ModelError, match=r"broke off \(overloaded\)"):
            list(open_chat().write(PROMPT))

    def test_a_text_may_hold_separators_that_are_no_line_ends(self, open_chat: Open, monkeypatch: pytest.MonkeyPatch) -> None:
        text = "one\u2028two\x85three"
        choice = {"delta": {"content": text}, "finish_reason": "stop"}
        event = json.dumps({"choices": [choice]}, ensure_ascii=False)  # as many endpoints write it
        monkeypatch.setattr(
            "tests.servers.model_http.events", lambda answer, with_usage: [f"data: {event}\r\n\r\ndata: [DONE]".encode()]
        )
        assert "".join(open_chat().write(PROMPT)) == text

    def test_a_refusal_of_the_content_is_an_error(self, open_chat: Open, model_server: ModelServer) -> None:
        model_server.script(Fault("refusal"))
        with pytest.raises(ModelRefused):
            list(open_chat().write(PROMPT))

    def test_a_reasoning_model_gets_its_effort_and_no_temperature(self, open_chat: Open, model_server: ModelServer) -> None:
        list(open_chat(default="gpt-5", reasoning_effort="medium").write(PROMPT))
        list(open_chat(default="small", reasoning_effort="medium").write(PROMPT))
        reasoning, plain = (request.body for request in model_server.requests)
        assert reasoning["reasoning_effort"] == "medium"
        assert "temperature" not in reasoning
        assert plain["temperature"] == 0
        assert "reasoning_effort" not in plain


class TestAnswer:
    def test_seconds_are_the_whole_time_of_a_call(self, open_chat: Open, model_server: ModelServer) -> None:
        model_server.script(Fault("hang", seconds=30.0))
        started = time.monotonic()
        with pytest.raises(ModelTimeout):
            open_chat(Retries(5, 0.1, 60.0)).answer(PROMPT, Notes, seconds=0.5)
        assert time.monotonic() - started < 20

    def test_every_completion_is_told_also_one_that_does_not_fit(self, open_chat: Open, model_server: ModelServer) -> None:
        model_server.script(Fault("malformed"), None)
        used: list[tuple[int, int]] = []
        open_chat().answer(PROMPT, Notes, spent=lambda asked, answered: used.append((asked, answered)))
        assert len(used) == 2

    def test_without_repair_a_malformed_answer_is_not_asked_for_again(self, open_chat: Open, model_server: ModelServer) -> None:
        model_server.script(Fault("malformed"))
        with pytest.raises(ModelMalformed):
            open_chat(repair=False).answer(PROMPT, Notes)
        assert model_server.calls() == 1
