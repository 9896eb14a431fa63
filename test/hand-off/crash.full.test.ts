/**
 * A process is killed at every step of an append and of a hand-over, also in the middle of a write: the session is
 * either the old one or the complete new one, and the next call leaves no partial data.
 */

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  findNativeSessions,
  handOff,
  openNativeSession,
  openSessionAdapter,
  type Places,
} from "@continuo/agents";
import { AGENT_NAMES, type AgentName, type Message } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { snapshotOf } from "../agents/proof.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { numbersOfRun } from "../sizes/rotation.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { tested } from "../tested-agents.ts";
import { FORMATS } from "./homes.ts";
import { saidIn, sourceView } from "./spoken-items.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

const ID = "5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a";
/** The folder of each target's native files, below the home. */
const NATIVE = tested(({ ownFolder }) => ownFolder);

const root = scratchFolder("crash");

beforeAll(() => {
  mkdirSync(join(root, "tmp"));
  vi.stubEnv("TMPDIR", join(root, "tmp"));
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** Makes a machine with a session of Claude Code, and opencode's database. */
function makeHome(name: string): Places {
  const home = join(root, name);
  mkdirSync(join(home, "project"), { recursive: true });
  cpSync(join(FIXTURES, "claude/parallel-tools/home"), join(home, ".claude"), { recursive: true });
  cpSync(join(FIXTURES, "opencode/image/home"), join(home, ".local/share"), { recursive: true });
  return { home, env: {} };
}

interface Kill {
  readonly args: readonly string[];
  readonly home: string;
  readonly below: string;
  /** If this number is absent, the result reports the number of steps. */
  readonly at?: number;
}

interface End {
  readonly killed: boolean;
  readonly stdout: string;
}

async function runChild({ args, home, below, at }: Kill): Promise<End> {
  const hook = await bundledProgram("test/hand-off/kill-at.ts");
  const program = await bundledProgram("test/hand-off/crash-child.ts");
  const child = spawn(process.execPath, ["--import", hook, program, ...args], {
    env: {
      HOME: home,
      TMPDIR: join(root, "tmp"),
      KILL_BELOW: below,
      ...(at === undefined ? {} : { KILL_AT: String(at) }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  return await new Promise((done) =>
    child.once("close", (_code, signal) => done({ killed: signal === "SIGKILL", stdout })),
  );
}

/** Kills the program at every step that this run tries, two at a time. */
async function atEveryStep(steps: number, run: (at: number) => Promise<void>): Promise<void> {
  const tried = numbersOfRun(steps).values();
  const work = async (): Promise<void> => {
    for (const step of tried) await run(step + 1);
  };
  await Promise.all([work(), work()]);
}

function leftovers(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.new-\d+$/u.test(name) || /unfinished\/.+/u.test(name),
  );
}

const LIMIT_MS = 300_000;

describe("a hand-over", () => {
  const sessionsOf = async (agent: AgentName, places: Places): Promise<string[]> => {
    const found = await Array.fromAsync(findNativeSessions({ places }));
    return found.filter((one) => one.agent === agent).map(({ sessionId }) => sessionId);
  };

  test.each(AGENT_NAMES)(
    "to %s",
    async (to) => {
      const first = makeHome(`${to}-first`);
      // The steps in Continuo's own home are the same for all targets.
      const belowOf = (home: string): string => (to === "claude" ? home : join(home, NATIVE[to]));
      const args = (home: string) => ["hand-off", `claude:${ID}`, to, join(home, "project")];
      const counted = await runChild({
        args: args(first.home),
        home: first.home,
        below: belowOf(first.home),
      });
      const steps = Number(counted.stdout);
      expect(steps).toBeGreaterThan(5);
      const source = join(first.home, ".claude/projects/-home-dev-project");
      const before = (await snapshotOf(source))[`${ID}.jsonl`]?.split(" ").at(-1);
      const said = saidIn(await sourceView("claude", ID, first));
      await atEveryStep(steps, async (at) => {
        const places = makeHome(`${to}-${at}`);
        const { home } = places;
        const old = new Set(await sessionsOf(to, places));
        const end = await runChild({ args: args(home), home, below: belowOf(home), at });
        expect(end.killed).toBe(true);
        const left = (await sessionsOf(to, places)).filter((id) => !old.has(id));
        for (const id of left) expect(saidIn(await sourceView(to, id, places))).toEqual(said);
        expect(left.length).toBeLessThan(2);
        const snapshot = await snapshotOf(join(home, ".claude/projects/-home-dev-project"));
        expect(snapshot[`${ID}.jsonl`]?.split(" ").at(-1)).toBe(before);
        const cwd = join(home, "project");
        const made = await handOff(`claude:${ID}`, { to, cwd, places, verifyBy: "own" });
        expect(saidIn(await sourceView(to, made.sessionId ?? "", places))).toEqual(said);
        expect(leftovers(home)).toEqual([]);
        rmSync(home, { recursive: true });
      });
    },
    LIMIT_MS,
  );

  test("leaves no scratch folder after the next hand-over", async () => {
    const places = makeHome("scratch");
    await handOff(`claude:${ID}`, { to: "pi", cwd: join(places.home, "project"), places, verifyBy: "own" });
    expect(readdirSync(join(root, "tmp"))).toEqual([]);
  });
});

describe("an append", () => {
  const history = async (agent: AgentName, id: string, places: Places): Promise<Message[]> => {
    using session = await openNativeSession(`${agent}:${id}`, { places });
    return await Array.fromAsync(session.history());
  };
  const told = (messages: readonly Message[]): unknown[] =>
    messages.filter(({ role }) => role !== "system").map(({ content }) => content.map(({ type }) => type));
  const ANSWER = [["thinking", "text", "tool_call"]];
  const WHOLE = [[["text"]], [["text"], ...ANSWER], [["text"], ...ANSWER, ["tool_result"]]];

  test.each(AGENT_NAMES)(
    "to %s",
    async (agent) => {
      const format = FORMATS[agent];
      const begin = async (name: string): Promise<{ places: Places; file: string; id: string }> => {
        const places = makeHome(name);
        const cwd = join(places.home, "project");
        await using adapter = openSessionAdapter({ format, places, create: { cwd } });
        await adapter.appendUserMessage("Begin.");
        return { places, file: adapter.sessionFile, id: (await adapter.getMetadata()).sessionId };
      };
      const first = await begin(`append-${agent}-first`);
      const args = ["append", format, first.file, first.id];
      const { home: below } = first.places;
      const steps = Number((await runChild({ args, home: below, below })).stdout);
      expect(steps).toBeGreaterThan(5);
      await atEveryStep(steps, async (at) => {
        const { places, file, id } = await begin(`append-${agent}-${at}`);
        const { home } = places;
        const end = await runChild({ args: ["append", format, file, id], home, below: home, at });
        expect(end.killed).toBe(true);
        // The old session is intact; a part of an answer may follow it until the next write.
        expect(told(await history(agent, id, places))[0]).toEqual(["text"]);
        await using adapter = openSessionAdapter({ format, sessionFile: file, sessionId: id, places });
        // pi continues no prompt while a call waits.
        const waits = told(await history(agent, id, places)).at(-1);
        if (agent === "pi" && JSON.stringify(waits) === JSON.stringify(ANSWER[0])) {
          await expect(adapter.appendUserMessage("Go on.")).rejects.toMatchObject({ code: "invalid" });
          await adapter.appendToolResult("call_killed", "a result that was killed");
        }
        await adapter.appendUserMessage("Go on.");
        const messages = told(await history(agent, id, places));
        expect(WHOLE).toContainEqual(messages.slice(0, -1));
        expect(messages.at(-1)).toEqual(["text"]);
        expect(leftovers(home)).toEqual([]);
        expect(existsSync(file)).toBe(true);
        rmSync(home, { recursive: true });
      });
    },
    LIMIT_MS,
  );
});
