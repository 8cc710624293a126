"""Tables of figures."""

import io

from rich.console import Console

from evaluation.report import print_table


def test_no_figure_is_cut_off_where_the_output_is_a_file() -> None:
    columns = [f"a rather long figure {number}" for number in range(12)]
    console = Console(file=io.StringIO(), width=80)
    print_table(console, "figures", [dict.fromkeys(columns, 0.12345)], columns)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert shown.count("0.123") == len(columns)
    assert all(column in shown for column in columns)
    assert console.width == 80
