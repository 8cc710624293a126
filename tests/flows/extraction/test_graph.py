import pytest

from flows.extraction import LocalExtractor
from tests.flows.extraction.cuts import talk


def graph(*lines):
    extraction = LocalExtractor().extract(talk(*lines))
    edges = {(edge.source, edge.relation, edge.target) for edge in extraction.relationships}
    return {entity.name: entity.type for entity in extraction.entities}, edges


@pytest.mark.parametrize(
    ("text", "edge", "kind"),
    [
        ("I work at Harbour Bank.", ("Ann", "works_at", "Harbour Bank"), "organisation"),
        ("I just started working for the Red Cross.", ("Ann", "works_at", "Red Cross"), "organisation"),
        ("I'm a nurse at Mercy Hospital.", ("Ann", "works_at", "Mercy Hospital"), "organisation"),
        ("I live in Oslo.", ("Ann", "lives_in", "Oslo"), "location"),
        ("I moved to Lyon last year.", ("Ann", "lives_in", "Lyon"), "location"),
        ("I was born in New York.", ("Ann", "born_in", "New York"), "location"),
        ("I'm originally from Kenya.", ("Ann", "from", "Kenya"), "location"),
        ("My husband Karl cooks.", ("Ann", "married_to", "Karl"), "person"),
        ("My best friend, Mia, moved away.", ("Ann", "friend_of", "Mia"), "person"),
        ("My son's name is Leo.", ("Ann", "parent_of", "Leo"), "person"),
        ("Eva is my sister.", ("Ann", "sibling_of", "Eva"), "person"),
        ("I have a dog named Rex.", ("Ann", "has_pet", "Rex"), "animal"),
        ("We got another cat called Minou.", ("Ann", "has_pet", "Minou"), "animal"),
        ("My dog Rex is old.", ("Ann", "has_pet", "Rex"), "animal"),
        ("I married Karl in June 2020.", ("Ann", "married_to", "Karl"), "person"),
        ("I graduated from Ghent University.", ("Ann", "studies_at", "Ghent University"), "organisation"),
        ("I joined the Rowing Club.", ("Ann", "member_of", "Rowing Club"), "organisation"),
        ("Tom works at Initech.", ("Tom", "works_at", "Initech"), "organisation"),
        ("Your brother Max called.", ("Bo", "sibling_of", "Max"), "person"),
    ],
)
def test_a_relationship_is_read_from_a_sentence(text, edge, kind):
    entities, edges = graph(f"Ann: {text}", "Bo: ok")
    assert edges == {edge}
    assert entities[edge[0]] == "person"
    assert entities[edge[2]] == kind


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("我在腾讯公司工作。", ("小明", "works_at", "腾讯公司")),
        ("我住在杭州。", ("小明", "lives_in", "杭州")),
        ("我的妻子叫李梅。", ("小明", "married_to", "李梅")),
        ("我的狗叫旺财。", ("小明", "has_pet", "旺财")),
        ("我毕业于北京大学。", ("小明", "studies_at", "北京大学")),
    ],
)
def test_a_relationship_is_read_from_a_chinese_sentence(text, edge):
    assert graph(f"小明: {text}", "小红: 好的")[1] == {edge}


@pytest.mark.parametrize(
    "text",
    [
        "I no longer work at Harbour Bank.",
        "I don't live in Oslo.",
        "Do I live in Oslo?",
        "My dog barks.",
        "I work at home.",
        "I live in a small house.",
    ],
)
def test_what_is_denied_asked_or_unnamed_is_no_relationship(text):
    assert graph(f"Ann: {text}", "Bo: ok")[1] == set()


def test_a_relationship_carries_the_date_that_its_sentence_gives():
    [edge] = LocalExtractor().extract(talk("Ann: I moved to Lyon last year.")).relationships
    assert edge.date.year == 2025
    assert edge.sources == (0,)


def test_names_are_entities_and_the_beginning_of_a_sentence_is_none():
    entities, _ = graph('Ann: Yesterday I saw "Blue Harbour" with Mia in Oslo. Pottery helps.', "Bo: Running is fun.")
    assert entities == {"Mia": "person", "Oslo": "location", "Blue Harbour": "object"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Poor Rex is on a diet now.", {"Rex"}),
        ("Give Rex a carrot from me.", {"Rex"}),
        ("The bakery in Oslo is closed on Saturdays.", {"Oslo"}),
        ("My table is at Quan Do, near the Elbe.", {"Quan Do", "Elbe"}),
    ],
)
def test_a_name_is_without_what_only_stands_beside_it(text, names):
    assert set(graph(f"Ann: {text}", "Bo: ok")[0]) - {"Ann", "Bo"} == names


def test_a_speaker_is_an_entity_with_what_is_said_of_them():
    entities = LocalExtractor().extract(talk("Ann: I play the cello.", "Bo: I bake bread.")).entities
    assert [(entity.name, entity.summary, entity.sources) for entity in entities] == [
        ("Ann", "Ann plays the cello.", (0,)),
        ("Bo", "Bo bakes bread.", (1,)),
    ]


def test_a_nickname_of_a_speaker_is_no_other_person():
    assert "Mel" not in graph("Melanie: I bake bread.", "Ann: I saw Mel in Oslo today.")[0]
