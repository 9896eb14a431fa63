/**
 * The program that a crash test kills: `crash-child.ts append FORMAT FILE ID` or `crash-child.ts hand-off REF
 * TO CWD`.
 */

import { type AdapterFormat, handOff, openSessionAdapter, type Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";

const [mode, one = "", two = "", three = ""] = process.argv.slice(2);
const places: Places = { home: process.env.HOME ?? "", env: process.env };

if (mode === "append") {
  await using adapter = openSessionAdapter({
    format: one as AdapterFormat,
    sessionFile: two,
    sessionId: three,
    places,
  });
  await adapter.appendAssistantMessage([
    { type: "thinking", text: "Hm." },
    { type: "text", text: "An answer that was killed." },
    { type: "tool_call", id: "call_killed", name: "look", args: {} },
  ]);
  await adapter.appendToolResult("call_killed", "a result that was killed");
} else {
  await handOff(one, { to: two as AgentName, cwd: three, places, verifyBy: "own" });
}
