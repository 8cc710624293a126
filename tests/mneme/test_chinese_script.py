"""Traditional characters are read by rules in simplified ones, and every word keeps its place."""

from hypothesis import given
from hypothesis import strategies as st

from mneme.chinese_script import as_written, simplified


def test_words_are_found_in_simplified_characters_and_given_as_written() -> None:
    text = "我現在住在臺中"
    assert simplified(text) == "我现在住在台中"
    assert as_written("台中", simplified(text), text) == "臺中"
    assert as_written("高雄", simplified(text), text) == "高雄", "a word that is not of the text stays"


@given(text=st.text(alphabet=st.characters() | st.sampled_from("臺後髮號\ud800"), max_size=40))
def test_every_character_keeps_its_place_in_any_text(text: str) -> None:
    assert len(simplified(text)) == len(text)
