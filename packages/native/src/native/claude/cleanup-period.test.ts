/** Settings of the administrator, the project and the person, and numbers that Claude Code refuses. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { cleanupPeriodOf, shortestPeriod } from "./cleanup-period.ts";

let places: Places;
let project: string;
let managed: string;

beforeEach(() => {
  const root = scratchFolder("cleanup-period");
  places = { home: root, env: {} };
  project = join(root, "project");
  managed = join(root, "etc", "managed-settings.json");
});

function set(path: string, days: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ cleanupPeriodDays: days }));
  return path;
}

test("the project's local file overrides its shared one, which overrides the person's, and the administrator's overrides all", () => {
  expect(cleanupPeriodOf(places, project, managed)).toEqual({ days: 30, path: null });
  const files = [
    [join(places.home, ".claude/settings.json"), 90],
    [join(project, ".claude/settings.json"), 20],
    [join(project, ".claude/settings.local.json"), 40],
    [managed, 7],
  ] as const;
  for (const [path, days] of files) {
    set(path, days);
    expect(cleanupPeriodOf(places, project, managed)).toEqual({ days, path });
  }
});

test.each([0, -5, "9", null])("%j is refused, and the next file counts", (days) => {
  set(join(project, ".claude/settings.json"), days);
  expect(cleanupPeriodOf(places, project, managed)).toEqual({ days: 30, path: null });
  const path = set(join(places.home, ".claude/settings.json"), 60);
  expect(cleanupPeriodOf(places, project, managed)).toEqual({ days: 60, path });
});

test("the shortest period of any project applies to the sessions of all projects, unless the administrator set one", () => {
  set(join(places.home, ".claude/settings.json"), 60);
  const path = set(join(project, ".claude/settings.json"), 9);
  const cwds = [join(places.home, "other"), project];
  expect(shortestPeriod(places, cwds, managed)).toEqual({ days: 9, path });
  set(managed, 45);
  expect(shortestPeriod(places, cwds, managed)).toEqual({ days: 45, path: managed });
});
