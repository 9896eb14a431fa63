/** A session that is larger than the memory that its copy and its restoration may use. */

import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/files";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { claudeLines, DAY_MS, writeClaudeSession, writeGeminiSession } from "./sessions.ts";

const [CLAUDE, GEMINI] = ["0b9c1a52-0000-4000-8000-000000000001", "1c9c1a52-0000-4000-8000-000000000002"];
const LARGE_BYTES = 320 * 1024 * 1024;
const MOST_BYTES = 240 * 1024 * 1024;

test.each(["claude", "gemini"] as const)(
  "a session of %s of 320 MiB is copied and restored in less memory",
  { timeout: 1_800_000 },
  async (agent) => {
    const home = scratchFolder("guard-large");
    const places: Places = { home, env: {} };
    const child = await bundledProgram("test/guard/guard-child.ts");
    const run = (...args: readonly string[]): number => {
      const env = { HOME: home, PATH: process.env.PATH };
      return 1024 * Number(execFileSync(process.execPath, [child, ...args], { env, encoding: "utf8" }));
    };
    const write = agent === "claude" ? writeClaudeSession : writeGeminiSession;
    const id = agent === "claude" ? CLAUDE : GEMINI;
    const { path } = write(places.home, { id, turns: 4, writtenMs: Date.now() - DAY_MS });
    const chunk = agent === "claude" ? claudeLines(id, 4, 4_000) : geminiLines();
    while (statSync(path).size < LARGE_BYTES) appendFileSync(path, chunk);
    const before = digest(path);
    expect(run("run")).toBeLessThan(MOST_BYTES);
    rmSync(path);
    mkdirSync(join(home, "tmp"));
    expect(run("restore", id)).toBeLessThan(MOST_BYTES);
    if (agent === "claude") expect(digest(path)).toBe(before);
  },
);

function geminiLines(): string {
  const messages = Array.from({ length: 2_000 }, (_, at) => ({
    id: `more-${at}`,
    timestamp: "2026-06-01T00:00:00.000Z",
    type: "gemini",
    content: `Answer ${at}. `.repeat(40),
  }));
  return messages.map((one) => `${JSON.stringify(one)}\n`).join("");
}

/** Another program reads the file, because programs that this process starts inherit its peak memory. */
function digest(path: string): string {
  return execFileSync("sha256sum", [path], { encoding: "utf8" }).slice(0, 64);
}
