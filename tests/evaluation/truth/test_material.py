"""The shipped chats, changes and questions are what they promise to be."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

from evaluation.truth.material import CHANGE_MESSAGES, changes, chats, questions
from mneme.events import Message, parse_event


def messages_of(path: Path) -> list[Message]:
    events = [parse_event(line.encode(), None) for line in path.read_text(encoding="utf-8").splitlines()]
    assert all(isinstance(event, Message) for event in events)
    return [event for event in events if isinstance(event, Message)]


def text_of(path: Path) -> dict[str, str]:
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {line["message_id"]: line["content"] for line in lines}


def test_ten_chats_of_sixty_messages_over_months_in_order():
    long = [path for path in chats() if path.stem != "echo"]
    assert len(long) == 10
    for path in long:
        messages = messages_of(path)
        assert len({each.message_id for each in messages}) == 60
        assert all(one.sent_at < next_one.sent_at for one, next_one in pairwise(messages))
        assert (messages[-1].sent_at - messages[0].sent_at).days > 180


def test_ten_short_talks_repeat_the_words_of_a_question_in_wrong_messages():
    [echo] = [path for path in chats() if path.stem == "echo"]
    assert set(Counter(each.conversation_id for each in messages_of(echo)).values()) == {40}
    assert len([each for each in questions() if each.question.category == "echo"]) == 100


def test_changes_in_english_and_chinese_of_an_assistants_user_and_in_five_languages():
    counts = Counter((each.question.category, each.language) for each in changes())
    assert counts[("everyday", "en")] == counts[("everyday", "zh")] == 18
    assert counts[("assistant", "en")] == 36
    assert {language: counts[("languages", language)] for language in ("de", "es", "fr", "ja", "ru")} == dict.fromkeys(
        ("de", "es", "fr", "ja", "ru"), 10
    )
    assert sum(len(each.undisturbed) for each in changes()) >= 12


def test_each_change_and_what_it_must_not_disturb_is_in_its_messages_in_order():
    text = text_of(CHANGE_MESSAGES)
    order = list(text)
    for change in changes():
        for statement in (change.old, change.new, *(each.answer for each in change.undisturbed)):
            assert statement.says in text[statement.message_id]
        assert order.index(change.old.message_id) < order.index(change.new.message_id)


def test_questions_whose_messages_have_the_answer_and_some_without_one():
    text = {message: said for path in chats() for message, said in text_of(path).items()}
    known = [each for each in questions() if each.question.evidence]
    assert len(known) == 244
    assert len(questions()) == 277
    of_chats = Counter(each.question.category for each in known)
    assert all(of_chats[chat] == 20 for chat in ("chinese", "french", "german", "japanese", "spanish"))
    for each in known:
        told = " ".join(text[message] for message in each.question.evidence).casefold()
        assert any(words.casefold() in told for words in each.accept), each.question.id
    assert not any(each.accept for each in questions() if not each.question.evidence)
