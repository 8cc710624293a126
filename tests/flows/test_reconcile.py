"""Episodes of an owner join what is known of it; what is known is a pure function of the episodes that there are."""

import re
import threading
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.consistency.judge import Judge, Pair, Relation
from flows.cuts import (
    Cut,
    ExtractedCase,
    ExtractedEntity,
    ExtractedFact,
    ExtractedForesight,
    ExtractedProfileItem,
    ExtractedRelationship,
    Extraction,
    Utterance,
)
from flows.extraction.assemble import assemble
from flows.items import Extracted, Retraction, refer
from flows.lanes.state import EPOCHS_KEPT
from flows.reconcile import ReconcileLane
from flows.write import Writer
from mneme.errors import ModelTimeout
from mneme.events import Message
from mneme.ports import Filter, VectorLeg
from mneme.records import AgentSkill, AtomicFact, Claim, Entity, Foresight, Owner, Position, Profile, Quote, Relationship
from mneme.relations import claims_in
from mneme.rows import Collection, Embedding, Key
from tests.flows.river import IDENTITY, START, Letters, contents, embed, few, services_for
from tests.memory_index_reference import ReferenceIndex

ANN = Owner(tenant_id="default", type="user", id="ann")


class SaysWhere:
    """A judge for tests: of two statements with "home" in them the newer replaces the older."""

    def __init__(self) -> None:
        self.failing = False

    def judge(self, pairs: Sequence[Pair], scope: str) -> list[Relation]:
        if self.failing:
            raise ModelTimeout("no answer")
        both_homes = [("home" in older.text and "home" in newer.text) for older, newer in pairs]
        return [Relation.REPLACES if one else Relation.NEITHER for one in both_homes]

    def known(self, pairs: Sequence[Pair], scope: str) -> list[Relation | None]:
        return [None] * len(pairs)


def test_what_an_owner_wrote_is_known_to_its_own_jobs_until_some_epochs_later() -> None:
    lane, key = ReconcileLane(services_for(ReferenceIndex()), None), Key(Collection.GRAPH, ANN.key, "x")
    lane._remove(key)
    assert lane._written_lately(ANN.key) == {key: None}
    assert lane._written_lately("default/user/bob") == {}
    for _ in range(EPOCHS_KEPT):
        lane.epoch_done()
    assert lane._written_lately(ANN.key) == {}


class Lane:
    """One owner's lane over an index."""

    def __init__(self, judge: Judge | None = None) -> None:
        self.index = ReferenceIndex()
        self.index.prepare(IDENTITY)
        self._lane = ReconcileLane(services_for(self.index, judge=judge), None)
        self._writer = Writer(self.index, Letters(), None, lambda: START, threading.Event())

    def take(self, *items: Extracted | Retraction) -> None:
        """Take in episodes, in one batch."""
        self._writer.write(list(self._lane.on_batch(items)))
        self.index.refresh()

    def rest(self) -> None:
        """Let epochs pass, so that what was written is known by the index alone."""
        for _ in range(EPOCHS_KEPT):
            self._lane.epoch_done()

    def facts(self) -> dict[str, AtomicFact]:
        """All facts by their text; hidden ones too."""
        records = [row.record() for row in self.index.scan(Collection.FACTS)]
        return {f"{each.atomic_fact}@{each.parent_episode_id}": each for each in records if isinstance(each, AtomicFact)}

    def over(self) -> list[str]:
        """The values of claims that have ended."""
        return sorted(claim.value for each in self.facts().values() for claim in each.claims if claim.valid_to is not None)

    def portrait(self) -> list[str]:
        """The lines of the profile."""
        (profile,) = (each for row in self.index.scan(Collection.MEMORIES) if isinstance(each := row.record(), Profile))
        return [item.statement for item in profile.explicit]

    def entities(self) -> dict[str, tuple[str, ...]]:
        """The entities that are found, with their aliases."""
        records = [row.record() for row in self.index.scan(Collection.GRAPH) if row.kind == "entity"]
        return {each.name: each.aliases for each in records if isinstance(each, Entity)}

    def edges(self) -> dict[str, bool]:
        """The targets of edges, and whether they are over."""
        records = [row.record() for row in self.index.scan(Collection.GRAPH)]
        return {each.target: each.validity.valid_to is not None for each in records if isinstance(each, Relationship)}

    def clusters(self) -> dict[str, dict[str, Any]]:
        """What is looked at together."""
        rows = [row for row in self.index.scan(Collection.CONTROL) if row.kind == "cluster"]
        return {row.id: {**row.body, "version": 0} for row in rows}

    def skills(self) -> list[AgentSkill]:
        """What the agent has learnt."""
        return [each for row in self.index.scan(Collection.MEMORIES) if isinstance(each := row.record(), AgentSkill)]

    def found(self) -> list[str]:
        """What a search finds that would find anything."""
        leg = VectorLeg(Collection.FACTS, Filter("default", (ANN.key,)), embed(["anything"])[0], 100)
        return sorted(str(hit.row.body["atomic_fact"]) for hit in self.index.recall([leg])[0])


def episode(
    day: int,
    *statements: str,
    foresights: Sequence[str] = (),
    people: Sequence[str] = (),
    job: str = "",
    quoted: bool = False,
    ahead: int | None = None,
) -> Extracted:
    """An episode of a day's own conversation, with one message for each statement, and the claims of each sentence.

    Its foresights are of the day that is ``ahead``.
    """
    start = None if ahead is None else START + timedelta(days=ahead)
    statements = statements or ("Hello.",)
    messages = [
        Message(
            conversation_id=f"c{day:02d}",
            user_id="ann",
            message_id=f"d{day}m{at}",
            sender_name="Ann",
            sent_at=START + timedelta(days=day, minutes=at),
            content=text,
        )
        for at, text in enumerate((*statements, *foresights))
    ]
    utterances = tuple(
        Utterance(each.stored(ANN, Position(topic="t", partition=0, offset=day), each.sent_at, 1), embed([each.text])[0])
        for each in messages
    )
    cut = Cut(f"default/c{day:02d}/e", ANN, f"c{day:02d}", None, utterances, "boundary")
    extraction = Extraction(
        subject=f"day {day}",
        summary="",
        narrative="",
        facts=tuple(
            ExtractedFact(
                text,
                "",
                (at,),
                same_as_source=True,
                quote=Quote(speaker="Ann", words=text) if quoted else None,
                claims=claims(text),
            )
            for at, text in enumerate(statements)
        ),
        foresights=tuple(
            ExtractedForesight(text, text, (len(statements) + at,), start, claims=claims(text))
            for at, text in enumerate(foresights)
        ),
        entities=tuple(ExtractedEntity(name, "person", f"{name} on day {day}.", (0,)) for name in people),
        relationships=(ExtractedRelationship("Ann", "works_at", job, None, (0,)),) if job else (),
        profile=tuple(
            ExtractedProfileItem("Ann", text, "identity", False, (at,), claim)
            for at, text in enumerate([f"Ann works at {job}."] * bool(job) + list(statements) * quoted)
            for claim in claims(text)
        ),
    )
    assembled = assemble(refer(cut), cut, extraction, "test")
    return assembled.embedded(list(map(Embedding, embed(assembled.texts))))


def claims(text: str) -> tuple[Claim, ...]:
    """Of each of its sentences."""
    return tuple(claim for sentence in re.findall(r"[^.]+\.", text) for claim in claims_in(sentence.strip(), "en", "Ann"))


def deployment(day: int, intent: str) -> Extracted:
    """An episode in which an agent did a task."""
    message = Message(
        conversation_id=f"c{day:02d}", user_id="ann", agent_id="helper", message_id="m", content=intent,
        sent_at=START + timedelta(days=day), role="user",
    )  # fmt: skip
    stored = message.stored(ANN, Position(topic="t", partition=0, offset=day), message.sent_at, 1)
    cut = Cut(f"default/c{day:02d}/e", ANN, f"c{day:02d}", None, (Utterance(stored, embed([intent])[0]),), "boundary")
    case = ExtractedCase(intent, "1. run the tests\n2. apply the release", 0.9, "warm the cache first")
    extraction = Extraction(subject=intent, summary="", narrative="", facts=(), case=case)
    assembled = assemble(refer(cut), cut, extraction, "test")
    return assembled.embedded(list(map(Embedding, embed(assembled.texts))))


def gone(day: int) -> Retraction:
    return Retraction(f"default/c{day:02d}", ANN, f"default/c{day:02d}/e")


def test_the_same_statement_in_ten_conversations_is_found_once_with_ten_sources() -> None:
    lane = Lane()
    for day in range(10):
        lane.take(episode(day, "Ann plays the cello."))
    assert lane.found() == ["Ann plays the cello."]
    original = lane.facts()["Ann plays the cello.@default/c00/e"]
    assert original.message_ids == ("d0m0",)
    assert original.validity.also_said_in == tuple(f"d{day}m0" for day in range(1, 10))


def test_when_the_original_is_gone_the_next_repetition_stands() -> None:
    lane = Lane()
    lane.take(*(episode(day, "Ann plays the cello.") for day in range(3)))
    lane.take(gone(0))
    assert lane.found() == ["Ann plays the cello."]
    assert lane.facts()["Ann plays the cello.@default/c01/e"].validity.also_said_in == ("d2m0",)


def test_an_earlier_episode_that_comes_late_becomes_the_original() -> None:
    lane = Lane()
    lane.take(episode(5, "Ann plays the cello."))
    lane.take(episode(1, "Ann plays the cello."))
    assert lane.facts()["Ann plays the cello.@default/c05/e"].validity.merged_into == "default/c01/e/f/0"


def test_a_repetition_that_stands_again_is_found_by_its_words_and_its_vector() -> None:
    lane = Lane()
    lane.take(episode(0, "Ann plays the cello."), episode(1, "Ann plays the cello."))
    lane.take(gone(0))
    (row,) = (row for row in lane.index.scan(Collection.FACTS))
    assert row.tokens
    assert lane.index.get([row.key], with_vectors=True)[row.key].vector is not None


def test_a_foresight_does_not_stand_for_a_fact() -> None:
    lane = Lane()
    lane.take(episode(0, "Ann goes to Rome.", foresights=["Ann goes to Rome."]))
    assert lane.found() == ["Ann goes to Rome."]


def test_a_change_ends_one_claim_of_a_quote_and_says_nothing_of_the_others() -> None:
    lane = Lane()
    lane.take(episode(0, "I'm allergic to penicillin. I live in Oslo.", quoted=True))
    lane.take(episode(1, "I moved to Bergen.", quoted=True))
    both = lane.facts()["I'm allergic to penicillin. I live in Oslo.@default/c00/e"]
    assert [(claim.value, claim.superseded_by) for claim in both.claims] == [
        ("penicillin", None),
        ("Oslo", "default/c01/e/f/0"),
    ]
    assert both.validity.valid_to is None
    assert lane.portrait() == [
        "I'm allergic to penicillin. I live in Oslo. (Oslo: until 2026-03-03)",
        "I moved to Bergen.",
    ]


def test_a_quote_that_says_nothing_else_ends_with_its_claim_and_its_line_leaves_the_profile() -> None:
    lane = Lane()
    lane.take(episode(0, "I live in Oslo.", quoted=True))
    lane.take(episode(1, "I moved to Bergen.", quoted=True))
    old = lane.facts()["I live in Oslo.@default/c00/e"]
    assert (old.validity.valid_to, old.validity.superseded_by) == (START + timedelta(days=1), "default/c01/e/f/0")
    assert lane.portrait() == ["I moved to Bergen."]
    lane.take(gone(1))
    assert lane.facts()["I live in Oslo.@default/c00/e"].validity.valid_to is None
    assert lane.portrait() == ["I live in Oslo."]


def test_an_end_without_a_name_ends_every_value_and_is_no_line_of_the_profile() -> None:
    lane = Lane()
    lane.take(episode(0, "I work at Acme.", quoted=True))
    lane.take(episode(1, "I quit my job.", quoted=True))
    assert lane.over() == ["Acme"]
    assert lane.portrait() == []


def test_an_old_job_comes_back_as_news_and_no_repetition() -> None:
    lane = Lane()
    for day, text in enumerate(["I work at Acme.", "I work at Globex.", "I work at Acme."]):
        lane.take(episode(day, text, quoted=True))
    assert [each.validity.valid_to is None for each in lane.facts().values()] == [False, False, True]
    assert all(each.validity.merged_into is None for each in lane.facts().values())


@pytest.mark.parametrize("news", ["The launch is pushed back to 11 May.", "The launch is cancelled."])
def test_a_foresight_is_off_when_its_plan_is_moved_or_cancelled(news: str) -> None:
    lane = Lane()
    lane.take(episode(0, foresights=["The launch is on 20 April."]))
    lane.take(episode(1, news, quoted=True))
    (plan,) = (each for row in lane.index.scan(Collection.MEMORIES) if isinstance(each := row.record(), Foresight))
    assert plan.validity.superseded_by == "default/c01/e/f/0"


def test_what_is_off_before_its_day_held_from_when_it_was_said() -> None:
    lane = Lane()
    lane.take(episode(0, foresights=["The launch is on 20 April."], ahead=49))
    (plan,) = (each for row in lane.index.scan(Collection.MEMORIES) if isinstance(each := row.record(), Foresight))
    assert plan.validity.valid_from == START + timedelta(days=49)
    lane.take(episode(1, "The launch is cancelled.", quoted=True))
    (plan,) = (each for row in lane.index.scan(Collection.MEMORIES) if isinstance(each := row.record(), Foresight))
    assert (plan.validity.valid_from, plan.validity.valid_to) == (plan.said_at, START + timedelta(days=1))
    lane.take(gone(1))
    (plan,) = (each for row in lane.index.scan(Collection.MEMORIES) if isinstance(each := row.record(), Foresight))
    assert (plan.validity.valid_from, plan.validity.valid_to) == (START + timedelta(days=49), None)


def test_a_judge_that_looks_around_compares_what_is_near_in_meaning() -> None:
    lane = Lane(SaysWhere())
    lane.take(episode(0, "Ann is at home in Oslo."))
    lane.take(episode(1, "Ann is at home in Bergen."))
    assert lane.facts()["Ann is at home in Oslo.@default/c00/e"].validity.superseded_by == "default/c01/e/f/0"


def test_a_related_statement_that_goes_leaves_no_trace() -> None:
    lane, clean = Lane(SaysWhere()), Lane(SaysWhere())
    lane.take(episode(0, "Ann is at home in Oslo."))
    lane.take(episode(1, "Ann is at home in Bergen."))
    lane.take(gone(1))
    clean.take(episode(0, "Ann is at home in Oslo."))
    assert contents(lane.index) == contents(clean.index)
    assert [row.id for row in lane.index.scan(Collection.CONTROL)] == [row.id for row in clean.index.scan(Collection.CONTROL)]


def test_when_the_model_that_judges_fails_claims_decide_and_nothing_is_lost() -> None:
    judge = SaysWhere()
    lane = Lane(judge)
    lane.take(episode(0, "Ann is at home in Oslo."))
    judge.failing = True
    lane.take(episode(1, "Ann is at home in Bergen."))
    assert len(lane.found()) == 2


def test_a_short_name_means_the_one_person_who_has_it_in_a_longer_one() -> None:
    lane = Lane()
    lane.take(episode(0, people=["Tom", "Tomato Jones"]))
    lane.take(episode(1, people=["Tom Miller"]))
    assert lane.entities() == {"Tom Miller": ("Tom",), "Tomato Jones": ()}
    lane.take(episode(2, people=["Tom Smith"]))
    assert lane.entities() == {"Tom": (), "Tom Miller": (), "Tom Smith": (), "Tomato Jones": ()}
    lane.take(gone(2))
    assert lane.entities() == {"Tom Miller": ("Tom",), "Tomato Jones": ()}


def test_a_new_employer_ends_the_old_edge_and_a_withdrawn_one_gives_it_back() -> None:
    lane = Lane()
    lane.take(episode(0, job="Acme"))
    lane.take(episode(1, job="Globex"))
    assert lane.edges() == {"Acme": True, "Globex": False}
    lane.take(gone(1))
    assert lane.edges() == {"Acme": False}


def test_a_profile_line_that_is_said_again_gains_evidence() -> None:
    lane = Lane()
    lane.take(episode(0, job="Acme"))
    lane.take(episode(1, job="Acme"))
    (row,) = (row for row in lane.index.scan(Collection.MEMORIES) if row.kind == "profile")
    profile = row.record()
    assert isinstance(profile, Profile)
    assert [(item.statement, len(item.evidence)) for item in profile.explicit] == [("Ann works at Acme.", 2)]


def test_two_like_cases_of_an_agent_become_a_skill_that_cites_them_and_goes_with_one_of_them() -> None:
    lane = Lane()
    lane.take(deployment(0, "deploy version 1.4 to staging"), deployment(1, "deploy version 1.5 to staging"))
    (skill,) = lane.skills()
    assert skill.source_case_ids == ("default/c00/e/c", "default/c01/e/c")
    lane.take(gone(1))
    assert lane.skills() == []


def test_a_skill_follows_cases_that_go_long_after_it_was_learnt() -> None:
    lane = Lane()
    lane.take(*(deployment(day, f"deploy version 1.{day} to staging") for day in range(3)))
    for remaining in (("default/c00/e/c", "default/c02/e/c"), None):
        lane.rest()
        lane.take(gone(1 if remaining else 2))
        assert [skill.source_case_ids for skill in lane.skills()] == [remaining] * (remaining is not None)


names = st.sampled_from(["Tom", "Tom Miller", "Tom Smith", "Bo", "tom miller"])
whole_steps = st.lists(
    st.tuples(st.integers(0, 4), st.lists(names, max_size=2, unique=True), st.sampled_from(["", "Acme", "Globex"])), max_size=8
)


@few
@given(steps=whole_steps, batches=st.integers(1, 3))
def test_names_edges_and_profiles_are_those_of_the_episodes_there_are(
    steps: list[tuple[int, list[str], str]], batches: int
) -> None:
    lane, clean = Lane(), Lane()
    items = [episode(day, people=people, job=job) if people else gone(day) for day, people, job in steps]
    for start in range(0, len(items), batches):
        lane.take(*items[start : start + batches])
    last = {day: (people, job) for day, people, job in steps}
    clean.take(*(episode(day, people=people, job=job) for day, (people, job) in sorted(last.items()) if people))
    assert contents(lane.index) == contents(clean.index)


texts = st.sampled_from(["Ann plays the cello.", "Ann is at home in Oslo.", "Ann is at home in Bergen.", "Ann likes tea."])
steps = st.lists(st.tuples(st.integers(0, 5), st.lists(texts, max_size=3)), max_size=10)


@few
@given(judge=st.sampled_from([lambda: None, SaysWhere]), steps=steps, batches=st.integers(1, 4))
def test_whatever_came_and_went_before_the_memory_is_that_of_the_episodes_there_are(
    judge: type[Any], steps: list[tuple[int, list[str]]], batches: int
) -> None:
    """An episode without statements stands for one that is gone."""
    lane, clean = Lane(judge()), Lane(judge())
    items = [episode(day, *statements) if statements else gone(day) for day, statements in steps]
    for start in range(0, len(items), batches):
        lane.take(*items[start : start + batches])
    last = dict(steps)
    clean.take(*(episode(day, *statements) for day, statements in sorted(last.items()) if statements))
    assert contents(lane.index) == contents(clean.index)


quotes = st.sampled_from(
    [
        "I live in Oslo.",
        "I moved to Bergen.",
        "I live in Oslo. I love tea.",
        "I don't like tea any more.",
        "I work at Acme.",
        "I work at Globex.",
        "I quit my job.",
        "I play the cello.",
        "The launch is on 20 April.",
        "The launch is pushed back to 11 May.",
    ]
)
days = st.dictionaries(st.integers(0, 7), st.lists(quotes, min_size=1, max_size=3), max_size=8)


@few
@given(
    days=days,
    sizes=st.lists(st.integers(1, 4), min_size=8, max_size=8),
    random=st.randoms(),
    withdrawn=st.sets(st.integers(0, 7)),
)
def test_any_order_and_any_division_into_batches_gives_the_same_memory(
    days: dict[int, list[str]], sizes: list[int], random: Any, withdrawn: set[int]
) -> None:
    """Each episode comes with other words first; some go and come again."""
    clean, lane = Lane(), Lane()
    told = {day: episode(day, *said, foresights=said[:1], quoted=True) for day, said in days.items()}
    if told:
        clean.take(*(told[day] for day in sorted(told)))
    items: list[Extracted | Retraction] = [episode(day, "I live in Rome.", quoted=True) for day in told]
    items += [gone(day) for day in sorted(withdrawn & told.keys())]
    random.shuffle(items)
    last = list(told.values())
    random.shuffle(last)
    items += last
    for size in sizes * 3:
        if items:
            lane.take(*items[:size])
            items = items[size:]
    assert contents(lane.index) == contents(clean.index)
    assert lane.clusters() == clean.clusters()
