"""The portrait of an owner: each line with what shows it, and which facts took the place of which."""

from itertools import groupby

from queries.browsing.responses import Change, HistoryLine
from serving.console.markup import chip, nothing, notice, tag
from serving.console.shell import page
from serving.console.visit import Visit
from serving.console.words import count, day, whole_day


@page("profile", "Profile")
async def profile(visit: Visit) -> None:
    """The portrait, then the changes, the newest first."""
    portrait = await visit.fetch(visit.service.memories.portrait, visit.filters(knowledge=None))
    owner = visit.owner
    with tag("div", classes="heading"):
        tag("h1", f"Profile of {owner.id if owner else ''}")
        tag("p", f"As of {day(portrait.updated_at)}" if portrait.updated_at else "No portrait yet", "quiet")
    for each in portrait.notes:
        notice(each)
    holding = [line for line in portrait.lines if line.holds]
    if not portrait.lines:
        nothing("Nothing is known yet.", "A portrait is made of what is said again and again.")
    with tag("div", classes="portraits"):
        _lines("Said", [line for line in holding if not line.implicit])
        _lines("Shown, not said", [line for line in holding if line.implicit])
        _lines("Not in the portrait now", [line for line in portrait.lines if not line.holds])
    with tag("section", classes="card", aria_labelledby="changes-title"):
        tag("h2", "What changed", id="changes-title")
        if not portrait.changes:
            tag("p", "No fact has taken the place of another yet.", "quiet")
        with tag("ol", classes="replacements"):
            for change in portrait.changes:
                _change(change)


def _lines(title: str, lines: list[HistoryLine]) -> None:
    if not lines:
        return
    with tag("section", classes="card"):
        with tag("h2", title):
            tag("span", str(len(lines)), "count")
        ordered = sorted(lines, key=lambda line: (line.category, line.about))
        for category, group in groupby(ordered, key=lambda line: line.category):
            with tag("section", classes="made is-profile"):
                tag("h3", category)
                with tag("ul", classes="statements"):
                    for line in group:
                        _line(line)


def _line(line: HistoryLine) -> None:
    with tag("li", classes="" if line.holds else "is-past"):
        tag("span", line.statement)
        chip(line.about, "profile")
        with tag("details", classes="raw"):
            tag("summary", f"shown {count(len(line.evidence), 'time')}, since {day(line.at)}")
            with tag("ul", classes="evidence"):
                for mention in line.evidence:
                    with tag("li"):
                        tag("time", day(mention.at), "when")
                        tag("span", mention.text)


def _change(change: Change) -> None:
    with tag("li", classes="replacement"):
        with tag("div", classes="side-of is-episode"):
            tag("small", f"said {day(change.older.said_at)}")
            tag("span", change.older.text, "text")
        with tag("div", classes="arrow"):
            tag("b", "→", aria_hidden="true")
            tag("span", f"since {whole_day(change.at)}")
        with tag("div", classes="side-of is-fact"):
            if change.newer is None:
                tag("span", "holds no longer", "text")
            else:
                tag("small", f"said {day(change.newer.said_at)}")
                tag("span", change.newer.text, "text")
