/** A server of the Model Context Protocol with one tool. It notes what it was started with, and what it was asked. */

import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , log] = process.argv;
const note = (/** @type {unknown} */ line) => appendFileSync(log ?? "", `${JSON.stringify(line)}\n`);
note({ token: process.env.GIVEN_TOKEN });

const TOOL = {
  name: "weigh",
  description: "Weighs a parcel.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
};

const ANSWERS = {
  initialize: (/** @type {{ protocolVersion?: string }} */ { protocolVersion = "2025-06-18" }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "given", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [TOOL] }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  note({ method });
  if (id === undefined) continue;
  const answer = ANSWERS[/** @type {keyof typeof ANSWERS} */ (method)];
  const said =
    answer === undefined
      ? { error: { code: -32_601, message: "unknown method" } }
      : { result: answer(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
}
