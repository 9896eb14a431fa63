/**
 * The memory of a hand-over does not grow with the session: it succeeds even with a heap that could not hold the
 * session.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runContinuo } from "../../bench/memory/peak.ts";
import { FILE_AGENTS, writeSession } from "../../bench/memory/sessions.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledCommand } from "../sizes/shared-programs.ts";

/** A size above the limit up to which a session is kept in memory. */
const SESSION_BYTES = 20_000_000;
/**
 * Three times as much as the program itself needs; records, messages and the copy that is read back together need more.
 */
const HEAP_MEGABYTES = 64;

const COMMAND = await bundledCommand();

const home = scratchFolder("memory");

beforeAll(() => {
  mkdirSync(join(home, "work"));
});

function run(args: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const { status, stderr } = runContinuo(args, {
    home,
    heapMegabytes: HEAP_MEGABYTES,
    command: COMMAND,
  });
  return { status, stderr };
}

describe.each(FILE_AGENTS)("a session of %s that the heap could not hold", (agent) => {
  let ref = "";

  beforeAll(() => {
    const wish = { agent, home, cwd: join(home, "work"), sizeBytes: SESSION_BYTES, shape: "turns" } as const;
    ref = `${agent}:${writeSession(wish).sessionId}`;
  });

  test("is handed over", () => {
    const to = agent === "codex" ? "claude" : "codex";
    expect(run(["handoff", ref, "--to", to])).toEqual({ status: 0, stderr: "" });
  }, 600_000);

  test("is packed", () => {
    const packed = run(["session", "export", ref, "--bundle", join(home, `${agent}.bundle`)]);
    expect(packed).toEqual({ status: 0, stderr: expect.stringContaining("continuo import") });
  }, 600_000);
});
