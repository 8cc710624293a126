"""Loads: of one size, whatever their shape, and every message once."""

from collections import Counter
from pathlib import Path

import pytest

from evaluation.capacity.scaling import tenants_of
from evaluation.capacity.shapes import Load, Shape, Talk, load_of, sittings_in
from mneme.errors import InputError

FRIENDS = Path(__file__).parents[3] / "examples" / "friends.jsonl"
TENANTS = tenants_of(4)


@pytest.fixture(scope="module")
def sittings() -> list[Talk]:
    return sittings_in(FRIENDS)


@pytest.mark.parametrize("shape", list(Shape))
def test_every_shape_has_as_many_messages_and_each_once(sittings: list[Talk], shape: Shape) -> None:
    load = load_of(sittings, shape, 500, TENANTS)
    assert len({(each.tenant_id, each.conversation_id, each.message_id) for each in load.messages}) == 500


def test_an_even_load_has_an_owner_for_each_conversation_in_all_tenants(sittings: list[Talk]) -> None:
    load = load_of(sittings, Shape.EVEN, 500, TENANTS)
    assert len(owners(load)) == len(load.conversations)
    assert {tenant for tenant, _ in load.conversations} == set(TENANTS)


def test_half_of_a_hot_owners_load_is_its_in_many_conversations(sittings: list[Talk]) -> None:
    load = load_of(sittings, Shape.HOT_OWNER, 500, TENANTS)
    assert owners(load).most_common(1) == [((TENANTS[0], "hot"), 250)]
    assert len({each.conversation_id for each in load.messages if each.user_id == "hot"}) > 10


def test_half_of_an_endless_talks_load_is_one_conversation_in_order(sittings: list[Talk]) -> None:
    load = load_of(sittings, Shape.ENDLESS_TALK, 500, TENANTS)
    times = [each.sent_at for each in load.messages if each.conversation_id == "endless"]
    assert len(times) == 250
    assert times == sorted(times)


def test_a_file_without_messages_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text('{"event": "flush", "conversation_id": "talk", "flush_id": "one"}\n')
    with pytest.raises(InputError, match="no messages"):
        sittings_in(path)


def owners(load: Load) -> Counter[tuple[str, str | None]]:
    return Counter((each.tenant_id, each.user_id) for each in load.messages)
