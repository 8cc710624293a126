"""Moments in the flow whose states are kept as bytes: see test_state_values.py.

    python -m tests.flows.state_scenes

writes those of the versions that are written now to ``state_values.json``.
"""

import base64
import json
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.pools import at_once
from flows.items import Pause
from tests.flows.river import River, message
from tests.memory_index_reference import ReferenceIndex

FILE = Path(__file__).with_name("state_values.json")
TEXTS = ("NEW coffee with Bob", "rain in Paris", "NEW job at Acme", "tea", "NEW trip to Rome", "Bob is there", "a train")
BEFORE = 5  # messages that were fed when the state was taken


class HoldingPool:
    """A pool that works at once, except on the jobs of one step."""

    def __init__(self, held: str) -> None:
        self._held = f"flows.{held}"

    def __call__(self, call: Callable[[], Any]) -> "Future[Any]":
        function = call.func if isinstance(call, partial) else call
        return Future() if function.__module__ == self._held else at_once(call)


def feed(river: River, first: int, last: int) -> None:
    """Messages of two conversations, one after the other."""
    for number in range(first, last):
        river.feed(message(number, TEXTS[number]), message(number, TEXTS[-1 - number], conversation="walk"))


def begin(river: River) -> None:
    """All that was fed when the states were taken: the first messages, and a flush."""
    feed(river, 0, BEFORE)
    river.feed(Pause("default/talk", "flush", tenant_id="default", flush_id="f1"))


def states(scene: str) -> list[bytes]:
    """The states of the steps at a moment: where the jobs of one step have not begun to answer, or messages are held back."""
    hold_back = 90.0 if scene == "holding back" else 0.0
    river = River(ReferenceIndex(), submit=HoldingPool(scene), hold_back_seconds=hold_back)
    begin(river)
    river.epoch()
    return [state or b"" for state in river._snapshot[1:]]


SCENES = ("holding back", "embed", "extract", "reconcile")


def versions(states: list[bytes]) -> str:
    """Of the state values of the steps: what was written by one Mneme."""
    return " ".join(state.partition(b":")[0].decode() for state in states)


def current() -> dict[str, dict[str, list[bytes]]]:
    """The states of all scenes as they are written now, under their versions."""
    scenes = {scene: states(scene) for scene in SCENES}
    return {versions(scenes[SCENES[0]]): scenes}


def kept() -> dict[str, dict[str, list[bytes]]]:
    """The states that are kept."""
    values: dict[str, dict[str, list[str]]] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return {
        written: {scene: [base64.b64decode(state) for state in states] for scene, states in scenes.items()}
        for written, scenes in values.items()
    }


def main() -> None:
    """Keep the states of now."""
    values = {
        written: {scene: [base64.b64encode(state).decode() for state in states] for scene, states in scenes.items()}
        for written, scenes in current().items()
    }
    FILE.write_text(json.dumps(values, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
