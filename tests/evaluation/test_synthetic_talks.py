"""Talks of made-up people: the same again for the same numbers, and each message found by its own word."""

from datetime import UTC, datetime, timedelta

from evaluation.synthetic_talks import own_word, talk
from mneme.text import tokenise

NOW = datetime(2026, 5, 4, 10, tzinfo=UTC)


def test_a_talk_is_the_same_again_and_ends_now() -> None:
    messages = list(talk("t", "ann", 4, NOW, "made"))
    assert messages == list(talk("t", "ann", 4, NOW, "made"))
    assert [message.message_id for message in messages] == ["m0", "m1", "m2", "m3"]
    assert messages[-1].sent_at == NOW == messages[0].sent_at + timedelta(seconds=15)
    assert {(message.tenant_id, message.user_id) for message in messages} == {("made", "ann")}


def test_each_message_has_a_word_of_its_own() -> None:
    texts = {
        (name, number): set(tokenise(message.content))
        for name in ("t", "other")
        for number, message in enumerate(talk(name, "ann", 20, NOW))
    }
    for name, number in texts:
        [word] = tokenise(own_word(name, number))
        assert [place for place, words in texts.items() if word in words] == [(name, number)]


def test_a_message_says_whom_and_what_its_reason_is_about() -> None:
    texts = [str(message.content) for message in talk("t", "ann", 40, NOW)]
    assert not [text for text in texts if "{" in text]
