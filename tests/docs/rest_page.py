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
  {"conversation_id": "standup", "user_id": "mira", "content": "The release moves to Friday."}]}'
curl http://127.0.0.1:8765/api/v1/memories/search --json '{
  "query": "when is the release?", "method": "hybrid", "filters": {"user_id": "mira"}, "top_k": 5}'
curl --no-buffer http://127.0.0.1:8765/api/v1/ask --json '{
  "question": "When is the release?", "filters": {"user_id": "mira"}, "stream": true}'
curl "http://127.0.0.1:8765/api/v1/memories?user_id=mira&kind=fact&limit=20"
curl http://127.0.0.1:8765/api/v1/documents --form user_id=mira --form file=@lease.pdf
curl --request DELETE "http://127.0.0.1:8765/api/v1/memories?user_id=mira&conversation_id=standup&wait=10"
curl http://127.0.0.1:8765/health
```

- **Owner**: `user_id`, `group_id` or `agent_id`, in `filters` of a search, else as parameters of the query.
- **Keys**: `Authorization: Bearer KEY` or `X-API-Key: KEY`, bound to a tenant by `MNEME_SERVICE__KEYS`. A request for
  another tenant is 403; without `tenant_id` the key's own is meant; `*` is the operator's key. Without keys the service
  answers on this machine only.
- **Errors** are `application/problem+json`: `{"type", "title", "status", "detail"}`, and `detail` says what to do.
- **Sent twice, counted once**: a message has its `message_id`. Without one, give the header `Idempotency-Key`, from which
  ids follow.
- **202** means durable, but not yet made into facts. `wait` waits until it is searchable: 200, or 202 with what is `missing`.
- **Pages**: `limit` (at most 200) and `after`, which is the `next` of the page before; `null` ends.
- **Limits**: requests a minute of a key (429 with `Retry-After`) and bytes of a request (413) are
  [settings](settings.md#service). A request has at most 1,000 messages or events. Every other list or object has at most 100
  entries. JSON has at most 1,000,000 characters outside of its texts (413).
- **JSON types** are strict: `"10"` and `true` are no numbers, `"yes"` and `1` are not `true`.
- **Shares**: with several keys, one key never takes the last quarter of searches, waits, uploads or model calls. Its further
  requests wait; one wait too many for a flush, an erasure or an export is 429.
- **Time**: a header has 20 seconds to arrive, a body 30 and more if it is large (408). An answer that is not read for 60
  seconds is ended. One address has at most 400 connections (503).
- **Ids** of memories contain slashes and percent signs: percent-encode a whole id once more, slashes too (`%2F`).
- **Server-sent events** of `/ask` with `stream`: many `piece` `{"text"}`, then `answer` with the whole response, or `problem`.

Results of a search: [search](search.md). Answers: [answers](answers.md). Events: [events](events.md).
"""


def rest_page() -> str:
    """The whole page, as Markdown, of a service with the settings' defaults; nothing is opened."""
    settings = Settings.model_construct(service=ServiceSettings(intake="none"))  # else it would start a flow
    return HEADER + operations(create_app(Service(settings)).openapi())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(rest_page(), encoding="utf-8")
