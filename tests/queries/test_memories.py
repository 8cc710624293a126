"""Searching a small memory by each method."""

import pytest

from mneme.errors import InputError, ModelTimeout
from queries import Memories
from queries.responses import SearchResponse
from tests.queries import world
from tests.queries.world import MAYA, WordEmbedder, filled, memories, messages

METHODS = ("keyword", "vector", "hybrid")
MINE = {"user_id": "maya"}


def ranks(found: SearchResponse) -> list[int]:
    """All ranks of a response, wherever they stand."""
    episodes = (*found.episodes, *found.knowledge)
    everything = (
        *episodes,
        *(fact for episode in episodes for fact in episode.atomic_facts),
        *found.raw_messages,
        *found.profiles,
        *found.foresights,
        *found.agent_memory.cases,
        *found.agent_memory.skills,
    )
    return sorted(each.rank for each in everything if each.rank is not None)


def first(found: SearchResponse) -> str:
    """The text at rank 1."""
    for episode in (*found.episodes, *found.knowledge):
        if episode.rank == 1:
            return episode.subject
        for fact in episode.atomic_facts:
            if fact.rank == 1:
                return fact.atomic_fact
    return next(each for each in (*found.raw_messages, *found.foresights, *found.profiles) if each.rank == 1).id


class TestEveryMethod:
    @pytest.mark.parametrize("method", METHODS)
    def test_the_answer_is_nested_under_the_first_episode(self, method):
        found = memories().search("When does the electrician come?", method, MINE)
        assert found.episodes[0].subject == "Kitchen repair"
        assert "electrician" in found.episodes[0].atomic_facts[0].atomic_fact

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("top_k", [1, 2, 3, 50])
    def test_ranks_count_one_list_over_all_types_without_gaps(self, method, top_k):
        found = memories().search("What about the boat, the harbour and the dentist?", method, MINE, top_k)
        assert ranks(found) == list(range(1, len(ranks(found)) + 1))
        assert len(ranks(found)) <= top_k

    @pytest.mark.parametrize("method", METHODS)
    def test_nobody_sees_the_memory_of_another_owner(self, method):
        found = memories().search("harbour boat oven", method, {"group_id": "team", "knowledge": False}, 50)
        assert {episode.conversation_id for episode in found.episodes} <= {"standup"}
        assert not found.profiles
        assert not found.foresights
        assert not found.raw_messages
        elsewhere = memories().search("harbour boat oven", method, MINE | {"tenant_id": "another"}, 50)
        assert ranks(elsewhere) == []

    @pytest.mark.parametrize("method", METHODS)
    def test_at_most_three_round_trips_are_made(self, method):
        index = filled(*messages(MAYA, "harbour", [("Jonas", "the boat leaks")], first=40))
        found = memories(index).search("Who paid for the boat?", method, MINE)
        assert index.calls["recall"] == 1
        assert 1 <= found.metrics.round_trips <= 3

    @pytest.mark.parametrize("method", METHODS)
    def test_the_trace_of_every_stage_is_there_when_asked_for(self, method):
        explained = memories().search("Who paid for the boat?", method, MINE, explain=True)
        assert {step.stage for step in explained.trace or ()} >= {"recall"}
        assert memories().search("Who paid for the boat?", method, MINE).trace is None

    @pytest.mark.parametrize("method", METHODS)
    def test_an_empty_index_answers_with_nothing(self, method):
        found = memories(world.ReferenceIndex()).search("Who paid?", method, MINE)
        assert ranks(found) == []

    def test_facts_are_listed_by_themselves_for_hybrid_only(self):
        listed = {method: memories().search("boat shed euros", method, MINE).facts for method in METHODS}
        assert listed["keyword"] == listed["vector"] == ()
        assert "four hundred euros" in listed["hybrid"][0].atomic_fact


class TestKeyword:
    def test_it_touches_no_embedder(self):
        embedder = WordEmbedder()
        memories(embedder=embedder).search("oven", "keyword", MINE)
        assert embedder.asked == []

    def test_only_what_shares_a_word_is_found(self):
        found = memories().search("oven", "keyword", MINE)
        assert [episode.subject for episode in found.episodes] == ["Kitchen repair"]
        assert [fact.atomic_fact for fact in found.episodes[0].atomic_facts] == ["Maya said that the oven is broken again"]

    def test_a_question_of_stop_words_finds_nothing(self):
        assert ranks(memories().search("what is it?", "keyword", MINE)) == []

    def test_chinese_is_found_by_its_characters(self):
        found = memories().search("表姐的茶馆在哪里？", "keyword", MINE)
        assert found.episodes[0].subject == "果园"
        assert "茶馆" in found.episodes[0].atomic_facts[0].atomic_fact


class TestVector:
    def test_an_episode_scores_as_its_best_fact(self):
        found = memories().search("Jonas: my new boat is painted green", "vector", MINE)
        best = found.episodes[0]
        assert best.subject == "Rowing club"
        assert best.score == pytest.approx(max(fact.score for fact in best.atomic_facts))
        assert best.score > 0.9

    def test_outside_the_languages_of_the_embedder_it_says_so(self):
        english = WordEmbedder(languages=("en",))
        found = memories(embedder=english).search("我表姐在哪里开茶馆？", "vector", MINE)
        assert ranks(found) == []
        assert "vector leg off" in found.query.notes[0]
        assert english.asked == []


class TestHybrid:
    def test_a_fact_stands_for_its_episode(self):
        found = memories().search("How much did we pay for the boat shed?", filters=MINE, top_k=3)
        assert "four hundred euros" in first(found)
        holder = found.episodes[0]
        assert holder.rank is None
        assert holder.atomic_facts[0].rank == 1
        assert holder.atomic_facts[0].parent_episode_id == holder.id

    def test_facts_are_those_that_hold_places_in_order(self):
        found = memories().search("What about the boat?", filters=MINE)
        episodes = (*found.episodes, *found.knowledge)
        nested = {fact.id for episode in episodes for fact in episode.atomic_facts if fact.rank}
        assert {fact.id for fact in found.facts} == nested
        assert [fact.rank for fact in found.facts] == sorted(fact.rank or 0 for fact in found.facts)

    def test_all_places_are_filled_when_so_much_is_there(self):
        found = memories().search("boat", filters=MINE, top_k=8)
        assert ranks(found) == list(range(1, 9))

    def test_chinese_falls_back_to_words_where_the_embedder_is_english(self):
        found = memories(embedder=WordEmbedder(languages=("en",))).search("我表姐在哪里开茶馆？", filters=MINE)
        assert "茶馆" in first(found)
        assert "vector leg off" in found.query.notes[0]

    def test_of_a_language_with_letters_it_says_that_vectors_say_little(self):
        found = memories(embedder=WordEmbedder(languages=("en",))).search("Wo steht das Boot von Jonas?", filters=MINE)
        assert "vectors say little" in found.query.notes[0]
        assert found.metrics.scoring != "bm25"

    def test_an_embedder_that_fails_leaves_the_words(self):
        class Silent(WordEmbedder):
            def embed(self, texts):
                raise ModelTimeout("no answer in 30 s")

        found = memories(embedder=Silent()).search("electrician", filters=MINE)
        assert "electrician" in first(found)
        assert "no answer in 30 s" in found.query.notes[0]

    def test_a_leg_that_found_nothing_is_computed_and_not_taken_as_zero(self, monkeypatch):
        deep = memories().search("electrician oven", filters=MINE, top_k=1)
        monkeypatch.setattr("queries.fuse.HITS", 1)
        shallow = memories().search("electrician oven", filters=MINE, top_k=1)
        assert first(deep) == first(shallow)
        assert deep.facts[0].score == pytest.approx(shallow.facts[0].score, abs=0.2)

    def test_without_coefficients_the_response_names_the_scoring(self):
        found = memories().search("boat", filters=MINE)
        assert found.metrics.scoring == "min-max"
        assert "no coefficients" in found.query.notes[0]

    def test_the_speaker_named_in_the_question_goes_first(self):
        lines = [("Ravi", "the lake was cold this morning"), ("Tove", "the lake was cold this morning")]
        index = filled(*world.conversation(MAYA, "lake", "Swimming", lines, day=9))
        for name in ("Ravi", "Tove"):
            assert first(memories(index).search(f"How was the lake for {name}?", filters=MINE)).startswith(name)

    def test_the_trace_tells_who_entered_and_why(self):
        found = memories().search("boat shed euros", filters=MINE, explain=True)
        stages = {step.stage for step in found.trace or ()}
        assert stages == {"recall", "fuse", "compete"}
        entered = [step for step in found.trace or () if step.move == "entered"]
        assert {step.id for step in entered} >= {fact.id for fact in found.facts}
        assert all(step.reason for step in found.trace or ())


class TestRawMessages:
    OPEN = (("Jonas", "the lighthouse keeper called about a parcel"),)

    @pytest.mark.parametrize("method", METHODS)
    def test_what_is_in_no_episode_yet_is_found(self, method):
        index = filled(*messages(MAYA, "harbour", self.OPEN, first=40))
        found = memories(index).search("Jonas lighthouse keeper parcel", method, MINE)
        assert [message.message_id for message in found.raw_messages][:1] == ["m40"]
        assert found.raw_messages[0].rank == 1

    @pytest.mark.parametrize("method", METHODS)
    def test_what_is_in_an_episode_is_not_shown_twice(self, method):
        found = memories().search("oven electrician boat harbour", method, MINE, 50)
        assert found.raw_messages == ()

    def test_the_same_message_id_in_another_conversation_is_another_message(self):
        index = filled(*messages(MAYA, "attic", self.OPEN, first=1))
        found = memories(index).search("lighthouse parcel", filters=MINE)
        assert [(message.conversation_id, message.message_id) for message in found.raw_messages] == [("attic", "m1")]

    def test_an_episode_outside_the_times_asked_for_still_holds_its_messages(self):
        late = world.START + world.timedelta(minutes=2, seconds=30)
        found = memories().search("boat shed euros", filters=MINE | {"since": late, "conversation_id": "harbour"})
        assert found.raw_messages == ()
        assert "four hundred euros" in found.facts[0].atomic_fact


class TestOtherMemories:
    def test_a_foresight_and_a_profile_take_places_of_the_one_list(self):
        found = memories().search("Will Maya visit the dentist on Friday?", filters=MINE, top_k=40)
        assert found.foresights[0].rank == 1
        assert found.profiles[0].rank is not None

    def test_the_tenants_knowledge_takes_part_unless_left_out(self):
        question = "When are train tickets paid back?"
        found = memories().search(question, filters=MINE)
        assert [entry.section for entry in found.knowledge] == ["Expenses"]
        assert found.knowledge[0].atomic_facts[0].rank == 1
        assert "handbook" not in {episode.document_id for episode in found.episodes}
        assert memories().search(question, filters=MINE | {"knowledge": False}).knowledge == ()

    def test_an_agents_track_is_added_by_its_id(self):
        assert memories().search("booking trains", filters=MINE).agent_memory.skills == ()
        found = memories().search("booking trains", filters=MINE | {"agent_id": "planner"})
        assert found.agent_memory.skills[0].name == "booking trains"
        alone = memories().search("booking trains", filters={"agent_id": "planner", "knowledge": False})
        assert ranks(alone) == [1]

    def test_the_graph_around_a_named_entity_comes_along_what_holds_first(self):
        graph = memories().search("Where does Jonas live, in Porto?", filters=MINE).graph
        assert [entity.name for entity in graph.entities] == ["Jonas"]
        edges = [(edge.source, edge.target, edge.hop) for edge in graph.relationships]
        assert edges == [("Ines", "Porto", 1), ("Jonas", "Porto", 1), ("Jonas", "Bergen", 1)]


class TestFilters:
    def test_a_filter_that_leaves_memories_out_leaves_the_portrait_out_of_a_context(self):
        question = "What are Maya's favourite things, and what does she like?"
        portrait = memories().portrait(MINE).lines[0].statement
        assert portrait in memories().context(question, MINE).text
        for chosen in ({"document_id": "handbook"}, {"conversation_id": "kitchen"}):
            assert portrait not in memories().context(question, MINE | chosen).text

    @pytest.mark.parametrize("method", METHODS)
    def test_a_conversation_can_be_chosen(self, method):
        found = memories().search("boat oven", method, MINE | {"conversation_id": ["kitchen"]})
        assert {episode.conversation_id for episode in found.episodes} == {"kitchen"}
        assert not found.knowledge

    def test_a_time_range_holds_for_facts(self):
        found = memories().search("boat oven", filters=MINE | {"since": "2026-03-04", "before": "2026-03-06T00:00:00Z"})
        assert {episode.conversation_id for episode in found.episodes} == {"kitchen"}

    def test_participants_choose_what_they_said(self):
        found = memories().search("boat oven electrician", filters=MINE | {"participants": "Jonas"})
        assert found.facts
        assert all(fact.atomic_fact.startswith("Jonas") for fact in found.facts)

    def test_the_response_repeats_what_was_applied(self):
        query = memories().search(" Who rows? ", filters=MINE | {"participants": "Jonas"}, top_k=7).query
        assert query.text == "Who rows?"
        assert (query.method, query.top_k) == ("hybrid", 7)
        assert query.filters_applied == {"user_id": "maya", "tenant_id": "default", "participants": ["Jonas"]}

    @pytest.mark.parametrize(
        ("filters", "message"),
        [
            ({"user_id": "maya", "sesion_id": "x"}, r"sesion_id not known; accepted are user_id, group_id, agent_id"),
            ({}, "one of user_id, group_id or agent_id is needed"),
            ({"user_id": "maya", "group_id": "team"}, "both given"),
            ({"user_id": ""}, "user_id"),
            ({"user_id": " "}, "user_id: .*blank"),
            ({"user_id": "maya", "tenant_id": "\t"}, "tenant_id: .*blank"),
            ({"user_id": "maya", "participants": ["Jonas", " "]}, "participants.1: .*blank"),
            ({"user_id": "maya", "conversation_id": " "}, "conversation_id.0: .*blank"),
            ({"user_id": "maya", "since": "yesterday"}, "since"),
            ({"user_id": "maya", "knowledge": "no"}, "knowledge"),
            ({"user_id": "maya", "participants": [7]}, "participants"),
        ],
        ids=str,
    )
    def test_a_wrong_filter_is_refused_by_name(self, filters, message):
        with pytest.raises(InputError, match=message):
            memories().search("boat", filters=filters)


class TestRequests:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"query": "  "}, "query: it is empty"),
            ({"query": "?!"}, "query: there is no word in it"),
            ({"query": "x" * 10_001}, "query: it has 10001 characters"),
            ({"query": "boat", "method": "fuzzy"}, "accepted are keyword, vector, hybrid, agentic"),
            ({"query": "boat", "agent": "chain"}, "agent: only the method agentic has it"),
            ({"query": "boat", "method": "agentic", "agent": "chain", "agent_mode": True}, "agent_mode is the router"),
            ({"query": "boat", "top_k": 0}, "top_k: 0"),
        ],
        ids=str,
    )
    def test_a_wrong_request_says_what_is_accepted(self, arguments, message):
        with pytest.raises(InputError, match=message):
            memories().search(filters=MINE, **arguments)

    def test_memories_open_the_index_for_reading(self, monkeypatch):
        opened = []
        monkeypatch.setattr("queries.memories.open_index", lambda settings, read_only: opened.append(read_only) or filled())
        Memories.connect(world.settings()).close()
        assert opened == [True]

    def test_memories_close_their_index(self):
        class Closing(world.ReferenceIndex):
            closed = False

            def close(self):
                self.closed = True

        index = Closing()
        with Memories(index, WordEmbedder(), world.settings()) as open_memories:
            assert open_memories.search("boat", filters=MINE).facts == ()
        assert index.closed
