"""What every ChatModel promises (mneme/ports/), as tests.

Subclass ``ChatModelContract`` as ``TestSomething`` and supply the fixture ``chat``: a model behind ``model_server``.
"""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from mneme.errors import ModelMalformed, ModelRefused
from mneme.ports import ChatModel, Prompt, Role
from tests.servers.models import Fault, ModelServer

USER = (
    "[0] 2026-03-02T09:00:00+00:00 Anna: I moved to Lisbon. The flat has a balcony.\n[1] 2026-03-02T11:30:00+00:00 Ben: Nice!"
)


class Statement(BaseModel):
    """One thing that was said."""

    statement: str = Field(min_length=1)
    sources: list[int]
    event_at: datetime | None = None


class Notes(BaseModel):
    """A form with everything that forms have: nesting, lists, choices, dates, defaults."""

    subject: str
    facts: list[Statement]
    mood: Literal["calm", "nice"] = "calm"
    boundaries: tuple[int, ...] = ()


def ask(role: Role = Role.EXTRACTION, user: str = USER, scope: str = "acme/user/anna/chat-1") -> Prompt:
    return Prompt(role, "Take notes.", user, scope)


class ChatModelContract:
    """The promises."""

    def test_an_answer_has_the_form(self, chat: ChatModel) -> None:
        notes = chat.answer(ask(), Notes)
        assert [fact.statement for fact in notes.facts] == [
            "Anna: I moved to Lisbon.",
            "Anna: The flat has a balcony.",
            "Ben: Nice!",
        ]
        assert [fact.sources for fact in notes.facts] == [[0], [0], [1]]
        assert notes.boundaries == (1,)

    def test_use_is_counted_by_role(self, chat: ChatModel) -> None:
        chat.answer(ask(Role.EXTRACTION), Notes)
        chat.answer(ask(Role.ANSWER), Notes)
        chat.answer(ask(Role.ANSWER, "[0] Anna: Something else."), Notes)
        usage = chat.usage()
        assert {role: use.calls for role, use in usage.items()} == {Role.EXTRACTION: 1, Role.ANSWER: 2}
        assert all(use.input_tokens > 10 and use.output_tokens > 10 for use in usage.values())

    def test_what_never_fits_is_malformed(self, chat: ChatModel, model_server: ModelServer) -> None:
        model_server.script(*[Fault("wrong_schema")] * 2)
        with pytest.raises(ModelMalformed, match="subject"):
            chat.answer(ask(), Notes)

    def test_a_refusal_is_refused(self, chat: ChatModel, model_server: ModelServer) -> None:
        model_server.script(Fault("refusal"))
        with pytest.raises(ModelRefused, match="extraction"):
            chat.answer(ask(), Notes)
        assert chat.answer(ask(), Notes).facts

    def test_several_threads_each_get_their_own_answer(self, chat: ChatModel) -> None:
        users = [f"[0] Anna: Number {number} it is." for number in range(24)]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda user: chat.answer(ask(user=user), Notes), users))
        assert [answer.facts[0].statement for answer in answers] == [f"Anna: Number {n} it is." for n in range(24)]
