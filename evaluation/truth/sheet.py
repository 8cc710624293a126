"""The sheet of a draw: what was drawn, by its ids alone, and a grader's verdicts.

It holds no text, so that it may be kept where the text of a data set may not be: an entity, a relationship and a line of a
profile are named by a hash, since their ids are words. The reading copy beside it holds the text.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from mneme.errors import InputError

Sample = Literal["facts", "dates", "annotations", "endings"]
Criterion = Literal["says", "alone", "date", "right", "ended"]
Verdict = Literal["yes", "no", "year"]

ASKED: dict[Criterion, str] = {
    "says": "says what the message says, of the right person: yes / no",
    "alone": "can be read alone (who, what, when): yes / no",
    "date": "has the right date: yes / no / year (the year is wrong)",
    "right": "is right, with its dates: yes / no",
    "ended": "does hold no longer: yes / no",
}


class Item(BaseModel):
    """One thing that was drawn. ``grades`` has a verdict for each criterion; None is not graded yet. ``note`` is free, and
    holds no text of the source."""

    model_config = ConfigDict(extra="forbid")

    number: int
    sample: Sample
    kind: str
    source: str
    id: str
    message_ids: tuple[str, ...]
    grades: dict[Criterion, Verdict | None]
    note: str = ""


class Sheet(BaseModel):
    """What a draw took. ``facts`` counts, by source, what there was to draw from, ``dated`` and ``ended`` those of them."""

    model_config = ConfigDict(extra="forbid")

    seed: int
    facts: dict[str, int]
    dated: dict[str, int]
    ended: dict[str, int]
    items: list[Item]

    def write(self, path: Path) -> None:
        """Write it, an item in each line.

        Raises:
            InputError: the file cannot be written.
        """
        head = self.model_dump_json(exclude={"items"})
        body = ",\n".join(item.model_dump_json() for item in self.items)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'{head[:-1]},\n"items":[\n{body}\n]}}\n', encoding="utf-8")
        except OSError as error:
            raise InputError(f"sheet: {path} cannot be written ({error.strerror}); choose another file") from error


def read_sheet(path: Path) -> Sheet:
    """A sheet, graded or not.

    Raises:
        InputError: it cannot be read, or is no sheet.
    """
    try:
        return Sheet.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a sheet of `mneme bench truth draw`") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{path}: {where}: {first['msg']}; verdicts are yes, no, and year for a date") from error
