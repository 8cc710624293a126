from datetime import UTC, datetime

import pytest

from flows.extraction import LocalExtractor
from tests.flows.extraction.cuts import MONDAY, cut_of, message, talk


def facts(*lines, **fields):
    return LocalExtractor().extract(talk(*lines, **fields)).facts


def statements(*lines, **fields):
    return [fact.statement for fact in facts(*lines, **fields)]


def test_a_message_becomes_one_fact_that_reuses_its_vector():
    [fact] = facts("Ann: I adopted a puppy. I named him Rex.")
    assert fact.statement == "Ann adopted a puppy. Ann named him Rex."
    assert fact.sources == (0,)
    assert fact.same_as_source


def test_a_statement_that_does_not_name_its_speaker_is_introduced():
    assert statements("Ann: The concert was loud.") == ["Ann said: The concert was loud."]
    assert statements("Bo: My ears hurt.") == ["Bo's ears hurt."]


@pytest.mark.parametrize(
    "text",
    [
        "Wow, that's great!",
        "Hey Bo! Good to see you!",
        "Thanks, Bo!",
        "Haha ok",
        "Talk to you soon. Bye!",
        "Congrats!",
        "That's so cool, Bo!",
    ],
)
def test_small_talk_is_no_fact(text):
    assert facts(f"Ann: {text}", "Bo: Rain is expected.")[0].sources == (1,)


@pytest.mark.parametrize(
    "text",
    [
        "I got a new job!",
        "I quit smoking.",
        "I'm pregnant!",
        "My code is 4711.",
        "We moved to Oslo.",
        "I love dogs.",
        "No, it was Tuesday.",
    ],
)
def test_little_things_that_matter_are_facts(text):
    assert len(facts(f"Ann: {text}")) == 1


def test_small_talk_around_a_statement_falls_away():
    assert statements("Bo: Hi", "Ann: Hey Bo! Yeah, I sold my car. Take care!") == ["Ann sold Ann's car."]


def test_a_short_answer_carries_its_question():
    [fact] = facts("Ann: When does your course start?", "Bo: Next Friday.")
    assert fact.statement == 'Asked "When does your course start?", Bo said: Next Friday (13 March 2026).'
    assert fact.sources == (1, 0)
    assert not fact.same_as_source
    assert fact.event_at == datetime(2026, 3, 13, tzinfo=UTC)


def test_yes_carries_its_question():
    assert statements("Ann: Do you have a brother?", "Bo: Yes!") == ['Asked "Do you have a brother?", Bo said: Yes!']


def test_thanks_are_no_answer():
    assert statements("Ann: Do you need a ladder?", "Bo: Thanks!") == []


def test_a_long_answer_stands_alone():
    [fact] = facts("Ann: Where do you work?", "Bo: I work at a bakery in Lyon and bake bread before sunrise.")
    assert fact.statement.startswith("Bo works at a bakery")
    assert fact.same_as_source


def test_a_question_that_tells_something_is_kept():
    [fact] = facts("Ann: Are you still teaching piano at the music school in Bergen?")
    assert fact.statement == 'Ann asked: "Are you still teaching piano at the music school in Bergen?"'


def test_relative_dates_are_written_in_full_and_become_the_time_of_the_event():
    [fact] = facts("Ann: I ran a marathon yesterday.")
    assert fact.statement == "Ann ran a marathon yesterday (1 March 2026)."
    assert (fact.event_at, fact.event_until) == (datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC))


def test_dates_are_those_of_the_speakers_zone():
    [fact] = facts(
        "Ann: I ran a marathon yesterday.", timezone="Pacific/Auckland", sent_at=datetime(2026, 3, 2, 20, tzinfo=UTC)
    )
    assert "2 March 2026" in fact.statement
    assert fact.event_at == datetime(2026, 3, 1, 11, tzinfo=UTC)


def test_a_zone_that_is_not_known_is_utc():
    assert facts("Ann: I ran a marathon yesterday.", timezone="Mars/Olympus")[0].event_at == datetime(2026, 3, 1, tzinfo=UTC)


def test_the_most_exact_date_is_the_time_of_the_event():
    [fact] = facts("Ann: Last year I met Kim, on 3 June 2025.")
    assert fact.event_at == datetime(2025, 6, 3, tzinfo=UTC)


def test_an_image_is_told_as_shared():
    [fact] = facts("Ann: Look!\n[image: a photo of a red bicycle]")
    assert fact.statement == "Ann shared an image: a photo of a red bicycle."


def test_a_very_long_message_becomes_several_facts_of_which_the_first_reuses_its_vector():
    found = facts("Ann: " + " ".join(f"The {number}th chapter tells of whales and ships." for number in range(80)))
    assert len(found) > 1
    assert [fact.same_as_source for fact in found] == [True] + [False] * (len(found) - 1)
    assert all(fact.sources == (0,) and len(fact.statement) < 1100 for fact in found)


def test_an_endless_sentence_becomes_several_facts():
    found = facts("Ann: " + "I saw whales and ships " * 200)
    assert len(found) > 1
    assert all(len(fact.statement) < 1000 for fact in found)


def test_advice_of_an_assistant_is_told_as_advice():
    found = statements("user: My knee hurts.", "assistant: I recommend swimming twice a week. Avoid squats.")
    assert found == ["The user's knee hurts.", "The assistant recommends swimming twice a week. Avoid squats."]


def test_what_an_assistant_repeats_from_memory_is_not_extracted_again():
    found = statements(
        "user: Where do I live?", "assistant: You mentioned earlier that you live in Oslo. The ferry leaves at 8."
    )
    assert found == ["The assistant said: The ferry leaves at 8."]


def test_a_block_of_code_is_shown_and_not_retold():
    [fact] = facts("Ann: This **works** for me:\n```python\nif you: my = I + 1\n```")
    assert fact.statement == "Ann shared code: python if you: my = I + 1"


def test_messages_of_tools_and_systems_are_no_facts():
    cut = cut_of([message("tool", "200 OK, 5 rows", 0, "tool"), message("Ann", "I sold my car.", 1)])
    assert [fact.sources for fact in LocalExtractor().extract(cut).facts] == [(1,)]


def test_in_a_group_the_one_who_is_called_is_meant():
    found = statements("Ann: Hello all", "Cy: Hi", "Bo: Ann, your last invoice has two errors.", "Cy: @Bo your printer burns")
    assert found == ["Bo said: Ann, Ann's last invoice has two errors.", "Cy said: @Bo Bo's printer burns"]


def test_chinese_is_told_in_chinese():
    found = facts("小明: 我昨天去了杭州。太好了！", "小红: 下周五我要考试。")
    assert [fact.statement for fact in found] == [
        "小明昨天（2026年3月1日）去了杭州。",
        "小红说：下周五（2026年3月13日）小红要考试。",
    ]
    assert found[1].event_at == datetime(2026, 3, 13, tzinfo=UTC)


def test_a_short_chinese_answer_carries_its_question():
    [fact] = facts("小红: 你什么时候出发？", "小明: 后天。")
    assert fact.statement == "被问到“你什么时候出发？”，小明说：后天（2026年3月4日）。"


def test_the_topic_is_the_subject_of_the_episode():
    extraction = LocalExtractor().extract(talk("Ann: The pottery class starts in May.", "Bo: A pottery class needs clay."))
    assert "pottery" in extraction.subject.lower()
    assert {fact.topic for fact in extraction.facts} == {extraction.subject}


def test_said_on_another_day_the_same_words_mean_another_date():
    later = facts("Ann: I ran a marathon yesterday.", sent_at=datetime(2026, 4, 2, 9, tzinfo=UTC))
    assert later[0].event_at > facts("Ann: I ran a marathon yesterday.", sent_at=MONDAY)[0].event_at


@pytest.mark.parametrize("text", ["Nice.", "Thank you.", "That sounds exciting!", "Sounds like a great idea to me!"])
def test_a_mere_reaction_is_in_no_fact(text):
    assert [fact.sources for fact in facts("Ann: I painted the house yellow.", f"Bo: {text}")] == [(0,)]


def test_a_remark_is_in_no_fact():
    found = facts("Bo: Grey streets need colours.", "Ann: I painted the house yellow.", "Bo: Yellow brightens grey streets.")
    assert [(fact.statement, fact.sources) for fact in found] == [("Ann painted the house yellow.", (1,))]


@pytest.mark.parametrize("text", ["I'm team lead now.", "We're engaged!", "Mia and I split up last week."])
def test_what_claims_an_attribute_is_a_fact_however_little_it_says(text):
    assert len(facts("Ann: I painted my kitchen yellow.", f"Ann: {text}")) == 2


def test_a_picture_beside_a_remark_is_no_fact():
    found = facts("Ann: I painted my kitchen yellow.", "Bo: Nice colours!\n[image: a red bicycle]")
    assert [fact.sources for fact in found] == [(0,)]


def test_the_deadline_of_a_quarter_keeps_its_name():
    [fact] = facts("Ann: We give up the Q2 deadline.")
    assert "give up the Q2 deadline" in fact.statement


def test_an_episode_without_anything_to_remember_is_told_as_it_stands():
    assert statements("Ann: Rain is expected.", "Bo: Good!") == ["Ann said: Rain is expected."]


@pytest.mark.parametrize("text", ["I refuse.", "Gate 12 opens at noon.", "Rex came with us to Oslo."])
def test_a_short_message_that_tells_something_is_a_fact(text):
    assert len(facts("Ann: I painted the house yellow.", f"Bo: {text}")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Friends make life beautiful.",
        "We should all support each other.",
        "You should believe in yourself!",
        "It's so important to have dreams.",
        "I won't give up.",
        "I hope you have a great time!",
        "Your support means a lot to me.",
    ],
)
def test_a_general_truth_or_encouragement_is_no_fact_of_its_own(text):
    found = facts("Ann: I painted the house yellow.", f"Bo: {text}")
    assert [fact.sources[0] for fact in found] == [0]


def test_what_leans_on_the_message_before_is_joined_with_it():
    found = facts("Ann: I bought a canoe in Bergen.", "Bo: I sold mine there for it to be repaired.")
    assert found[1].statement.startswith("Ann bought a canoe in Bergen. Bo sold")
    assert found[1].sources == (1, 0)


def test_a_question_that_leans_has_before_it_what_it_is_about():
    found = facts("Ann: I adopted a puppy from the shelter.", "Bo: What's her name?", "Ann: It's Luna.")
    assert found[1].statement == ("Ann adopted a puppy from the shelter. Asked \"What's her name?\", Ann said: It's Luna.")
    assert found[1].sources == (2, 1, 0)


def test_the_question_of_a_talk_of_two_is_left_to_its_answer():
    assert statements("Ann: I painted the house yellow.", "Bo: Where does Elias sleep?") == ["Ann painted the house yellow."]


def test_notes_of_a_group_are_facts():
    found = facts("Ann: The demo is ready.", "Cy: Morning all", "Bo: Index migration finished, cache warmed.")
    assert found[-1].sources[0] == 2


def test_a_short_answer_is_no_mere_reaction():
    assert statements("Ann: Which colour do you like?", "Bo: Pale yellow.")[-1].endswith("Bo said: Pale yellow.")


def test_a_clock_ends_a_sentence_and_a_list_number_does_not():
    assert statements("Ann: Saturday at 19:30. Lupo is full.\n1. Call them")[0].endswith("at 19:30. Lupo is full. 1. Call them")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My birthday is on 14 May.", "Ann's birthday is on 14 May 2026."),
        ("I leave in September.", "Ann leaves in September 2026."),
        ("I leave on 3 June 2027.", "Ann leaves on 3 June 2027."),
        ("I leave from 22 to 24 August.", "Ann leaves from 22 to 24 August 2026."),
        ("On a Wednesday everybody leaves at ten.", "Ann said: On a Wednesday everybody leaves at ten."),
        ("I leave on Saturday the 14th.", "Ann leaves on Saturday the 14th (14 March 2026)."),
    ],
)
def test_a_date_is_written_once(text, told):
    assert statements(f"Ann: {text}") == [told]


def test_a_range_of_days_begins_with_its_first_and_ends_after_its_last():
    [fact] = facts("Ann: The fair is from 22 to 24 August.")
    assert (fact.event_at, fact.event_until) == (datetime(2026, 8, 22, tzinfo=UTC), datetime(2026, 8, 25, tzinfo=UTC))
