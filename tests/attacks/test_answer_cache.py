"""What models answered is kept by ``tenant/owner/conversation``: nobody reads, fills or erases what is another's.

All ask the same question with the same words, under names that join to the same text where separators are not told apart.
"""

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from connectors.endpoints.answer_cache import CachedChat
from connectors.endpoints.transcription import CachedTranscriber
from flows.extraction.model import ModelExtractor
from flows.items import Erased, Erasure
from flows.running.open_services import _erase_answers
from mneme.ports import Prompt, Role, Spoken, Transcript, Usage
from mneme.records import Owner, OwnerType, Position
from mneme.settings import Extraction
from tests.flows.extraction.cuts import cut_of, message

PARTS = ("a", "b", "a/b", "b/a", "a%2Fb", "a b", "%", "A", "/", "//", "a/", "..", "*", "_", "a0", "a'", "\x00", "а")
TYPES: tuple[OwnerType, ...] = ("user", "group", "agent")
AT = datetime(2026, 3, 2, tzinfo=UTC)
Place = tuple[Owner, str]


class Note(BaseModel):
    """The form of an answer."""

    text: str


class Counting:
    """A model that never answers twice the same."""

    def __init__(self) -> None:
        self.calls = 0

    def model(self, role: Role) -> str:
        return "counting"

    def answer(self, prompt: Prompt, form: Any) -> Any:
        self.calls += 1
        return form(text=f"answer {self.calls}")

    def usage(self) -> dict[Role, Usage]:
        return {}

    def close(self) -> None:
        pass


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


@pytest.fixture
def model() -> Counting:
    return Counting()


@pytest.fixture
def cache(model: Counting, path: Path) -> Iterator[CachedChat]:
    cache = CachedChat(model, path)
    with sqlite3.connect(path) as connection:  # thousands of answers, which no test needs after a power cut
        connection.execute("PRAGMA synchronous=OFF")
    connection.close()
    yield cache
    cache.close()


@pytest.fixture
def places(is_long: bool) -> list[Place]:
    """Conversations of many owners, most of whom share two of the three names with somebody."""
    named = itertools.product(PARTS, PARTS, PARTS) if is_long else itertools.product(PARTS[:6], PARTS[2:10], PARTS[:10:2])
    kinds = itertools.cycle(TYPES if is_long else TYPES[:2])
    found = [
        (Owner(tenant_id=tenant, type=kind, id=name), talk) for (tenant, name, talk), kind in zip(named, kinds, strict=False)
    ]
    return found[:: 7 if is_long else 1]


def prompt_of(place: Place) -> Prompt:
    """A prompt with the scope that the flow gives it."""
    owner, conversation = place
    said = message("Ann", "I like tea.").model_copy(update={"owner": owner, "conversation_id": conversation})
    return ModelExtractor(None, Extraction(), "m").prompt(cut_of([said], conversation_id=conversation))  # type: ignore[arg-type]


def erased(owner: Owner, conversation: str | None = None, document: str | None = None) -> Erased:
    position = Position(topic="t", partition=0, offset=1)
    return Erased(Erasure(owner.tenant_id, conversation, owner, "e", AT, position, document_id=document), {}, ())


def test_the_same_question_of_two_is_asked_twice(
    cache: CachedChat, model: Counting, places: list[Place], tried: Callable[[Any], Any]
) -> None:
    """So that neither sees, by what is answered or how fast, that the other asked; and none fills the other's."""
    answers = {place: cache.answer(prompt_of(place), Note).text for place in tried(places)}
    assert model.calls == len(places) == len(set(answers.values()))
    assert {place: cache.answer(prompt_of(place), Note).text for place in places} == answers
    assert model.calls == len(places)


def test_the_erasure_of_one_leaves_all_others_and_nothing_of_its_own(
    cache: CachedChat, model: Counting, path: Path, places: list[Place], tried: Callable[[Any], Any]
) -> None:
    left = {place: cache.answer(prompt_of(place), Note).text for place in places}
    for owner, conversation in tried(places[::5]):
        if (owner, conversation) in left:
            gone = {(owner, conversation)} if len(left) % 2 else {place for place in left if place[0] == owner}
            asked = erased(owner, conversation if len(left) % 2 else None)
            assert _erase_answers(path, asked) == len(gone), (owner, conversation)
            left = {place: answer for place, answer in left.items() if place not in gone}
    before = model.calls
    assert {place: cache.answer(prompt_of(place), Note).text for place in left} == left
    assert model.calls == before


@pytest.mark.parametrize("name", ["talk", "/", "talk/", "talk/1", "..", "%"])
def test_a_conversation_takes_no_other_with_it_whose_name_goes_on(cache: CachedChat, path: Path, name: str) -> None:
    ann = Owner(tenant_id="acme", type="user", id="ann")
    others = {f"{name}/1", f"{name}1", f"{name}/", f"/{name}", "other", f"{name.upper()}x"}
    for conversation in (name, *others):
        cache.answer(prompt_of((ann, conversation)), Note)
    assert _erase_answers(path, erased(ann, name)) == 1
    assert _erase_answers(path, erased(ann)) == len(others)


def test_a_verdict_on_a_pair_is_known_to_its_owner_alone(
    cache: CachedChat, places: list[Place], tried: Callable[[Any], Any]
) -> None:
    owners = list(dict.fromkeys(owner.key for owner, _ in places))
    for number, owner in enumerate(tried(owners)):
        assert cache.remembered(Role.RECONCILE, owner, ["pair"]) == {}
        assert cache.remember(Role.RECONCILE, owner, {"pair": str(number)}) == {"pair": str(number)}
    for number, owner in enumerate(owners):
        assert cache.remembered(Role.RECONCILE, owner, ["pair"]) == {"pair": str(number)}
        assert cache.remember(Role.RECONCILE, owner, {"pair": "poison"}) == {"pair": str(number)}


def test_what_was_heard_for_one_is_heard_anew_for_another(path: Path, places: list[Place], tried: Callable[[Any], Any]) -> None:
    class Listener:
        model, calls = "ear", 0

        def transcribe(self, audio: bytes, name: str, scope: str) -> Transcript:
            self.calls += 1
            return Transcript((Spoken("Ann", 0.0, 1.0, f"heard {self.calls}"),))

        def close(self) -> None:
            pass

    listener = Listener()
    cache = CachedTranscriber(listener, path)
    few = places[::4]
    for _ in range(2):
        heard = {(owner, talk): repr(cache.transcribe(b"sound", "a.wav", f"{owner.key}/{talk}")) for owner, talk in tried(few)}
        assert listener.calls == len(few) == len(set(heard.values()))
    cache.close()


def test_no_byte_of_an_erased_answer_is_left_in_any_file(cache: CachedChat, path: Path) -> None:
    ann, ben = (Owner(tenant_id="acme", type="user", id=name) for name in ("ann", "ben"))
    for number in range(50):
        for owner, word in ((ann, "Quetzalcoatl"), (ben, "Xochipilli")):
            cache.remember(Role.RECONCILE, owner.key, {f"pair {number}": f"{word} {number}"})
    assert _erase_answers(path, erased(ann)) == 50
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"Quetzalcoatl" not in content
    assert cache.remembered(Role.RECONCILE, ben.key, ["pair 7"]) == {"pair 7": "Xochipilli 7"}
