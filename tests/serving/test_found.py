"""Kind and origin of results, as the console, MCP and the adapters of frameworks tell them."""

from mneme.records import Citation
from serving.adapters.memory import passages
from serving.found import Origin, episodes_of, kind_of, origin_of, words_of
from serving.mcp.results import memory_lines
from tests.serving.test_rendering import NOON, SAID, episode, expectation, fact, response

PAGE_TWO = Citation(document_id="offer", name="offer.pdf", section="Prices", place="page 2")
ENDED = fact(1, "Ann is at Google").model_copy(update={"valid_to": SAID, "also_said_in": ("m9",)})
SECTION = episode(2, "Prices", "offer").model_copy(update={"citation": PAGE_TWO})
FOUND = response(episodes=(episode(None, "work"),), facts=(ENDED,), knowledge=(SECTION,), foresights=(expectation(3),))


def test_a_statement_comes_from_the_conversation_of_its_episode_and_a_section_from_its_document():
    episodes = episodes_of(FOUND)
    assert origin_of(ENDED, episodes) == Origin(NOON, "c", ("m1",), None, SAID)
    assert origin_of(SECTION, episodes) == Origin(NOON, None, ("m1", "m2"), PAGE_TWO)
    assert [kind_of(each) for each in FOUND.ranked()] == ["fact", "episode", "foresight"]
    assert [words_of(each) for each in FOUND.ranked()] == ["Ann is at Google", "Prices: summary of Prices", "later"]


def test_an_adapter_tells_it_as_json_and_names_all_messages_that_say_it():
    told, section, _ = passages(FOUND)
    assert told.metadata == {
        "kind": "fact",
        "rank": 1,
        "score": 0.5,
        "date": NOON.isoformat(),
        "valid_to": SAID.isoformat(),
        "message_ids": ["m1", "m9"],
        "conversation_id": "c",
    }
    assert (section.metadata["document_id"], section.metadata["citation"]) == ("offer", str(PAGE_TWO))
    assert "conversation_id" not in section.metadata


def test_a_tool_tells_it_by_the_ids_that_can_be_forgotten():
    told, section, _ = memory_lines(FOUND, "acme").values()
    assert told.startswith(f"{NOON:%Y-%m-%d} fact: Ann is at Google [")
    assert told.endswith(f"] (id {ENDED.id}; from acme/c/m1)")
    assert " knowledge: " in section
    assert section.endswith(f"({PAGE_TWO})")
