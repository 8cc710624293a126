"""Who compares statements that a model wrote: a model, too."""

from flows.consistency.judges.model import ModelJudge
from flows.consistency.judges.opening import open_judge

__all__ = ["ModelJudge", "open_judge"]
