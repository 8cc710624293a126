"""The walk over the graph: pure, over a few people and where they work."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.ports import Filter
from mneme.records import Validity
from mneme.rows import row_of
from queries.entities.graph import (
    MOST_ENTITIES,
    MOST_RELATIONSHIPS,
    Reached,
    Walk,
    graph_response,
    leads,
    legs_beyond,
    lifted,
    walk,
)
from queries.questions.understand import understand
from tests.queries.world import MAYA, NOW, START, conversation, edge, entity, mention

NODES = Filter(tenant_id="default", owner_keys=(MAYA.key,))
OVER = Validity(valid_to=START + timedelta(days=1))

ACME = [
    entity("Acme", type="organisation"),
    entity("Dana Novak", "Dana"),
    entity("Lee"),
    edge("Dana", "ceo_of", "Acme"),
    edge("Dana Novak", "married_to", "Lee"),
    edge("Lee", "works_at", "Initech"),
    edge("Lee", "works_at", "Hooli", validity=OVER),
]
CHAIN = "What is the current company of the spouse of the CEO of Acme?"


def walked(text, *parts) -> Walk:
    return walk(understand(text, None), parts, NOW)


def entities(walk):
    return [(each.part.name, each.hop) for each in walk.entities]


def edges(walk):
    return [(each.part.source, each.part.relation, each.part.target, each.hop) for each in walk.relationships]


class TestTheWayThere:
    def test_a_chain_is_walked_from_the_one_name_that_the_question_holds(self):
        found = walked(CHAIN, *ACME)
        assert entities(found) == [("Acme", 0), ("Dana Novak", 1), ("Lee", 2)]
        assert edges(found) == [
            ("Dana", "ceo_of", "Acme", 1),
            ("Dana Novak", "married_to", "Lee", 2),
            ("Lee", "works_at", "Initech", 3),
            ("Lee", "works_at", "Hooli", 3),
        ]

    def test_both_directions_of_a_relationship_are_walked(self):
        assert entities(walked("Who knows Lee?", *ACME)) == [("Lee", 0), ("Dana Novak", 1), ("Acme", 2)]

    def test_nothing_is_reached_that_is_three_relationships_away(self):
        found = walked("Who knows Hooli?", *ACME[:3], edge("Lee", "works_at", "Hooli"), *ACME[3:5])
        assert entities(found) == [("Lee", 1), ("Dana Novak", 2)]

    def test_a_question_without_a_name_leads_nowhere(self):
        assert walked("Who is married?", *ACME) == Walk()

    def test_the_order_in_which_rows_come_makes_no_difference(self):
        assert walked(CHAIN, *reversed(ACME), *ACME) == walked(CHAIN, *ACME)

    def test_what_has_no_entity_is_a_node_by_its_name(self):
        assert edges(walked("Who works at Initech?", *ACME[4:])) == [
            ("Lee", "works_at", "Initech", 1),
            ("Dana Novak", "married_to", "Lee", 2),
            ("Lee", "works_at", "Hooli", 2),
        ]


class TestNames:
    def seeds(self, text, *parts):
        return [name for name, hop in entities(walked(text, *parts)) if hop == 0]

    def test_a_name_is_found_as_a_whole_word_only(self):
        assert self.seeds("Where is Leeds?", entity("Lee")) == []
        assert self.seeds("Where is Lee's car?", entity("Lee")) == ["Lee"]

    def test_an_alias_is_a_name(self):
        assert self.seeds("Where is Mum?", entity("Ines Duarte", "Mum")) == ["Ines Duarte"]

    def test_a_part_of_a_persons_name_is_enough_if_nobody_else_has_it(self):
        ann, bob = entity("Ann Miller"), entity("Bob Miller")
        assert self.seeds("What does Ann think?", ann, bob) == ["Ann Miller"]
        assert self.seeds("What do the Millers, or does Miller, think?", ann, bob) == []

    def test_a_part_of_two_letters_or_of_a_thing_is_not(self):
        assert self.seeds("Where is Bo?", entity("Bo Lindqvist")) == []
        assert self.seeds("Where is the Harbour?", entity("Harbour Bank", type="organisation")) == []

    def test_a_name_with_a_capital_is_not_the_word_without_unless_the_question_has_none(self):
        assert self.seeds("Who put a mark on the door of Ines?", entity("Mark")) == []
        acme = entity("Acme", type="organisation")
        assert self.seeds("Which acme of beauty does Ines like?", acme) == []
        assert self.seeds("who works for acme?", acme) == ["Acme"]

    def test_of_names_within_names_the_longest_is_meant(self):
        assert self.seeds("Who lives in New York?", entity("New York", type="location"), entity("York", type="location")) == [
            "New York"
        ]

    def test_somebody_without_a_name_is_named_as_a_whole_only(self):
        husband = entity("Ann's husband")
        assert self.seeds("What do Ann and my husband like?", husband, entity("Ann")) == ["Ann"]
        assert self.seeds("What does Ann's husband like?", husband) == ["Ann's husband"]

    def test_chinese_names_need_no_blanks(self):
        found = walked(
            "李强的妻子在哪里工作？", entity("李强"), edge("李强", "married_to", "王岚"), edge("王岚", "works_at", "蓝海公司")
        )
        assert entities(found) == [("李强", 0)]
        assert [each.fit for each in found.relationships] == [1.0, 1.0]


class TestWhatIsOver:
    MARRIAGES = (edge("Dana", "married_to", "Bob", validity=OVER), edge("Bob", "works_at", "Hooli"))

    def test_it_is_shown_after_what_holds_and_leads_nowhere(self):
        found = walked("Where does Dana's spouse work?", *self.MARRIAGES, edge("Dana", "likes", "tea"))
        assert edges(found) == [("Dana", "likes", "tea", 1), ("Dana", "married_to", "Bob", 1)]
        assert found.episodes() == []

    def test_a_question_about_the_past_walks_along_it(self):
        found = walked("Where did Dana's former spouse work?", *self.MARRIAGES)
        assert ("Bob", "works_at", "Hooli", 2) in edges(found)
        assert found.episodes() == ["Bob works_at Hooli"]


class TestOneRelationshipUnderSeveralNames:
    """Dana, whose full name is Dana Novak, works at Acme."""

    DANA = entity("Dana Novak", "Dana")

    def stated(self, name, *days, left=None):
        """Works at Acme: said on these days, and on the day ``left`` that it is over."""
        mentions = [mention(f"e{day}", day=day) for day in days]
        if left is None:
            return edge(name, "works_at", "Acme", *mentions)
        end = Validity(valid_to=START + timedelta(days=left))
        return edge(name, "works_at", "Acme", *mentions, mention(f"e{left}", day=left, ended=True), validity=end)

    def one(self, *parts):
        (found,) = walked("Where does Dana work?", self.DANA, *parts).relationships
        return found.part

    def test_it_is_one_with_all_that_was_said_of_it(self):
        found = self.one(self.stated("Dana", 1), self.stated("Dana Novak", 2))
        assert [each.episode_id for each in found.mentions] == ["e1", "e2"]
        assert found.validity.valid_to is None

    def test_it_is_over_when_it_ended_under_the_other_name(self):
        for parts in (
            (self.stated("Dana", 1), self.stated("Dana Novak", left=5)),
            (self.stated("Dana Novak", 1, left=5), self.stated("Dana", 2)),
        ):
            assert self.one(*parts).validity.valid_to == START + timedelta(days=5)

    def test_it_holds_where_that_was_said_after_the_end(self):
        found = self.one(self.stated("Dana Novak", 1, left=5), self.stated("Dana", 9))
        assert found.validity.valid_to is None

    def test_the_first_end_after_it_was_last_said_to_hold_counts(self):
        found = self.one(self.stated("Dana", 1, left=8), self.stated("Dana Novak", left=5))
        assert found.validity.valid_to == START + timedelta(days=5)


class TestWhatFits:
    def test_what_the_question_asks_for_comes_before_what_was_said_more_often(self):
        likes = edge("Dana", "likes", "tea", mention("e1"), mention("e2"))
        married = edge("Dana", "married_to", "Lee")
        assert edges(walked("Who is Dana's husband?", likes, married))[0][1] == "married_to"
        assert edges(walked("Who is Dana?", likes, married))[0][1] == "likes"

    HUSBANDS_WORK = "Where does Dana's husband work?"
    MARRIED = edge("Dana", "married_to", "Lee", mention("wedding", "m1"))

    def test_episodes_are_ordered_by_how_much_they_tell(self):
        works = edge("Lee", "works_at", "Initech", mention("cafe", "m2"), mention("train", "m3"))
        found = walked(self.HUSBANDS_WORK, self.MARRIED, works, edge("Lee", "works_at", "Hooli", mention("train", "m4")))
        assert found.episodes() == ["train", "cafe"]

    def test_a_statement_tells_it_by_its_own_message(self):
        lines = [("Maya", "the weather is fine"), ("Maya", "Lee works at Initech")]
        *_, episode, weather, work = (row for row in conversation(MAYA, "news", "News", lines))
        found = walked(self.HUSBANDS_WORK, self.MARRIED, edge("Lee", "works_at", "Initech", mention(episode.id, "m2")))
        assert [found.is_told_by(row) for row in (weather, work)] == [False, True]

    def test_what_names_of_the_question_find_and_what_it_does_not_ask_for_is_no_evidence(self):
        likes = edge("Lee", "likes", "tea")
        assert walked(self.HUSBANDS_WORK, self.MARRIED, likes).evidence == ()

    def test_a_word_of_the_question_asks_once(self):
        found = walked("Who is Dana's friend?", edge("Dana", "friend_of", "Mia"), edge("Mia", "friend_of", "Zoe"))
        assert [each.fit for each in found.relationships] == [1.0, 0.5]


class TestWhetherToFollow:
    def test_along_what_the_question_asks_for(self):
        married = edge("Dana", "married_to", "Lee")
        for text, worth_it in (("Who is Dana's husband?", True), ("Does Dana sing?", False), ("Who is Mia's husband?", False)):
            assert leads(walked(text, married)) is worth_it

    def test_what_is_led_to_moves_towards_the_best_and_never_beyond(self):
        scores = {"best": 0.8, "led to": 0.2, "near": 0.3}
        assert lifted(scores, ["best", "led to"], 0.5) == pytest.approx({"best": 0.8, "led to": 0.5, "near": 0.3})


class TestWhatToAskForNext:
    def tokens(self, found, *asked):
        legs = legs_beyond(found, asked, NODES)
        assert all(leg.tokens == legs[0].tokens for leg in legs)
        assert [leg.filter.kinds for leg in legs] == ([("relationship",), ("entity",)] if legs else [])
        return set(legs[0].tokens) if legs else set()

    def test_the_names_that_were_reached_and_not_asked_for_yet(self):
        found = walked(CHAIN, ACME[0], *ACME[3:4])
        assert self.tokens(found, "acm") == {"dana"}
        assert self.tokens(found, "acm", "dana") == set()

    def test_other_names_of_what_the_question_names(self):
        assert self.tokens(walked("Where is Mum?", entity("Ines", "Mum")), "mum") == {"ine"}

    def test_single_chinese_characters_are_not_asked_for(self):
        assert self.tokens(walked("谁是李强？", entity("李强", "强哥"))) == {"李强", "强哥"}

    def test_nothing_without_a_name(self):
        assert self.tokens(Walk()) == set()


PEOPLE = st.sampled_from(["Ann", "Bea", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal", "Ida", "Jo", "Kit", "Lou", "Mia", "Ned"])
RELATIONS = st.sampled_from(["friend_of", "married_to", "works_at"])
EDGES = st.builds(edge, PEOPLE, RELATIONS, PEOPLE, validity=st.sampled_from([OVER, Validity()]))


@given(st.lists(EDGES, max_size=60), st.sampled_from(["Who is Ann's friend?", "Where did Ann and Bea work before?"]))
def test_the_walk_is_bounded_and_each_relationship_hangs_on_what_was_reached(parts, text):
    known = {each.id: each for each in parts}.values()
    found = walked(text, *[entity(name) for name in {name for each in known for name in (each.source, each.target)}], *known)
    assert len(found.entities) <= MOST_ENTITIES
    assert len(found.relationships) <= MOST_RELATIONSHIPS
    assert all(0 < each.fit <= 1 for each in (*found.entities, *found.relationships))
    assert all(each.hop <= 2 for each in found.entities)
    named = {"Ann", "Bea"} if "Bea" in text else {"Ann"}
    distance = dict.fromkeys(named, 0)
    past = "before" in text
    for hop in (1, 2, 3):
        for each in known:
            ends = {each.source, each.target}
            if (past or each.validity.valid_to is None) and any(distance.get(end, 9) < hop for end in ends):
                distance |= {end: hop for end in ends if end not in distance}
    assert all(each.hop == distance[each.part.name] for each in found.entities)
    for each in found.relationships:
        assert each.hop == 1 + min(distance.get(end, 9) for end in (each.part.source, each.part.target))


def test_an_edge_goes_by_the_name_of_its_entity_whatever_case_it_was_said_in():
    parts = [Reached(entity("Sam"), 0, 1.0)], [Reached(edge("sam", "lives_in", "York"), 1, 1.0)]
    assert [(each.source, each.target) for each in graph_response(*parts).relationships] == [("Sam", "York")]


def test_an_edge_row_keeps_what_the_walk_needs():
    assert row_of(ACME[3]).record() == ACME[3]
