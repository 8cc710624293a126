"""The chance that a statement tells of a change is fitted on statements that somebody wrote, for each model by itself."""

from collections.abc import Sequence

import numpy as np

from evaluation.fit_present import fit_changes, statements
from evaluation.retrieval.sets.changes import Statement
from mneme.ports import EmbedderIdentity
from mneme.rows import Vector

CHANGES = [
    *(Statement(f"The boxes are in Dundee since the {day}th", True, f"talk {day % 5}") for day in range(4, 14)),
    *(Statement(f"The boxes are red and there are {day} of them", False, f"talk {day % 5}") for day in range(4, 14)),
    *(Statement(f"Die Kisten stehen seit dem {day}. in der neuen Stadt", True, f"talk {day % 5}") for day in range(4, 14)),
    *(Statement(f"Die Kisten sind rot und es sind genau {day} davon", False, f"talk {day % 5}") for day in range(4, 14)),
]


class TwoModels:
    """Two models: what lies along the first axis is a change in English, and none in German."""

    identity = EmbedderIdentity("english", "", 2, ("*",), "foreign")

    def embed(self, texts: Sequence[str]) -> Vector:
        changes = [("Dundee" in text) or ("davon" in text) for text in texts]
        return np.array([[1.0, 0.0] if each else [0.0, 1.0] for each in changes], np.float32)

    def close(self) -> None:
        pass


def test_each_model_has_a_regression_of_its_own():
    fitted = fit_changes(CHANGES, TwoModels())
    change, none = np.eye(2, dtype=np.float32)
    english, foreign = fitted.weights["english"], fitted.weights["foreign"]
    assert english.chance("The boxes", change) > 0.5 > english.chance("The boxes", none)
    assert foreign.chance("Die Kisten", change) < 0.5 < foreign.chance("Die Kisten", none)


def test_what_was_written_together_is_judged_by_a_regression_that_did_not_see_it():
    fitted = fit_changes([*CHANGES[:20], Statement("The boxes are in Dundee", False, "odd")] * 2, TwoModels())
    assert fitted.without["odd"]["english"].bias != fitted.weights["english"].bias
    assert set(fitted.without) == {*(f"talk {number}" for number in range(5)), "odd"}


def test_the_statements_of_a_change_and_others_are_mixed():
    known = statements()
    assert 0.2 < sum(each.is_change for each in known) / len(known) < 0.5
    assert len({each.group for each in known}) > 400
