"""Status of a running service, by its URL: what ``/health`` and ``/metrics`` tell."""

from typing import Any

import httpx

from connectors.telemetry.exposition import Samples, read_exposition
from mneme.errors import SettingsError
from mneme.settings import Settings
from serving.status.status import Status, by_label, model_statuses

_SECONDS = 5.0


def remote_status(settings: Settings, url: str) -> Status:
    """How a service is doing. One that does not answer is red.

    Raises:
        SettingsError: the URL is none.
    """
    key = settings.service.api_key
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key is not None else {}
    try:
        with httpx.Client(base_url=url, headers=headers, timeout=_SECONDS) as client:
            told: Any = client.get("/health").json()
            samples = _samples(client)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise SettingsError(f"--url: {url!r} is no URL like http://127.0.0.1:8765 ({error})") from error
    except (httpx.HTTPError, ValueError) as error:
        why = f"no Mneme answers at {url} ({type(error).__name__}); start `mneme serve`, or correct the URL"
        return Status(where=url, health="red", problems=(why,))
    if not isinstance(told, dict) or told.get("status") not in ("green", "red"):
        return Status(where=url, health="red", problems=(f"what answers at {url} is no Mneme; correct the URL",))
    lag = told.get("lag") or {}
    alive = lag.get("alive")
    problems = tuple(map(str, told.get("problems") or ()))
    if samples is None:
        problems += ("metrics are for the operator; set MNEME_SERVICE__API_KEY to a key that is bound to *",)
    read = by_label(samples or {}, "mneme_flow_events_total", "lane")
    letters = by_label(samples or {}, "mneme_flow_dead_letters_total", "stage")
    return Status(
        where=url,
        health=told["status"],
        problems=problems,
        lag={str(lane): int(count) for lane, count in (lag.get("unread") or {}).items()},
        flow="unknown" if alive is None else "runs" if alive else "rests",
        written=by_label(samples or {}, "mneme_flow_records_written_total", "kind"),
        messages=None if samples is None else read.get("messages", 0) + read.get("backfill", 0),
        dead_letters=None if samples is None else sum(letters.values()),
        models=model_statuses(samples or {}),
    )


def _samples(client: httpx.Client) -> Samples | None:
    """The metrics; None for who is not the operator."""
    answer = client.get("/metrics")
    return read_exposition(answer.text) if answer.is_success else None
