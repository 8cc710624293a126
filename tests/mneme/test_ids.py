"""Ids are positions in the source: the same everywhere and always, never two for one thing, never too long."""

from hypothesis import given
from hypothesis import strategies as st

from mneme import ids

parts = st.lists(st.text(min_size=1, max_size=600), min_size=1, max_size=4)


@given(parts=parts)
def test_an_id_is_plain_ascii_and_fits_an_index(parts: list[str]) -> None:
    identity = ids.make_id(*parts)
    assert identity.isascii()
    assert len(identity) <= 512
    assert not set(identity) & set(" \n\t?#\\\"'")
    assert identity.count("/") == len(parts) - 1


@given(left=parts, right=parts)
def test_different_parts_give_different_ids(left: list[str], right: list[str]) -> None:
    assert (ids.make_id(*left) == ids.make_id(*right)) == (left == right)


LONG = "mira-the-very-long-name-of-an-account/" * 4
LOOKALIKES = [f"{LONG[:16]}~{ids.short_hash(LONG)}", f"{LONG[:16]}~{ids.long_hash(LONG)}", ids.make_id(LONG), f"{LONG[:16]}%7E"]


@st.composite
def adversarial(draw: st.DrawFn) -> str:
    """A part, and what somebody would try who wants its id: its own encoding, its hash, a tilde, its beginning."""
    part = draw(st.one_of(st.text(min_size=1, max_size=300), st.sampled_from([LONG, *LOOKALIKES])))
    encoded = ids.make_id(part)
    guess = draw(st.sampled_from(["part", "encoded", "lasting", "hash", "cut", "tilde", "escaped"]))
    return {
        "part": part,
        "encoded": encoded,
        "lasting": ids.lasting_name(encoded),
        "hash": f"{part[:16]}~{ids.short_hash(part)}",
        "cut": part[:120],
        "tilde": part.replace("%7E", "~"),
        "escaped": part.replace("~", "%7E"),
    }[guess]


@given(left=adversarial(), right=adversarial())
def test_nobody_makes_the_id_of_another_by_its_encoding(left: str, right: str) -> None:
    if left and right:
        assert (ids.make_id(left) == ids.make_id(right)) == (left == right)
        assert (ids.owner_key("t", "user", left) == ids.owner_key("t", "user", right)) == (left == right)
        assert (ids.message_id("t", left, "m") == ids.message_id("t", right, "m")) == (left == right)


@given(part=st.text(min_size=1, max_size=300))
def test_a_tilde_stands_before_a_hash_and_nowhere_else(part: str) -> None:
    encoded = ids.make_id(part)
    assert ("~" in encoded) == (len(encoded.partition("~")[2]) == 32)


@given(left=adversarial(), right=adversarial())
def test_lasting_names_differ_as_ids_do(left: str, right: str) -> None:
    names = [ids.lasting_name(ids.make_id(each)) for each in (left, right)]
    assert (names[0] == names[1]) == (ids.make_id(left) == ids.make_id(right))


def test_a_lasting_name_is_what_earlier_formats_wrote() -> None:
    """Format 2 left tildes as they are, and cut the hash of a long part at 64 bits."""
    assert ids.lasting_name(ids.make_id("acme", "user", "mira~2")) == "acme/user/mira~2"
    assert ids.lasting_name(ids.make_id("acme", "user", "y" * 150)) == f"acme/user/{'y' * 16}~{ids.short_hash('y' * 150)}"
    assert ids.lasting_name(ids.make_id("acme", "user", LOOKALIKES[0])) != ids.lasting_name(ids.make_id("acme", "user", LONG))


def test_hashes_are_the_same_in_every_process() -> None:
    assert ids.stable_hash("default/talk") == 4817339536403564474
    assert ids.short_hash("m1") == "d11f79d4b490b654"


def test_an_episode_is_named_by_its_first_message() -> None:
    identity = ids.episode_id("default", "talk", 1772442000000, "m000")
    assert identity == f"default/talk/1772442000000-{ids.short_hash('m000')}"
    assert ids.fact_id(identity, 3) == f"{identity}/f/3"


def test_names_that_differ_in_case_and_blanks_are_one_entity() -> None:
    owner = ids.owner_key("default", "user", "ann")
    assert ids.entity_id(owner, "Bob  Stone") == ids.entity_id(owner, "bob stone")
    assert ids.entity_id(owner, "Bob Stone") != ids.entity_id(owner, "Bobstone")


@given(names=st.lists(st.text(min_size=1, max_size=600), min_size=5, max_size=5))
def test_an_edge_between_long_names_still_fits(names: list[str]) -> None:
    tenant, owner, *edge = names
    assert len(ids.relationship_id(ids.owner_key(tenant, "group", owner), *edge)) <= 512


def test_an_edge_is_one_for_each_source_relation_and_target() -> None:
    owner = ids.owner_key("default", "user", "ann")
    there = ids.relationship_id(owner, "Bob", "works_at", "Acme")
    assert there == ids.relationship_id(owner, "bob", "works_at", "ACME")
    assert there != ids.relationship_id(owner, "Acme", "works_at", "Bob")
