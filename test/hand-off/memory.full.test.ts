/** The memory of a hand-over does not grow with the session: with a heap that could not hold it, it still succeeds. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runContinuo } from "../../bench/memory/peak.ts";
import { FILE_AGENTS, writeSession } from "../../bench/memory/sessions.ts";

const SESSION_BYTES = 40_000_000;
/** Records, messages and what is read back take several times as much together. */
const HEAP_MEGABYTES = 160;

let home = "";

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "continuo-memory-"));
  mkdirSync(join(home, "work"));
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.each(FILE_AGENTS)("a session of %s that is larger than the heap", (agent) => {
  let ref = "";

  beforeAll(() => {
    const wish = { agent, home, cwd: join(home, "work"), sizeBytes: SESSION_BYTES, shape: "turns" } as const;
    ref = `${agent}:${writeSession(wish).sessionId}`;
  });

  test("is handed over", () => {
    const to = agent === "codex" ? "claude" : "codex";
    const { status, stderr } = runContinuo(["handoff", ref, "--to", to], {
      home,
      heapMegabytes: HEAP_MEGABYTES,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  }, 600_000);

  test("is packed", () => {
    const args = ["session", "export", ref, "--bundle", join(home, `${agent}.bundle`)];
    const { status, stderr } = runContinuo(args, { home, heapMegabytes: HEAP_MEGABYTES });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("continuo import") });
  }, 600_000);
});
