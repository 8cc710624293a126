"""What is so now stands before what was so; nothing else changes places."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.records import Claim, Owner
from mneme.rows import row_of
from queries.compete import Standing
from queries.questions.tense import asks_about_past
from queries.supersession import behind, in_order, inherit
from tests.queries.world import MAYA, NOW, career, conversation, filled, memories, quoted, with_validity

METHODS = ("keyword", "vector", "hybrid")
MINE = {"user_id": "maya"}


def sent_by(row, identity):
    return row_of(row.record().model_copy(update={"sender_id": identity}), row.embedding)


def itself(standing: Standing) -> str:
    return standing.id


@st.composite
def successions(draw: st.DrawFn) -> tuple[list[Standing], dict[str, str]]:
    """Standings, and who superseded whom: always one that was said later, that is of a higher number."""
    ids = [f"f{number}" for number in range(draw(st.integers(0, 8)))]
    scores = sorted(draw(st.lists(st.floats(0, 1), min_size=len(ids), max_size=len(ids))), reverse=True)
    successor = {
        older: draw(st.sampled_from(ids[at + 1 :])) for at, older in enumerate(ids) if ids[at + 1 :] and draw(st.booleans())
    }
    held = draw(st.permutations(ids))[: draw(st.integers(0, len(ids)))]
    return [Standing(identity, score) for identity, score in zip(held, scores, strict=False)], successor


class TestOrder:
    @given(successions())
    def test_nothing_stands_before_what_superseded_it_and_the_rest_stays_as_it_was(self, world):
        standings, successor = world
        ordered = in_order(standings, successor, itself)
        places = {each.id: place for place, each in enumerate(ordered)}
        assert all(places[newer] < places[older] for older, newer in successor.items() if {older, newer} <= set(places))
        assert places.keys() == {each.id for each in standings}
        assert [each.score for each in ordered] == sorted((each.score for each in ordered), reverse=True)
        others = [each.id for each in standings if each.id not in successor.values()]  # who supersede nobody
        assert [each.id for each in ordered if each.id in others] == others

    def test_a_whole_line_stands_newest_first(self):
        standings = [Standing("first", 0.9), Standing("other", 0.8), Standing("third", 0.5), Standing("second", 0.4)]
        ordered = in_order(standings, {"first": "second", "second": "third"}, itself)
        assert [(each.id, each.score) for each in ordered] == [
            ("third", 0.9),
            ("second", 0.9),
            ("first", 0.9),
            ("other", 0.8),
        ]

    def test_an_episode_stands_for_its_best_fact(self):
        best = {"harbour": "older", "attic": "newer"}
        standings = [Standing("harbour", 0.9), Standing("attic", 0.2)]
        ordered = in_order(standings, {"older": "newer"}, lambda each: best[each.id])
        assert [each.id for each in ordered] == ["attic", "harbour"]


def test_a_statement_fits_at_least_as_well_as_what_it_superseded():
    scores = {"first": 0.9, "second": 0.1, "third": 0.2, "other": 0.5}
    raised = inherit(scores, {"first": "second", "second": "third", "gone": "other"})
    assert raised == {"first": 0.9, "second": 0.9, "third": 0.9, "other": 0.5}


def test_what_was_superseded_fits_a_little_less_where_both_fit_equally():
    scores = {"first": 0.9, "second": 0.9, "third": 0.9, "other": 0.5}
    lowered = behind(scores, {"first": "second", "second": "third", "other": "gone"})
    assert lowered["first"] < lowered["second"] < lowered["third"] == 0.9
    assert lowered["first"] == pytest.approx(0.9)
    assert behind({"older": 0.9, "newer": 0.2}, {"older": "newer"}) == {"older": 0.9, "newer": 0.2}


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Where does Ann work?", False),
        ("Where did Ann work before Stripe?", True),
        ("Where did Ann use to work, and what was her previous job?", True),
        ("What was the original deadline?", True),
        ("Where did Ann live in 2023?", True),
        ("How old is Juno?", False),
        ("王浩然住在哪里？", False),
        ("王浩然以前住在哪里？", True),
        ("她2023年在哪里工作？", True),
    ],
)
def test_what_used_to_be_is_asked_for_by_certain_words(question, past):
    assert asks_about_past(question) is past


class TestSearch:
    NOW = "Does Jonas work at the shipyard?"
    PAST = "Did Jonas work at the shipyard before?"

    @pytest.mark.parametrize("method", METHODS)
    def test_what_is_so_now_stands_first_whatever_words_the_older_shares(self, method):
        found = memories(filled(*career())).search(self.NOW, method, MINE)
        assert [each.conversation_id for each in found.episodes[:2]] == ["call", "pier"]
        assert found.ranked()[0].score >= found.ranked()[1].score

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(("owner", "speakers"), [("6f1e77c0", ["Kim"]), ("c9a4", ["Kim", "Jonas"])])
    def test_who_asks_is_known_by_the_sender_or_as_the_only_one_who_speaks(self, method, owner, speakers):
        mine = Owner(tenant_id="default", type="user", id=owner)
        lines = [(speaker, "I live in Rome") for speaker in speakers]
        first = conversation(mine, "old", "Rome", lines, day=1)
        *then, newer = conversation(mine, "new", "Berlin", [("Kim", "We live in a flat in Berlin now")], day=9, first=50)
        ended = {"valid_to": newer.at, "superseded_by": newer.id}
        older = next(row for row in first if row.kind == "fact")
        home = Claim(subject="Kim", attribute="home", value="Rome", **ended)
        older = with_validity(quoted(older, home), **ended)
        sent = [sent_by(row, owner) if row.people[-1] == "Kim" and row.kind == "message" else row for row in (*first, *then)]
        found = memories(filled(*sent, newer, older)).search("Where do I live?", method, {"user_id": owner})
        assert found.query.asker == "Kim"
        assert found.episodes[0].conversation_id == "new"

    @pytest.mark.parametrize("method", METHODS)
    def test_a_question_about_the_past_is_answered_by_what_fits_best(self, method):
        found = memories(filled(*career())).search(self.PAST, method, MINE)
        assert found.episodes[0].conversation_id == "pier"

    def test_hybrid_finds_what_superseded_a_fact_although_it_shares_no_word(self, monkeypatch):
        monkeypatch.setattr("queries.fuse.HITS", 1)
        found = memories(filled(*career())).search("shipyard", filters=MINE, top_k=3)
        assert [fact.atomic_fact for fact in found.facts] == [
            "Jonas said that I have signed at the observatory",
            "Jonas said that I work at the shipyard now",
        ]

    @pytest.mark.parametrize("method", METHODS)
    def test_the_last_place_is_for_what_is_so_now(self, method):
        first = conversation(MAYA, "a", "Gym", [("Maya", "The locker code is 9034")], day=1)
        later = conversation(MAYA, "b", "Gym", [("Maya", "The number of the locker there is 1111")], day=9, first=50)
        *others, older, newer = [*(row for row in (*first, *later) if row.kind != "fact"), first[-1], later[-1]]
        assert older.kind == newer.kind == "fact"
        older = with_validity(older, valid_to=newer.at, superseded_by=newer.id)
        found = memories(filled(*others, older, newer)).search("locker code", method, MINE, top_k=1)
        assert found.episodes[0].conversation_id == "b"

    def test_what_superseded_a_fact_is_not_found_beyond_the_filters(self):
        found = memories(filled(*career())).search("shipyard", filters=MINE | {"conversation_id": "pier"}, top_k=5)
        assert {each.conversation_id for each in found.episodes} == {"pier"}
        before = memories(filled(*career())).search("shipyard", filters=MINE | {"before": "2026-03-25"}, top_k=40)
        assert "call" not in {each.conversation_id for each in found.episodes + before.episodes}

    def test_what_will_be_otherwise_is_so_until_then(self):
        rows = career()
        first = next(row for row in rows if row.kind == "fact" and row.conversation_id == "pier")
        later = with_validity(first, valid_to=NOW + timedelta(days=1))
        found = memories(filled(*rows, later)).search(self.NOW, filters=MINE)
        assert "shipyard" in found.facts[0].atomic_fact

    def test_within_one_episode_what_is_so_now_comes_first(self):
        *others, older, newer = conversation(MAYA, "desk", "Work", [("Ines", "I work nights"), ("Ines", "I work days")], day=50)
        older = with_validity(older, valid_to=newer.at, superseded_by=newer.id)
        found = memories(filled(*others, older, newer)).search("Does Ines work nights?", "keyword", MINE)
        assert [fact.id for fact in found.episodes[0].atomic_facts] == [newer.id, older.id]

    def test_a_repetition_is_not_found_and_counts_for_what_it_repeats(self):
        found = memories(filled(*career())).search(self.PAST, filters=MINE, top_k=40)
        fact = next(fact for fact in found.facts if "shipyard" in fact.atomic_fact)
        assert sum("shipyard" in each.atomic_fact for each in found.facts) == 1
        assert fact.times_said == 2
        assert fact.said_in == (*fact.message_ids, "m120")
        assert fact.valid_to is not None
        assert fact.superseded_by in {each.id for each in found.facts}
