#!/usr/bin/env bash
# Publishes a conversation with Kafka's console producer, a key and an event on each line:  ./publish.sh [broker] [topic]
# Needs kafka-console-producer.sh on the PATH: it is in bin/ of Apache Kafka (https://kafka.apache.org/downloads).
# With kcat instead:  kcat -P -b "$broker" -t "$topic" -K '|' -X acks=all -X partitioner=murmur2_random
set -euo pipefail
broker=${1:-127.0.0.1:9092} topic=${2:-mneme.messages}
if ! command -v kafka-console-producer.sh > /dev/null; then
    echo "kafka-console-producer.sh is not on the PATH; add bin/ of Apache Kafka (https://kafka.apache.org/downloads), or use kcat" >&2
    exit 1
fi

kafka-console-producer.sh --bootstrap-server "$broker" --topic "$topic" \
    --property parse.key=true --property key.separator='|' --producer-property acks=all <<'EVENTS'
default/standup|{"schema": "1.0", "event": "message", "conversation_id": "standup", "user_id": "mira", "message_id": "standup-1", "sender_name": "Mira", "sent_at": "2025-03-10T09:02:00+01:00", "content": "The release moves to Friday, because the pallet API is late."}
default/standup|{"schema": "1.0", "event": "message", "conversation_id": "standup", "user_id": "mira", "message_id": "standup-2", "sender_id": "assistant", "role": "assistant", "sent_at": "2025-03-10T09:02:30+01:00", "content": "Noted: the release is on Friday, 14 March 2025."}
default/standup|{"schema": "1.0", "event": "flush", "conversation_id": "standup", "flush_id": "standup-flush"}
EVENTS
echo "sent 3 events to $topic"
