"""The published question sets: how each is read, each question with its evidence and its gold.

A reader takes every question as the set has it. Who measures searches asks those with evidence, who judges answers those with
gold.

- LoCoMo: very long conversations between two friends, questions with the turns that answer them.
  Source: Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents", ACL 2024; the published
  ``locomo10.json``. The conversations are read as any export is (connectors/files/exports/chats.py); here is what is asked.
- BEAM: long chats of a user with an assistant, with questions on ten abilities and the messages that answer them.
  Source: Tavakoli et al., "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs", 2025; a file for
  each chat, ``{"chat": [{"turns": [[{role, id, content, time_anchor?}]]}], "questions": {ability: [{question,
  source_chat_ids}]}}``. Abstention is left out: there is nothing to recall.
- LongMemEval: a history of sessions with an assistant for each question, the turns with the answer labelled.
  Source: Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory", ICLR 2025; the published
  ``longmemeval_s.json``, ``_m`` or ``_oracle``: ``[{question_id, question_type, question, question_date, haystack_dates,
  haystack_sessions: [[{role, content, has_answer?}]], answer_session_ids}]``. As in the published evaluation, abstention
  (``question_id`` ends with ``_abs``) is left out, and so is a question without a labelled turn.
- MemDaily: what somebody noted from day to day, in Chinese, with questions and the notes that answer them.
  Source: Zhang et al., "MemSim: A Bayesian Simulator for Evaluating Memory of LLM-based Personal Assistants", 2024; the
  published ``[{tid, message_list: [{mid, message, time, place}], question_list: [{qid, question, time, target_step_id}]}]``.
  All trajectories of a file are one memory: alone, one has seven notes or so, and five of seven nearly always hold the answer.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Clock, Event, Given, message
from connectors.files.files import read_file
from evaluation.answers.records import ABSTENTION, Gold, JudgeKind
from evaluation.retrieval.question_set import Question, QuestionSet
from mneme.errors import InputError
from mneme.times import zone


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a set, and its gold; None where the set has none."""

    question: Question
    gold: Gold | None = None


Part = tuple[Sequence[Event], Sequence[Asked]]
"""Messages and what is asked about them; without a question that is asked the messages are left out too."""

Read = Callable[[Any, Path], Iterable[Part]]
"""Parse one file. Raises KeyError, TypeError, ValueError or AttributeError where the parsed JSON is not of the form."""


def has_evidence(asked: Asked) -> bool:
    """Tell whether a search can be measured by a question."""
    return bool(asked.question.evidence)


def load_files(
    name: str, title: str, paths: Sequence[Path], read: Read, wanted: Callable[[Asked], bool]
) -> tuple[QuestionSet, list[Asked]]:
    """One set from several files, a folder standing for the ``.json`` files in it; and what is asked, with its gold.

    Raises:
        InputError: a file is not there, or not of the form; or nothing is asked that is wanted.
    """
    events: list[Event] = []
    every: list[Asked] = []
    left_out = 0
    for path in _files(paths):
        try:
            for messages, asked in read(json.loads(path.read_text(encoding="utf-8")), path):
                chosen = [each for each in asked if wanted(each)]
                left_out += len(asked) - len(chosen)
                events += messages if chosen else ()
                every += chosen
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}); give the path of a {title} file") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: not in the form of {title} ({error!r}); expected is the published JSON") from error
    if not every:
        given = ", ".join(str(path) for path in paths)
        raise InputError(f"{given}: not in the form of {title}, or nothing to ask in it; expected is the published JSON")
    if len({each.question.id for each in every}) < len(every):
        raise InputError(f"{title}: the same question comes twice; give each file once")
    return QuestionSet(name, title, tuple(events), tuple(each.question for each in every), left_out), every


def said(
    source: object, conversation: str, owner: Event, message_id: object, sent_at: str, content: str, **sender: Any
) -> Iterator[Event]:
    """A message of a set, or none where nothing is said; ``sender`` as ``message`` takes it."""
    return message(
        Given(str(source)),
        conversation_id=conversation,
        owner=owner,
        message_id=message_id,
        sent_at=sent_at,
        content=content,
        **sender,
    )


def speaker(role: str, user_id: str) -> dict[str, Any]:
    """Return the sender fields of a chat of a user with an assistant."""
    return {"role": role, "sender": user_id if role == "user" else role, "sender_name": role.capitalize()}


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    found = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    if not found:
        raise InputError(f"{', '.join(map(str, paths))}: no .json file in it; give the files, or their folder")
    return iter(found)


# --- locomo ---------------------------------------------------------------------------------------------------------

ADVERSARIAL = "adversarial"
"""Questions that have no answer in the conversation, though evidence is labelled: there is nothing to recall."""
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}
_OPEN_DOMAIN, _TEMPORAL = 3, 2
_TURN = re.compile(r"D(\d+):(\d+)")


def read_locomo(samples: Any, path: Path) -> Iterator[Part]:
    """The conversations of a file, with the questions of all five categories."""
    asked: list[Asked] = []
    for sample in samples:
        name = sample["sample_id"]
        sessions = (value for key, value in sample["conversation"].items() if re.fullmatch(r"session_\d+", key))
        turns = {turn["dia_id"] for session in sessions for turn in session}
        for number, each in enumerate(sample["qa"]):
            evidence, category = clean_evidence(each.get("evidence", ())) & turns, _CATEGORIES[each["category"]]
            question = Question(f"{name}/{number}", name, {"group_id": name}, each["question"], category, evidence)
            asked.append(Asked(question, _gold_of_locomo(each)))
    # Read only now: what is no LoCoMo file at all might be taken for another kind of file.
    yield [json.loads(each.raw) for each in read_file(path)] if asked else [], asked


def _gold_of_locomo(asked: Any) -> Gold | None:
    """As in the published evaluation, of an answer of category 3 what stands before the semicolon counts.

    The rest is its reason. ``adversarial_answer`` is the trap of a question that has no answer.
    """
    category = asked["category"]
    if _CATEGORIES[category] == ADVERSARIAL:
        return Gold(JudgeKind.ABSTENTION, trap=str(asked.get("adversarial_answer", "")))
    if "answer" not in asked:
        return None
    answer = str(asked["answer"])  # some are numbers
    kind = JudgeKind.TEMPORAL if category == _TEMPORAL else JudgeKind.DEFAULT
    return Gold(kind, answer.split(";")[0].strip() if category == _OPEN_DOMAIN else answer)


def clean_evidence(given: Iterable[str]) -> frozenset[str]:
    """The turn ids in an evidence list, which may hold several in one string, or zeros in front.

    >>> sorted(clean_evidence(["D8:6; D9:17", "D21:18 D21:22", "D30:05", "D"]))
    ['D21:18', 'D21:22', 'D30:5', 'D8:6', 'D9:17']
    """
    turns = (turn for text in given for turn in _TURN.findall(text))
    return frozenset(f"D{int(session)}:{int(number)}" for session, number in turns)


# --- beam -----------------------------------------------------------------------------------------------------------

_KINDS_OF_BEAM = {
    ABSTENTION: JudgeKind.ABSTENTION,
    "temporal_reasoning": JudgeKind.TEMPORAL,
    "knowledge_update": JudgeKind.KNOWLEDGE_UPDATE,
    "preference_following": JudgeKind.PREFERENCE,
}
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")  # by ability, one of them


def read_beam(data: Any, path: Path) -> Iterator[Part]:
    """A chat, which is named by its file, and so is its user."""
    chat, owner = path.stem, {"user_id": path.stem}
    events = list(_events_of_beam(data, path))
    there = {event["message_id"] for event in events}
    yield (
        events,
        [
            Asked(
                Question(
                    f"{chat}/{ability}/{number}",
                    chat,
                    owner,
                    each["question"],
                    ability,
                    frozenset(_ids(each.get("source_chat_ids"))) & there,
                ),
                _gold_of_beam(ability, each),
            )
            for ability, asked in data["questions"].items()
            for number, each in enumerate(asked)
        ],
    )


def _events_of_beam(data: Any, path: Path) -> Iterator[Event]:
    clock, chat = Clock(None), path.stem
    for each in (each for batch in data["chat"] for turn in batch["turns"] for each in turn):
        anchor = each.get("time_anchor")  # only the first message of a batch has a day; the others follow it
        at, sender = clock.time(_day(anchor) if anchor else None), speaker(each["role"], chat)
        yield from said(path, chat, {"user_id": chat}, each["id"], at, each["content"], **sender)


def _gold_of_beam(ability: str, asked: Any) -> Gold | None:
    """The answer, or the rubric, or that there is none; None without any of them."""
    kind = _KINDS_OF_BEAM.get(ability, JudgeKind.DEFAULT)
    answer = next((str(asked[name]) for name in _ANSWERS if asked.get(name)), "")
    rubric = () if kind is JudgeKind.ABSTENTION else tuple(str(point) for point in asked.get("rubric") or ())
    return Gold(kind, answer, rubric) if answer or rubric or kind is JudgeKind.ABSTENTION else None


def _day(anchor: str) -> str:
    return datetime.strptime(anchor, "%B-%d-%Y").replace(hour=9, tzinfo=UTC).isoformat()


def _ids(given: Any) -> Iterator[str]:
    """Message ids, which lie in a list, or in lists by the part that they play."""
    match given:
        case int():
            yield str(given)
        case list():
            for each in given:
                yield from _ids(each)
        case dict():
            for each in given.values():
                yield from _ids(each)


# --- longmemeval ----------------------------------------------------------------------------------------------------

_KINDS_OF_LONGMEMEVAL = {
    "temporal-reasoning": JudgeKind.TEMPORAL,
    "knowledge-update": JudgeKind.KNOWLEDGE_UPDATE,
    "single-session-preference": JudgeKind.PREFERENCE,
}


def read_longmemeval(instances: Any, path: Path) -> Iterator[Part]:
    """The history of each question, and the messages in it that are labelled as having the answer."""
    for instance in instances:
        name, evidence = instance["question_id"], set()
        history: list[Event] = []
        sessions = zip(instance["haystack_dates"], instance["haystack_sessions"], strict=True)
        for number, (date, session) in enumerate(sessions):
            clock = Clock(_moment(date).isoformat())
            for place, turn in enumerate(session):
                message_id = f"S{number}:{place}"  # ids of sessions may come twice in one history
                conversation, at, sender = f"{name}/S{number}", clock.time(None), speaker(turn["role"], name)
                history += said(path, conversation, {"user_id": name}, message_id, at, turn["content"], **sender)
                if turn.get("has_answer"):
                    evidence.add(message_id)
        asked_at, there = _moment(instance["question_date"]), {event["message_id"] for event in history}
        kind, known = instance["question_type"], frozenset(evidence & there)
        question = Question(name, name, {"user_id": name}, instance["question"], kind, known, asked_at)
        yield history, [Asked(question, _gold_of_longmemeval(instance))]


def _gold_of_longmemeval(instance: Any) -> Gold:
    """Gold of a question. The answer to a preference is a rubric; that of an abstention says why there is none."""
    answer = str(instance.get("answer", ""))  # some are numbers
    if instance["question_id"].endswith("_abs"):
        return Gold(JudgeKind.ABSTENTION, answer)
    kind = _KINDS_OF_LONGMEMEVAL.get(instance["question_type"], JudgeKind.DEFAULT)
    return Gold(kind, rubric=(answer,)) if kind is JudgeKind.PREFERENCE else Gold(kind, answer)


def _moment(text: str) -> datetime:
    """``2023/05/20 (Sat) 02:21``."""
    return datetime.strptime(re.sub(r"\s*\(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


# --- memdaily -------------------------------------------------------------------------------------------------------

_TIME = re.compile(r"(\d+)年(\d+)月(\d+)日\D*(\d+):(\d+)")
_ZONE = "Asia/Shanghai"


def read_memdaily(trajectories: Any, path: Path) -> Iterator[Part]:
    """The notes of a file, and what is asked about them."""
    owner, category = {"user_id": path.stem}, path.stem.removeprefix("memdaily_")
    events: list[Event] = []
    asked: list[Asked] = []
    for trajectory in trajectories:
        number, name = trajectory["tid"], f"{path.stem}-{trajectory['tid']}"
        for note in trajectory["message_list"]:
            sent_at, sender = (
                _noted_at(note["time"]).isoformat(),
                {"sender": path.stem, "sender_name": "我", "timezone": _ZONE},
            )
            events += said(path, name, owner, f"{number}:{note['mid']}", sent_at, note["message"], **sender)
        there = {f"{number}:{note['mid']}" for note in trajectory["message_list"]}
        for each in trajectory["question_list"]:
            evidence, at = (
                frozenset(f"{number}:{step}" for step in each["target_step_id"]) & there,
                _noted_at(each["time"]),
            )
            asked.append(Asked(Question(f"{name}/{each['qid']}", name, owner, each["question"], category, evidence, at)))
    yield events, asked


def _noted_at(text: str) -> datetime:
    """``2024年04月01日 周一 08:30``."""
    found = _TIME.search(text)
    if found is None:
        raise ValueError(f"no time: {text!r}")
    year, month, day, hour, minute = (int(part) for part in found.groups())
    return datetime(year, month, day, hour, minute, tzinfo=zone(_ZONE))
