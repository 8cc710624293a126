"""A profile of the stages tells whose time it is: of the stage that was driven, and of our file that asked for it."""

import pytest

from evaluation.stage_profile import read_samples, shares
from mneme.errors import InputError

DRIVER = "main (serving/cli.py:9);by_hand (evaluation/bench_stages.py:1);DrivenSteps.feed (evaluation/driven_steps.py:70)"
PASS = f"{DRIVER};DrivenSteps._pass (evaluation/driven_steps.py:104)"
EXTRACT = f"{PASS};ExtractLane.on_batch (/there/flows/extract.py:9);retold (/there/flows/extraction/wording/retelling.py:3)"
STACKS = [
    f"{EXTRACT};search (re/__init__.py:7) 6",
    f"{EXTRACT};look_up (numpy/core.py:7) 2",
    f"{PASS};ExtractLane.on_batch (/there/flows/extract.py:9) 2",
    f"{DRIVER};DrivenSteps.feed.<locals>.<listcomp> (evaluation/driven_steps.py:71);decode (/there/flows/decode.py:4) 3",
    f"{PASS};Writer.write (/there/flows/write.py:8);RowsInMemory.write (/there/evaluation/rows_in_memory.py:40) 50",
    "Thread._bootstrap (threading.py:1002);Condition.wait (threading.py:320) 900",
]


def test_a_library_counts_for_the_file_of_ours_that_called_it() -> None:
    rows = {(row["stage"], row["file"]): row["percent"] for row in shares(read_samples(STACKS))}
    assert rows["extract", "flows/extraction/wording/retelling"] == pytest.approx(80.0)
    assert rows["extract", "flows/extract"] == pytest.approx(20.0)
    assert rows["decode", "flows/decode"] == pytest.approx(100.0)


def test_what_stands_for_the_index_and_other_threads_are_left_out() -> None:
    assert sum(found.total() for found in read_samples(STACKS).values()) == 13


@pytest.mark.parametrize(("lines", "told"), [(["no number"], "line 1"), ([STACKS[-1]], "bench stages")])
def test_what_is_no_profile_of_the_stages_is_refused(lines: list[str], told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_samples(lines)
