// Publishes a conversation with kafkajs:  npm install kafkajs && node publish.mjs [broker] [topic]
import { Kafka, Partitioners } from "kafkajs";

const [broker = "127.0.0.1:9092", topic = "mneme.messages"] = process.argv.slice(2);

const events = [
  {
    schema: "1.0",
    event: "message",
    conversation_id: "standup",
    user_id: "mira",
    message_id: "standup-1", // your id: the same one again is never taken in twice
    sender_name: "Mira",
    sent_at: "2025-03-10T09:02:00+01:00",
    content: "The release moves to Friday, because the pallet API is late.",
  },
  {
    schema: "1.0",
    event: "message",
    conversation_id: "standup",
    user_id: "mira",
    message_id: "standup-2",
    sender_id: "assistant",
    role: "assistant",
    sent_at: "2025-03-10T09:02:30+01:00",
    content: "Noted: the release is on Friday, 14 March 2025.",
  },
  // Makes all of it searchable now. Left out, it is when the conversation rests.
  { schema: "1.0", event: "flush", conversation_id: "standup", flush_id: "standup-flush" },
];

// The key decides the partition, and so the order: tenant/conversation.
const key = ({ tenant_id = "default", conversation_id }) => `${tenant_id}/${conversation_id}`;

const kafka = new Kafka({ clientId: "publish-example", brokers: [broker] });
const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
await producer.connect();
await producer.send({
  topic,
  acks: -1, // all replicas have it
  messages: events.map((event) => ({ key: key(event), value: JSON.stringify(event) })),
});
await producer.disconnect();
console.log(`sent ${events.length} events to ${topic}`);
