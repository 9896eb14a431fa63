/** The sessions of every fixture go to the trash and come back, with the same bytes and time stamps. */

import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/agents";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type AgentName,
  isContinuoError,
  listTrashedSessions,
  restoreNativeSession,
  trashNativeSession,
} from "../../src/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { listedIn, placesFor, snapshot } from "./agent-home.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const NOW = new Date("2026-11-22T08:00:00.000Z");

let scratch: string;
let home: string;
let places: Places;

beforeEach(() => {
  scratch = scratchFolder("trash");
  home = join(scratch, "agent");
  mkdirSync(home);
});

function use(agent: AgentName): void {
  places = placesFor(agent, { scratch, home });
}

const listed = (): Promise<string[]> => listedIn(places);

const homes = readdirSync(FIXTURES).flatMap((agent) =>
  readdirSync(join(FIXTURES, agent))
    .map((name) => ({ agent: agent as AgentName, name, from: join(FIXTURES, agent, name, "home") }))
    .filter(({ from }) => existsSync(from)),
);

describe("the sessions of every fixture are deleted and restored, with the same bytes and time stamps", () => {
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
