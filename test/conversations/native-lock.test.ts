/** The lock of a native session between processes: edits respect it, and a killed process no longer holds it. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  openSessionAdapter,
  renameNativeSession,
  repairNativeSession,
  restoreNativeSession,
  trashNativeSession,
} from "@continuo/native/editing";
import { lockNative } from "@continuo/native/writing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const LOCK_HOLDER = await bundledProgram("test/conversations/lock-holder.ts");
const ID = "0b1f6f1e-7a55-4c1c-9c39-1d9f4d7a0b11";
let home = "";
let file = "";
const children: ChildProcess[] = [];

beforeEach(() => {
  home = scratchFolder("lock");
  mkdirSync(join(home, ".claude/projects/-work"), { recursive: true });
  file = join(home, `.claude/projects/-work/${ID}.jsonl`);
  const record = { type: "user", uuid: "u1", parentUuid: null, sessionId: ID, cwd: "/work" };
  const said = { timestamp: "2026-01-01T00:00:00.000Z", message: { role: "user", content: "words" } };
  // A repair removes the torn line.
  writeFileSync(file, `${JSON.stringify({ ...record, ...said })}\n{"type":"user","uu\n`);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

const places = () => ({ home, env: {} });

async function holder(...how: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [LOCK_HOLDER, home, "claude", ID, ...how], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(child);
  const [said] = await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, "data"),
    once(child, "exit"),
  ]);
  expect(String(said)).toBe("held\n");
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

const EDITS: Readonly<Record<string, () => Promise<unknown>>> = {
  "a rename": () => renameNativeSession(file, "Another title", { places: places() }),
  "a repair in place": () => repairNativeSession(file, { places: places(), write: "in place" }),
  "a deletion": () => trashNativeSession(file, { places: places() }),
  "an append": async () => {
    await using adapter = openSessionAdapter({ format: "ccsdk", sessionFile: file, places: places() });
    await adapter.appendUserMessage("more");
  },
};

test.each(Object.keys(EDITS))(
  "%s of a session that a conversation has open is refused, and succeeds after the conversation was killed",
  async (name) => {
    const edit = EDITS[name];
    const before = readFileSync(file, "utf8");
    const child = await holder();
    await expect(edit?.()).rejects.toMatchObject({ code: "session_live" });
    expect(readFileSync(file, "utf8")).toBe(before);
    await killed(child);
    await edit?.();
  },
);

test("a restoration is refused while a conversation has the session open, and does not wait", async () => {
  const { trashId } = await trashNativeSession(file, { places: places() });
  const child = await holder();
  await expect(restoreNativeSession(trashId, { places: places() })).rejects.toMatchObject({
    code: "session_live",
  });
  await killed(child);
  await restoreNativeSession(trashId, { places: places() });
  expect(readFileSync(file, "utf8")).toContain("words");
});

test("the mark of a process that was killed while it released a session blocks nobody", async () => {
  await killed(await holder("leaving"));
  const lock = await lockNative({ agent: "claude", sessionId: ID, places: places() });
  await expect(holder()).rejects.toThrow();
  lock.release();
});

test("a second attempt in the process that has the lock does not release the lock", async () => {
  const writing = { agent: "claude", sessionId: ID, places: places() };
  const lock = await lockNative(writing);
  await expect(lockNative(writing)).rejects.toMatchObject({ code: "session_live" });
  // If the lock were released, another process would get it now.
  await expect(holder()).rejects.toThrow();
  lock.release();
  await holder();
});
