"""What is unfinished, in one process and in several: only the sum of all means something."""

import tempfile

from flows.lanes.pending import Pending, reset


def test_items_between_steps_and_jobs_inside_them_are_unfinished() -> None:
    pending = Pending()
    pending.enter(5)
    pending.jobs("embed", 3)
    pending.jobs("segment", 2)
    pending.leave(3)
    assert pending.total == 7
    pending.jobs("embed", 1)
    pending.jobs("segment", 0)
    assert pending.total == 3


def test_what_one_process_reads_and_another_finishes_is_finished() -> None:
    with tempfile.TemporaryFile() as file:
        reset(file.fileno(), 2)
        reader, writer = (Pending(file.fileno(), 2, number) for number in range(2))
        reader.enter(1000)
        assert reader.total == writer.total == 1000
        writer.jobs("embed-1", 400)
        writer.leave(400)
        assert reader.total == 1000
        writer.jobs("embed-1", 0)
        writer.leave(600)
        assert reader.total == writer.total == 0, "else the reader would wait for ever"


def test_a_new_start_begins_with_nothing() -> None:
    with tempfile.TemporaryFile() as file:
        reset(file.fileno(), 2)
        Pending(file.fileno(), 2, 1).enter(7)
        reset(file.fileno(), 3)
        assert Pending(file.fileno(), 3, 0).total == 0
