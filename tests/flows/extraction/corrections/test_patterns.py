"""What says of a sentence beforehand that it corrects nothing leaves out no correction."""

from hypothesis import given
from hypothesis import strategies as st

from flows.extraction.corrections.patterns import correction_in, may_correct, only_announces, repair_in

_WORDS = (
    "sorry, I meant 15, not 50. Wait, no. *Friday make that Yes, actually typo: forgot scratch oops or rather Anna the at "
    "should be right. 你 不对， 是周二。 对， 应该是"
).split()


@given(
    words=st.lists(st.sampled_from(_WORDS) | st.text(max_size=4), max_size=6), case=st.sampled_from([str, str.upper, str.lower])
)
def test_a_sentence_without_a_word_of_correction_corrects_nothing(words, case):
    sentence = case(" ".join(words))

    if not may_correct(sentence):
        assert not only_announces(sentence)
        assert repair_in(sentence) is None
        assert correction_in(sentence, announced=False) is None
