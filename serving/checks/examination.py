"""Checks of ``mneme doctor``, side by side: a server that does not answer delays no other group, and none for long."""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from mneme.errors import MnemeError, SettingsError
from mneme.settings import Settings, load_settings
from serving.checks import Check, State, failed
from serving.checks.models import documents, models
from serving.checks.servers import index, kafka
from serving.checks.settings import settings

SECONDS = 8.0  # for one group


class Group(NamedTuple):
    """A group of checks, and whether anything works without it."""

    look: Callable[[Settings], Iterable[Check]]
    needed: bool = True


def groups(call: bool = False) -> Mapping[str, Group]:
    """The groups, in the order in which they are shown.

    Args:
        call: whether models behind endpoints are asked something, which may cost money.
    """
    return {
        "settings": Group(settings),
        "index": Group(index),
        "kafka": Group(kafka),
        "models": Group(lambda each: models(each, call)),
        "documents": Group(documents, needed=False),
    }


def examine(call: bool = False, only: Iterable[str] = (), seconds: float = SECONDS) -> list[Check]:
    """Run the checks. Nothing is changed, and nothing is raised: a failure is a check that is missing or unknown.

    Args:
        call: whether models behind endpoints are asked something, which may cost money.
        only: the names of groups; none for all.
        seconds: how long a group is waited for.
    """
    try:
        loaded = load_settings()
    except SettingsError as error:
        faults = str(error).removesuffix(" (docs/settings.md)").split("; MNEME_")
        lines = [fault if fault.startswith("MNEME_") else f"MNEME_{fault}" for fault in faults]
        return [
            Check("settings", line.split()[0].rstrip(":"), "environment, .env", "missing", line, needed=True) for line in lines
        ]
    chosen = {name: group for name, group in groups(call).items() if not only or name in set(only)}
    looks = [_Look(name, group, loaded) for name, group in chosen.items()]
    return [check for look in looks for check in look.result(seconds)]


class _Look:
    """One group, looked at in a thread of its own; that of a server that never answers ends with the program."""

    def __init__(self, name: str, group: Group, settings: Settings) -> None:
        self._name, self._group, self._settings = name, group, settings
        self._found: list[Check] = []
        self._thread = threading.Thread(target=self._run, name=f"doctor-{name}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for check in self._group.look(self._settings):
                self._found.append(check)
        except MnemeError as error:
            self._found.append(failed(self._name, self._name, "", error, self._group.needed))
        except ModuleNotFoundError as error:
            self._found.append(self._failed("missing", f"{error.name} is not installed: pip install 'mneme-river[all]'"))
        except Exception as error:  # noqa: BLE001  a doctor that falls ill helps nobody
            self._found.append(self._failed("unknown", f"this check itself failed ({type(error).__name__}); please report it"))

    def result(self, seconds: float) -> list[Check]:
        """The checks of the group, at the latest after so long."""
        self._thread.join(seconds)
        checks = list(self._found)
        if self._thread.is_alive():
            remedy = (
                f"{self._name}: no answer within {seconds:g} s, so nothing more is known. Run `mneme doctor {self._name}` "
                "again when this machine is less busy; else look at the load of what is asked, and at the network"
            )
            checks.append(self._failed("unknown", remedy))
        return checks

    def _failed(self, state: State, why: str) -> Check:
        return Check(self._name, self._name, "", state, why, self._group.needed)
