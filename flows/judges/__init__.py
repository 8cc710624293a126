"""Who decides what newer statements do to older ones: by rule, or by a model."""

from flows.judges.rule import RuleJudge
from flows.statements import Judge
from mneme.ports import ChatModel
from mneme.settings import Settings


def open_judge(settings: Settings, chat: ChatModel | None) -> Judge:
    """The judge of the settings."""
    return RuleJudge()


__all__ = ["RuleJudge", "open_judge"]
