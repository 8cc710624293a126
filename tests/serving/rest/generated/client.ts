// Publish, search and ask by the types that openapi-typescript generated: node client.js URL
import createClient from "openapi-fetch";
import type { paths } from "./mneme.js";

const client = createClient<paths>({ baseUrl: process.argv[2] });
const filters = { user_id: "noor" };

const message = { conversation_id: "kitchen", user_id: "noor", content: "The release moves to Friday." };
const kept = await client.POST("/api/v1/memories", { body: { messages: [message], flush: true, wait: 60 } });
if (!kept.data?.flush?.searchable) throw new Error(JSON.stringify(kept.error ?? kept.data));

const found = await client.POST("/api/v1/memories/search", { body: { query: "when is the release?", filters, top_k: 3 } });
const fact: string | undefined = found.data?.facts?.[0]?.atomic_fact;
const answer = await client.POST("/api/v1/ask", { body: { question: "when is the release?", filters } });
const refused = await client.POST("/api/v1/memories/search", { body: { query: "", filters } });
if (refused.error?.status !== 422) throw new Error(JSON.stringify(refused));

console.log(fact);
console.log(typeof answer.data === "object" ? answer.data.answer : answer.data); // a text is the stream of an answer
