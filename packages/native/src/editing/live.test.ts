import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import type { FoundSession } from "../native/kit/index.ts";
import { refuseLive } from "./live.ts";

let scratch: string;
let file: string;
let child: ChildProcess | null = null;

beforeEach(() => {
  scratch = scratchFolder("live");
  file = join(scratch, "session.jsonl");
  writeFileSync(file, "{}\n");
});
afterEach(() => {
  child?.kill("SIGKILL");
  child = null;
});

/** A program that runs until the test ends. */
async function start(argv: readonly string[]): Promise<void> {
  const started = spawn(process.execPath, argv, { cwd: scratch, stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  await new Promise((done) => started.stdout.once("data", done));
}

const STAY = 'process.stdout.write("ready"); setInterval(() => {}, 1000);';
const LONG_AGO = new Date(Date.now() - 3_600_000);

function isRefused(location: string, live: boolean | null, updatedAt: Date): boolean {
  const { size: sizeBytes, mtimeMs, ctimeMs, ino: inode } = statSync(file);
  const files = [{ path: file, sizeBytes, mtimeMs, ctimeMs, inode }];
  const found: FoundSession = {
    agent: "pi",
    sessionId: "a",
    location,
    files,
    archived: false,
    live,
    problems: [],
  };
  try {
    refuseLive(found, { cwd: scratch, updatedAt: updatedAt.toISOString() });
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "session_live" });
    return true;
  }
}

test("a session counts as live if its agent reports it", () => {
  expect(isRefused(file, true, LONG_AGO)).toBe(true);
  expect(isRefused(file, false, LONG_AGO)).toBe(false);
});

test.runIf(process.platform === "linux")(
  "a file that another program has open for writing is in use, and for reading is not",
  async () => {
    utimesSync(file, LONG_AGO, LONG_AGO);
    expect(isRefused(file, null, LONG_AGO)).toBe(false);
    await start(["-e", `require("fs").openSync(${JSON.stringify(file)}, "r"); ${STAY}`]);
    expect(isRefused(file, null, LONG_AGO)).toBe(false);
    child?.kill("SIGKILL");
    await start(["-e", `require("fs").openSync(${JSON.stringify(file)}, "a"); ${STAY}`]);
    expect(isRefused(file, null, LONG_AGO)).toBe(true);
  },
);

test.runIf(process.platform === "linux")(
  "of a database that is open only what was written to since is in use",
  async () => {
    await start(["-e", `require("fs").openSync(${JSON.stringify(file)}, "r+"); ${STAY}`]);
    expect(isRefused(`${file}#a`, null, LONG_AGO)).toBe(false);
    expect(isRefused(`${file}#a`, null, new Date())).toBe(true);
  },
);

test.runIf(process.platform === "linux")(
  "an agent that works in the folder has open what it wrote to since it started",
  async () => {
    mkdirSync(join(scratch, "bin"));
    writeFileSync(join(scratch, "bin/pi"), STAY);
    cpSync(join(scratch, "bin/pi"), join(scratch, "bin/other"));
    await start([join(scratch, "bin/other")]);
    utimesSync(file, new Date(), new Date());
    expect(isRefused(file, null, LONG_AGO)).toBe(false);
    child?.kill("SIGKILL");
    await start([join(scratch, "bin/pi")]);
    utimesSync(file, LONG_AGO, LONG_AGO);
    expect(isRefused(file, null, LONG_AGO)).toBe(false);
    utimesSync(file, new Date(), new Date());
    expect(isRefused(file, null, LONG_AGO)).toBe(true);
  },
);
