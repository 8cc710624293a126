from datetime import UTC, datetime

from flows.extraction.entities import relationships_of
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
    assert [edge.date for edge in relationships_of(trip) + relationships_of(met)] == [None, None]
    assert [edge.date is not None for edge in relationships_of(lost)] == [True]
    assert [edge.date is not None for edge in relationships_of(moved)] == [True]


def test_nobody_became_a_sister_on_the_day_that_the_sister_moved():
    moved = "Ann: My sister Eva moved to Oslo yesterday."
    sentences = claiming(said(moved, moved), ("Ann", "sibling", "Eva"), ("Eva", "home", "Oslo"))
    assert [(edge.relation, edge.date is None) for edge in relationships_of(sentences)] == [
        ("sibling_of", True),
        ("lives_in", False),
    ]


def test_a_month_or_a_year_is_no_day_on_which_an_edge_began_and_what_ended_in_one_had_ended_on_its_last():
    moved = claiming(said("Ann: Last year I moved to Oslo."), ("Ann", "home", "Oslo"))
    left = claiming(said("Ann: Bob left Acme in March 2025."), ("Bob", "employer", "Acme", True))
    assert [edge.date for edge in relationships_of(moved) + relationships_of(left)] == [None, datetime(2025, 3, 31, tzinfo=UTC)]


def test_an_end_of_a_time_that_cannot_be_read_is_not_of_the_day_of_telling():
    ended, claim = "Ann: Bo and I ended it.", ("Ann", "partner", "Bo", True)
    assert edges(claiming(said(ended), claim)) == [("Ann", "partner_of", "Bo", True)]
    assert edges(claiming(said(f"{ended} Valentine's week if you can imagine."), claim, claim)) == []
    assert edges(claiming(said("Ann: I left Acme some summer ago."), ("Ann", "employer", "Acme", True))) == []


def test_a_question_has_no_end():
    sentences = said("Ann: What about Jade and broome. You doing long distance", "Bo: No.", "Ann: Aw. Sorry. Pub?")
    assert [one.claims for one in sentences if one.claims] == []
