"""What a statement claims, so that statements about the same are compared. Pure.

- ``wording.py`` takes the telling away: who reports it, dates in brackets, questions.
- ``english.py`` and ``chinese.py`` are tables: which words claim what of whom; ``english_plans.py`` and
  ``chinese_plans.py`` know what is to happen, what was moved and what is off.
- What nothing of this knows is about its own words (``repetitions.py``).

A wrong claim can hide a true memory, a missing one only leaves two memories with their dates side by side: so a table
claims what its words say for sure, and nothing of what might be, of questions, or of what others said.
"""

from datetime import datetime
from functools import lru_cache

from flows.consistency.claims.chinese import chinese_claims
from flows.consistency.claims.chinese_plans import chinese_plans
from flows.consistency.claims.english import english_claims
from flows.consistency.claims.english_plans import english_plans
from flows.consistency.claims.patterns import best
from flows.consistency.claims.repetitions import own_words
from flows.consistency.claims.wording import told
from flows.consistency.statements import Claim

__all__ = ["claim_of"]


@lru_cache(maxsize=8_192)
def claim_of(text: str, event_at: datetime | None = None) -> Claim:
    """What a statement in the third person claims of an attribute; without a known one it is about its own words.

    Never fails; the same text gives the same claim, whatever its case, blanks and end marks. A statement has one claim:
    of several the one that ``best`` takes.

    Args:
        text: English or Chinese: "Ann works at Google (…).", "Asked "…?", Ann said: Berlin.", 「小明现在住在上海」.
        event_at: when what it tells happens, where that is known.
    """
    statement = told(text)
    if statement.chinese:
        claims, plans = chinese_claims(statement), chinese_plans(statement, event_at)
    else:
        claims, plans = english_claims(statement), english_plans(statement, event_at)
    return best(list(claims), list(plans)) or Claim(f"said|{own_words(statement, event_at)}", "")
