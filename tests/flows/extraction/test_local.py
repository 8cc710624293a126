import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.extraction import LocalExtractor
from tests.flows.extraction.cuts import call, cut_of, document, message, talk

WORDS = """
I you we me my your am was I'm I've you're went love to the a in Oslo Kim Bo @Bo yesterday next Friday 3 5% "Blue :-) dog
named Rex? yes. No! [image: x] 我 你 昨天 下周五 喜欢 住在 北京 。 ？ \n - 1. … 's ’s""".split(" ")
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
NAMES = st.one_of(
    st.sampled_from(["Ann", "Bo", "小明", "user", "assistant", "I", "you", ".*(", "James"]), st.text(min_size=1, max_size=8)
)
ROLES = st.sampled_from(["user", "assistant", "system", "tool"])
CALLS = st.lists(st.builds(call, st.text(max_size=9), st.text(max_size=9), st.none() | st.text(max_size=9)), max_size=2).map(
    tuple
)
MESSAGES = st.lists(st.tuples(NAMES, TEXTS, ROLES, CALLS, st.none() | st.just("a1")), min_size=1, max_size=6)


@settings(max_examples=60)
@given(MESSAGES)
def test_any_text_yields_an_extraction_whose_sources_exist_and_always_the_same(spoken):
    cut = cut_of(
        [
            message(name, text, at, role, tool_calls=calls, agent_id=agent)
            for at, (name, text, role, calls, agent) in enumerate(spoken)
        ]
    )
    extraction = LocalExtractor().extract(cut)
    assert LocalExtractor().extract(cut) == extraction
    parts = (extraction.facts, extraction.entities, extraction.relationships, extraction.foresights, extraction.profile)
    for part in parts:
        for one in part:
            assert one.sources
            assert all(0 <= at < len(spoken) for at in one.sources)
    assert all(fact.statement.strip() for fact in extraction.facts)
    assert all((fact.event_at is None) == (fact.event_until is None) for fact in extraction.facts)
    assert all(len(fact.sources) == 1 for fact in extraction.facts if fact.same_as_source)


@settings(max_examples=60)
@given(TEXTS)
def test_any_chunk_of_a_document_yields_an_extraction(text):
    extraction = LocalExtractor().extract(document(text))
    assert text in extraction.narrative
    assert all(fact.sources == (0,) for fact in extraction.facts)


def test_an_extraction_calls_no_model_and_says_who_made_it():
    extractor = LocalExtractor()
    assert (extractor.name, extractor.calls_a_model) == ("local", False)
    assert extractor.extract(talk("Ann: I sold my car.")).dropped == 0


@pytest.mark.parametrize(
    "piece", ["a", "A ", ". ", "...", "I am ", "I ate every ", "I was on Friday and ", "我在", "3 days ", "well, ", "[a ", "w-"]
)
def test_an_endless_message_is_read_in_time(piece):
    text = piece * (40_000 // len(piece)) + "x"
    started = time.process_time()
    LocalExtractor().extract(talk(f"Ann: {text}"))
    assert time.process_time() - started < 5
