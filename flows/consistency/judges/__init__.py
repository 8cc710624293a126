"""Who decides what newer statements do to older ones: by rule, or by a model."""

from flows.consistency.judges.model import ModelJudge
from flows.consistency.judges.opening import open_judge
from flows.consistency.judges.rule import RuleJudge

__all__ = ["ModelJudge", "RuleJudge", "open_judge"]
