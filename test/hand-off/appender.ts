/** A process that appends to a session: `appender.ts FORMAT FILE SESSION HOME NAME COUNT`. */

import { openSessionAdapter } from "@continuo/agents";
import type { AdapterFormat } from "../../src/index.ts";

const [format, sessionFile = "", sessionId = "", home = "", name = "", count = "0"] = process.argv.slice(2);
const places = { home, env: {} };
const adapter = openSessionAdapter({
  format: format as AdapterFormat,
  sessionFile,
  sessionId,
  places,
  lockWaitMs: 600_000,
});
for (let at = 0; at < Number(count); at++) {
  const call = `${name}_${at}`;
  await adapter.appendUserMessage(`asked ${call}`);
  await adapter.appendAssistantMessage([{ type: "tool_call", id: call, name: "Read", args: {} }]);
  const id = await adapter.appendToolResult(call, `result of ${call} ${"x".repeat(2000)}`);
  process.stdout.write(`${id}\n`);
}
await adapter.close();
