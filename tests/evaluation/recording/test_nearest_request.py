"""Where an unknown request differs from the recorded ones."""

from typing import Any

from evaluation.recording.replayer import nearest


def chat(system: str, user: str, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}], **more}


def test_the_field_and_the_words_that_differ_are_named() -> None:
    recorded = [chat("Answer.", "Where does Anna live now?"), chat("Judge.", "Where is Ben?")]
    difference = nearest(chat("Answer.", "Where does Anna work now?"), recorded)
    assert difference is not None
    assert (difference.field, difference.at) == ("messages[1].content", 16)
    assert (difference.asked, difference.recorded) == ("work now?", "live now?")


def test_the_nearest_is_the_one_with_fewest_other_fields_then_the_longest_beginning() -> None:
    asked = chat("Answer.", "abcdef")
    recorded = [chat("Judge.", "abcdeX"), chat("Answer.", "abX"), chat("Answer.", "abcX"), chat("Answer.", "X", seed=1)]
    difference = nearest(asked, recorded)
    assert difference is not None
    assert (difference.field, difference.at, difference.recorded) == ("messages[1].content", 3, "X")


def test_a_field_that_one_of_them_lacks_is_missing() -> None:
    more, less = nearest(chat("a", "b", seed=7), [chat("a", "b")]), nearest(chat("a", "b"), [chat("a", "b", seed=7)])
    assert more is not None
    assert less is not None
    assert (more.field, more.asked, more.recorded) == ("seed", "7", "(missing)")
    assert (less.field, less.asked, less.recorded) == ("seed", "(missing)", "7")


def test_without_another_there_is_no_difference() -> None:
    assert nearest({"a": 1}, []) is None
    assert nearest({"a": "1"}, [{"a": 1}]) is None
    assert nearest(None, [{"sha256": "0"}]) is not None
