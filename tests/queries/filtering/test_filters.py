"""The filters of a search: metadata with operators, and the kinds of memory that take part."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mneme.errors import InputError
from mneme.rows import Row, row_of
from queries.filtering.filters import Filters
from queries.responses import SearchResponse
from tests.queries.world import MAYA, START, conversation, filled, memories, with_validity

MINE = {"user_id": "maya"}
LONG_TEXT, LONG_KEY = "x" * 513, "k" * 129


def labelled(rows: list[Row], *metadata: dict[str, Any]) -> list[Row]:
    """A conversation whose messages have this metadata, as the flow passes it on to what is made from them."""
    of_message = dict(zip((row.message_ids[0] for row in rows if row.kind == "message"), metadata, strict=True))
    new = []
    for row in rows:
        values: dict[str, Any] = {}
        for message in row.message_ids:
            for key, value in of_message[message].items():
                values[key] = value if row.kind == "message" else (*values.get(key, ()), value)
        made = row_of(row.record().model_copy(update={"metadata": values}))
        new.append(replace(made, tokens=row.tokens, vector=row.vector))
    return new


SPRINT = labelled(
    conversation(
        MAYA,
        "sprint",
        "Sprint review",
        [("Ines", "the login page needs a captcha"), ("Jonas", "the login page loads slowly"), ("Ines", "lunch was fine")],
        day=8,
        first=40,
    ),
    {"project": "apollo", "priority": 3, "due": "2026-04-01"},
    {"project": "zeus", "priority": 1, "draft": True},
    {},
)


def found(metadata: dict[str, Any] | None = None, method: str = "hybrid", **filters: Any) -> SearchResponse:
    asked = {**MINE, **({"metadata": metadata} if metadata is not None else {}), **filters}
    return memories(filled(*SPRINT)).search("What about the login page?", method=method, filters=asked)


def texts(response: SearchResponse) -> str:
    return "\n".join(item.text for item in response.ranked())


class TestMetadata:
    @pytest.mark.parametrize("method", ["keyword", "vector", "hybrid"])
    def test_only_what_was_made_from_such_messages_is_found(self, method):
        response = found({"project": "apollo"}, method)
        assert "captcha" in texts(response)
        nested = {fact.atomic_fact for episode in response.episodes for fact in episode.atomic_facts}
        assert not any("slowly" in fact for fact in nested)
        assert {episode.conversation_id for episode in response.episodes} == {"sprint"}
        assert response.profiles == response.knowledge == response.graph.entities == ()

    def test_an_episode_has_the_values_of_all_its_messages(self):
        for project in ("apollo", "zeus"):
            assert [each.conversation_id for each in found({"project": project}, "keyword").episodes] == ["sprint"]
        assert found({"project": "hermes"}).ranked() == ()

    @pytest.mark.parametrize(
        ("asked", "facts"),
        [
            ({"project": "apollo"}, ["captcha"]),
            ({"project": {"eq": "zeus"}}, ["slowly"]),
            ({"project": ["apollo", "zeus"]}, ["captcha", "slowly"]),
            ({"project": {"in": ["hermes"]}}, []),
            ({"priority": {"gte": 2, "lt": 5}}, ["captcha"]),
            ({"priority": {"gt": 3}}, []),
            ({"priority": {"lte": 3, "gte": 1}}, ["captcha", "slowly"]),
            ({"priority": "3"}, []),
            ({"due": {"lt": "2026-04-01T00:00:01Z"}}, ["captcha"]),
            ({"due": {"gte": datetime(2026, 4, 2, tzinfo=UTC)}}, []),
            ({"draft": {"exists": True}}, ["slowly"]),
            ({"draft": True}, ["slowly"]),
            ({"project": {"contains": "POLL"}}, ["captcha"]),
            ({"project": "apollo", "priority": {"gt": 3}}, []),
        ],
        ids=str,
    )
    def test_every_operator_chooses_among_facts(self, asked, facts):
        said = " ".join(fact.atomic_fact for fact in found(asked, kinds="fact").facts)
        assert [word for word in ("captcha", "slowly") if word in said] == facts

    @pytest.mark.parametrize("asked", [{"draft": {"ne": True}}, {"project": {"nin": ["zeus"]}}, {"draft": {"exists": False}}])
    def test_what_may_not_be_is_in_nothing_that_is_shown(self, asked):
        response = found(asked)
        assert response.ranked()
        assert "slowly" not in response.model_dump_json()
        assert any("captcha" in each.text for each in response.raw_messages), "its episode is not shown"
        assert response.profiles == response.graph.entities == (), "they are made from everything"

    def test_a_statement_is_found_by_what_its_repetitions_have(self):
        *others, fact = labelled(
            conversation(MAYA, "late", "Login", [("Ines", "the login page is blue")], 9, 60), {"project": "a"}
        )
        repeated = with_validity(fact, also_metadata={"project": ("b",)})
        asked = {**MINE, "metadata": {"project": "b"}}
        response = memories(filled(*others, repeated)).search("Which colour has the login page?", filters=asked)
        assert [each.id for each in response.facts] == [fact.id]

    def test_as_of_the_past_what_it_was_said_again_with_does_not_count(self):
        said = conversation(MAYA, "late", "Login", [("Ines", "the login page is blue")], 9, 60)
        repeating = conversation(MAYA, "again", "Login", [("Ines", "as I said the login page is blue")], 50, 70)
        *others, fact = labelled(said, {"project": "a"})
        *more, again = labelled(repeating, {"project": "b"})
        passed = {"also_metadata": {"project": ("b",)}, "repeated_by": (again.id,), "also_said_in": again.message_ids}
        index = filled(*others, *more, with_validity(fact, **passed), with_validity(again, merged_into=fact.id))

        def told(project: str, day: int) -> list[str]:
            asked = {**MINE, "metadata": {"project": project}, "as_of": START + timedelta(days=day)}
            return [each.id for each in memories(index).search("Which colour has the login page?", filters=asked).facts]

        assert told("a", 20) == told("a", 60) == [fact.id]
        assert told("b", 20) == told("b", 60) == []

    def test_the_response_repeats_what_was_asked(self):
        asked = {"due": {"lt": datetime(2026, 4, 2, tzinfo=UTC)}, "project": ["apollo"]}
        applied = found(asked, kinds=["fact"]).query.filters_applied
        assert applied["metadata"] == {"due": {"lt": "2026-04-02T00:00:00Z"}, "project": ["apollo"]}
        assert applied["kinds"] == ["fact"]

    @pytest.mark.parametrize(
        ("asked", "complaint"),
        [
            ("apollo", "metadata: Input should be a valid dictionary"),
            ({"priority": {"above": 2}}, "metadata: priority: 'above' is not known; accepted are eq, ne, in, nin, gt, gte, lt"),
            ({"priority": {}}, "metadata: priority: nothing is asked of it"),
            ({"priority": []}, "metadata: priority.in: takes a list of 1 to 1000 values"),
            ({"priority": None}, "metadata: priority.eq: takes true, false, a number, or a text"),
            ({"priority": {"eq": {"eq": 1}}}, "metadata: priority.eq: takes true"),
            ({"priority": {"in": "ab"}}, "metadata: priority.in: takes a list"),
            ({"priority": {"nin": [1, [2]]}}, "metadata: priority.nin: takes true"),
            ({"priority": {"gt": True}}, "metadata: priority.gt: takes a number, a date"),
            ({"priority": {"gt": 1, "lt": "b"}}, "metadata: priority: the bounds of a range are all numbers"),
            ({"priority": {"gt": float("nan")}}, "metadata: priority.gt: takes a number"),
            ({"priority": 10**400}, "metadata: priority.eq: takes true"),
            ({"priority": {"exists": 1}}, "metadata: priority.exists: takes true or false"),
            ({"title": {"contains": ""}}, "metadata: title.contains: takes a text of 1 to 250"),
            ({"title": {"contains": "n" * 251}}, "metadata: title.contains: takes a text of 1 to 250"),
            ({"title": {"contains": "\u0390" * 100}}, "metadata: title.contains: takes a text of 1 to 250"),
            ({"title": {"contains": 3}}, "metadata: title.contains: takes a text"),
            ({"title": LONG_TEXT}, "metadata: title.eq: takes true"),
            ({"title": "\ud800"}, "metadata: title.eq: takes true"),
            ({LONG_KEY: 1}, "a key has at most 128 characters"),
            ({f"k{number}": 1 for number in range(33)}, "metadata: 33 keys; at most 32"),
            ({"ticket": list(range(1001))}, "metadata: ticket.in: takes a list of 1 to 1000"),
        ],
    )
    def test_what_cannot_be_asked_is_refused_by_name(self, asked, complaint):
        with pytest.raises(InputError) as refusal:
            Filters.parse({**MINE, "metadata": asked})
        assert complaint in str(refusal.value)
        assert len(str(refusal.value)) < 400

    def test_a_history_and_an_inspection_refuse_them(self):
        memory = memories(filled(*SPRINT))
        for narrowed in ({"metadata": {"project": "apollo"}}, {"kinds": "fact"}):
            with pytest.raises(InputError, match="metadata and kinds are for a search"):
                memory.history("Ines", {**MINE, **narrowed})
            with pytest.raises(InputError, match="metadata and kinds are for a search"):
                memory.inspect("sprint", {**MINE, **narrowed})


class TestKinds:
    """The question is about everything that the world has, so that each kind could hold a place."""

    QUESTION = "Maya dentist Friday, patient and curious, login page, train tickets, booking trains, pancakes"

    def held(self, kinds: Any, method: str = "hybrid", **filters: Any) -> set[str]:
        """The kinds that hold places."""
        loose = conversation(MAYA, "morning", "", [("Maya", "pancakes for the login team")], 30, 90)[:1]
        index = filled(*SPRINT, *loose)
        asked = {**MINE, "agent_id": "planner", "kinds": kinds, **filters}
        response = memories(index).search(self.QUESTION, method=method, filters=asked, top_k=40)
        names = {
            "FoundEpisode": "episode",
            "FoundFact": "fact",
            "FoundMessage": "message",
            "FoundProfile": "profile",
            "FoundForesight": "foresight",
            "FoundSkill": "skill",
        }
        knowledge = {each.id for each in response.knowledge}
        knowledge |= {fact.id for each in response.knowledge for fact in each.atomic_facts}
        return {"knowledge" if item.id in knowledge else names[type(item).__name__] for item in response.ranked()}

    def test_without_it_all_take_part(self):
        assert self.held(()) >= {"fact", "message", "profile", "foresight", "skill", "knowledge"}

    @pytest.mark.parametrize("kind", ["episode", "fact", "message", "profile", "foresight", "skill", "knowledge"])
    def test_only_the_kind_that_is_asked_for_holds_places(self, kind):
        assert self.held(kind) == {kind}

    @pytest.mark.parametrize("kinds", [("fact", "foresight"), ("message", "knowledge"), ("profile", "skill", "episode")])
    def test_several_may_be_asked_for(self, kinds):
        assert self.held(kinds) == set(kinds)

    @pytest.mark.parametrize("method", ["keyword", "vector"])
    def test_the_other_methods_keep_to_them_too(self, method):
        assert self.held(["episode", "message"], method) == {"episode", "message"}

    def test_a_fact_is_shown_within_its_episode_all_the_same(self):
        response = found(kinds="fact")
        (episode,) = [each for each in response.episodes if each.conversation_id == "sprint"]
        assert episode.rank is None
        assert {fact.id for fact in response.facts} >= {fact.id for fact in episode.atomic_facts if fact.rank}

    def test_all_places_go_to_facts_as_long_as_there_are_some(self):
        response = memories(filled(*SPRINT)).search("login page", filters={**MINE, "kinds": "fact"}, top_k=5)
        assert [item.rank for item in response.facts] == [1, 2, 3, 4, 5]

    def test_a_method_without_places_for_facts_says_so(self):
        response = found(kinds=["fact", "episode"], method="keyword")
        assert any("hybrid gives them places" in note for note in response.query.notes)

    def test_an_unknown_kind_is_refused_by_name(self):
        with pytest.raises(InputError, match=r"filters: kinds\.0: Input should be 'episode', 'fact', 'message'"):
            Filters.parse({**MINE, "kinds": "facts"})

    def test_knowledge_cannot_be_asked_for_and_left_out(self):
        with pytest.raises(InputError, match="kinds asks for knowledge, and knowledge is false"):
            Filters.parse({**MINE, "kinds": ["knowledge"], "knowledge": False})

    def test_a_kind_of_which_there_is_nothing_leaves_nothing(self):
        assert self.held("case") == set()
