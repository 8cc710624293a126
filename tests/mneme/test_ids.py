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
