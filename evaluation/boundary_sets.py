"""The kinds of conversation on which boundaries are fitted and measured.

Help desk (SuperDialseg), tasks (Dialseg711), small talk (TIAGE), and friends over months (LoCoMo); and chats with times
made of the first three (evaluation/timed_chats.py). Fitted on one kind alone, a model falls from F1 .80 to .30 on another.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from evaluation.segmentation import Dialogue, load_dialogues, load_locomo_sessions
from evaluation.timed_chats import timed_chats
from evaluation.vector_cache import embed_texts
from flows.cuts import Utterance, embedding_text
from mneme.errors import InputError
from mneme.rows import Vector
from mneme.settings import Settings

TIMED = ", timed"  # in the name of a kind: the same as without, with times
FOLDS = 5  # conversation n of a kind is in fold n modulo 5


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of conversation. ``weight`` of one of its messages keeps the biggest set from deciding alone.

    ``made_up``: its times are invented, so that figures on it describe a behaviour and no accuracy.
    """

    name: str
    dialogues: tuple[Dialogue, ...]
    weight: float
    made_up: bool = False


def read_kinds(segmentation: Path, locomo: Path | None = None, sample: int | None = None) -> list[Kind]:
    """Every kind, those without times first.

    Args:
        segmentation: the folder of the Def-DTS bundle.
        locomo: a LoCoMo file; without it there is no LoCoMo, with and without times.
        sample: so many conversations of each kind, drawn with a fixed seed; None is all.

    Raises:
        InputError: a file is not there or of another form; or a kind has fewer conversations than there are folds.
    """
    tiage = load_dialogues(segmentation / "tiage_train.jsonl")
    desk = load_dialogues(segmentation / "superdialseg_validation.jsonl")
    tasks = load_dialogues(segmentation / "dialseg711_first300.jsonl")
    kinds = [
        Kind("TIAGE", tuple(tiage), 1.5),
        Kind("SuperDialseg", tuple(desk), 0.5),
        Kind("Dialseg711", tuple(tasks), 1.0),
        *_locomo(locomo, "LoCoMo", timed=False),
        Kind(f"TIAGE{TIMED}", tuple(timed_chats(tiage, seed=1, folds=FOLDS)), 1.0, made_up=True),
        Kind(f"SuperDialseg{TIMED}", tuple(timed_chats(desk, seed=2, folds=FOLDS)), 0.4, made_up=True),
        Kind(f"Dialseg711{TIMED}", tuple(timed_chats(tasks, seed=3, folds=FOLDS)), 0.8, made_up=True),
        *_locomo(locomo, f"LoCoMo{TIMED}", timed=True),
    ]
    for kind in kinds:
        if len(kind.dialogues) < FOLDS:
            raise InputError(
                f"{kind.name}: {len(kind.dialogues)} conversations, and cross-validation needs {FOLDS} of each kind"
                " (six dialogues make a timed one); give a bigger set"
            )
    return kinds if sample is None else [_sampled(kind, sample) for kind in kinds]


def vectors_of(kinds: Sequence[Kind], settings: Settings, cache: Path | None, console: Console) -> dict[str, Vector]:
    """The vector of every distinct message (its ``embedding_text``); raises as ``embed_texts``."""
    texts = (embedding_text(message) for kind in kinds for dialogue in kind.dialogues for message in dialogue.messages)
    return embed_texts(texts, settings, cache, console)


def utterances_of(dialogue: Dialogue, vectors: Mapping[str, Vector] | None) -> list[Utterance]:
    """The messages of a dialogue as a detector sees them, with or without vectors."""
    return [Utterance(message, vectors[embedding_text(message)] if vectors else None) for message in dialogue.messages]


def _locomo(path: Path | None, name: str, timed: bool) -> list[Kind]:
    return [Kind(name, tuple(load_locomo_sessions(path, timed)), 2.0)] if path else []


def _sampled(kind: Kind, count: int) -> Kind:
    return replace(kind, dialogues=tuple(random.Random(0).sample(kind.dialogues, min(count, len(kind.dialogues)))))
