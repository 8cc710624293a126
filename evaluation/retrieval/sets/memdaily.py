"""MemDaily: what somebody noted from day to day, in Chinese, with questions and the notes that answer them.

Source: Zhang et al., "MemSim: A Bayesian Simulator for Evaluating Memory of LLM-based Personal Assistants", 2024; the
published ``[{tid, message_list: [{mid, message, time, place}], question_list: [{qid, question, time, target_step_id}]}]``.

All trajectories of a file are one memory: alone, one has seven notes or so, and five of seven nearly always hold the answer.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Event
from evaluation.retrieval.question_set import Question
from evaluation.retrieval.sets.files import Asked, Part, said
from mneme.times import zone

_TIME = re.compile(r"(\d+)年(\d+)月(\d+)日\D*(\d+):(\d+)")
_ZONE = "Asia/Shanghai"


def read(trajectories: Any, path: Path) -> Iterator[Part]:
    """The notes of a file, and what is asked about them."""
    owner, category = {"user_id": path.stem}, path.stem.removeprefix("memdaily_")
    events: list[Event] = []
    asked: list[Asked] = []
    for trajectory in trajectories:
        number, name = trajectory["tid"], f"{path.stem}-{trajectory['tid']}"
        for note in trajectory["message_list"]:
            sent_at, sender = _moment(note["time"]).isoformat(), {"sender": path.stem, "sender_name": "我", "timezone": _ZONE}
            events += said(path, name, owner, f"{number}:{note['mid']}", sent_at, note["message"], **sender)
        there = {f"{number}:{note['mid']}" for note in trajectory["message_list"]}
        for each in trajectory["question_list"]:
            evidence, at = frozenset(f"{number}:{step}" for step in each["target_step_id"]) & there, _moment(each["time"])
            asked.append(Asked(Question(f"{name}/{each['qid']}", name, owner, each["question"], category, evidence, at)))
    yield events, asked


def _moment(text: str) -> datetime:
    """``2024年04月01日 周一 08:30``."""
    found = _TIME.search(text)
    if found is None:
        raise ValueError(f"no time: {text!r}")
    year, month, day, hour, minute = (int(part) for part in found.groups())
    return datetime(year, month, day, hour, minute, tzinfo=zone(_ZONE))
