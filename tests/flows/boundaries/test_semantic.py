from dataclasses import replace
from datetime import timedelta
from itertools import accumulate, pairwise, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.boundary_sets import cuts_of
from flows.boundaries.semantic import SemanticDetector, reason
from flows.cuts import Utterance, Verdict
from mneme.settings import Boundaries
from tests.flows.boundaries.talk import BANK, DAY, GARDEN, MINUTE, START, talk, utterance

HOUR = timedelta(hours=1)
TOPICS = pytest.mark.parametrize("vectors", [True, False], ids=["vectors", "words only"])


def detector(**settings: float) -> SemanticDetector:
    return SemanticDetector(Boundaries().model_copy(update=settings))


def cut(detector: SemanticDetector, utterances: list[Utterance], longest: int = 50) -> frozenset[int]:
    """The messages with which an episode begins, but for the first, as the flow cuts a whole conversation."""
    settings = Boundaries().model_copy(update={"max_messages": longest})
    ends = accumulate(len(each.utterances) for each in cuts_of(utterances, detector, settings)) if utterances else ()
    return frozenset([*ends][:-1])


def garden_then(
    lines: tuple[str, ...], pause: timedelta, same_topic: bool, vectors: bool
) -> tuple[list[Utterance], list[Utterance]]:
    """Eight messages about the garden, and after a pause (none: a minute) the lines."""
    before = talk(GARDEN, topic="garden" if vectors else None)
    topic = "garden" if same_topic else "bank"
    after = talk(lines, topic=topic if vectors else None, start=before[-1].message.sent_at + max(pause, MINUTE))
    return before, after


def begins_anew(before: list[Utterance], after: list[Utterance]) -> bool:
    """Whether the first message of ``after`` begins an episode."""
    return detector().judge(before, after[:1], after[1:3]).boundaries == (0,)


@TOPICS
def test_a_long_pause_with_a_new_subject_is_a_boundary(vectors: bool) -> None:
    assert begins_anew(*garden_then(BANK, DAY, same_topic=False, vectors=vectors))


@TOPICS
def test_a_farewell_followed_by_a_long_pause_is_a_boundary(vectors: bool) -> None:
    before, after = garden_then(BANK, 2 * DAY, same_topic=False, vectors=vectors)
    farewell = utterance("Bye, talk to you later!", "Ana", before[-1].message.sent_at + MINUTE, "bye" if vectors else None)
    assert not begins_anew(before, [farewell, *after])
    assert begins_anew([*before, farewell], after)


@TOPICS
def test_a_farewell_alone_is_no_boundary(vectors: bool) -> None:
    _, after = garden_then(GARDEN[4:], MINUTE, same_topic=True, vectors=vectors)
    before = talk([*GARDEN[:4], "Good night, see you later!"], topic="garden" if vectors else None)
    assert not begins_anew(before, after)


@TOPICS
@pytest.mark.parametrize("greeting", ["Hi Ana! How are you?", "Hello everybody", "大家好"])
def test_a_greeting_alone_is_no_boundary(vectors: bool, greeting: str) -> None:
    before, after = garden_then((greeting, *GARDEN[5:]), MINUTE, same_topic=True, vectors=vectors)
    assert not begins_anew(before, after)


@TOPICS
def test_midnight_alone_is_no_boundary(vectors: bool) -> None:
    start = START.replace(hour=23, minute=55)
    messages = talk(GARDEN, topic="garden" if vectors else None, start=start)
    assert {message.message.sent_at.day for message in messages} == {2, 3}
    assert cut(detector(), messages) == frozenset()


@TOPICS
def test_a_pause_within_one_subject_is_no_boundary(vectors: bool) -> None:
    before, after = garden_then(GARDEN[5:], HOUR, same_topic=True, vectors=vectors)
    assert not begins_anew(before, after)


@pytest.mark.parametrize("seconds", [0.01, 1, 10, 30, 120, 300])
def test_even_steps_change_no_cut_whatever_the_pace(seconds: float) -> None:
    lines = [*zip(GARDEN, repeat("garden")), *zip(BANK, repeat("bank"))] * 2
    messages = [
        utterance(line, "AB"[at % 2], START + timedelta(seconds=at * seconds), topic, index=at)
        for at, (line, topic) in enumerate(lines)
    ]
    slow = [replace(each, message=each.message.model_copy(update={"sent_at": START})) for each in messages]
    assert detector().judge((), messages, ()) == replace(detector().judge((), slow, ()))


@TOPICS
def test_one_sitting_about_one_thing_is_one_episode(vectors: bool) -> None:
    assert cut(detector(), talk(GARDEN * 3, topic="garden" if vectors else None)) == frozenset()


@TOPICS
def test_the_second_message_of_an_episode_stays_with_the_first(vectors: bool) -> None:
    opening = utterance("Good morning!", "Ben", topic="greetings" if vectors else None)
    assert not begins_anew([opening], talk(GARDEN, topic="garden" if vectors else None, start=START + MINUTE))


def test_weeks_of_talk_are_cut_where_the_subject_changes_after_a_pause() -> None:
    messages = [
        *talk(GARDEN, topic="garden"),
        *talk(BANK, topic="bank", start=START + 2 * DAY),
        *talk(GARDEN, topic="garden", start=START + 9 * DAY),
    ]
    assert cut(detector(), messages) == {len(GARDEN), len(GARDEN) + len(BANK)}


def test_the_reasons_name_what_spoke_for_the_boundary() -> None:
    before, after = garden_then(BANK, 2 * DAY, same_topic=False, vectors=True)
    verdict = detector().judge(before, after[:1], after[1:3])
    assert len(verdict.reasons) == 1
    assert verdict.reasons[0].startswith("pause of 2 days")


@pytest.mark.parametrize(
    ("text", "pause", "words"),
    [
        ("By the way, did the bank call?", 60, '"by the way"'),
        ("Good morning!", 5 * 3600, "greeting"),
        ("The bank called.", 60, "wording"),
    ],
)
def test_a_reason_names_the_words_that_turned_the_conversation(text: str, pause: float, words: str) -> None:
    before = utterance("The beans are up.", "Ana", START)
    after = utterance(text, "Ben", START + timedelta(seconds=pause))
    assert reason([before], after, {"cues.changes_subject": 1.0, "words.shared_1": -1.0}) == words
    assert reason([before], after, {"time.log_gap": 1.0}) == f"pause of {'1 min' if pause == 60 else '5 h'}"
    assert reason([before], after, {"time.log_gap": -1.0}) == "several weak signals"


def test_several_judged_messages_get_the_verdicts_they_get_one_by_one() -> None:
    before, after = garden_then(BANK, DAY, same_topic=False, vectors=True)
    messages = [*before, *after]
    at_once = detector().judge((), messages, ())
    assert frozenset(at_once.boundaries) == cut(detector(), messages)


def test_a_higher_threshold_cuts_less() -> None:
    before, after = garden_then(BANK, DAY, same_topic=False, vectors=True)
    cuts = [cut(detector(threshold=threshold), [*before, *after]) for threshold in (0.0001, 0.5, 0.9999)]
    assert len(cuts[0]) > len(cuts[1]) > len(cuts[2])


def test_without_look_ahead_nothing_that_follows_is_seen() -> None:
    blind = detector(look_ahead=0)
    before, after = garden_then(BANK, DAY, same_topic=False, vectors=True)
    assert blind.look_ahead == 0
    assert blind.judge(before, after[:1], after[1:3]) == blind.judge(before, after[:1], ())


def test_a_farewell_at_the_end_of_what_is_known_completes_the_tail() -> None:
    messages = talk([*GARDEN[:3], "Good night, talk to you tomorrow!"])
    assert detector().judge(messages[:3], messages[3:], ()).tail_complete
    assert not detector().judge(messages[:2], messages[2:3], ()).tail_complete
    assert not detector().judge(messages[:3], messages[3:], messages[:1]).tail_complete


def test_a_signal_is_given_more_readily_than_a_boundary() -> None:
    before, after = garden_then(BANK, DAY, same_topic=False, vectors=True)
    assert detector().signals(before, after[0])
    assert not detector().signals(before[:5], before[5])
    assert not detector().signals((), before[0])


TEXTS = st.one_of(st.text(min_size=1, max_size=60), st.sampled_from([*GARDEN, *BANK, "Hi!", "Bye!", "好的，再见", "对了"]))


@st.composite
def conversations(draw: st.DrawFn) -> list[Utterance]:
    """Any messages: any texts, pauses, speakers, with and without vectors."""
    at, messages = START, []
    for index in range(draw(st.integers(0, 12))):
        at += timedelta(seconds=draw(st.one_of(st.just(0), st.integers(-100, 600), st.integers(3600, 10**7))))
        topic = draw(st.sampled_from(["garden", "bank", None]))
        role = draw(st.sampled_from(["user", "assistant", "system", "tool"]))
        messages.append(utterance(draw(TEXTS), draw(st.sampled_from("ABC")), at, topic, role, index))
    return messages


@settings(max_examples=40)
@given(conversations(), st.integers(0, 12), st.integers(0, 2), st.floats(0.01, 0.99))
def test_any_verdict_is_valid_and_the_same_again(messages: list[Utterance], split: int, ahead: int, threshold: float) -> None:
    context, rest = messages[:split], messages[split:]
    judged, following = rest[: len(rest) - ahead], rest[len(rest) - ahead :]
    verdict = detector(threshold=threshold).judge(context, judged, following)
    assert list(verdict.boundaries) == sorted(set(verdict.boundaries))
    assert all(0 <= at < len(judged) for at in verdict.boundaries)
    assert len(verdict.reasons) == len(verdict.boundaries)
    assert context or 0 not in verdict.boundaries
    assert detector(threshold=threshold).judge(context, judged, following) == verdict


@settings(max_examples=40)
@given(conversations())
def test_no_message_is_lost_whatever_is_said(messages: list[Utterance]) -> None:
    begins = [0, *sorted(cut(detector(threshold=0.2), messages, longest=5)), len(messages)]
    episodes = [messages[begin:end] for begin, end in pairwise(begins)]
    assert [message for episode in episodes for message in episode] == messages
    assert all(len(episode) <= 5 for episode in episodes)


def test_nothing_to_judge_gives_no_boundaries() -> None:
    assert detector().judge(talk(GARDEN), (), ()) == Verdict()
