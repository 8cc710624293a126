"""A change is told by the words of a statement, and by its vector where a regression knows the model."""

import pytest

from mneme.ports import EmbedderIdentity
from mneme.rows import Row, Vector
from queries.scoring.change import ChangeScorer, ChangeWeights, tells_of_change
from queries.scoring.present import shipped
from tests.contracts.rows import axis
from tests.queries.world import MAYA, conversation, quoted

ENGLISH = ChangeWeights(vector=tuple(9 * (axis(0) - axis(1))), words=2.0, bias=0.0)
FOREIGN = ChangeWeights(vector=tuple(9 * (axis(1) - axis(0))), words=2.0, bias=0.0)
BOTH = EmbedderIdentity("english", "", 4, ("*",), "foreign")


def said(text: str) -> Row:
    return quoted(conversation(MAYA, "talk", "A talk", [("Nora", text)], 1)[-1])


def chances(identity: EmbedderIdentity, *told: tuple[str, Vector | None]) -> list[float]:
    scorer = ChangeScorer({"english": ENGLISH, "foreign": FOREIGN}, identity)
    return scorer.chances([said(text) for text, _ in told], [vector for _, vector in told]).round(2).tolist()


def test_each_language_is_judged_by_the_regression_of_its_model():
    english, german = "The boxes are in Dundee", "Wir wohnen mit den Kisten in der Stadt"
    assert chances(BOTH, (english, axis(0)), (english, axis(1)), (german, axis(0)), (german, axis(1))) == [1.0, 0.0, 0.0, 1.0]


def test_words_of_a_change_count_beside_the_vector():
    assert chances(BOTH, ("We moved to Dundee", axis(3)), ("We like Dundee", axis(3))) == [0.88, 0.5]


@pytest.mark.parametrize("identity", [BOTH, EmbedderIdentity("unknown", "", 4)])
def test_words_alone_decide_where_there_is_no_vector_or_no_regression_for_it(identity: EmbedderIdentity) -> None:
    vector = None if identity is BOTH else axis(0)
    assert chances(identity, ("We moved to Dundee", vector), ("We like Dundee", vector)) == [1.0, 0.0]


def test_the_shipped_regressions_are_for_the_local_models():
    assert set(shipped().changes) == {"all-MiniLM-L6-v2", "multilingual-e5-small-hans"}
    assert {len(each.vector) for each in shipped().changes.values()} == {384}


@pytest.mark.parametrize(
    "text",
    [
        "They put me on nights from now on",
        "Das Peugeot habe ich verkauft",
        "Ya no trabajo allí",
        "J'ai vendu la Clio",
        "手机换成小米了",
        "花屋は辞めて",
    ],
)
def test_changes_are_told_in_many_languages(text: str) -> None:
    assert tells_of_change(text)
    assert not tells_of_change("The cat brought a mouse into the kitchen")
