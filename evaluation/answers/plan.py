"""The plan of a run: how a set is asked and judged."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluation.answers.records import GoldSet
from mneme.errors import InputError
from mneme.ports import Role
from mneme.settings import Settings


@dataclass(frozen=True, slots=True)
class Plan:
    """The way in which a set is asked and judged.

    ``limit`` asks so many questions, evenly spread, of ``categories`` or of all; ``folds`` is of `mneme bench fit fusion
    --folds`. ``offline`` calls nothing: models answer by files.
    """

    method: str = "hybrid"
    agent: str | None = None
    top_k: int | None = None
    judge: Literal["none", "model"] = "none"
    votes: int = 1
    concurrency: int = 4
    limit: int | None = None
    categories: tuple[str, ...] = ()
    folds: Path | None = None
    offline: bool = False


def check_plan(plan: Plan, settings: Settings) -> None:
    """Check that this can be done, before anything is.

    Raises:
        InputError: names the option and what it may be.
    """
    if plan.votes < 1 or plan.votes % 2 == 0:
        raise InputError(f"--votes: {plan.votes} is no odd number, and a majority needs one; give 1, 3 or 5")
    if plan.agent and plan.method != "agentic":
        raise InputError(f"--agent: {plan.agent} belongs to --method agentic, and the method is {plan.method}")
    wanted = {"--judge model": plan.judge == "model", "--writer model": settings.answers.writer == "model"}
    if settings.models.provider == "none" and any(wanted.values()):
        options = ", ".join(option for option, is_wanted in wanted.items() if is_wanted)
        raise InputError(
            f"{options}: there is no chat model; set MNEME_MODELS__PROVIDER, or go without (docs/internals/evaluation.md)"
        )


def settings_of(name: str, gold: GoldSet, settings: Settings, plan: Plan) -> dict[str, Any]:
    """Return the settings that make the answers of a run. Keys, addresses and judges are no part: several may judge one run."""
    groups = ("boundaries", "extraction", "reconcile", "profiles", "skills", "retrieval", "agents", "answers")
    models = {"provider", "temperature", "reasoning_effort", "output_language"}
    return {
        "set": name,
        "questions": len(gold.questions.questions),
        "fingerprint": gold.fingerprint,
        "method": plan.method,
        "agent": plan.agent,
        "top_k": plan.top_k,
        "folds": plan.folds and plan.folds.name,
        "embedder": settings.embedder.model_dump(mode="json", include={"provider", "quantize", "model", "dimension"}),
        "models": settings.models.model_dump(mode="json", include=models),
        "model": {role.value: model_of(settings, role) for role in Role if role is not Role.JUDGE},
        "rerank": settings.rerank.model_dump(mode="json", include={"provider", "model", "top_n"}),
        **{group: getattr(settings, group).model_dump(mode="json") for group in groups},
    }


def model_of(settings: Settings, role: Role) -> str:
    """The name of the model that serves a role."""
    return settings.models.by_role.get(role, settings.models.default)
