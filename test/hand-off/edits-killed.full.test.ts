/**
 * A process is killed at every system call by which an edit changes something. The session is immediately either the
 * old one or the new one, the next reading command leaves no other files in the agent's folders, and the same edit,
 * requested again, completes and leaves no private folder.
 */

import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  checkNativeSession,
  listNativeSessions,
  listTrashedSessions,
  type Places,
  readNativeSession,
  trashNativeSession,
} from "@continuo/agents";
import type { AgentName, SessionInfo } from "@continuo/core/model";
import { settleUnfinished } from "@continuo/native/editing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { nativeState } from "../power-cut/native-state.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { momentsOfRun } from "../sizes/rotation.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { tested } from "../tested-agents.ts";
import { type Edit, runEdit, TITLE } from "./edits.ts";
import { type KillTarget, killAt, killPointsOf } from "./kill-syscalls.ts";
import { saidIn, sourceView } from "./spoken-items.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
/** The folder of each agent's files, below a home. */
const NATIVE = tested(({ folder }) => folder);
const CASES = tested(({ recorded }) => recorded.edited);
/** Each agent stores some data in its own way: marks, indexes, folders, rows. */
const MATRIX: readonly (readonly [Edit, AgentName])[] = [
  ...(["codex", "gemini", "opencode"] as const).map((agent) => ["fork", agent] as const),
  ...(["claude", "codex", "opencode"] as const).map((agent) => ["rename", agent] as const),
  ...(["claude", "opencode"] as const).map((agent) => ["repair", agent] as const),
  ...(["claude", "codex", "opencode"] as const).map((agent) => ["delete", agent] as const),
  ...(["claude", "codex", "opencode"] as const).map((agent) => ["restore", agent] as const),
  ["hand-off to codex", "claude"],
  ["hand-off to gemini", "claude"],
  ["hand-off to opencode", "claude"],
];

/** The session that the opencode of the target already has. */
const OPENCODE_BEFORE = String(
  JSON.parse(readFileSync(join(FIXTURES, "opencode/image/requests.json"), "utf8")).sessionId,
);

const root = scratchFolder("killed");
beforeAll(() => {
  mkdirSync(join(root, "tmp"));
  vi.stubEnv("TMPDIR", join(root, "tmp"));
});
afterAll(() => {
  vi.unstubAllEnvs();
});

interface Machine {
  readonly places: Places;
  readonly ref: string;
  readonly agent: AgentName;
  /** Returns everything that belongs to the session, as text. */
  readonly state: string;
  /** The names of the sessions that existed before. */
  readonly known: readonly string[];
}

/** The folder is always the same, so that every run makes the same calls. */
async function makeMachine(edit: Edit, agent: AgentName): Promise<Machine> {
  const home = join(root, "home");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(home, "project"), { recursive: true });
  cpSync(join(FIXTURES, agent, CASES[agent], "home"), join(home, NATIVE[agent]), { recursive: true });
  const to = edit.startsWith("hand-off") ? edit.split(" ").at(-1) : null;
  if (to === "opencode") {
    cpSync(join(FIXTURES, "opencode/image/home"), join(home, NATIVE.opencode), { recursive: true });
  }
  const places: Places = { home, env: {} };
  const [info] = await sessionsOf(agent, places);
  if (info === undefined) throw new Error(`no session of ${agent}`);
  if (edit === "repair" && agent !== "opencode") appendFileSync(info.location, '{"type":"user","to');
  const ref = `${agent}:${info.sessionId}`;
  const known = Object.keys(await nativeState(places)).flatMap((name) => [name, `trash ${name}`]);
  const machine = { places, ref, agent, known, state: await stateOf(info, places) };
  if (edit === "restore") await trashNativeSession(ref, { places });
  return machine;
}

async function sessionsOf(agent: AgentName, places: Places): Promise<readonly SessionInfo[]> {
  return await listNativeSessions({ agents: [agent], places, archived: "include" });
}

async function stateOf({ location, agent }: SessionInfo, places: Places): Promise<string> {
  if (agent !== "opencode") return readFileSync(location, "utf8");
  const { messages, problems } = await readNativeSession(location, { places });
  return JSON.stringify({ messages, problems });
}

function leftovers(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(?:new|repaired|part)\b/u.test(name) || /unfinished\/.+|trash\/\..+/u.test(name),
  );
}

/** The state directly after the kill, before any edit is settled. */
async function assertOldOrNew(edit: Edit, { places, agent, state, ref }: Machine): Promise<void> {
  const sessions = await sessionsOf(agent, places);
  const own = sessions.find(({ sessionId }) => ref.endsWith(sessionId));
  if (edit === "rename") {
    expect(own).toBeDefined();
    expect(
      (await checkNativeSession(ref, { places })).problems.filter(({ code }) => code === "bad_json"),
    ).toEqual([]);
  } else if (edit === "repair") {
    expect(own).toBeDefined();
    const isOld = own !== undefined && (await stateOf(own, places)) === state;
    if (!isOld) expect((await checkNativeSession(ref, { places })).problems).toEqual([]);
  } else if (edit === "fork" || edit.startsWith("hand-off")) {
    expect(own !== undefined && (await stateOf(own, places))).toBe(state);
  }
}

async function assertDone(edit: Edit, machine: Machine, made: string | null): Promise<void> {
  const { places, agent, ref, state } = machine;
  const sessions = await sessionsOf(agent, places);
  const own = sessions.find(({ sessionId }) => ref.endsWith(sessionId));
  const trashed = listTrashedSessions({ places }).map(({ info }) => `${info.agent}:${info.sessionId}`);
  if (edit === "fork") {
    expect(sessions.map(({ sessionId }) => sessionId).filter((id) => !ref.endsWith(id))).toEqual([made]);
  } else if (edit === "rename") {
    expect(own?.title).toBe(TITLE);
  } else if (edit === "repair") {
    expect((await checkNativeSession(ref, { places })).problems).toEqual([]);
    expect(trashed).toEqual([ref]);
    await runEdit("restore", ref, places);
    expect(own !== undefined && (await stateOf(own, places))).toBe(state);
  } else if (edit === "delete") {
    expect([own, trashed]).toEqual([undefined, [ref]]);
    await runEdit("restore", ref, places);
    const [back] = await sessionsOf(agent, places);
    expect(back !== undefined && (await stateOf(back, places))).toBe(state);
  } else if (edit === "restore") {
    expect([own !== undefined && (await stateOf(own, places)), trashed]).toEqual([state, []]);
  } else {
    const to = edit.split(" ").at(-1) as AgentName;
    const before = to === "opencode" ? 1 : 0;
    const after = await sessionsOf(to, places);
    expect(after.length).toBe(before + 1);
    expect(after.map(({ sessionId }) => sessionId)).toContain(made);
    expect(saidIn(await sourceView(to, made ?? "", places))).toEqual(
      saidIn(await sourceView(agent, ref.split(":")[1] ?? "", places)),
    );
  }
}

/** The new session, if only the end of the process was missing. */
async function endedBefore(edit: Edit, { places, agent, ref }: Machine): Promise<string | null> {
  if (edit !== "fork" && !edit.startsWith("hand-off")) return null;
  const unfinished = join(places.home, ".continuo/unfinished");
  if (existsSync(unfinished) && readdirSync(unfinished).length > 0) return null;
  const to = edit === "fork" ? agent : (edit.split(" ").at(-1) as AgentName);
  const known = to === "opencode" && edit !== "fork" ? OPENCODE_BEFORE : ref;
  const made = (await sessionsOf(to, places)).filter(({ sessionId }) => !known.endsWith(sessionId));
  expect(made.length).toBeLessThanOrEqual(1);
  return made[0]?.sessionId ?? null;
}

/** A session that an edit made has another id in each run. */
async function linesOf({ places, known }: Machine): Promise<readonly string[]> {
  const state = Object.entries(await nativeState(places));
  return state.map(([name, said]) => `${known.includes(name) ? name : "new"} ${said}`).sort();
}

/** Both commands leave the state before or after the edit, and can settle everything that they find. */
async function readAll({ places }: Machine): Promise<void> {
  for (const command of ["list", "check"]) {
    const { code, stderr } = await runHere({ path: places.home }, ["session", command, "--json"]);
    expect([command, [0, 4].includes(code ?? -1), stderr]).toEqual([command, true, ""]);
  }
}

/** The edit is done already if the kill came at the very end. */
async function askAgain(edit: Edit, { ref, places }: Machine): Promise<string | null> {
  try {
    return await runEdit(edit, ref, places);
  } catch (error) {
    if ((edit === "delete" || edit === "restore") && (error as { code?: string }).code === "not_found")
      return null;
    throw error;
  }
}

describe("an edit that is killed at every change", () => {
  test.each(MATRIX)(
    "%s, %s",
    async (edit, agent) => {
      const machine = await makeMachine(edit, agent);
      const { home } = machine.places;
      const run: KillTarget = {
        argv: [await bundledProgram("test/hand-off/edit-child.ts"), edit, machine.ref],
        env: { HOME: home, TMPDIR: join(root, "tmp"), PATH: process.env.PATH ?? "" },
        below: `${home}/`,
      };
      const old = await linesOf(machine);
      const points = killPointsOf(run, root);
      expect(points.length).toBeGreaterThan(5);
      const fresh = await linesOf(machine);
      let kills = 0;
      const tried = momentsOfRun(points);
      for (const point of tried) {
        const each = await makeMachine(edit, agent);
        if (!killAt(point, run, root)) continue;
        kills += 1;
        await assertOldOrNew(edit, each);
        await readAll(each);
        expect([point, leftovers(home).filter((name) => !name.includes("unfinished/"))]).toEqual([point, []]);
        expect([old, fresh]).toContainEqual(await linesOf(each));
        // If the session exists and its note is gone, the edit had ended, and a further request makes another session.
        const ended = await endedBefore(edit, each);
        // Node opens more or fewer files of its own in each run, so the same `openat` may come later.
        if (ended !== null && point.call !== "openat") expect(point).toMatchObject({ isAfterEnd: true });
        if (ended !== null) await settleUnfinished({ places: each.places });
        const made = ended ?? (await askAgain(edit, each));
        await assertDone(edit, each, made);
        expect([point, [...leftovers(home), ...readdirSync(join(root, "tmp"))]]).toEqual([point, []]);
      }
      // The number of files that Node opens before ours differs from run to run, so that the last points may
      // not be met again.
      expect(kills).toBeGreaterThan(tried.length / 2);
    },
    1_800_000,
  );
});
