"""Recorded calls of the judge (flows/consistency/judge.py), pair by pair, in whatever company a pair is asked."""

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from evaluation.recording.recordings import Recordings
from flows.consistency.judge import PairVerdicts

_STATEMENT = re.compile(r"(S\d+) (\d{4}-\d\d-\d\d(?: \(of \d{4}-\d\d-\d\d\))?: .*)")
_PAIR = re.compile(r"(\d+)\. (S\d+) (S\d+)")

_Asked = tuple[str, ...]  # the model, its rules, the older and the newer statement with their days


class RecordedVerdicts:
    """The verdicts of all recorded calls. Safe for several threads."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings
        self._lock = threading.Lock()
        self._read = 0  # recordings
        self._known: dict[_Asked, tuple[bool, bool]] = {}  # of each pair whether it is same, and whether replaced

    def completion(self, request: Any) -> bytes | None:
        """The answer to a request of the judge, put together from recorded calls; None where a pair is in none of them."""
        asked = dict(_pairs(request))
        if not asked:
            return None
        with self._lock:
            self._read_on()
            if any(pair not in self._known for pair in asked.values()):
                return None
            verdicts = {number: self._known[pair] for number, pair in asked.items()}
        same = [number for number, (is_same, _) in verdicts.items() if is_same]
        replaces = [number for number, (_, is_replaced) in verdicts.items() if is_replaced]
        content = PairVerdicts(same=same, replaces=replaces).model_dump_json()
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        return json.dumps({"choices": [choice]}).encode()

    def _read_on(self) -> None:
        if len(self._recordings) == self._read:
            return
        self._read = len(self._recordings)
        for recording in self._recordings:
            if asked := dict(_pairs(recording.request)):
                try:
                    text = json.loads(recording.body)["choices"][0]["message"]["content"]
                    answer = PairVerdicts.model_validate_json(text)
                except (ValidationError, ValueError, KeyError, IndexError, TypeError):
                    continue
                for number, pair in asked.items():
                    self._known.setdefault(pair, (number in answer.same, number in answer.replaces))


def _pairs(request: Any) -> Iterator[tuple[int, _Asked]]:
    """The pairs that a request asks about by their numbers: ``judge_prompt`` read backwards; none of any other request."""
    try:
        rules, user = (str(message["content"]) for message in request["messages"])
        model = str(request["model"])
    except (KeyError, TypeError, ValueError):
        return
    statements: dict[str, str] = {}
    pairs: list[tuple[int, str, str]] = []
    for line in user.split("\n"):
        if said := _STATEMENT.fullmatch(line):
            statements[said[1]] = said[2]
        elif pair := _PAIR.fullmatch(line):
            pairs.append((int(pair[1]), pair[2], pair[3]))
        else:
            return
    if all(older in statements and newer in statements for _, older, newer in pairs):
        yield from ((number, (model, rules, statements[older], statements[newer])) for number, older, newer in pairs)
