"""What a run reports of its writes does not depend on what was written together."""

from flows.runner import WrittenRows


def test_a_row_counts_once_as_what_it_is_in_the_end() -> None:
    wrote = WrittenRows()
    for kind, identity in [
        ("fact", "a"),
        ("fact", "b"),
        ("fact", "c"),
        ("repetition", "b"),
        ("fact", "a"),
        ("", "c"),
        ("", "d"),
    ]:
        wrote(kind, identity)
    assert wrote.rows() == {"fact": 1, "repetition": 1}
