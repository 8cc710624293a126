"""The cache of answers: the contract of every chat model, and that answers are kept, found and erased."""

import multiprocessing
import sqlite3
import threading
from collections.abc import Callable, Iterator
from itertools import starmap
from pathlib import Path

import pytest
from pydantic import BaseModel

from connectors.endpoints.answer_cache import CachedChat, erase_answers
from connectors.endpoints.openai_chat import OpenAiChat
from mneme.errors import InputError, ModelMalformed, StoreRejected, StoreUnavailable
from mneme.ports import Prompt, Role
from mneme.settings import Models
from tests.connectors.model_help import Clock
from tests.contracts.chat_model import ChatModelContract, Notes, ask
from tests.servers.models import Fault, ModelServer

Open = Callable[..., CachedChat]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "answers.sqlite"


@pytest.fixture
def open_cache(model_server: ModelServer, path: Path) -> Iterator[Open]:
    opened: list[CachedChat] = []

    def open_with(default: str = "small") -> CachedChat:
        settings = Models(provider="openai", base_url=model_server.url, default=default)
        opened.append(CachedChat(OpenAiChat(settings, Clock().retries()), path))
        return opened[-1]

    yield open_with
    for chat in opened:
        chat.close()


class TestCachedChat(ChatModelContract):
    @pytest.fixture
    def chat(self, open_cache: Open) -> CachedChat:
        return open_cache()


class Brief(BaseModel):
    """Another form for the same question."""

    subject: str


def test_the_same_question_is_asked_once(open_cache: Open, model_server: ModelServer) -> None:
    chat = open_cache()
    first = chat.answer(ask(), Notes)
    model_server.answer = lambda *_: {"subject": "another", "facts": [], "mood": "calm", "boundaries": []}
    assert chat.answer(ask(), Notes) == first
    assert model_server.calls() == 1
    assert chat.usage()[Role.EXTRACTION].calls == 1


def test_answers_outlive_the_process(open_cache: Open, model_server: ModelServer) -> None:
    first = open_cache().answer(ask(), Notes)
    again = open_cache()
    assert again.answer(ask(), Notes) == first
    assert model_server.calls() == 1
    assert again.usage() == {}


def test_an_answer_is_on_disk_when_it_is_returned(open_cache: Open, path: Path) -> None:
    answer = open_cache().answer(ask(), Notes)
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT scope, answer FROM answers").fetchall()
    connection.close()
    assert [(scope, Notes.model_validate_json(text)) for scope, text in rows] == [("acme/user/anna/chat-1", answer)]


def test_the_log_is_synchronised_at_each_answer(open_cache: Open) -> None:
    connection = open_cache()._answers._connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)


@pytest.mark.parametrize(
    "other",
    [
        Prompt(Role.EXTRACTION, "Take notes.", "[0] Ben: Hello.", "acme/user/anna/chat-1"),
        Prompt(Role.EXTRACTION, "Take few notes.", ask().user, "acme/user/anna/chat-1"),
        Prompt(Role.JUDGE, "Take notes.", ask().user, "acme/user/anna/chat-1"),
        Prompt(Role.EXTRACTION, "Take notes.", ask().user, "acme/user/anna/chat-2"),
    ],
)
def test_another_question_is_asked(open_cache: Open, model_server: ModelServer, other: Prompt) -> None:
    chat = open_cache()
    chat.answer(ask(), Notes)
    chat.answer(other, Notes)
    assert model_server.calls() == 2


def test_another_form_or_model_is_asked(open_cache: Open, model_server: ModelServer) -> None:
    open_cache().answer(ask(), Notes)
    open_cache().answer(ask(), Brief)
    open_cache("large").answer(ask(), Notes)
    assert model_server.calls() == 3


def test_a_failure_is_not_remembered(open_cache: Open, model_server: ModelServer) -> None:
    chat = open_cache()
    model_server.script(*[Fault("malformed")] * 2)
    with pytest.raises(ModelMalformed):
        chat.answer(ask(), Notes)
    assert chat.answer(ask(), Notes).facts


def test_an_answer_that_no_longer_fits_is_asked_for_again(open_cache: Open, path: Path, model_server: ModelServer) -> None:
    chat = open_cache()
    first = chat.answer(ask(), Notes)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE answers SET answer = '{}'")
    connection.close()
    assert chat.answer(ask(), Notes) == first
    assert model_server.calls() == 2


@pytest.mark.parametrize(
    ("prefix", "left"),
    [
        ("acme/user/anna/chat-1", ["acme/user/anna/chat-10", "acme/user/anna-maria/chat-1", "other/user/anna/chat-1"]),
        ("acme/user/anna", ["acme/user/anna-maria/chat-1", "other/user/anna/chat-1"]),
        ("acme/user/anna/", ["acme/user/anna-maria/chat-1", "other/user/anna/chat-1"]),
        ("acme", ["other/user/anna/chat-1"]),
        ("acme/user/%", None),
    ],
)
def test_erasing_takes_a_scope_and_all_below_it(open_cache: Open, path: Path, prefix: str, left: list[str] | None) -> None:
    scopes = ["acme/user/anna/chat-1", "acme/user/anna/chat-10", "acme/user/anna-maria/chat-1", "other/user/anna/chat-1"]
    chat = open_cache()
    for scope in scopes:
        chat.answer(ask(scope=scope), Notes)
    remaining = scopes if left is None else left
    assert erase_answers(path, prefix) == len(scopes) - len(remaining)
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT scope FROM answers").fetchall()
    connection.close()
    assert sorted(scope for (scope,) in rows) == sorted(remaining)


def test_erasing_needs_a_scope(open_cache: Open, path: Path) -> None:
    open_cache()
    for prefix in ("", "/"):
        with pytest.raises(InputError, match="scope_prefix"):
            erase_answers(path, prefix)


def test_nothing_of_an_erased_answer_is_left_on_the_disk(open_cache: Open, path: Path) -> None:
    chat = open_cache()
    for number in range(40):
        chat.answer(ask(user=f"[0] Anna: The password is swordfish-{number}. " + "More of it. " * 300), Notes)
    chat.answer(ask(user="[0] Anna: An innocent remark.", scope="other"), Notes)
    on_disk = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"swordfish" in on_disk
    assert erase_answers(path, "acme") == 40
    on_disk = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"swordfish" not in on_disk
    assert b"innocent" in on_disk


def test_a_reader_that_holds_the_log_makes_erasing_say_so(
    open_cache: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.database._WAIT_SECONDS", 0.05)
    chat = open_cache()
    chat.answer(ask(), Notes)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM answers").fetchall()
    with pytest.raises(StoreUnavailable, match="erase them again"):
        erase_answers(path, "acme")
    reader.close()
    assert erase_answers(path, "acme") == 0


def test_two_who_ask_at_once_get_the_same_answer(open_cache: Open, model_server: ModelServer) -> None:
    both = threading.Barrier(2, timeout=120)
    subjects = iter("ab")

    def answer(*_: object) -> dict[str, object]:
        both.wait()
        return {"subject": next(subjects), "facts": [], "mood": "calm", "boundaries": []}

    model_server.answer = answer
    chat, found = open_cache(), []
    threads = [threading.Thread(target=lambda: found.append(chat.answer(ask(), Notes).subject)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1]
    assert chat.answer(ask(), Notes).subject == found[0]


def test_several_processes_share_a_cache(open_cache: Open, path: Path, model_server: ModelServer) -> None:
    asked = [(model_server.url, path, number % 10) for number in range(20)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        theirs = pool.starmap_async(answer_in_process, asked)
        answers = [*starmap(answer_in_process, asked), *theirs.get()]
    assert len(set(answers)) == 10
    assert 10 <= model_server.calls() <= 20
    chat = open_cache()
    assert {chat.answer(ask(user=f"[0] Anna: {number}"), Notes).subject for number in range(10)} == set(answers)


def test_small_answers_are_kept_by_content_and_the_first_one_holds(open_cache: Open) -> None:
    chat = open_cache()
    assert chat.remembered(Role.RECONCILE, "acme", ["a", "b"]) == {}
    assert chat.remember(Role.RECONCILE, "acme", {"a": "1", "b": "2"}) == {"a": "1", "b": "2"}
    assert open_cache().remember(Role.RECONCILE, "acme", {"b": "3", "c": "4"}) == {"b": "2", "c": "4"}
    assert chat.remembered(Role.RECONCILE, "acme", ["a", "b", "c", "d"]) == {"a": "1", "b": "2", "c": "4"}


def test_small_answers_belong_to_a_scope_a_role_and_a_model(open_cache: Open, path: Path) -> None:
    chat = open_cache()
    chat.remember(Role.RECONCILE, "acme/user/anna", {"a": "1"})
    assert chat.remembered(Role.RECONCILE, "acme/user/ben", ["a"]) == {}
    assert chat.remembered(Role.JUDGE, "acme/user/anna", ["a"]) == {}
    assert open_cache("large").remembered(Role.RECONCILE, "acme/user/anna", ["a"]) == {}
    assert erase_answers(path, "acme/user/anna") == 1
    assert chat.remembered(Role.RECONCILE, "acme/user/anna", ["a"]) == {}


def test_small_answers_are_kept_all_or_none(open_cache: Open, path: Path) -> None:
    chat = open_cache()
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON answers WHEN new.answer = 'x' BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
    connection.close()
    with pytest.raises((StoreUnavailable, StoreRejected), match="disk full"):
        chat.remember(Role.RECONCILE, "acme", {"a": "1", "b": "x"})
    assert chat.remembered(Role.RECONCILE, "acme", ["a", "b"]) == {}
    assert chat.remember(Role.RECONCILE, "acme", {"a": "1"}) == {"a": "1"}


def test_a_file_that_is_no_cache_is_rejected_by_name(open_cache: Open, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, but long enough to be looked at" * 50)
    with pytest.raises(StoreRejected, match=r"answers\.sqlite"):
        open_cache()


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path, model_server: ModelServer) -> None:
    file = tmp_path / "file"
    file.touch()
    chat = OpenAiChat(Models(provider="openai", base_url=model_server.url))
    with pytest.raises(StoreUnavailable, match="MNEME_DATA"):
        CachedChat(chat, file / "answers.sqlite")
    chat.close()


def answer_in_process(url: str, path: Path, number: int) -> str:
    chat = CachedChat(OpenAiChat(Models(provider="openai", base_url=url, default="small")), path)
    try:
        return f"{chat.answer(ask(user=f'[0] Anna: {number}'), Notes).subject}"
    finally:
        chat.close()
