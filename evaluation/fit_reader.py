"""``mneme bench fit reader``: fits the reader of hybrid search (queries/scoring/reader.py) on talks with questions.

1. Read the talks of evaluation/talk_questions.json, which were written for this, and embed their messages and questions.
   English and other languages have weights of their own, as the embedder has models.
2. Keep every eighth talk aside. Print how often a message that answers is first, and in the first three, among all of its
   talk: by late interaction, and by the reader.
3. Fit by AdamW (Loshchilov and Hutter 2019): of each question the right messages against some wrong ones and against none, half
   of them the hardest by late interaction. A question without an answer has none that is right.
4. Write the weights of each language.

JAX is a development dependency, imported to fit only.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from connectors.models import open_embedder
from evaluation.options import FittedOption
from evaluation.report import Row, print_table
from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets import answerable
from mneme.errors import SettingsError
from mneme.ports import TokenEmbedder
from mneme.rows import TOKEN_DIMENSION
from mneme.settings import Settings
from queries.questions.people import from_viewpoint, is_assistant, names_person
from queries.scoring import reader
from queries.scoring.late_interaction import directions, max_sim
from queries.scoring.reader import (
    BEFORE,
    CIRCUMSTANCES,
    QUESTION,
    SHAPES,
    STATEMENT,
    Circumstances,
    Floats,
    Passages,
    language_of,
    token_odds,
)

TALKS = Path(__file__).parent / "talk_questions.json"
DEFAULT_OUT = Path(reader.__file__).parent
LANGUAGES = ("en", "other")
_ASIDE = 8  # of so many talks one
_SITTINGS = (6, 12, 24)  # messages between two days of the talks kept aside
_STEPS, _QUESTIONS, _MESSAGES = 5000, 8, 16  # questions of a step, messages of a question
_RATE, _DECAY, _WARMING = 2e-3, 2e-2, 200
_LONGEST_STEP = 1.0  # norm of the gradient
_RIGHT_COUNTS = 3.0
_SEED = 7


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question with all messages of its talk: which answer, and how near each is by late interaction."""

    talk: str
    tokens: bytes
    passages: Passages
    answers: Floats
    near: Floats


def run_fit_reader(
    settings: Settings, out: FittedOption = DEFAULT_OUT, steps: int = _STEPS, console: Console | None = None
) -> None:
    """The reader of hybrid search, on talks that were written for it: prints figures of talks kept aside, then writes.

    The weights go into the folder ``out``, as ``reader.<language>.npz``.

    Raises:
        SettingsError: the embedder gives no vectors of tokens.
    """
    console = console or Console()
    embedder = open_embedder(settings)
    if not isinstance(embedder, TokenEmbedder):
        raise SettingsError("MNEME_EMBEDDER__PROVIDER: the reader needs the vectors of tokens; set it to local")
    # 1.
    with console.status("embedding"):
        talks = read_talks()
        questions = list(_questions(talks, embedder))
    aside = kept_aside(talks)
    for language in LANGUAGES:
        own = [each for name, each in questions if name == language]
        # 2. and 3.
        with console.status(f"{language}: {len(own)} questions"):
            weights = fit([each for each in own if each.talk not in aside], steps)
        held_out = [each for each in own if each.talk in aside]
        read = [reader.read(each.tokens, each.passages, weights) for each in held_out]
        rows: list[Row] = [
            {"order": "late interaction", **_figures(held_out, [each.near for each in held_out])},
            {"order": "reader", **_figures(held_out, read)},
        ]
        print_table(console, f"{language}: {len(held_out)} questions of talks that were kept aside", rows)
        # 4.
        stored: dict[str, Any] = {name: part.astype(np.float16) for name, part in weights.items()}
        np.savez_compressed(out / f"reader.{language}.npz", **stored)
    console.print(f"FIT reader questions={len(questions)} steps={steps}", soft_wrap=True, highlight=False)


def read_talks() -> list[dict[str, Any]]:
    """The talks: who ``says`` what, and what is ``asked``, with the messages that answer it (from 1) and the words that do."""
    talks: list[dict[str, Any]] = json.loads(TALKS.read_text(encoding="utf-8"))
    return talks


def kept_aside(talks: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The ids of the talks that are not fitted on: every eighth of each language."""
    languages = {talk["id"]: language_of(talk["asked"][0][0]) for talk in talks}
    own = (sorted(talk for talk, language in languages.items() if language == each) for each in LANGUAGES)
    return frozenset(talk for each in own for talk in each[::_ASIDE])


def talks_aside() -> QuestionSet:
    """The talks that are not fitted on, in sittings of several lengths, with the questions that they answer."""
    talks = read_talks()
    aside = kept_aside(talks)
    apart = [talk for talk in talks if talk["id"] in aside]
    varied = [{**talk, "sitting": _SITTINGS[place % len(_SITTINGS)]} for place, talk in enumerate(apart)]
    found = answerable.of_talks("talks", "talks kept aside", varied)
    return replace(found, questions=[each for each in found.questions if each.evidence])


def _questions(talks: Sequence[Mapping[str, Any]], embedder: TokenEmbedder) -> Iterator[tuple[str, Asked]]:
    """Each question with its language; messages of another one have no tokens that can be compared, and are left out."""
    for talk in talks:
        names, texts = zip(*talk["says"], strict=True)
        asked = [from_viewpoint(each[0], dict.fromkeys(names)) for each in talk["asked"]]
        tokens = [each.token_vectors for each in embedder.embed_tokens([*texts, *asked])]
        languages = [language_of(text) for text in (*texts, *asked)]
        for language in dict.fromkeys(languages[len(texts) :]):
            used = [at for at in range(len(texts)) if languages[at] == language and tokens[at]]
            said = [tokens[at] for at in used]
            before = [tokens[at - 1] if at and languages[at - 1] == language else b"" for at in used]
            passages = Passages.of(before, said, [[0.0] * CIRCUMSTANCES] * len(used), full=True)
            for place, (question, answered_by, *_) in enumerate(talk["asked"], start=len(texts)):
                answers = np.array([at + 1 in answered_by for at in used], np.float32)
                if languages[place] != language or not used or (answered_by and not answers.any()):
                    continue
                circumstances = np.array(list(_circumstances(question, names, texts, used)), np.float32)
                near = max_sim(tokens[place], said).astype(np.float32)
                own = replace(passages, circumstances=circumstances)
                yield language, Asked(talk["id"], tokens[place], own, answers, near)


def _circumstances(question: str, names: Sequence[str], texts: Sequence[str], used: Sequence[int]) -> Iterator[Circumstances]:
    """Those of the messages at these places."""
    named = [names_person(question, name) for name in names]
    asks = [any(mark in text for mark in "?？") for text in texts]
    for at in used:
        yield Circumstances(
            speaker_named=named[at],
            another_named=any(named) and not named[at],
            asks=asks[at],
            before_asks=at > 0 and asks[at - 1],
            same_speaker=at > 0 and names[at] == names[at - 1],
            by_assistant=is_assistant(names[at]),
        )


def fit(questions: Sequence[Asked], steps: int) -> dict[str, Floats]:
    """The weights after so many steps."""
    import jax
    import jax.numpy as jnp

    chance = np.random.default_rng(_SEED)

    def odds_of(weights: Any, asked: Any, is_asked: Any, tokens: Any, there: Any, circumstances: Any) -> Any:
        return token_odds(jnp, asked, is_asked, Passages(tokens, there, circumstances, BEFORE), weights)

    def loss(weights: Any, asked: Any, is_asked: Any, tokens: Any, there: Any, circumstances: Any, answers: Any) -> Any:
        odds = jax.vmap(odds_of, (None, 0, 0, 0, 0, 0))(weights, asked, is_asked, tokens, there, circumstances)
        passages = jax.nn.logsumexp(odds, axis=-1)
        every = jax.nn.logsumexp(jnp.pad(passages, ((0, 0), (0, 1))), axis=-1)  # with 0 for none
        right = jax.nn.logsumexp(jnp.where(answers > 0, passages, -jnp.inf), axis=-1)
        chosen = every - jnp.where(answers.sum(axis=-1) > 0, right, 0.0)
        one_by_one = jnp.logaddexp(0.0, passages) - answers * passages
        is_there = there[:, :, BEFORE:].any(axis=-1)
        weighed = one_by_one * jnp.where(answers > 0, _RIGHT_COUNTS, 1.0) * is_there
        return chosen.mean() + weighed.sum() / is_there.sum()

    def step(weights: Any, means: Any, squares: Any, number: Any, *batch: Any) -> Any:
        gradient = jax.grad(loss)(weights, *batch)
        norm = jnp.sqrt(sum((each**2).sum() for each in gradient.values()))
        rate = _RATE * jnp.minimum(number / min(_WARMING, steps // 10), 0.5 * (1 + jnp.cos(jnp.pi * number / steps)))
        for name, part in gradient.items():
            part = part * jnp.minimum(1.0, _LONGEST_STEP / norm)
            means[name] = 0.9 * means[name] + 0.1 * part
            squares[name] = 0.999 * squares[name] + 0.001 * part**2
            towards = means[name] / (1 - 0.9**number) / (jnp.sqrt(squares[name] / (1 - 0.999**number)) + 1e-8)
            weights[name] = weights[name] - rate * (towards + _DECAY * weights[name])
        return weights, means, squares

    compiled = jax.jit(step)
    weights = _first_weights(chance)
    means, squares = ({name: np.zeros_like(part) for name, part in weights.items()} for _ in range(2))
    for number in range(1, steps + 1):
        batch = _batch([questions[at] for at in chance.integers(0, len(questions), _QUESTIONS)], chance)
        weights, means, squares = compiled(weights, means, squares, float(number), *batch)
    return {name: np.asarray(part) for name, part in weights.items()}


def _first_weights(chance: np.random.Generator) -> dict[str, Floats]:
    """Weights to begin with: small and by chance, scales 1, biases and what circumstances count 0."""
    found = {}
    for name, shape in SHAPES.items():
        if len(shape) == 2 and not name.endswith("circumstances"):
            found[name] = (chance.standard_normal(shape) / shape[0] ** 0.5).astype(np.float32)
        else:
            found[name] = np.full(shape, float(name.endswith("scale")), np.float32)
    return found


def _batch(questions: Sequence[Asked], chance: np.random.Generator) -> tuple[Floats, ...]:
    """Some questions as arrays, each with ``_MESSAGES`` messages: those that answer, the hardest of others, and some more."""
    asked = np.zeros((len(questions), QUESTION, TOKEN_DIMENSION), np.float32)
    is_asked = np.zeros(asked.shape[:2], np.float32)
    tokens = np.zeros((len(questions), _MESSAGES, BEFORE + STATEMENT, TOKEN_DIMENSION), np.float32)
    there = np.zeros(tokens.shape[:3], np.float32)
    circumstances = np.zeros((len(questions), _MESSAGES, CIRCUMSTANCES), np.float32)
    answers = np.zeros((len(questions), _MESSAGES), np.float32)
    for place, each in enumerate(questions):
        own = directions(each.tokens)[:QUESTION]
        asked[place, : len(own)], is_asked[place, : len(own)] = own, 1
        right = np.flatnonzero(each.answers)[: _MESSAGES // 2]
        wrong = np.flatnonzero(each.answers == 0)
        wrong = wrong[np.argsort(-each.near[wrong] + 0.03 * chance.gumbel(size=len(wrong)))]
        hardest = (_MESSAGES - len(right)) // 2
        used = np.concatenate((right, wrong[:hardest], chance.permutation(wrong[hardest:])))[:_MESSAGES]
        count = len(used)
        tokens[place, :count], there[place, :count] = each.passages.tokens[used], each.passages.there[used]
        circumstances[place, :count], answers[place, :count] = each.passages.circumstances[used], each.answers[used]
    return asked, is_asked, tokens, there, circumstances, answers


def _figures(questions: Sequence[Asked], scores: Sequence[Floats]) -> dict[str, float | int]:
    """Shares of the questions whose answer is first and in the first three, and the area under the curve of answered ones.

    The area is that of the best log-odds of a question that has an answer against one that has none.
    """
    places: list[int] = []
    answered: list[float] = []
    unanswered: list[float] = []
    for question, score in zip(questions, scores, strict=True):
        (answered if question.answers.any() else unanswered).append(float(score.max()))
        if question.answers.any():
            places.append(int(np.flatnonzero(question.answers[np.argsort(-score, kind="stable")])[0]))
    above = np.array(answered)[:, None] > np.array(unanswered)[None]
    return {
        "questions": len(places),
        "first": round(float(np.mean([place == 0 for place in places])), 3),
        "in three": round(float(np.mean([place < 3 for place in places])), 3),
        "answered above unanswered": round(float(above.mean()), 3),
    }
