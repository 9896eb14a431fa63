import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { processStateOf } from "./process-start.ts";
import { holdersOf, noteHolder, removeHolder } from "./session-holders.ts";

const SINCE = "2026-11-27T09:00:00.000Z";
let home = "";
let other: ChildProcess;

beforeEach(async () => {
  home = scratchFolder("holders");
  other = spawn(process.execPath, ["--eval", "setInterval(() => undefined, 60_000)"]);
  await once(other, "spawn");
});
afterEach(() => {
  other.kill("SIGKILL");
});

const session = (sessionId = "a") => ({ agent: "claude", sessionId, places: { home, env: {} } });
const note = (pid: number) => ({ pid, program: "claude", since: SINCE });

test("each process that has a session open is named, until it says that it closed it", () => {
  const [here, there] = [process.pid, other.pid ?? 0];
  noteHolder(session(), note(here));
  noteHolder(session(), note(there));
  noteHolder(session("b"), note(there));
  expect(holdersOf(session()).toSorted((a, b) => a.pid - b.pid)).toEqual(
    [note(here), note(there)].toSorted((a, b) => a.pid - b.pid),
  );
  removeHolder(session(), there);
  expect(holdersOf(session())).toEqual([note(here)]);
  removeHolder(session(), here);
  expect(readdirSync(join(home, ".continuo/locks/open"))).toHaveLength(1);
});

test("a process that was killed holds nothing, and its note is removed", async () => {
  noteHolder(session(), note(other.pid ?? 0));
  const gone = once(other, "exit");
  other.kill("SIGKILL");
  await gone;
  expect(holdersOf(session())).toEqual([]);
  expect(readdirSync(join(home, ".continuo/locks/open"))).toEqual([]);
});

test("a process with the number of an earlier one, and one of another machine, hold nothing", () => {
  const pid = other.pid ?? 0;
  noteHolder(session(), note(pid));
  const [name = ""] = readdirSync(join(home, ".continuo/locks/open"));
  const path = join(home, ".continuo/locks/open", name);
  const rewrite = (change: object) => {
    noteHolder(session(), note(pid));
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change }));
  };
  rewrite({ start: "1" });
  expect(holdersOf(session())).toEqual([]);
  rewrite({ host: "elsewhere" });
  expect(holdersOf(session())).toEqual([]);
});

test("a note that is being written counts, and one that cannot be written is left out", () => {
  noteHolder(session(), note(process.pid));
  const [name = ""] = readdirSync(join(home, ".continuo/locks/open"));
  writeFileSync(join(home, ".continuo/locks/open", name.replace(/\d+$/u, String(other.pid))), "");
  expect(holdersOf(session()).map(({ pid }) => pid)).toContain(other.pid);
  const blocked = scratchFolder("holders-blocked");
  mkdirSync(join(blocked, ".continuo"));
  writeFileSync(join(blocked, ".continuo/locks"), "a file");
  const where = { ...session(), places: { home: blocked, env: {} } };
  noteHolder(where, note(process.pid));
  expect(holdersOf(where)).toEqual([]);
});

test("a process that ended, and that nobody waited for, holds nothing", async () => {
  const parent = spawn("sh", ["-c", "sleep 1000 & echo $!; exec sleep 1000"]);
  try {
    const [said] = await once(parent.stdout, "data");
    const pid = Number(String(said));
    noteHolder(session(), note(pid));
    // A shell would reap its child when the child ends; `sleep` does not.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    process.kill(pid, "SIGKILL");
    await expect.poll(() => processStateOf(pid)?.state).toBe("Z");
    expect(holdersOf(session())).toEqual([]);
  } finally {
    parent.kill("SIGKILL");
  }
});

test("a session of another agent with the same id is another one", () => {
  noteHolder(session(), note(process.pid));
  expect(holdersOf({ ...session(), agent: "gemini" })).toEqual([]);
});

test("only its person can read a note", () => {
  noteHolder(session(), note(process.pid));
  const folder = join(home, ".continuo/locks/open");
  const [name = ""] = readdirSync(folder);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("an empty note names its process by its file name", () => {
  noteHolder(session(), note(process.pid));
  const folder = join(home, ".continuo/locks/open");
  const [name = ""] = readdirSync(folder);
  const { host, namespace } = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const unknown = [{ pid: process.pid, program: "another program", since: null }];
  writeFileSync(join(folder, name), "");
  expect(holdersOf(session())).toEqual(unknown);
  writeFileSync(join(folder, name), JSON.stringify({ host, namespace }));
  expect(holdersOf(session())).toEqual(unknown);
});
