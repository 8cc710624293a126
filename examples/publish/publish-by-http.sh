#!/usr/bin/env bash
# Sends a conversation to a running service (mneme serve):  ./publish-by-http.sh [url]
# Where the service has keys, say one: MNEME_API_KEY=...
set -euo pipefail
url=${1:-http://127.0.0.1:8765}

curl --silent --show-error --fail-with-body "$url/api/v1/memories" \
    --header 'Content-Type: application/json' \
    ${MNEME_API_KEY:+--header "Authorization: Bearer $MNEME_API_KEY"} \
    --data @- <<'MESSAGES'
{
  "messages": [
    {"conversation_id": "standup", "user_id": "mira", "message_id": "standup-1", "sender_name": "Mira",
     "sent_at": "2025-03-10T09:02:00+01:00", "content": "The release moves to Friday, because the pallet API is late."},
    {"conversation_id": "standup", "user_id": "mira", "message_id": "standup-2", "sender_id": "assistant", "role": "assistant",
     "sent_at": "2025-03-10T09:02:30+01:00", "content": "Noted: the release is on Friday, 14 March 2025."}
  ],
  "flush": true
}
MESSAGES
