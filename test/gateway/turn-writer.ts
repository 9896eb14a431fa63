/**
 * `turn-writer.ts OPTIONS NAME`: a process of its own that adds a turn with a tool call to a native session, as
 * `native-writer.ts` does in the process of the test.
 */

import { openSessionAdapter } from "@continuo/native/editing";

const [options = "", name = ""] = process.argv.slice(2);
const adapter = openSessionAdapter(JSON.parse(options));
await adapter.appendUserMessage(`Run the tests ${name}`);
const call = { type: "tool_call", id: `call-${name}`, name: "Bash", args: { command: "make test" } } as const;
await adapter.appendAssistantMessage([{ type: "text", text: "I run them." }, call]);
await adapter.appendToolResult(`call-${name}`, "all green");
await adapter.appendAssistantMessage("They pass.");
