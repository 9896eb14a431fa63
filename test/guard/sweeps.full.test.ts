/**
 * A thousand sweeps of three homes over the years: Claude Code with 30 days, Claude Code with 9 days, and Gemini CLI,
 * which also deletes files that it cannot list, and all files whose names end alike. The guard runs before each sweep.
 * Nothing is lost.
 *
 * No third agent sweeps: as far as their settings and sources show, Codex, pi, opencode and Copilot have no rule that
 * deletes a session. OpenClaw has one, but Continuo does not read its sessions. Sessions of opencode that a person
 * deletes are in `session-rows.test.ts`.
 */

import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { Places } from "@continuo/files";
import { restoreGuardedSession } from "@continuo/native/editing";
import { findDueSessions, onlyCopies, runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import {
  claudeLines,
  DAY_MS,
  type WrittenSession,
  writeClaudeSession,
  writeGeminiSession,
} from "./sessions.ts";

const SWEEPS = 1000;

/** Deletes as Claude Code does: by the time stamps of files, with the folder of a session. */
function sweepClaude(home: string, days: number, nowMs: number): number {
  const folder = join(home, ".claude/projects/-work");
  let gone = 0;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    if (!name.endsWith(".jsonl") || statSync(path).mtimeMs > nowMs - days * DAY_MS) continue;
    const id = basename(name, ".jsonl");
    for (const one of [path, join(folder, id), join(home, ".claude/file-history", id)])
      rmSync(one, { recursive: true, force: true });
    gone += 1;
  }
  return gone;
}

/**
 * Deletes as Gemini CLI does: by `lastUpdated`, and all files whose names have the same ending as a file without a
 * conversation.
 */
function sweepGemini(home: string, days: number, nowMs: number): number {
  const folder = join(home, ".gemini/tmp/project/chats");
  const files = (existsSync(folder) ? readdirSync(folder) : []).map((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const times = [...text.matchAll(/"lastUpdated":"([^"]+)"/gu)].map(([, time = ""]) => Date.parse(time));
    const end = /-([a-zA-Z0-9]{8})\.jsonl$/u.exec(name)?.[1] ?? name;
    return {
      name,
      end,
      isOld: (times.at(-1) ?? nowMs) < nowMs - days * DAY_MS,
      isListed: text.includes('"type":"user"'),
    };
  });
  const broken = new Set(files.filter(({ isListed }) => !isListed).map(({ end }) => end));
  const gone = files.filter(({ end, isOld }) => isOld || broken.has(end));
  for (const { name } of gone) rmSync(join(folder, name));
  return gone.length;
}

/** The file that a start leaves next to a session that it resumes. */
function leaveStub({ id }: WrittenSession, home: string, nowMs: number): void {
  const minute = new Date(nowMs).toISOString().slice(0, 16).replace(":", "-");
  const path = join(home, ".gemini/tmp/project/chats", `session-${minute}-${id.slice(0, 8)}.jsonl`);
  const time = new Date(nowMs).toISOString();
  writeFileSync(
    path,
    `${JSON.stringify({ sessionId: id, projectHash: "x", startTime: time, lastUpdated: time })}\n`,
  );
}

test("1,000 sweeps lose nothing, and each session that comes back survives the next one", {
  timeout: 900_000,
}, async () => {
  const homes = ["thirty", "nine", "gemini"].map(
    (name): Places => ({ home: scratchFolder(`sweeps-${name}`), env: {} }),
  );
  const [thirty, nine, gemini] = homes as [Places, Places, Places];
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const made = new Map<Places, Map<string, number>>(homes.map((places) => [places, new Map()]));
  // Time stamps have to be in the past of this machine, so that the years end today.
  let nowMs = Date.now() - SWEEPS * DAY_MS;
  let [deleted, restored] = [0, 0];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    nowMs += DAY_MS;
    const places = homes[sweep % 3] as Places;
    const known = made.get(places) ?? new Map<string, number>();
    if (known.size < 40) {
      const id = `${(random(0xffffffff) >>> 0).toString(16).padStart(8, "0")}-0000-4000-8000-${String(sweep).padStart(12, "0")}`;
      const shape = { id, turns: 4 + random(60), writtenMs: nowMs };
      const session =
        places === gemini ? writeGeminiSession(places.home, shape) : writeClaudeSession(places.home, shape);
      if (places === gemini && random(4) === 0) leaveStub(session, places.home, nowMs);
      known.set(id, shape.turns);
    } else if (places !== gemini) {
      // One of the sessions grows.
      const [id = ""] = [...known.keys()].slice(random(known.size));
      const path = join(places.home, ".claude/projects/-work", `${id}.jsonl`);
      const turns = known.get(id) ?? 0;
      if (existsSync(path)) {
        appendFileSync(path, claudeLines(id, turns, turns + 2));
        utimesSync(path, nowMs / 1000, nowMs / 1000);
        known.set(id, turns + 2);
      }
    }
    await runGuard({ places, now: new Date(nowMs) });
    deleted +=
      places === gemini
        ? sweepGemini(gemini.home, 30, nowMs)
        : sweepClaude(places.home, places === nine ? 9 : 30, nowMs);
    if (random(5) > 0) continue;
    const [gone] = onlyCopies({ places, metIds: idsIn(places) });
    if (gone === undefined) continue;
    const { location } = await restoreGuardedSession(gone.sessionId, { places, now: new Date(nowMs) });
    // The disk does not use the test's clock.
    if (places !== gemini) utimesSync(location, nowMs / 1000, nowMs / 1000);
    if (places === gemini) sweepGemini(gemini.home, 30, nowMs + DAY_MS);
    else sweepClaude(places.home, places === nine ? 9 : 30, nowMs + DAY_MS);
    expect([sweep, existsSync(location)]).toEqual([sweep, true]);
    restored += 1;
  }
  expect(deleted).toBeGreaterThan(100);
  expect(restored).toBeGreaterThan(50);
  for (const places of [thirty, nine, gemini]) {
    const there = idsIn(places);
    const copies = new Set(onlyCopies({ places, metIds: there }).map(({ sessionId }) => sessionId));
    expect([...(made.get(places)?.keys() ?? [])].filter((id) => !there.has(id) && !copies.has(id))).toEqual(
      [],
    );
    expect((await verifyGuard(places)).problems).toEqual([]);
    expect((await findDueSessions({ places })).rules).not.toEqual([]);
  }
});

function idsIn(places: Places): ReadonlySet<string> {
  const folders = [".claude/projects/-work", ".gemini/tmp/project/chats"].map((folder) =>
    join(places.home, folder),
  );
  const names = folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
  const ids = names.filter((name) => name.endsWith(".jsonl")).map((name) => idOf(name, places));
  return new Set(ids.flat());
}

/** Returns no id for a file of Gemini CLI without a conversation, because it is not a session. */
function idOf(name: string, { home }: Places): readonly string[] {
  if (!name.startsWith("session-")) return [basename(name, ".jsonl")];
  const text = readFileSync(join(home, ".gemini/tmp/project/chats", name), "utf8");
  const id = /"sessionId":"([^"]+)"/u.exec(text)?.[1] ?? "";
  return text.includes('"type":"user"') ? [id] : [];
}
