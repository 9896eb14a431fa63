/** An hourly run in which nothing changed takes less than 0.5 % of a core, even in a home of thousands of sessions. */

import type { Places } from "@continuo/files";
import { runGuard } from "@continuo/native/editing/guard";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { DAY_MS, writeClaudeSession, writeGeminiSession } from "./sessions.ts";

const SESSIONS = 2000;
const HOUR_MS = 60 * 60 * 1000;
const SHARE_OF_A_CORE = 0.005;

test("an hourly run in which nothing changed takes less than 0.5 % of a core", {
  timeout: 1_800_000,
}, async () => {
  const places: Places = { home: scratchFolder("guard-idle"), env: {} };
  for (let at = 0; at < SESSIONS; at += 1) {
    const start = (0x1a2b3c4d + at * 7_919).toString(16).padStart(8, "0");
    const id = `${start}-5e6f-4a7b-8c9d-${String(at).padStart(12, "0")}`;
    const shape = { id, turns: 4, writtenMs: Date.now() - (1 + (at % 20)) * DAY_MS };
    if (at % 2 === 0) writeClaudeSession(places.home, shape);
    else writeGeminiSession(places.home, shape);
  }
  expect(await runGuard({ places })).toMatchObject({ stored: SESSIONS, failed: [] });
  const before = process.cpuUsage();
  expect(await runGuard({ places })).toMatchObject({ stored: 0, failed: [] });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000 / HOUR_MS).toBeLessThan(SHARE_OF_A_CORE);
});
