"""What a statement claims, so that statements about the same are compared. Pure."""

from datetime import datetime

from flows.statements import Claim
from mneme.text import tokenise


def claim_of(text: str, event_at: datetime | None = None) -> Claim:
    """What a statement claims of an attribute; without a known attribute it is about its own words."""
    day = event_at.date().isoformat() if event_at else ""
    return Claim(f"said|{day}|{' '.join(tokenise(text))}", "")
