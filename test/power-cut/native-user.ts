/**
 * `native-user.ts HOME AGENT REF SOURCE BUNDLE`: makes every edit of native sessions, for the power-cut test. It edits
 * sessions of the agent, and prints after each edit a line with its name and the sessions that the person has from then
 * on.
 */

import { writeSync } from "node:fs";
import { join } from "node:path";
import {
  emptyTrash,
  forkNativeSession,
  handOff,
  openSessionAdapter,
  type Places,
  renameNativeSession,
  repairNativeSession,
  restoreNativeSession,
  trashNativeSession,
} from "@continuo/agents";
import { unpackBundle } from "@continuo/agents/handoff/bundle";
import type { AgentName } from "@continuo/core/model";
import { FORMATS } from "../hand-off/homes.ts";
import { nativeState } from "./native-state.ts";

const [home = "", agent = "", ref = "", source = "", bundle = ""] = process.argv.slice(2);
const to = agent as AgentName;
const places: Places = { home, env: {} };
const cwd = join(home, "project");

async function acknowledge(edit: string): Promise<void> {
  writeSync(1, `${edit} ${JSON.stringify(await nativeState(places))}\n`);
}

await acknowledge("begin");
let made = "";
{
  await using adapter = openSessionAdapter({ format: FORMATS[to], places, create: { cwd } });
  await adapter.appendUserMessage("Begin.");
  made = (await adapter.getMetadata()).sessionId;
  await acknowledge("create");
  await adapter.appendAssistantMessage([
    { type: "text", text: "An answer." },
    { type: "tool_call", id: "call_1", name: "look", args: {} },
  ]);
  await acknowledge("append");
  await adapter.appendToolResult("call_1", "a result");
  await acknowledge("append");
}
const fork = (await forkNativeSession(`${agent}:${made}`, { places })).sessionId;
await acknowledge("fork");
await renameNativeSession(`${agent}:${fork}`, "Another title", { places });
await acknowledge("rename");
await repairNativeSession(ref, { places, write: "in place" });
await acknowledge("repair");
await trashNativeSession(`${agent}:${made}`, { places });
await acknowledge("delete");
await restoreNativeSession(`${agent}:${made}`, { places });
await acknowledge("restore");
await restoreNativeSession(ref, { places });
await acknowledge("restore");
await trashNativeSession(ref, { places });
await acknowledge("delete");
await handOff(source, { to, cwd, places, verifyBy: "own" });
await acknowledge("hand-over");
{
  using unpacked = await unpackBundle(bundle);
  await handOff(unpacked.location, { to, cwd, places, verifyBy: "own", moved: { title: unpacked.title } });
}
await acknowledge("import");
emptyTrash({ places });
await acknowledge("empty");
