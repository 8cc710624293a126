"""What a shell writes for the filters of a search on metadata."""

import pytest

from mneme.errors import InputError
from queries.filtering.filters import Filters
from serving.commands.options import metadata_filter


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (["project=apollo"], {"project": {"eq": "apollo"}}),
        (["project = apollo 11"], {"project": {"eq": "apollo 11"}}),
        (["priority>=2", "priority<5"], {"priority": {"gte": 2, "lt": 5}}),
        (["priority>1.5", "priority<=-1"], {"priority": {"gt": 1.5, "lte": -1}}),
        (["draft!=true"], {"draft": {"ne": True}}),
        (['ticket="7"'], {"ticket": {"eq": "7"}}),
        (['channel=["a","b"]', "channel!=[3]"], {"channel": {"in": ["a", "b"], "nin": [3]}}),
        (["title~12"], {"title": {"contains": "12"}}),
        (["due<2026-03-01"], {"due": {"lt": "2026-03-01"}}),
        (["url=https://host/?a=b&c>=d"], {"url": {"eq": "https://host/?a=b&c>=d"}}),
        (["ticket"], {"ticket": {"exists": True}}),
        (["note="], {"note": {"eq": ""}}),
    ],
    ids=str,
)
def test_an_option_asks_for_a_key(options, asked):
    assert metadata_filter(options) == asked
    assert Filters.parse({"user_id": "ann", "metadata": asked}).metadata == asked


@pytest.mark.parametrize("option", ["", "  ", "=apollo", ">=2", "!ticket"])
def test_an_option_without_a_key_is_refused(option):
    with pytest.raises(InputError, match=r"--metadata: .* names no key; write KEY=VALUE"):
        metadata_filter([option])


def test_the_same_may_not_be_asked_twice():
    with pytest.raises(InputError, match=r"'project' for eq a second time; give a list: project=\[...\]"):
        metadata_filter(["project=apollo", "project=zeus"])
