"""A model that is away: who asks for time gets it; what rules extracted meanwhile is extracted again, under the same ids."""

from collections import Counter
from dataclasses import replace

import pytest

from flows.cuts import Cut, Extraction
from mneme.errors import ModelError, ModelKeyRefused, ModelPaused, ModelRefused
from mneme.rows import Collection, Vector
from tests.flows.river import OneFactEach, River, contents, edit, embed, forget, message
from tests.memory_index_reference import ReferenceIndex


class Away(OneFactEach):
    """A model that raises ``error`` while there is one."""

    name = "model"
    calls_a_model = True

    def __init__(self) -> None:
        self.error: Exception | None = ModelError("the endpoint is down")
        self.refused = ""
        self.asked = 0

    def extract(self, cut: Cut) -> Extraction:
        self.asked += 1
        if self.error is not None:
            raise self.error
        if self.refused and any(self.refused in utterance.message.text for utterance in cut.utterances):
            raise ModelKeyRefused("HTTP 402")
        return replace(super().extract(cut), summary="by the model")


@pytest.fixture
def model() -> Away:
    return Away()


@pytest.fixture
def river(model: Away) -> River:
    return River(ReferenceIndex(), extractor=model)


def summaries(river: River) -> list[str]:
    river.index.refresh()
    return [row.body["summary"] for row in river.index.scan(Collection.EPISODES)]


def talk(*texts: str, conversation: str = "talk") -> list:
    return [message(number, text, conversation) for number, text in enumerate(texts)]


def test_an_announced_wait_is_waited_for_and_costs_no_depth(river: River, model: Away) -> None:
    model.error = ModelPaused("it asked to wait 90 s", 90)
    river.feed(*talk("tea", "NEW coffee", "NEW cake"))
    river.wait(80)
    asked = model.asked
    assert not river.letters.letters
    assert not summaries(river)
    model.error = None
    river.wait(15)
    river.end()
    assert set(summaries(river)) == {"by the model"}
    assert not river.letters.letters
    assert asked <= 2  # one for each episode, and none while the endpoint waits


def test_what_rules_extracted_is_extracted_again_and_its_letters_leave(river: River, model: Away) -> None:
    river.feed(*talk("tea", "NEW coffee", "NEW cake"))
    river.end()
    ids = set(contents(river.index))
    assert len(river.letters.letters) == 3
    assert "by the model" not in summaries(river)
    model.error = None
    river.wait(60)
    river.settle()
    assert summaries(river) == ["by the model"] * 3
    assert set(contents(river.index)) == ids
    assert not river.letters.letters


def test_a_revoked_key_costs_no_depth(river: River, model: Away) -> None:
    model.error = ModelKeyRefused("HTTP 401; check MNEME_MODELS__API_KEY")
    river.feed(*talk("tea", "NEW coffee", "NEW cake"))
    river.end()
    assert "by the model" not in summaries(river)
    model.error = None
    river.wait(60)
    river.settle()
    assert summaries(river) == ["by the model"] * 3
    assert not river.letters.letters


def test_a_revoked_key_of_the_embedder_costs_no_vector() -> None:
    refusals = [ModelKeyRefused("HTTP 401; check MNEME_EMBEDDER__API_KEY")] * 3

    def embedding(texts: list[str]) -> Vector:
        if refusals:
            raise refusals.pop()
        return embed(texts)

    river = River(ReferenceIndex(), embedding=embedding)
    river.feed(*talk("tea", "NEW coffee"))
    river.wait(60)
    river.end()
    kept = [row for each in (Collection.MESSAGES, Collection.FACTS) for row in river.index.scan(each, with_vectors=True)]
    assert len(kept) == 4
    assert all(row.vector is not None for row in kept)


def test_an_episode_that_is_always_refused_holds_no_other_up(river: River, model: Away) -> None:
    model.refused = "coffee"
    river.feed(*talk("NEW coffee", "NEW tea", "NEW cake"))
    river.end()
    model.error = None
    river.wait(600)
    river.settle()
    assert Counter(summaries(river))["by the model"] == 2


def test_while_it_is_away_it_is_asked_ever_more_seldom(river: River, model: Away) -> None:
    river.feed(*talk("tea", "NEW coffee"))
    river.end()
    asked = model.asked
    river.wait(3600)
    assert 4 < model.asked - asked < 12
    assert len(river.letters.letters) == 2


def test_a_restart_remembers_what_is_owed(river: River, model: Away) -> None:
    river.feed(*talk("tea", "NEW coffee"))
    river.end()
    river.epoch()
    model.error = None
    river.crash()
    river.settle()
    assert summaries(river) == ["by the model"] * 2
    assert not river.letters.letters


def test_an_edit_meanwhile_is_not_undone(river: River, model: Away) -> None:
    river.feed(*talk("tea", "NEW coffee", "NEW cake"))
    river.end()
    river.feed(edit(0, "green tea", 10))
    river.end()
    model.error = None
    river.wait(60)
    river.settle()
    texts = {row.body["atomic_fact"] for row in river.index.scan(Collection.FACTS)}
    assert texts == {"green tea", "NEW coffee", "NEW cake"}
    assert not river.letters.letters


def test_what_is_erased_is_not_made_again(river: River, model: Away) -> None:
    river.feed(*talk("tea", "NEW coffee"))
    river.end()
    river.feed(forget(10))
    river.settle()
    model.error = None
    river.wait(60)
    assert not summaries(river)


def test_an_episode_that_the_model_refuses_stays_as_rules_extracted_it(river: River, model: Away) -> None:
    river.feed(*talk("tea"))
    river.end()
    model.error = ModelRefused("content policy")
    river.wait(60)
    asked = model.asked
    river.wait(3600)
    assert model.asked == asked
    assert len(river.letters.letters) == 1
