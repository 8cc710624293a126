"""mem0's documented calls on our drop-in, and the shapes of both packages side by side."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from serving.adapters.mem0 import Memory
from tests.serving.adapters.conftest import Connection

CALLS = Path(__file__).parent / "mem0_calls.py"
FOLDER = os.environ.get("MNEME_TEST_PEERS", "")


def memory_of(connection: Connection) -> Memory:
    return Memory(memories=connection.memories, publisher=connection.publisher, wait=30)


def texts(answer: dict[str, Any]) -> list[str]:
    return [each["memory"] for each in answer["results"]]


CHAT = [
    {"role": "user", "content": "I'm planning to watch a movie tonight. Any recommendations?"},
    {"role": "assistant", "content": "How about a thriller?"},
    {"role": "user", "content": "I am not a big fan of thriller movies but I love sci-fi movies."},
]


def test_a_message_becomes_a_memory_that_is_found_read_changed_and_deleted(connection: Connection):
    memory, user = memory_of(connection), connection.user_id
    added = memory.add(CHAT, user_id=user, metadata={"category": "movies"})
    [loved] = [each for each in added["results"] if "sci-fi" in each["memory"]]
    assert loved == {"id": loved["id"], "memory": CHAT[2]["content"], "event": "ADD"}
    [found] = memory.search("what kind of movies?", filters={"user_id": user}, top_k=1)["results"]
    assert (found["id"], found["user_id"], found["metadata"]) == (loved["id"], user, {"category": "movies"})
    assert found["score"] > 0
    assert memory.get(loved["id"])["memory"] == loved["memory"]
    assert loved["memory"] in texts(memory.get_all(filters={"user_id": user}))

    assert memory.update(loved["id"], data="I love Westerns.") == {"message": "Memory updated successfully!"}
    assert memory.get(loved["id"])["memory"] == "I love Westerns."
    assert memory.get(loved["id"])["metadata"] == {"category": "movies"}
    [added, updated] = memory.history(loved["id"])
    assert (added["event"], added["old_memory"], added["new_memory"]) == ("ADD", None, CHAT[2]["content"])
    assert (updated["event"], updated["old_memory"], updated["new_memory"]) == ("UPDATE", loved["memory"], "I love Westerns.")
    assert not any("sci-fi" in text for text in texts(memory.search("sci-fi movies", filters={"user_id": user})))

    assert memory.delete(loved["id"]) == {"message": "Memory deleted successfully!"}
    assert memory.get(loved["id"]) is None
    assert memory.history(loved["id"]) == []
    assert "I love Westerns." not in texts(memory.search("Westerns", filters={"user_id": user}))


def test_without_inference_each_message_is_kept_as_it_is_and_filters_choose(here: Connection):
    memory, user = memory_of(here), here.user_id
    spring = memory.add(
        [{"role": "user", "name": "Mira", "content": "Hm?"}], user_id=user, infer=False, metadata={"year": 2025}
    )
    assert spring["results"][0] | {"id": ""} == {"id": "", "memory": "Hm?", "event": "ADD", "actor_id": "Mira", "role": "user"}
    memory.add("Autumn in Bremen.", user_id=user, run_id="trip", infer=False, metadata={"year": 2026, "mood": "Good"})

    def kept(**asked: Any) -> list[str]:
        return texts(memory.get_all(filters={"user_id": user, **asked}))

    assert kept() == ["Autumn in Bremen.", "Hm?"]
    assert kept(run_id="trip") == kept(year=2026) == kept(year={"gt": 2025}) == kept(mood={"icontains": "go"})
    assert kept(agent_id="*") == []
    assert kept(NOT=[{"year": 2025}]) == kept(mood="*") == ["Autumn in Bremen."]
    assert kept(OR=[{"year": 2025}, {"year": {"in": [2026]}}]) == ["Autumn in Bremen.", "Hm?"]
    assert kept(year={"gt": "x"}) == []
    assert texts(memory.search("Bremen", filters={"user_id": user, "year": {"lte": 2025}})) in (["Hm?"], [])
    assert texts(memory.search("Bremen", user_id=user, limit=1)) == ["Autumn in Bremen."]

    assert memory.delete_all(user_id=user, run_id="trip") == {"message": "Memories deleted successfully!"}
    assert kept() == ["Hm?"]
    memory.delete_all(user_id=user)
    assert kept() == []


def test_owners_are_apart(here: Connection):
    memory, user = memory_of(here), here.user_id
    memory.add("The code is 4711.", user_id=user, infer=False)
    memory.add("I answer in French.", agent_id=user, infer=False)
    memory.add("We plan a trip.", run_id=user, infer=False)
    for name, text in (("user_id", "The code is 4711."), ("agent_id", "I answer in French."), ("run_id", "We plan a trip.")):
        assert texts(memory.get_all(filters={name: user})) == [text]
        assert texts(memory.search("code French trip", filters={name: user})) == [text]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda memory: memory.add("x"), "at least one of user_id"),
        (lambda memory: memory.add(7, user_id="u"), "messages: give"),
        (lambda memory: memory.search("x"), "at least one of user_id"),
        (lambda memory: memory.search("x", filters={"user_id": "u"}, colour="red"), "colour: not known"),
        (lambda memory: memory.get_all(filters={"user_id": " "}), "not blank"),
        (lambda memory: memory.delete_all(), "at least one of user_id"),
        (lambda memory: memory.update("user:u:none", text="x"), "there is no memory 'user:u:none'"),
        (lambda memory: memory.delete("none"), "there is no memory 'none'"),
    ],
)
def test_wrong_calls_raise_value_errors_that_name_the_argument(here: Connection, call: Any, said: str):
    with pytest.raises(ValueError, match=said):
        call(memory_of(here))


@pytest.mark.parametrize("text", ["👍", "...", "word " * 2_500])
def test_any_text_may_be_searched_for(here: Connection, text: str):
    assert isinstance(memory_of(here).search(text, user_id="u")["results"], list)


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="MNEME_TEST_PEERS names no folder in which mem0 has, or gets, an environment")
def test_the_documented_calls_have_the_shapes_of_mem0(here: Connection, tmp_path: Path):
    from evaluation.peers.systems import PEERS, environment_of

    [peer] = [each for each in PEERS if each.name == "mem0"]
    command = [str(environment_of(peer, Path(FOLDER))), str(CALLS), str(tmp_path)]
    environment = {**os.environ, "HOME": str(tmp_path), **peer.environment}
    environment.pop("PYTHONPATH", None)
    theirs = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout.splitlines()[-1])
    from tests.serving.adapters.mem0_calls import documented_calls

    assert documented_calls(memory_of(here)) == theirs
