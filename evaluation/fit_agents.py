"""``mneme bench fit agents``: fits the joint score of what several searches found, on questions with known evidence.

1. Ingest each set through the flow into an index of its own, and search for every question that asks for several things as the
   agent ``reflect`` does by rules: everywhere, and among the words of those whom it names. Each is scored by coefficients that
   have not seen its conversation (`mneme bench fit fusion --folds`): else the scores would be better than they are on others.
2. Fit without each fold, and on everything, and write the coefficients for this index and this embedder beside those of others.
   `mneme bench locomo --folds` measures what was fitted without the conversation that is asked.

Of one question all right results together weigh as much as one wrong one. A result that stands for two messages, one of which
answers, is half right: it takes two places of ten to read.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from sklearn.linear_model import LogisticRegression

from connectors.models import open_embedder
from evaluation.fitting import check_ready, given_sets, identity_of, write_entry
from evaluation.options import BeamOption, FittedOption, LocomoOption
from evaluation.retrieval.bench import searched
from evaluation.retrieval.question_set import Question, QuestionSet
from evaluation.retrieval.systems import read_folds
from mneme.errors import InputError
from mneme.settings import Settings
from mneme.times import utc_now
from queries import Memories
from queries.agents.evidence import EPISODIC_KINDS, Evidence
from queries.agents.joint import FEATURES, JointCoefficients, JointScorer, Numbers, joint_features, messages_of, named
from queries.models import CachingEmbedder
from queries.questions.types import asks_for_several

DEFAULT_OUT = Path(__file__).parent.parent / "queries" / "agents" / "joint" / "coefficients.json"
STRENGTH = 0.02  # inverse of the L2 penalty on standardised features: .01 to .03 differ by half a point of recall@10
MULTI_HOP = "multi-hop"


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One question with what was found: a row of ``FEATURES`` for each thing, and the messages that it stands for."""

    question: Question
    numbers: Numbers
    messages: Sequence[tuple[str, ...]]

    @property
    def right(self) -> Numbers:
        """For each thing the share of its messages that answer."""
        evidence = self.question.evidence
        return np.array([len(evidence.intersection(each)) / max(1, len(each)) for each in self.messages])


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A weight for each feature, and the bias."""

    weights: Numbers
    bias: float


def run_fit_agents(
    folds: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDS",
            help="A folder of `mneme bench fit fusion --folds` on the same files; what is fitted without each fold joins it.",
            show_default=False,
        ),
    ],
    settings: Settings,
    console: Console,
    locomo: LocomoOption = None,
    beam: BeamOption = None,
    out: FittedOption = DEFAULT_OUT,
) -> None:
    """Fit the joint score of several searches of an agent, on everything and without each fold (`mneme bench locomo --folds`).

    Raises:
        InputError: a file cannot be read or written, or there is nothing to fit on.
        SettingsError: the embedder cannot be opened.
    """
    check_ready(out)
    by_conversation = read_folds(folds)
    # 1.
    loaded = given_sets(locomo, beam)
    examples = [example for questions in loaded for example in _examples(questions, settings, folds, console)]
    if not any(each.right.any() for each in examples):
        raise InputError("sets: no question in it asks for several things and has its evidence found; give LoCoMo files")
    # 2.
    models = {
        path: fit([each for each in examples if by_conversation[each.question.conversation] != path])
        for path in sorted(set(by_conversation.values()))
    }
    fingerprint = identity_of(settings).fitted_as

    def coefficients(model: Model) -> JointCoefficients:
        return JointCoefficients(
            backend=settings.index.backend,
            embedder=fingerprint,
            weights=dict(zip(FEATURES, (round(each, 4) for each in model.weights.tolist()), strict=True)),
            bias=round(model.bias, 4),
            fitted_on=", ".join(f"{each.title} ({sum(map(wanted, each.questions))} questions)" for each in loaded),
            date=utc_now().date(),
        )

    for path, model in models.items():
        write_entry(path.with_name(f"agents-{path.name}"), coefficients(model))
    write_entry(out, coefficients(fit(examples)))
    console.print(f"coefficients for {fingerprint} on {settings.index.backend}: {out}", soft_wrap=True, highlight=False)


def wanted(question: Question) -> bool:
    """Return whether a question is one to fit on: several messages answer it, and it asks for several things or is said to."""
    return question.category == MULTI_HOP or (len(question.evidence) > 1 and asks_for_several(question.text))


def fit(examples: Sequence[Example]) -> Model:
    """The logistic regression of these examples, on standardised features; its weights are for the features as they are."""
    rows = np.vstack([each.numbers for each in examples])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    right = np.concatenate([each.right for each in examples])
    weights = np.concatenate([np.where(each.right > 0, each.right / max(each.right.sum(), 1e-9), 1.0) for each in examples])
    model = LogisticRegression(C=STRENGTH, solver="newton-cholesky", max_iter=300)
    model.fit((rows - mean) / spread, right > 0, sample_weight=weights)
    found = model.coef_[0] / spread
    return Model(found, float(model.intercept_[0] - found @ mean))


def _examples(questions: QuestionSet, settings: Settings, folds: Path, console: Console) -> list[Example]:
    chosen = [each for each in questions.questions if wanted(each)]
    with searched(questions, settings, console, folds) as (_, memories, _), closing(open_embedder(settings)) as embedder:
        remembering = CachingEmbedder(embedder)
        return [
            _example(memories(question), question, remembering)
            for question in track(chosen, f"searching, {questions.title}", console=console, transient=True)
        ]


def _example(memories: Memories, question: Question, embedder: CachingEmbedder) -> Example:
    found = Evidence()
    first = memories.search(question.text, "hybrid", question.filters, top_k=JointScorer.depth)
    found.add(question.text, first)
    people = named(question.text, found)
    if people:
        theirs = {**question.filters, "participants": people, "kinds": EPISODIC_KINDS}
        found.add(question.text, memories.search(question.text, "hybrid", theirs, top_k=JointScorer.depth), people)
    candidates = joint_features(question.text, found, embedder.embed)
    return Example(question, candidates.numbers, [messages_of(item) for item in candidates.items])
