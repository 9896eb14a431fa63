/**
 * The size of copies relative to that of sessions: the recorded sessions of Claude Code and Gemini CLI, stored at once
 * and stored while they grow, with a run after each part, and the whole archive of a realistic home. Everything in the
 * guard's folder counts.
 */

import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, type Places } from "@continuo/files";
import { runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { appendTurn, realisticSessions } from "./realistic-home.ts";
import { claudeLines } from "./sessions.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

interface Recorded {
  readonly path: string;
  readonly lines: readonly string[];
}

/** Writes each recording as a separate session. */
function recorded(agent: "claude" | "gemini", home: string): readonly Recorded[] {
  return readdirSync(join(FIXTURES, agent)).flatMap((scenario, at) => {
    const files = filesBelow(join(FIXTURES, agent, scenario, "home")).filter((path) =>
      /\.jsonl$/u.test(path),
    );
    const main = files.find((path) =>
      (agent === "claude" ? /projects\/[^/]+\/[^/]+$/u : /chats\/session-/u).test(path),
    );
    if (main === undefined) return [];
    const number = `${(0x1a2b3c4d + at * 7_919).toString(16)}-5e6f-4a7b-8c9d-${String(at).padStart(12, "0")}`;
    const text = readFileSync(main, "utf8").replaceAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-9a55-[0-9a-f]{12}/gu,
      number,
    );
    const path =
      agent === "claude"
        ? join(home, ".claude/projects/-home-dev-project", `${number}.jsonl`)
        : join(home, ".gemini/tmp/project/chats", `session-2026-11-20T10-00-${number}.jsonl`);
    return [{ path, lines: text.split(/(?<=\n)/u) }];
  });
}

function sizeOf(folder: string): number {
  return filesBelow(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** The size of the guard's folder, as a part of the sessions' own size. */
async function ratio(home: string, ownBytes: number): Promise<number> {
  expect((await verifyGuard({ home, env: {} })).problems).toEqual([]);
  return sizeOf(join(home, ".continuo/guard")) / ownBytes;
}

test.each([1, 12])(
  "copies of recorded sessions of 10 kB in %i parts take at most 0.15 of their size, all included",
  async (parts) => {
    // The copies name the paths of sessions, so the path of the home is as short as a person's, and always as long.
    const home = realpathSync(mkdtempSync("/tmp/home-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const places: Places = { home, env: {} };
    const all = [...recorded("claude", home), ...recorded("gemini", home)];
    for (let part = 0; part < parts; part += 1) {
      for (const { path, lines } of all) {
        const [from, to] = [part, part + 1].map((at) => Math.round((at * lines.length) / parts));
        mkdirSync(dirname(path), { recursive: true });
        appendFileSync(path, lines.slice(from, to).join(""));
      }
      await runGuard({ places });
    }
    const own = all.reduce((sum, { path }) => sum + statSync(path).size, 0);
    expect(await ratio(home, own)).toBeLessThan(0.15);
  },
);

test("sessions of half a megabyte that grow from run to run take at most 0.15 of their size, all included", {
  timeout: 300_000,
}, async () => {
  const home = scratchFolder("guard-growing");
  const ids = Array.from(
    { length: 20 },
    (_, at) => `${(0x1a2b3c4d + at * 7_919).toString(16)}-5e6f-4a7b-8c9d-000000000000`,
  );
  for (let part = 0; part < 40; part += 1) {
    for (const id of ids) {
      const path = join(home, ".claude/projects/-work", `${id}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, claudeLines(id, part * 20, part * 20 + 20));
    }
    await runGuard({ places: { home, env: {} } });
  }
  expect(await ratio(home, sizeOf(join(home, ".claude")))).toBeLessThan(0.15);
});

const RUNS = 12;
/** Each session grows for a fifth of the time, and then nobody opens it again. */
const LIFETIME = 0.2;

test.each([
  { medianBytes: 250_000, count: 40, most: 0.15 },
  { medianBytes: 100_000, count: 50, most: 0.15 },
  // These sessions have one or two turns each; the dictionary is a third of such a small archive.
  { medianBytes: 5_000, count: 60, most: 0.18 },
])(
  "the archive of $count sessions, half of them over $medianBytes bytes, that grow turn by turn takes at most $most of their size",
  { timeout: 600_000 },
  async ({ medianBytes, count, most }) => {
    const home = scratchFolder("guard-home");
    const sessions = realisticSessions(home, { count, medianBytes });
    const sizes = sessions.map(() => 0);
    for (let run = 1; run <= RUNS; run += 1) {
      for (const [at, session] of sessions.entries()) {
        const share = Math.min(1, (run / RUNS - session.beginsAt) / LIFETIME);
        while ((sizes[at] ?? 0) < share * session.sizeBytes)
          sizes[at] = (sizes[at] ?? 0) + appendTurn(session);
      }
      expect(await runGuard({ places: { home, env: {} } })).toMatchObject({ failed: [] });
    }
    expect((await verifyGuard({ home, env: {} })).sessions).toBe(count);
    expect(
      await ratio(
        home,
        sizes.reduce((sum, size) => sum + size, 0),
      ),
    ).toBeLessThan(most);
  },
);
