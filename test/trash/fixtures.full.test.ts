/** The sessions of every fixture go to the trash and come back, with the same bytes and time stamps. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { findNativeSessions, HOME_VARIABLES, type Places } from "@continuo/agents";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type AgentName,
  isContinuoError,
  listTrashedSessions,
  restoreNativeSession,
  trashNativeSession,
} from "../../src/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { tested } from "../tested-agents.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const NOW = new Date("2026-11-22T08:00:00.000Z");

/** Returns the variables that move each agent's home to a folder that was copied from a fixture. */
const MOVED = tested((_agent, name) => (home: string) => ({ [HOME_VARIABLES[name]]: home }));

let scratch: string;
let home: string;
let places: Places;

beforeEach(() => {
  scratch = scratchFolder("trash");
  home = join(scratch, "agent");
  mkdirSync(home);
});

function use(agent: AgentName): void {
  places = { home: scratch, env: { ...MOVED[agent](home), CONTINUO_HOME: join(scratch, "continuo") } };
}

/** Path, mode, time stamp to the nanosecond, and bytes. */
function snapshot(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, mtimeNs } = statSync(path, { bigint: true });
      return [path, `${mode.toString(8)} ${mtimeNs} ${readFileSync(path, "base64")}`];
    }),
  );
}

async function listed(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { agent, sessionId } of findNativeSessions({ places })) ids.push(`${agent}:${sessionId}`);
  return ids.sort();
}

const homes = readdirSync(FIXTURES).flatMap((agent) =>
  readdirSync(join(FIXTURES, agent))
    .map((name) => ({ agent: agent as AgentName, name, from: join(FIXTURES, agent, name, "home") }))
    .filter(({ from }) => existsSync(from)),
);

describe("every fixture's sessions go and come back, bytes and time stamps", () => {
  test.each(homes)("$agent $name", async ({ agent, from }) => {
    cpSync(from, home, { recursive: true, preserveTimestamps: true });
    use(agent);
    const before = snapshot(home);
    const all = await listed();
    expect(all.length).toBeGreaterThan(0);
    for (const id of all) {
      const trashed = await trashNativeSession(id, { places, now: NOW }).catch((error: unknown) => error);
      if (isContinuoError(trashed, "has_forks")) {
        expect(await listed()).toEqual(all);
        continue;
      }
      expect(trashed).toMatchObject({ trashedAt: NOW.toISOString() });
      expect(await listed()).toEqual(all.filter((other) => other !== id));
      expect(listTrashedSessions({ places })).toEqual([trashed]);
      expect(await restoreNativeSession(id, { places })).toEqual(trashed);
      expect(await listed()).toEqual(all);
      if (agent !== "opencode") expect(snapshot(home)).toEqual(before);
    }
    expect(listTrashedSessions({ places })).toEqual([]);
  });

  test("there are fixtures of every agent that keeps files", () => {
    const agents = new Set(homes.map(({ agent }) => agent));
    expect([...agents].filter((agent) => agent !== "opencode").sort()).toEqual([
      "claude",
      "codex",
      "copilot",
      "gemini",
      "pi",
    ]);
  });
});
