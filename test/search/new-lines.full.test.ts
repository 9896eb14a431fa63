/**
 * While `serve` or `mcp` runs on a home of thousands of sessions, a search finds a new line of an agent within seconds.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanEnv, createHome, type Home, MAIN, run } from "../cli/home.ts";
import { wombatFile, writeWombats } from "../cli/wombats.ts";
import { toCalled } from "../mcp/open-mcp.ts";
import { createWireClient, ENVELOPE } from "../mcp/wire-client.ts";

const SESSIONS = 5_000;
const LIMIT_MS = 2_000;
/** The limit is a number of starts of Node, so that it is the same on a busy machine. */
const LIMIT_STARTS = 50;
const ROUNDS = 5;

let home: Home;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  home = createHome();
  writeWombats(home, SESSIONS);
  expect((await run(home, ["index", "update"])).code).toBe(0);
}, 600_000);
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  home[Symbol.dispose]();
});

function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: home.path,
    env: { ...cleanEnv(home.path), CI: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  running.add(child);
  return child;
}

/** Adds a message with a new word to a session. */
function say(at: number, word: string): void {
  const path = join(home.path, wombatFile(at));
  const [first = ""] = readFileSync(path, "utf8").split("\n");
  const line = {
    ...JSON.parse(first),
    uuid: word,
    parentUuid: "u1",
    message: { role: "user", content: word },
  };
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}

/** @param count resolves with the number of sessions that have a word */
async function expectFound(name: string, count: (word: string) => Promise<number>): Promise<void> {
  await count(`${name}0`);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const word = `${name}${"quokka".repeat(round + 1)}`;
    say(round * 900, word);
    const begun = performance.now();
    expect({ word, count: await count(word) }).toEqual({ word, count: 1 });
    times.push(performance.now() - begun);
  }
  const begun = performance.now();
  execFileSync(process.execPath, ["-e", "0"]);
  const startMs = performance.now() - begun;
  expect(Math.min(...times)).toBeLessThan(Math.max(LIMIT_MS, LIMIT_STARTS * startMs));
}

test("mcp finds a new line with the first search after it", async () => {
  const { stdin, stdout } = start(["mcp"]);
  if (stdin === null || stdout === null) throw new Error("mcp has both streams");
  const client = createWireClient(stdin, stdout);
  await expectFound("mcp", async (word) => {
    const reply = await client.request("tools/call", {
      name: "search",
      arguments: { query: word },
      ...ENVELOPE,
    });
    return toCalled(reply).data.results.length;
  });
}, 300_000);

test("serve finds a new line with the first search after it", async () => {
  const { stdout } = start(["serve", "--listen", "127.0.0.1:0", "--json"]);
  if (stdout === null) throw new Error("serve has an output");
  const line = await new Promise<string>((resolve) =>
    createInterface({ input: stdout }).once("line", resolve),
  );
  const { url, tokenFile } = JSON.parse(line);
  const headers = { authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}` };
  await expectFound("serve", async (word) => {
    for (;;) {
      const response = await fetch(`${url}/v1/machine/sessions?text=${word}`, { headers });
      const { sessions, unsearched } = (await response.json()) as {
        readonly sessions: readonly object[];
        readonly unsearched: number;
      };
      if (unsearched === 0) return sessions.length;
    }
  });
}, 300_000);
