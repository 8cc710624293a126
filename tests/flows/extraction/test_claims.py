from datetime import UTC, datetime

import pytest

from flows.extraction.claims import profile_of, relationships_of
from mneme.relations import UNREAD
from tests.flows.extraction.saying import claiming, said


def edges(sentences):
    return [(one.source, one.relation, one.target, one.ended) for one in relationships_of(sentences)]


def test_a_claim_whose_row_has_an_edge_is_one():
    sentences = claiming(
        said("Ann: I live in Oslo now.", "Ann: I left Initech.", "Ann: My knee hurts."),
        ("Ann", "home", "Oslo"),
        ("Ann", "employer", "Initech", True),
        ("Ann", "allergy", "Penicillin"),
    )
    assert edges(sentences) == [("Ann", "lives_in", "Oslo", False), ("Ann", "works_at", "Initech", True)]


def test_nothing_is_guessed_without_a_claim():
    assert edges(said("Ann: John and Ned went for a walk in the park.")) == []


def test_what_has_no_name_is_no_node_and_what_no_row_knows_no_edge():
    sentences = claiming(
        said("Ann: I love painting.", "Ann: I have a dog.", "Ann: It is so.", "Ann: I left my job."),
        ("Ann", "likes", "painting together"),
        ("Ann", "pet", "a dog"),
        ("Ann", "no such attribute", "Oslo"),
        ("Ann", "employer", UNREAD),
    )
    assert edges(sentences) == []


def test_an_edge_said_twice_is_one_with_both_sources_and_the_first_date():
    sentences = claiming(
        said("Ann: I live in Oslo.", "Ann: I moved to Oslo on 5 May 2024."), ("Ann", "home", "Oslo"), ("Ann", "home", "Oslo")
    )
    [edge] = relationships_of(sentences)
    assert edge.sources == (0, 1)
    assert edge.date == datetime(2024, 5, 5, tzinfo=UTC)


def test_a_date_in_another_clause_is_not_that_of_the_edge():
    sentences = claiming(said("Ann: I live in Oslo because I met Ned on 5 May 2024."), ("Ann", "home", "Oslo"))
    assert [edge.date for edge in relationships_of(sentences)] == [None]


def test_the_date_of_an_edge_needs_words_that_say_that_it_began_or_ended():
    trip = claiming(said("Ann: This is from the trip last year for my daughter Ida's birthday."), ("Ann", "child", "Ida"))
    met = claiming(said("Ann: I met my wife Eva in 2015."), ("Ann", "spouse", "Eva"))
    moved = claiming(said("Ann: Yesterday I moved to Oslo."), ("Ann", "home", "Oslo"))
    lost = claiming(said("Ann: I lost my job at Initech this month."), ("Ann", "employer", "Initech", True))
    assert [edge.date for edge in relationships_of(trip) + relationships_of(met) + relationships_of(lost)] == [None, None, None]
    assert [edge.date is not None for edge in relationships_of(moved)] == [True]


def test_nobody_became_a_sister_on_the_day_that_the_sister_moved():
    moved = "Ann: My sister Eva moved to Oslo yesterday."
    sentences = claiming(said(moved, moved), ("Ann", "sibling", "Eva"), ("Eva", "home", "Oslo"))
    assert [(edge.relation, edge.date is None) for edge in relationships_of(sentences)] == [
        ("sibling_of", True),
        ("lives_in", False),
    ]


def test_a_month_or_a_year_is_no_day_on_which_an_edge_began_or_ended():
    moved = claiming(said("Ann: Last year I moved to Oslo."), ("Ann", "home", "Oslo"))
    left = claiming(said("Ann: Bob left Acme in March 2025."), ("Bob", "employer", "Acme", True))
    assert [edge.date for edge in relationships_of(moved) + relationships_of(left)] == [None, None]


# --- lines of profiles ------------------------------------------------------------------------------------------------


def lines_of(sentences):
    """The lines; what only ends lines is none."""
    return tuple(each for each in profile_of(sentences) if each.claim is None or not each.claim.ends)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I'm allergic to penicillin.", "health"),
        ("I love hiking in the mountains.", "preference"),
        ("My favourite soup is lentil soup.", "preference"),
        ("I can't stand coriander.", "dislike"),
        ("I run five kilometres every morning.", "habit"),
        ("My dream is to open a bakery.", "goal"),
        ("I play the cello in an orchestra.", "skill"),
        ("My left knee gave up at kilometre fourteen.", "health"),
        ("My family means the world to me.", "value"),
    ],
)
def test_a_line_is_a_sentence_as_said_after_the_name_of_who_said_it(text, category):
    [line] = lines_of(said(f"Ann: {text}", "Bo: Good to know."))
    assert (line.about, line.statement, line.category, line.implicit) == ("Ann", f"Ann: {text}", category, False)


@pytest.mark.parametrize(
    "text",
    [
        "I love that!",
        "I love your dress.",
        "I love having them around.",
        'I prefer "reliable".',
        "Yeah, I love to.",
        "I used to love tea.",
        "I would love to see Rome.",
        "I like how you paint.",
        "I went to the shop and bought some bread.",
        "Do you like tea?",
        "我喜欢你的裙子。",
    ],
)
def test_a_passing_remark_is_no_line(text):
    assert lines_of(said(f"Ann: {text}", "Bo: Good to know.")) == ()


def test_what_is_claimed_as_over_or_of_who_takes_no_part_is_no_line():
    sentences = claiming(
        said("Ann: I left Initech in May.", "Ann: Tideworks is in Lyon."),
        ("Ann", "employer", "Initech", True),
        ("Tideworks", "home", "Lyon"),
    )
    assert lines_of(sentences) == ()
    [over] = profile_of(sentences)
    assert (over.claim.value, over.claim.ends) == ("Initech", True)


def test_an_assistant_and_a_list_say_nothing_of_anybody():
    lines = "Ann: My plan:\n- I love tea\n- I love hiking\n- I love coffee"
    assert lines_of(said(lines, "assistant: I love hiking in the mountains.")) == ()


@pytest.mark.parametrize(("text", "category"), [("我不吃香菜。", "dislike"), ("我喜欢爬山。", "preference")])
def test_chinese_says_so_too(text, category):
    [line] = lines_of(said(f"王浩然: {text}", "林晓雨: 知道了，没问题。"))
    assert (line.statement, line.category) == (f"王浩然: {text}", category)
