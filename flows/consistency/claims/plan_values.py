"""The claim of a plan: its day, hour and place are parts that are compared each for itself."""

from flows.consistency.claims.values import MOVED
from flows.consistency.statements import Claim


def plan_claim(key: str, day: str, hour: str, place: str, *, ends: bool = False, moved: bool = False) -> Claim:
    """What is said of a plan. One that was ``moved`` to no known day has the day "open"; ``~`` begins a month or a year."""
    named = {"around" if day.startswith("~") else "day": day.lstrip("~"), "hour": hour, "place": place}
    value = ";".join(f"{name}={held}" for name, held in named.items() if held)
    return Claim(f"plan|{key}", f"{value};{MOVED}" if moved else value, ends)
