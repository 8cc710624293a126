"""Entities find one another across conversations, by few keys, and part again."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from flows.consistency.aggregates.entities import entity_of, filed_under, resolved
from flows.consistency.aggregates.mentions import LONGEST_SUMMARY
from mneme.ids import entity_id
from mneme.records import Entity, Mention, Owner
from tests.flows.consistency.aggregates.meanings import merged_names

ANN = Owner(tenant_id="t", type="user", id="ann")
DAY = datetime(2026, 3, 2, tzinfo=UTC)
NAMES = (
    *(
        (" ".join(name.split()), "person")
        for name in """Ann|Ann Miller|Ann Smith|Miller|Bob Miller|Bob|Robert Jones|Robert|Mel|Melanie|Melanie Jones|Mel Jones|
        Ann Melanie|Ann Melanie Jones|Mr. Miller|Mrs. Miller|Dr. Ann Miller|Melissa Jones|Kate|
        Katherine Ann Smith|Ted|Edward Cole|Theodore Cole|Caro Li|Caroline Li|Caroline|
        小明|王小明|李小明|王明|老王|小王|王先生|王女士|欧阳小明""".split("|")
    ),
    ("Google", "object"),
    ("Google Inc.", "organisation"),
    ("google llc", "location"),
    ("NYC", "city"),
    ("New York", "object"),
    ("miller", "object"),
    ("Caro", "object"),
    ("Katie", "thing"),
    ("Melly", ""),
)


class Memory:
    """The entities of an owner, kept as the owner's lane keeps them."""

    def __init__(self) -> None:
        self.entities: dict[str, Entity] = {}
        self.asked = 0

    def named(self, keys: Collection[str]) -> list[Entity]:
        """What is filed under any of the keys."""
        self.asked += 1
        return [each for each in self.entities.values() if set(filed_under(each)) & set(keys)]

    def say(self, episode: str, name: str, kind: str, text: str | None, day: int = 0) -> list[Entity]:
        """An episode says something of a name, or (None) nothing any more."""
        identity = entity_id(ANN.key, name)
        before = self.entities.pop(identity, None)
        mentions = [Mention(episode_id=episode, text=text, at=DAY + timedelta(days=day), name=name, type=kind)] if text else []
        after = entity_of(identity, ANN, before, {episode}, mentions)
        if after is not None:
            self.entities[identity] = after
        changes = resolved([each for each in (before, after) if each is not None], self.named)
        self.entities |= {each.id: each for each in changes}
        return changes

    def of(self, name: str) -> Entity:
        """The entity with this name."""
        return self.entities[entity_id(ANN.key, name)]


def told(*names: str) -> Memory:
    memory = Memory()
    for day, name in enumerate(names):
        memory.say(f"e{day}", name, "person", f"{name} was there on day {day}.", day)
    return memory


def test_a_short_name_joins_the_longer_one_whichever_comes_first() -> None:
    for memory in (told("Ann", "Ann Miller"), told("Ann Miller", "Ann")):
        assert memory.of("Ann").merged_into == memory.of("Ann Miller").id
        assert memory.of("Ann Miller").aliases == ("Ann",)


def test_the_summary_tells_what_was_said_under_either_name() -> None:
    memory = told("Ann", "Ann Miller")
    assert memory.of("Ann Miller").summary == "Ann was there on day 0. Ann Miller was there on day 1."
    assert memory.of("Ann").summary == "Ann was there on day 0."


def test_names_part_when_a_second_candidate_comes_and_join_again_when_it_goes() -> None:
    memory = told("Ann", "Ann Miller", "Ann Smith")
    assert memory.of("Ann").merged_into is None
    assert memory.of("Ann Miller").aliases == ()
    assert memory.of("Ann Miller").summary == "Ann Miller was there on day 1."
    memory.say("e2", "Ann Smith", "person", None)
    assert memory.of("Ann").merged_into == memory.of("Ann Miller").id


def test_names_part_when_the_longer_one_is_withdrawn() -> None:
    memory = told("Ann", "Ann Miller")
    memory.say("e1", "Ann Miller", "person", None)
    assert memory.of("Ann").merged_into is None
    assert memory.of("Ann").summary == "Ann was there on day 0."


def test_what_an_alias_no_longer_says_leaves_the_summary() -> None:
    memory = told("Ann", "Ann Miller")
    memory.say("e0", "Ann", "person", None)
    assert memory.of("Ann Miller").aliases == ()
    assert memory.of("Ann Miller").summary == "Ann Miller was there on day 1."


def test_who_was_once_told_to_be_a_pet_is_one() -> None:
    memory = told("Max", "Max")
    memory.say("e2", "Max", "pet", "Max the dog was there.")
    assert memory.of("Max").type == "pet"
    memory.say("e2", "Max", "pet", None)
    assert memory.of("Max").type == "person"


def test_an_alias_of_an_alias_joins_the_longest_name() -> None:
    memory = told("Mel", "Melanie", "Melanie Jones")
    assert memory.of("Melanie Jones").aliases == ("Mel", "Melanie")
    assert memory.of("Mel").merged_into == memory.of("Melanie Jones").id


def test_a_joined_summary_stays_within_500_characters() -> None:
    memory = Memory()
    for day in range(20):
        memory.say(f"e{day}", ("Ann", "Ann Miller")[day % 2], "person", f"{day:02d} " + "x" * 90, day)
    assert len(memory.of("Ann Miller").summary) <= LONGEST_SUMMARY
    assert "19 " in memory.of("Ann Miller").summary
    assert "18 " in memory.of("Ann Miller").summary


def test_one_name_is_looked_up_in_a_few_questions_however_many_entities_there_are() -> None:
    memory = told(*(f"Person{number:03d} Family{number:03d}" for number in range(100)))
    memory.asked = 0
    memory.say("new", "Ann Miller", "person", "Ann came.")
    assert memory.asked <= 4


steps = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 2), st.booleans()), max_size=30)


@settings(max_examples=100)
@given(steps=steps)
def test_whatever_came_and_went_entities_are_merged_as_all_names_together_would_be(
    steps: Iterable[tuple[tuple[str, str], int, bool]],
) -> None:
    memory = Memory()
    for (name, kind), episode, says in steps:
        memory.say(f"e{episode}", name, kind, f"{name} did {episode}." if says else None, episode)
    meant = merged_names([(each.name, each.type) for each in memory.entities.values()])
    for entity in memory.entities.values():
        head = meant.get(entity.name)
        aliases = sorted(alias for alias, name in meant.items() if name == entity.name)
        assert entity.merged_into == (memory.of(head).id if head else None)
        assert list(entity.aliases) == aliases
        texts = {mention.text for name in (entity.name, *aliases) for mention in memory.of(name).mentions}
        assert all(text in entity.summary for text in texts)
    assert resolved(list(memory.entities.values()), memory.named) == []


@settings(max_examples=30)
@given(order=st.permutations(NAMES[:20]))
def test_the_order_in_which_names_come_makes_no_difference(order: list[tuple[str, str]]) -> None:
    memory, other = Memory(), Memory()
    for name, kind in order:
        memory.say(name, name, kind, f"{name} came.")
    for name, kind in sorted(order):
        other.say(name, name, kind, f"{name} came.")
    assert memory.entities == other.entities
