"""Small sets in the formats of the benchmarks, made up from a few words: enough to fit and measure on."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

TOPICS = (
    "tomatoes basil compost soil garden seeds".split(),
    "mortgage bank rate payslip loan branch".split(),
    "kayak lake paddle river harbour boat".split(),
    "violin concert orchestra cello rehearsal tune".split(),
)
SETS = ("tiage_train.jsonl", "superdialseg_validation.jsonl", "dialseg711_first300.jsonl")
DIALOGUES, SEGMENT, SESSIONS = 25, 4, 3


def write_sets(folder: Path) -> None:
    """Three files of 25 dialogues, each with three segments of four messages."""
    for number, name in enumerate(SETS):
        chance = random.Random(number)
        lines = [json.dumps({"id": f"{number}-{at}", "dialogue": dialogue(chance)}) for at in range(DIALOGUES)]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")


def dialogue(chance: random.Random) -> str:
    """One dialogue of the bundle."""
    segments = [
        [f"{'user' if at % 2 == 0 else 'agent'}: {sentence(topic, chance)}" for at in range(SEGMENT)]
        for topic in chance.sample(range(len(TOPICS)), 3)
    ]
    return "[NEWLINE][BOUNDARY][NEWLINE]".join("[NEWLINE]".join(segment) for segment in segments)


def sentence(topic: int, chance: random.Random) -> str:
    """Four words of a topic, so that sentences of one topic always share some."""
    return "Now " + " ".join(chance.sample(TOPICS[topic], 4))


def write_locomo(path: Path) -> None:
    """Five conversations of three sessions, some days apart."""
    chance = random.Random(9)
    samples = []
    for number in range(5):
        conversation: dict[str, object] = {"speaker_a": "Ana", "speaker_b": "Ben"}
        for session in range(1, SESSIONS + 1):
            topic = (number + session) % len(TOPICS)
            conversation[f"session_{session}_date_time"] = f"10:00 am on {3 * session} May, 2023"
            conversation[f"session_{session}"] = [
                {"speaker": "Ana" if at % 2 == 0 else "Ben", "text": sentence(topic, chance)} for at in range(6)
            ]
        samples.append({"conversation": conversation, "qa": []})
    path.write_text(json.dumps(samples), encoding="utf-8")


def write_beam(folder: Path) -> None:
    """Two chats with an assistant, in two batches of a day each."""
    for number in (1, 2):
        topic = TOPICS[number]
        turns = [[said("user", 0, topic, "March-15-2024"), said("assistant", 1, topic)], [said("user", 2, topic)]]
        more = [[said("user", 3, topic, "April-02-2024"), said("assistant", 4, topic)]]
        questions = {
            "abstention": [{"question": "What is not there?", "rubric": []}],
            "event_ordering": [{"question": f"Which {topic[0]} came first?", "source_chat_ids": [0, 3]}],
            "knowledge_update": [
                {"question": f"And the {topic[1]}?", "source_chat_ids": {"original": [2], "updated": [[3], 99]}}
            ],
        }
        content = {"chat": [{"batch_number": 1, "turns": turns}, {"batch_number": 2, "turns": more}], "questions": questions}
        (folder / f"chat_{number}.json").write_text(json.dumps(content), encoding="utf-8")


def write_chats(folder: Path, ability: str, days: Sequence[int], asked: Callable[[Sequence[list[str]]], list[object]]) -> None:
    """Six chats with an assistant, each on so many days about a topic, with questions of one ability.

    Args:
        folder: made here.
        ability: of the questions.
        days: for each day how far its topic stands behind that of the chat.
        asked: the questions about the topics of the days; a day has four messages.
    """
    folder.mkdir()
    for number in range(6):
        topics = [TOPICS[(number + day) % len(TOPICS)] for day in days]
        batches = [
            {
                "turns": [
                    [said("user", 4 * day + at, topic[at:], f"March-{10 + 7 * day}-2024") for at in (0, 2)],
                    [said("assistant", 4 * day + at, topic[at:]) for at in (1, 3)],
                ]
            }
            for day, topic in enumerate(topics)
        ]
        content = {"chat": batches, "questions": {ability: asked(topics)}}
        (folder / f"chat_{number}.json").write_text(json.dumps(content), encoding="utf-8")


def said(role: str, number: int, topic: list[str], anchor: str | None = None) -> dict[str, object]:
    """A message of BEAM; only the first of a batch says the day."""
    return {
        "role": role,
        "id": number,
        "content": f"{role} {number}: {' '.join(topic)}",
        **({"time_anchor": anchor} if anchor else {}),
    }


def write_longmemeval(path: Path) -> None:
    """Four questions over two sessions each: with its answer, without a label, unanswerable, and with an empty turn."""
    sessions = [
        [{"role": "user", "content": "I bought a kayak", "has_answer": True}, {"role": "assistant", "content": "Nice boat"}],
        [{"role": "user", "content": "My basil grows"}, {"role": "assistant", "content": "Water it", "has_answer": False}],
    ]
    unlabelled = [[{"role": turn["role"], "content": turn["content"]} for turn in session] for session in sessions]
    empty = [*sessions, [{"role": "user", "content": " ", "has_answer": True}]]
    instances = [
        {
            "question_id": name,
            "question_type": "single-session-user",
            "question": "Which kayak did I buy?",
            "answer": "a kayak",
            "question_date": "2023/05/30 (Tue) 23:40",
            "haystack_session_ids": ["a", "a", "b"][: len(history)],
            "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00", "2023/05/22 (Mon) 11:00"][: len(history)],
            "haystack_sessions": history,
            "answer_session_ids": ["a"],
        }
        for name, history in (("q1", sessions), ("q2", unlabelled), ("q3_abs", sessions), ("q4", empty))
    ]
    path.write_text(json.dumps(instances), encoding="utf-8")


def write_memdaily(path: Path) -> None:
    """Two trajectories of three notes."""
    names = ("陶艺展", "读书会")
    trajectories = [
        {
            "tid": tid,
            "message_list": [
                {"mid": mid, "message": f"{name}{what}", "time": f"2024年04月0{mid + 1}日 周一 08:30", "place": "广东深圳"}
                for mid, what in enumerate(("下周开始。", "的地点在图书馆。", "有两百人参加。"))
            ],
            "question_list": [
                {"qid": 0, "question": f"{name}的地点在哪里？", "target_step_id": [1], "time": "2024年04月04日 周四 07:42"},
                {"qid": 1, "question": "谁也不知道？", "target_step_id": [9], "time": "2024年04月04日 周四 07:42"},
            ],
        }
        for tid, name in enumerate(names)
    ]
    path.write_text(json.dumps(trajectories, ensure_ascii=False), encoding="utf-8")


def write_locomo_talk(path: Path, turns: Sequence[tuple[str, str]], questions: Sequence[Mapping[str, object]]) -> Path:
    """One conversation of one session, in LoCoMo's form; ``D1:1`` is its first turn."""
    conversation = {
        "speaker_a": "Ada",
        "speaker_b": "Leo",
        "session_1_date_time": "9:05 am on 2 March, 2026",
        "session_1": [{"speaker": who, "dia_id": f"D1:{n}", "text": text} for n, (who, text) in enumerate(turns, 1)],
    }
    path.write_text(json.dumps([{"sample_id": "talk-1", "conversation": conversation, "qa": questions}]))
    return path
