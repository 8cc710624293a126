"""Answers from end to end: complete the question, search, write or quote, cite, stream, fail."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.endpoints.openai_chat import OpenAiChat
from mneme.errors import InputError, ModelError, ModelTimeout, SettingsError
from mneme.settings import Models, Settings, load_settings
from queries.answers.answer import AnswerResponse, AnswerStream
from queries.answers.answerer import Answerer
from queries.answers.context import DATA
from queries.answers.followup import Rewritten
from queries.responses import SearchResponse
from tests.connectors.model_help import Clock
from tests.queries import world
from tests.queries.answers.found import ASKED_AT, episode, fact, found
from tests.queries.answers.scripted import ScriptedChat
from tests.servers.models import Fault, ModelServer

QUESTION = "Where does Jonas work?"
REMEMBERED = (
    episode("talk", "They talked.", rank=None),
    fact("a", "Jonas works at the shipyard", "2026-03-02", 1, score=0.9),
    fact("b", "Jonas works with wood", "2026-04-02", 2, score=0.3),
)
REPLY = ["Reasoning: [2] tells", " it.\nAns", "wer: At the ", "shipyard [", "2].\n"]
SHIPYARD, WOOD = 2, 3  # their numbers in the context


def settings(**answers: Any) -> Settings:
    return load_settings({}, answers=answers)


def stream(
    chat: ScriptedChat | None = None, question: str = QUESTION, items: Sequence[Any] = REMEMBERED, **options: Any
) -> AnswerStream:
    answers = options.pop("answers", {})
    answerer = Answerer(settings(**answers), None if chat is None else lambda: chat)
    return answerer.stream(question, lambda complete: found(complete, *items), ASKED_AT, **options)


def ask(chat: ScriptedChat | None = None, **options: Any) -> AnswerResponse:
    return stream(chat, **options).response


class TestAModel:
    def test_writes_an_answer_with_the_memories_it_cites(self) -> None:
        response = ask(ScriptedChat(REPLY))
        assert response.answer == "At the shipyard [2]."
        assert response.reasoning == "[2] tells it."
        [citation] = response.citations
        assert (citation.number, citation.id, citation.kind, citation.text) == (2, "a", "fact", "Jonas works at the shipyard")
        assert citation.message_ids == ("m-a",)
        assert (response.abstained, response.extractive, response.notes) == (False, False, ())

    def test_is_streamed_without_its_reasoning(self) -> None:
        pieces = stream(ScriptedChat(REPLY))
        texts = list(pieces)
        assert texts == ["At the", " shipyard", " [2]."]
        assert "".join(texts) == pieces.response.answer

    def test_costs_what_is_reported(self) -> None:
        metrics = ask(ScriptedChat(REPLY)).metrics
        assert (metrics.llm_called, metrics.input_token, metrics.output_token) == (1, 1000, 50)
        assert 0 < metrics.context_tokens < 400
        assert metrics.memories == metrics.candidates == 3
        assert metrics.milliseconds >= metrics.search_milliseconds

    def test_that_cites_what_it_was_not_shown_is_corrected(self) -> None:
        response = ask(ScriptedChat(["Answer: At the shipyard [2][17]."]))
        assert response.answer == "At the shipyard [2]."
        assert [citation.number for citation in response.citations] == [2]
        assert response.notes == ("the model cited [17], which it was not shown; that was left out",)

    def test_may_say_that_it_is_not_remembered(self) -> None:
        response = ask(ScriptedChat(["Reasoning: nothing.\nAnswer: [not remembered] Where he works is not remembered."]))
        assert response.abstained
        assert response.answer == "Where he works is not remembered."
        assert not response.extractive

    @pytest.mark.parametrize("failure", [ModelTimeout("too late"), ModelError("no connection")])
    def test_that_fails_at_once_leaves_quotes(self, failure: ModelError) -> None:
        response = ask(ScriptedChat([failure]))
        assert response.extractive
        assert response.answer == ask().answer
        assert response.citations == ask().citations
        assert response.notes == (f"quoted instead of written: the model did not answer ({failure})",)

    def test_that_fails_leaves_no_guess(self) -> None:
        response = ask(ScriptedChat([ModelError("gone")]), question="What is the boiling point of iron?")
        assert response.abstained
        assert response.citations == ()

    def test_that_breaks_off_keeps_what_was_said(self) -> None:
        pieces = stream(ScriptedChat(["Answer: At the shipyard [2], ", ModelError("gone")]))
        text = "".join(pieces)
        assert text == pieces.response.answer
        assert text.startswith("At the shipyard [2],\n\nQuoted from memory")
        assert pieces.response.extractive

    @pytest.mark.parametrize("nothing", [[], ["  \n"], ["Reasoning: hm.\nAnswer:"]])
    def test_that_writes_nothing_leaves_quotes(self, nothing: list[str]) -> None:
        response = ask(ScriptedChat(nothing))
        assert response.extractive
        assert response.notes == ("quoted instead of written: the model wrote no answer",)

    def test_is_asked_no_longer_when_the_reader_stops(self) -> None:
        chat = ScriptedChat(REPLY)
        pieces = stream(chat)
        next(pieces)
        pieces.close()
        assert chat.closed_early
        with pytest.raises(RuntimeError, match="closed"):
            _ = pieces.response

    def test_gets_the_rules_of_the_settings(self) -> None:
        chat = ScriptedChat(["Answer: yes"])
        ask(chat, answers={"prompt": "Answer in verse."})
        assert chat.prompts[0].system == f"Answer in verse.\n- {DATA}"

    def test_is_not_opened_for_quotes(self) -> None:
        def opened() -> Any:
            raise AssertionError("a model was opened")

        answerer = Answerer(settings(writer="extractive"), opened)
        assert answerer.stream(QUESTION, lambda complete: found(complete, *REMEMBERED), ASKED_AT).response.extractive

    def test_that_is_wanted_must_be_there(self) -> None:
        with pytest.raises(SettingsError, match="MNEME_ANSWERS__WRITER"):
            Answerer(settings(writer="model"), None)


class TestWithoutAModel:
    def test_the_best_is_quoted(self) -> None:
        response = ask()
        assert response.extractive
        assert "“Jonas works at the shipyard”" in response.answer
        assert response.citations[0].id == "a"
        assert response.metrics.llm_called == 0

    def test_nothing_is_quoted_that_does_not_tell_it(self) -> None:
        response = ask(question="What is the boiling point of iron?")
        assert response.abstained
        assert response.citations == ()

    def test_it_comes_in_one_piece(self) -> None:
        pieces = stream()
        assert list(pieces) == [pieces.response.answer]


class TestAFollowUp:
    HISTORY = (("user", QUESTION), ("assistant", "At the shipyard [2]."))

    def test_is_searched_for_as_what_it_means(self) -> None:
        response = ask(question="Where does he work?", history=self.HISTORY)
        assert response.question == "Where does he work?"
        assert response.searched == QUESTION
        assert "shipyard" in response.answer

    def test_is_completed_by_the_model_and_its_cost_counted(self) -> None:
        chat = ScriptedChat(["Answer: At the shipyard [2]"], [Rewritten(question="Who employs Jonas?")])
        response = ask(chat, question="Who employs him?", history=self.HISTORY)
        assert response.searched == "Who employs Jonas?"
        assert (response.metrics.llm_called, response.metrics.input_token) == (2, 1100)
        assert "Question: Who employs Jonas?" in chat.prompts[1].user

    def test_of_a_history_that_is_none_is_refused_at_once(self) -> None:
        with pytest.raises(InputError, match="history"):
            stream(question="Where does he work?", history=["Jonas"])


def test_the_context_is_shown_on_demand_alone() -> None:
    assert ask().context is None
    shown = ask(explain=True).context
    assert shown is not None
    assert f"2026-04-02 (Thursday):\n[{WOOD}] Jonas works with wood" in shown
    assert "[1]" in shown


def test_a_failing_search_is_raised_when_it_is_asked() -> None:
    def search(complete: str) -> SearchResponse:
        raise InputError("query: it is empty; ask something")

    with pytest.raises(InputError, match="empty"):
        Answerer(settings(), None).stream("", search, ASKED_AT)


def test_a_response_can_be_stored_and_read_again() -> None:
    response = ask(ScriptedChat(REPLY), explain=True)
    assert AnswerResponse.model_validate_json(response.model_dump_json()) == response


class TestOverHttp:
    @pytest.fixture
    def models(self, model_server: ModelServer) -> Models:
        model_server.write = lambda user: "Reasoning: it is told.\nAnswer: At the shipyard [2]."
        return Models(provider="openai", base_url=model_server.url, default="gpt-4.1-mini")

    def ask(self, models: Models) -> AnswerResponse:
        with closing(OpenAiChat(models, Clock().retries(0))) as chat:
            return (
                Answerer(settings(), lambda: chat).stream(QUESTION, lambda asked: found(asked, *REMEMBERED), ASKED_AT).response
            )

    def test_the_answer_of_the_endpoint_is_read_with_its_tokens(self, models: Models, model_server: ModelServer) -> None:
        response = self.ask(models)
        assert response.answer == "At the shipyard [2]."
        assert response.citations[0].id == "a"
        assert response.metrics.llm_called == 1
        assert response.metrics.input_token > 500
        assert response.metrics.output_token > 5
        body = model_server.requests[-1].body
        assert (body["temperature"], body["stream"], "reasoning_effort" in body) == (0, True, False)

    def test_a_reasoning_model_gets_its_effort_and_no_temperature(self, models: Models, model_server: ModelServer) -> None:
        self.ask(models.model_copy(update={"by_role": {"answer": "gpt-5"}, "reasoning_effort": "medium"}))
        body = model_server.requests[-1].body
        assert (body["model"], body["reasoning_effort"], "temperature" in body) == ("gpt-5", "medium", False)

    @pytest.mark.parametrize("kind", ["error", "empty", "drop"])
    def test_an_endpoint_that_fails_leaves_quotes_and_says_so(
        self, models: Models, model_server: ModelServer, kind: Any
    ) -> None:
        model_server.script(Fault(kind))
        response = self.ask(models)
        assert response.extractive
        assert "“Jonas works at the shipyard”" in response.answer
        assert response.notes[-1].startswith("quoted instead of written:")


class TestMemories:
    def test_are_asked_at_the_time_of_the_clock(self) -> None:
        with world.memories() as memories:
            response = memories.ask("What colour is the boat of Jonas painted?", {"user_id": "maya"})
        assert response.asked_at == world.NOW
        assert "painted green" in response.answer
        assert response.extractive

    def test_are_asked_as_of_a_time(self) -> None:
        then = datetime(2026, 3, 4, tzinfo=UTC)
        with world.memories() as memories:
            response = memories.ask("When was the boat painted?", {"user_id": "maya", "as_of": then}, explain=True)
        assert response.asked_at == then
        assert "2026-03-02 (Monday) is 2 days before the question's date" in (response.context or "")
        assert response.found.trace

    def test_answer_piece_by_piece(self) -> None:
        with world.memories() as memories:
            pieces = memories.ask_stream("What colour is the boat painted?", {"user_id": "maya"}, top_k=3)
            assert "".join(pieces) == pieces.response.answer
        assert len(pieces.response.found.ranked()) == 3

    def test_of_somebody_else_are_no_answer(self) -> None:
        with world.memories() as memories:
            response = memories.ask("What colour is the boat of Jonas painted?", {"user_id": "stranger"})
        assert response.abstained
        assert "green" not in response.answer

    @pytest.mark.parametrize("question", ["", "?!"])
    def test_refuse_a_question_without_words(self, question: str) -> None:
        with world.memories() as memories, pytest.raises(InputError, match="query"):
            memories.ask(question, {"user_id": "maya"})

    def test_answer_with_a_model_where_there_is_one(self) -> None:
        chat = ScriptedChat(["Answer: Green [1]."])
        with world.Memories(
            world.filled(), world.WordEmbedder(), world.settings(), clock=lambda: world.NOW, chat=chat
        ) as memories:
            response = memories.ask("What colour is the boat painted?", {"user_id": "maya"})
            assert len(chat.prompts) == 1
        assert response.answer == "Green [1]."
        assert not response.extractive
