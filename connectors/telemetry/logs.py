"""Logs: text for people, or a line of JSON for each record (``MNEME_TELEMETRY__LOG_FORMAT=json``), on standard error.

A record tells the ids that it is about (connectors/telemetry/tracing.py). The keys and passwords of the settings, and whatever
looks like one, are asterisks in every line, also in what a library writes down. ``telemetry`` begins logs, traces and metrics
of a process that runs for long.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, SecretStr

from connectors.dead_letters import without_secrets
from connectors.telemetry import tracing
from connectors.telemetry.tracing import current_ids
from mneme.control_characters import escape_control_characters
from mneme.settings import Settings

TEXT_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_HIDDEN = "***"
_SHORTEST_SECRET = 6  # characters; a shorter one would hide parts of ordinary words


def start_logs(settings: Settings, mark: str = "") -> None:
    """Write logs as the settings say, in place of what was set up before; levels stay.

    Args:
        settings: the format, and the secrets that must not be seen.
        mark: of this process among several: ``2/4``.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormat(settings.telemetry.log_format, tuple(secrets_of(settings)), mark))
    root = logging.getLogger()
    for before in [each for each in root.handlers if type(each) is logging.StreamHandler]:
        root.removeHandler(before)
    root.addHandler(handler)


def levels() -> dict[str, int]:
    """The levels of loggers by name, for a process that this one starts."""
    loggers = {name: logger for name, logger in logging.root.manager.loggerDict.items() if isinstance(logger, logging.Logger)}
    return {"": logging.root.level} | {name: logger.level for name, logger in loggers.items() if logger.level}


def set_levels(given: Mapping[str, int]) -> None:
    """Let loggers say as much as those of the process that started this one."""
    for name, level in given.items():
        logging.getLogger(name).setLevel(level)


class LogFormat(logging.Formatter):
    """A record as a line. Its time is UTC in JSON, the machine's own in text."""

    def __init__(self, form: Literal["text", "json"], secrets: tuple[str, ...] = (), mark: str = "") -> None:
        super().__init__(TEXT_FORMAT.replace("%(name)s", f"{mark} %(name)s" if mark else "%(name)s"))
        self._as_json = form == "json"
        self._secrets = sorted(secrets, key=len, reverse=True)  # one may be a part of another
        self._mark = mark

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        ids = current_ids()
        if not self._as_json:
            shown = " ".join(f"{name}={value if value.isprintable() else repr(value)}" for name, value in ids.items())
            return escape_control_characters(self._safe(super().format(record))) + (f" [{shown}]" if shown else "")
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._safe(record.getMessage()),
            **({"process": self._mark} if self._mark else {}),
            **ids,
        }
        if record.exc_info:
            line["error"] = self._safe(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)

    def _safe(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return without_secrets(text)


def secrets_of(settings: BaseModel) -> Iterator[str]:
    """The secrets of a tree of settings, those too short to be distinguished from words left out."""
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, BaseModel):
            yield from secrets_of(value)
        elif isinstance(value, SecretStr) and len(value.get_secret_value()) >= _SHORTEST_SECRET:
            yield value.get_secret_value()
        elif name == "keys" and isinstance(value, dict):  # of the service: the keys themselves
            yield from (key for key in value if len(key) >= _SHORTEST_SECRET)


@contextmanager
def telemetry(settings: Settings, service: str, mark: str = "", metrics_port: bool = False) -> Iterator[None]:
    """Tell of this process while the block runs.

    Args:
        settings: what is exported, and how.
        service: its name in traces: ``mneme-serve``, ``mneme-flow``.
        mark: of this process among several: ``2/4``.
        metrics_port: whether its metrics are shown on ``telemetry.metrics_port``.

    Raises:
        SettingsError: the port is taken, or OpenTelemetry is asked for and not installed.
    """
    wanted = settings.telemetry
    with ExitStack() as stack:
        start_logs(settings, mark)
        if wanted.traces:
            tracing.start(service)
            stack.callback(tracing.stop)
        if metrics_port and wanted.metrics_port:
            from connectors.telemetry.exposition import show_metrics

            stack.callback(show_metrics(wanted.host, wanted.metrics_port))
        yield
