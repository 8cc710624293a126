import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import InputError
from serving.adapters.exact import KEY, pack, unpack

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON, TEXTS)
def test_every_value_comes_back_whatever_its_words(value: object, words: str):
    kept, rest = pack(value, words)
    assert unpack(kept, {KEY: rest}) == value


def test_the_words_are_kept_once_so_that_a_long_message_fits():
    words = "a long story " * 10_000
    kept, rest = pack({"role": "user", "content": [{"text": words}]}, words)
    assert (kept, len(rest) < 100) == (words, True)
    assert unpack(kept, {KEY: rest}) == {"role": "user", "content": [{"text": words}]}


def test_an_edit_of_the_words_is_an_edit_of_the_value():
    _, rest = pack({"content": "I live in Lyon."}, "I live in Lyon.")
    assert unpack("I live in Paris.", {KEY: rest}) == {"content": "I live in Paris."}


def test_a_value_too_large_for_metadata_is_its_own_words():
    value = {"numbers": list(range(10_000))}
    kept, rest = pack(value, "numbers")
    assert (kept.startswith('{"numbers":[0,1,'), rest) == (True, "")
    assert unpack(kept, {KEY: rest}) == value


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ({1: "a"}, "value: is not JSON"),
        ({"a": object()}, "value: is not JSON"),
        ({"a": float("nan")}, "value: is not JSON"),
        ({"a": "\ud800"}, "value: is not JSON"),
        ({"a": "x" * 300_000}, "value: has 300008 characters as JSON; at most 200000 are kept"),
    ],
)
def test_what_cannot_come_back_is_refused(value: object, complaint: str):
    with pytest.raises(InputError, match=complaint):
        pack(value, "words")
