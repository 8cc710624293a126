"""A question whose answer shares no word with it: the way there leads over three conversations, by the graph."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from flows import ingest
from mneme.settings import load_settings
from queries import Memories

QUESTION = "What is the current company of the spouse of the CEO of Acme?"
CHAIN = ("The CEO of Acme is Dana.", "Dana is married to Lee.", "Lee works at Initech now.")
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
TALKS = {
    "board": ["The CEO of Acme is Dana.", "The budget meeting moves to Thursday."],
    "wedding": ["Dana is married to Lee.", "The flowers came from the market."],
    "before": ["Lee works at Hooli.", "The lift is out of order again."],
    "after": ["Lee works at Initech now.", "The weather is fine."],
}
NOISE = [
    "The CEO of Globex is Rita.",
    "Rita is married to Tom.",
    "Tom works at Vandelay.",
    "A company without a CEO is a strange company.",
    "The current of the river was strong.",
    "My current company has a canteen.",
    "Every spouse got a ticket to the company party.",
    "The company pays the spouse as well.",
    "What a current, said the spouse of the captain.",
    "Acme sells anvils.",
    "Acme opened a shop at the harbour.",
    "The company of friends matters most.",
]


@pytest.fixture(scope="module")
def remembered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graph")
    talks = TALKS | {f"noise-{number}": [f"{text} That was talk number {number}."] for number, text in enumerate(NOISE * 4)}
    lines = [
        {
            "event": "message",
            "role": "user",
            "schema": "1.0",
            "conversation_id": name,
            "user_id": "ann",
            "message_id": f"{name}-{number}",
            "sender_id": "ann",
            "sender_name": "Ann",
            "sent_at": (START + timedelta(days=day, minutes=number)).isoformat(),
            "content": text,
        }
        for day, (name, texts) in enumerate(talks.items())
        for number, text in enumerate(texts)
    ]
    file = folder / "talks.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    settings = load_settings({}, data=folder / "data", embedder={"provider": "hash"})
    ingest([file], settings)
    return settings


def search(settings, method="hybrid", as_of=None, **retrieval):
    changed = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update=retrieval)})
    filters = {"user_id": "ann"} | ({"as_of": as_of} if as_of else {})
    with Memories.connect(changed) as memories:
        return memories.search(QUESTION, method, filters, top_k=10)


def told(found):
    return [line for line in CHAIN if any(line.rstrip(".") in item.text for item in found.ranked())]


def test_the_three_facts_of_a_chain_come_back(remembered):
    found = search(remembered)
    assert told(found) == list(CHAIN)
    assert found.metrics.round_trips == 3


def test_without_the_leg_they_do_not(remembered):
    assert len(told(search(remembered, graph_weight=0.0))) < 3


def test_the_graph_holds_the_chain_with_what_tells_of_it(remembered):
    graph = search(remembered).graph
    assert [(each.name, each.hop) for each in graph.entities][:3] == [("Acme", 0), ("Dana", 1), ("Lee", 2)]
    edges = {(each.source, each.relation, each.target): each for each in graph.relationships}
    chain = [edges["Dana", "ceo_of", "Acme"], edges["Dana", "married_to", "Lee"], edges["Lee", "works_at", "Initech"]]
    assert [each.hop for each in chain] == [1, 2, 3]
    assert [each.message_ids for each in chain] == [("board-0",), ("wedding-0",), ("after-0",)]
    assert all(each.episode_ids for each in chain)
    assert edges["Lee", "works_at", "Hooli"].valid_to is not None
    assert list(edges).index(("Lee", "works_at", "Hooli")) > list(edges).index(("Lee", "works_at", "Initech"))


def test_as_of_the_past_the_way_leads_where_it_led_then(remembered):
    found = search(remembered, as_of=START + timedelta(days=2.5))
    assert any("Lee works at Hooli" in item.text for item in found.ranked())
    edges = {(each.source, each.target): each for each in found.graph.relationships}
    assert edges["Lee", "Hooli"].valid_to is None
    assert ("Lee", "Initech") not in edges


@pytest.mark.parametrize("method", ["keyword", "vector"])
def test_the_graph_comes_along_in_every_method(remembered, method):
    graph = search(remembered, method).graph
    assert [each.name for each in graph.entities][:3] == ["Acme", "Dana", "Lee"]
    assert ("Dana", "married_to", "Lee") in {(each.source, each.relation, each.target) for each in graph.relationships}
