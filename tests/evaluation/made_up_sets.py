"""Small sets in the formats of the benchmarks, made up from a few words: enough to fit and measure on."""

import json
import random
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
