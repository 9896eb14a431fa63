/** An open page of a session stores the turns that the agent's own program adds to it. */

import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listOwn, openOwn } from "@continuo/agents/catalog";
import { findNativeSessions } from "@continuo/native";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { importNative } from "../../packages/agents/src/conversations/native-import.ts";
import { createGrowingNatives } from "../../packages/server/src/machine/growing-natives.ts";
import { cleanEnv, createHome } from "../cli/home.ts";
import { addTurn, begin } from "../gateway/native-writer.ts";

/** The number of times that this process has the file open. */
function openedTimes(path: string): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  }).length;
}

/**
 * Changes the database in another process: SQLite keeps a file open while its own process has another connection to it.
 */
function change(path: string, sql: string): void {
  const program = `new (require("node:sqlite").DatabaseSync)(${JSON.stringify(path)}).exec(${JSON.stringify(sql)})`;
  execFileSync(process.execPath, ["-e", program]);
}

test("a look at native turns that fails closes the store, and the next look opens it again", {
  timeout: 60_000,
}, async () => {
  using home = createHome();
  home.write("project/readme", "");
  home.write(".continuo/README", "");
  const path = join(home.path, ".continuo/continuo.db");
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path), now: new Date() };
  await begin(home, "claude");
  {
    await using store = await openStore(`sqlite:${path}`);
    const [found] = await Array.fromAsync(findNativeSessions({ places, agents: ["claude"] }));
    if (found === undefined) throw new Error("there is no session");
    const { session } = await importNative(found, { store, places, cwd: home.path });
    await store.updateSession(session.sessionId, { agent: "claude" });
  }
  await addTurn(home, "claude", "one");
  const own = await openOwn(places);
  const [row] = own === null ? [] : await listOwn(own);
  await own?.[Symbol.asyncDispose]();
  if (row === undefined) throw new Error("there is no row");
  const { signal } = new AbortController();
  expect(openedTimes(path)).toBe(0);
  await using natives = createGrowingNatives(places);
  change(path, "alter table cursors rename to lost");
  await natives.look(row, signal);
  expect(openedTimes(path)).toBe(0);
  change(path, "alter table lost rename to cursors");
  await sleep(1_100);
  await natives.look(row, signal);
  expect(openedTimes(path)).toBeGreaterThan(0);
  await using store = await openStore(`sqlite:${path}`);
  const { events } = await store.read(row.sessionId, { types: ["message_received"] });
  expect(JSON.stringify(events)).toContain("They pass.");
});
