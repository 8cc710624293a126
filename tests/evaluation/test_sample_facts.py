import json

import pytest
from rich.console import Console

from evaluation.sample_facts import draw, main, read_conversations
from mneme.errors import InputError
from mneme.settings import load_settings

LINES = [
    ("Ana", "I adopted a puppy from the shelter in Lyon."),
    ("Ben", "What's its name?"),
    ("Ana", "It's Rex."),
    ("Ben", "I repaired my kayak and sold my violin."),
    ("Ana", "I painted the kitchen yellow and bought a lamp."),
]


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.json"
    session = [{"speaker": name, "text": text} for name, text in LINES]
    conversation = {"session_1_date_time": "10:00 am on 3 May, 2023", "session_1": session}
    path.write_text(json.dumps([{"sample_id": "c1", "conversation": conversation}]), encoding="utf-8")
    return path


def drawn(chat, seed, count):
    return [fact.shown(1) for fact in draw([chat], seed, count, load_settings(), None, Console(quiet=True))]


def test_the_messages_of_a_conversation_come_in_order(chat):
    [messages] = read_conversations(chat)
    assert [message.message_id for message in messages] == [f"D1:{number}" for number in range(1, 6)]


def test_the_same_seed_draws_the_same_facts(chat):
    assert drawn(chat, 7, 3) == drawn(chat, 7, 3)


def test_a_fact_is_shown_with_its_messages_and_a_neighbour_on_either_side(chat):
    [shown] = [text for text in drawn(chat, 1, 3) if "kayak" in text.splitlines()[1]]
    assert shown.startswith("1. c1 D1:4, said 2023-05-03 10:01")
    assert "    > D1:4 Ben: I repaired" in shown
    assert "      D1:3 Ana: It's Rex." in shown
    assert "      D1:5 Ana: I painted" in shown


def test_more_facts_than_there_are_cannot_be_drawn(chat):
    with pytest.raises(InputError, match="there are"):
        drawn(chat, 1, 500)


def test_the_command_prints_numbered_facts(chat, capsys):
    main([str(chat), "--seed", "2", "--count", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("1. c1 ")
    assert any(line.startswith("2. c1 ") for line in lines)
