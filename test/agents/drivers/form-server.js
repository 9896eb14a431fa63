/** A server of the Model Context Protocol whose one tool asks the person for a place, and returns the answer. */

import { createInterface } from "node:readline";

const SCHEMA = {
  type: "object",
  properties: { place: { type: "string", title: "Place" } },
  required: ["place"],
};
const QUESTION = { message: "Where shall it be deployed?", requestedSchema: SCHEMA };

const TOOL = {
  name: "deploy",
  description: "Deploys the project.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true },
};

const ANSWERS = {
  initialize: (/** @type {{ protocolVersion?: string }} */ { protocolVersion = "2025-06-18" }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "forms", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [TOOL] }),
  ping: () => ({}),
};

const send = (/** @type {object} */ message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** @type {unknown} */
let call = null;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === "tools/call") {
    call = id;
    send({ id: "question", method: "elicitation/create", params: QUESTION });
  } else if (method === undefined && id === "question") {
    const text = JSON.stringify(result ?? error);
    send({ id: call, result: { content: [{ type: "text", text }] } });
  } else if (id !== undefined) {
    const answer = ANSWERS[/** @type {keyof typeof ANSWERS} */ (method)];
    send(
      answer === undefined
        ? { id, error: { code: -32_601, message: "unknown method" } }
        : { id, result: answer(params ?? {}) },
    );
  }
}
