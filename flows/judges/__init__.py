"""Who decides what newer statements do to older ones: by rule, or by a model."""

from flows.judges.model import ModelJudge
from flows.judges.opening import open_judge
from flows.judges.rule import RuleJudge

__all__ = ["ModelJudge", "RuleJudge", "open_judge"]
