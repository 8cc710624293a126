"""Many small pieces of work side by side, of which some may fail and are left for another time."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from mneme.errors import ModelError, ModelPending

Key = TypeVar("Key")


def work_through(
    todo: Sequence[Key], do: Callable[[Key], None], at_a_time: int, console: Console, what: str
) -> Mapping[Key, ModelError]:
    """Do everything in ``todo``; what a model did not answer, and why.

    What failed is tried once more when everything else is done, but for what waits in a file to be answered. An error of
    another kind, or an interruption, ends the work: what is under way is finished, nothing new is begun.
    """
    failed = _one_round(todo, do, at_a_time, console, what)
    again = [key for key, error in failed.items() if not isinstance(error, ModelPending)]
    still = _one_round(again, do, at_a_time, console, f"{what}, again")
    return {key: still.get(key, error) for key, error in failed.items() if key in still or key not in again}


def _one_round(
    todo: Sequence[Key], do: Callable[[Key], None], at_a_time: int, console: Console, what: str
) -> dict[Key, ModelError]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    failed: dict[Key, ModelError] = {}
    with (
        ThreadPoolExecutor(at_a_time, "mneme-eval") as pool,
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task(what, total=len(todo))
        under_way = {pool.submit(do, key): key for key in todo}
        try:
            for future in as_completed(under_way):
                try:
                    future.result()
                except ModelError as error:
                    failed[under_way[future]] = error
                progress.advance(task)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed
