"""What says of a sentence beforehand that it states nothing of two leaves out no relationship."""

from hypothesis import given
from hypothesis import strategies as st

from flows.extraction.graph.kin_sentences import naming_edges
from flows.extraction.graph.relationships import edges_in, english_edges, located_edges
from flows.extraction.wording.people import People

_WORDS = (
    "My sister Eva works at Google and moved to Oslo last week. Reine is a village in Lofoten His name Max! I got married to "
    "Tom's new dog, we run a bakery called Lumen Dana the CEO of Acme store lies from"
).split()


@given(words=st.lists(st.sampled_from(_WORDS) | st.text("abé ", max_size=3), max_size=7), asked=st.booleans())
def test_a_sentence_that_is_passed_over_states_nothing(words, asked):
    sentence = " ".join(words)
    one, other = People(("Ann", "Bo")), People(("Ann", "Bo"))

    everything = [*edges_in(sentence, one), *naming_edges(sentence, asked, one), *located_edges(sentence)]

    assert english_edges(sentence, asked, other) == everything
