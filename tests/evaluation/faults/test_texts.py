"""Traffic is made of real conversations, and the same for a seed."""

from collections import Counter
from pathlib import Path

import pytest

from evaluation.faults.texts import Volume, live_traffic, read_templates
from mneme.errors import InputError
from mneme.events import Flush, Message
from mneme.text import has_cjk

VOLUME = Volume(messages=900, conversations=60, flushes=7)


def messages(volume: Volume, seed: int) -> list[Message]:
    return [event for event in live_traffic(read_templates(), volume, seed) if isinstance(event, Message)]


def test_there_is_as_much_as_was_asked_for() -> None:
    events = list(live_traffic(read_templates(), VOLUME, 1))
    said = [event for event in events if isinstance(event, Message)]
    assert len(said) == 900
    assert len({message.conversation_id for message in said}) == 60
    assert len({message.message_id for message in said}) == 900
    assert sum(isinstance(event, Flush) for event in events) == 7


def test_a_seed_gives_the_same_traffic_and_another_gives_other() -> None:
    assert messages(VOLUME, 1) == messages(VOLUME, 1) != messages(VOLUME, 2)


def test_conversations_are_told_at_once_in_the_order_of_time() -> None:
    said = messages(VOLUME, 1)
    times = [message.sent_at for message in said]
    assert times == sorted(times)
    last = {message.conversation_id: place for place, message in enumerate(said)}
    begun = {message.conversation_id for message in said[:450]}
    assert sum(last[conversation] > 450 for conversation in begun) > 40, "most of the 60 go on into the second half"


def test_texts_are_those_of_the_examples_in_all_their_languages() -> None:
    texts = {message.text for message in messages(VOLUME, 1)}
    assert texts <= {message.text for template in read_templates() for message in template}
    assert any(has_cjk(text) for text in texts)
    assert any(not has_cjk(text) for text in texts)


def test_few_owners_have_many_conversations_and_each_conversation_has_one() -> None:
    said = messages(Volume(600, 200, owners=40), 3)
    owner_of = {message.conversation_id: message.owner.key for message in said}
    assert all(owner_of[message.conversation_id] == message.owner.key for message in said)
    shares = Counter(owner_of.values()).most_common()
    assert shares[0][1] > 2 * 200 / 40
    assert {message.owner.type for message in said} == {"user", "group", "agent"}


def test_conversations_of_ones_own_are_taken_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_bytes(Message(conversation_id="a", user_id="u", sent_at="2026-01-05T09:00:00Z", content="my words").to_bytes())
    [event, *_] = live_traffic(read_templates([file]), Volume(2, 1), 1)
    assert isinstance(event, Message)
    assert event.text == "my words"


def test_fewer_messages_than_conversations_are_refused() -> None:
    with pytest.raises(InputError, match="3 messages cannot fill 4"):
        list(live_traffic(read_templates(), Volume(3, 4), 1))
