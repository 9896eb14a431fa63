/**
 * Homes of all five agents with healthy sessions of any size: none of them counts as hidden, and the check changes no
 * file.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findHiddenSessions } from "@continuo/native";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../sizes/counts.ts";
import { sessionPath, talk } from "./claude-recipes.ts";
import { event, header, rolloutName, said, shown, writeThread } from "./codex-recipes.ts";
import { geminiHead, writeGemini } from "./gemini-recipes.ts";
import { writeOpencode } from "./opencode-recipes.ts";
import { piFolder, piHeader, writePi } from "./pi-recipes.ts";
import { type LostHome, makeLostHome, placesOfHome, snapshotOf, toLines, writeText } from "./recipe.ts";

interface Talk {
  /** A UUID. */
  readonly id: string;
  readonly turns: readonly (readonly [asked: string, answered: string])[];
}

/** The prompt of a person, in any letters. It is never empty, because no agent sends an empty prompt. */
const words = fc
  .oneof(fc.lorem({ maxCount: 40 }), fc.string({ unit: "grapheme", minLength: 1, maxLength: 400 }))
  .filter((text) => /\p{L}{2}/u.test(text) && !text.includes("<") && !text.includes("["));
const homes = fc.uniqueArray(
  fc.record({
    id: fc.uuid({ version: 4 }),
    turns: fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 12 }),
  }),
  { minLength: 1, maxLength: 6, selector: ({ id }) => id },
);

const WRITERS: readonly ((home: LostHome, said: Talk) => void)[] = [
  writeClaude,
  writeCodex,
  writeGeminiTalk,
  writePiTalk,
  (home, { id }) => writeOpencode(home, { id: `ses_${id}`, path: home.project.slice(1) }),
];

function writeClaude(home: LostHome, { id, turns }: Talk): void {
  const chain = turns.flatMap(([asked, answered]) => [
    { role: "user" as const, content: asked },
    { role: "assistant" as const, content: answered },
  ]);
  writeText(sessionPath(home, `${id}.jsonl`), toLines(talk(home, chain, id)));
}

function writeCodex(home: LostHome, { id, turns }: Talk): void {
  const records = turns.flatMap(([asked, answered]) => [
    said("user", asked),
    shown(asked),
    said("assistant", answered),
    event({ type: "agent_message", message: answered }),
  ]);
  writeThread(home, [header(home, { id }), ...records], "sessions/2026/11/20", rolloutName(id));
}

function writeGeminiTalk(home: LostHome, { id, turns }: Talk): void {
  const timestamp = "2026-11-20T10:00:00.000Z";
  const records = turns.flatMap(([asked, answered], at) => [
    { id: `u${at}`, timestamp, type: "user", content: [{ text: asked }] },
    { id: `a${at}`, timestamp, type: "gemini", content: answered, thoughts: [], model: "gemini-2.5-flash" },
  ]);
  const name = `session-2026-11-20T10-00-${id}.jsonl`;
  writeGemini(home, [geminiHead(home, { sessionId: id }), ...records], name);
}

function writePiTalk(home: LostHome, { id, turns }: Talk): void {
  const timestamp = "2026-11-20T10:00:00.000Z";
  const entry = (at: number, message: object): object => {
    const parentId = at === 0 ? null : `a${at - 1}`;
    return { type: "message", id: `a${at}`, parentId, timestamp, message };
  };
  const records = turns.flatMap(([asked, answered], at) => [
    entry(2 * at, { role: "user", content: asked, timestamp: 1 }),
    entry(2 * at + 1, { role: "assistant", content: [{ type: "text", text: answered }], timestamp: 2 }),
  ]);
  writePi(
    home,
    [piHeader(home, { id }), ...records],
    piFolder(home.project),
    `2026-11-20T10-00-00-000Z_${id}.jsonl`,
  );
}

test("no healthy session of any agent counts as hidden, and the check changes no byte", async () => {
  await fc.assert(
    fc.asyncProperty(homes, async (talks) => {
      const scratch = mkdtempSync(join(tmpdir(), "continuo-healthy-"));
      try {
        const home = makeLostHome(scratch);
        for (const one of talks) for (const write of WRITERS) write(home, one);
        const before = snapshotOf(home);
        const hidden = await Array.fromAsync(findHiddenSessions({ places: placesOfHome(home) }));
        expect(hidden.map(({ found, cause }) => [found.location, cause])).toEqual([]);
        expect(snapshotOf(home)).toEqual(before);
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    }),
    { numRuns: rounds(200) },
  );
});
