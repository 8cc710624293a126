"""docs/rest.md, written from the service's own description: ``python -m tests.docs.rest_page docs/rest.md``.

The page is a function of the OpenAPI of ``serving/rest/``; test_readme.py compares the two, so it cannot go stale.
"""

import sys
from pathlib import Path

from mneme.settings import Service as ServiceSettings
from mneme.settings import Settings
from serving.rest.app import create_app
from serving.rest.openapi import operations
from serving.service.service import Service

HEADER = """# REST API

<!-- Written by `make docs` from serving/rest/. Do not edit. -->

`mneme serve` listens on `http://127.0.0.1:8765`. Try it in the browser at `/docs`; make a client from `/openapi.json`.

```bash
curl http://127.0.0.1:8765/api/v1/memories --json '{"flush": true, "wait": 10, "messages": [
  {"conversation_id": "notes", "user_id": "mira", "message_id": "m1", "content": "The release moves to Friday."}]}'
curl "http://127.0.0.1:8765/api/v1/memories/default%2Fnotes%2Fm1?user_id=mira"
curl --no-buffer http://127.0.0.1:8765/api/v1/ask --json '{
  "question": "When is the release?", "filters": {"user_id": "mira"}, "stream": true}'
curl "http://127.0.0.1:8765/api/v1/memories?user_id=mira&kind=fact&limit=20"
curl http://127.0.0.1:8765/api/v1/documents --form user_id=mira --form file=@lease.pdf
curl --request DELETE "http://127.0.0.1:8765/api/v1/memories?user_id=mira&conversation_id=notes&wait=10"
curl http://127.0.0.1:8765/health
```

- **Keys**: `Authorization: Bearer KEY` or `X-API-Key: KEY`. `MNEME_SERVICE__KEYS` binds each to a tenant; another tenant is
  403. `*` is the operator's key. Without keys the service answers on this machine only.
- **Errors** are `application/problem+json`: `{"type", "title", "status", "detail"}`, and `detail` says what to do.
- **Sent twice, counted once**: by `message_id`, else by the header `Idempotency-Key`.
- **202** means stored, but not yet searchable. `wait` waits for that: 200, or 202 with what is `missing`.
- **Limits**: requests a minute of a key (429 with `Retry-After`) and bytes of a request (413) are
  [settings](settings.md#service). A request has at most 1,000 messages or events; other lists and objects have 100 entries.
  One of several keys never gets more than three quarters of the service. One address has at most 400 connections (503).
- **Time**: a header has 20 seconds to arrive, a body 30 and more if it is large (408). An answer that is not read for 60
  seconds is ended.
- **Ids** of memories contain slashes: percent-encode an id as it is printed, once. `default/notes/m1` is sent as
  `default%2Fnotes%2Fm1`, and a `%` of an id as `%25`.
- **Streams**: `/ask` with `stream` sends server-sent events: many `piece` `{"text"}`, then `answer` with the whole
  response, or `problem`.

Filters, policy and results of a search: [search](search.md). Answers: [answers](answers.md). Events: [events](events.md).
"""


def rest_page() -> str:
    """The whole page, as Markdown, of a service with the settings' defaults; nothing is opened."""
    settings = Settings.model_construct(service=ServiceSettings(intake="none"))  # else it would start a flow
    return HEADER + operations(create_app(Service(settings)).openapi())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(rest_page(), encoding="utf-8")
