/** The index of a growing file of 10 MB: the existing content is read once, and every change is noticed. */

import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/agents";
import { updateTexts } from "@continuo/agents/catalog";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { contentOf, LATER } from "./grown-home.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("grown");
});

const PIECE = "a few words of a long answer ".repeat(1_400);

test.skipIf(!existsSync("/proc/self/io"))(
  "of a file of 10 MB that has grown, what is there is read once to compare it, and only the new part is taken in",
  async () => {
    const { path, places, size } = await indexedSession();
    for (const [at, role] of [
      [250, "assistant"],
      [251, "user"],
    ] as const) {
      appendFileSync(path, lineOf(at, role, "the newest words"));
      const before = bytesRead();
      const { ready } = await updateTexts({ places, nowMs: LATER });
      expect(bytesRead() - before).toBeLessThan(1.2 * size);
      expect(ready.size).toBe(1);
    }
    const [indexed] = await contentOf(places);
    expect(indexed?.turns.flatMap(({ passages }) => passages)).toHaveLength(252);
    expect(indexed?.turns.at(-1)?.passages.at(-1)?.text).toBe("the newest words");
  },
);

test("a letter that changes anywhere in a file of 10 MB shows, though the file grows before the next look", async () => {
  const { path, places, size } = await indexedSession();
  for (const share of [0.05, 0.37, 0.5, 0.93]) {
    const file = openSync(path, "r+");
    const around = Buffer.alloc(PIECE.length);
    const start = Math.floor(share * size);
    readSync(file, around, 0, around.length, start);
    const at = around.indexOf(" words of");
    writeSync(file, " wards of", start + at);
    closeSync(file);
    appendFileSync(path, lineOf(1_000 + start, "user", "more", 249));
    await updateTexts({ places, nowMs: LATER });
    const [indexed] = await contentOf(places);
    const texts = indexed?.turns.flatMap(({ passages }) => passages.map(({ text }) => text)) ?? [];
    const found = texts.join("\n").split(" wards of").length - 1;
    expect(found, `after ${share} of the file`).toBe([0.05, 0.37, 0.5, 0.93].indexOf(share) + 1);
  }
});

const SESSION_ID = "aaaaaaaa-0000-4000-8000-000000000001";

interface IndexedSession {
  readonly path: string;
  readonly places: Places;
  readonly size: number;
}

/** Makes a session of 10 MB of Claude Code, and indexes it. */
async function indexedSession(): Promise<IndexedSession> {
  const path = join(scratch, `.claude/projects/-home/${SESSION_ID}.jsonl`);
  const places: Places = { home: scratch, env: { CONTINUO_HOME: join(scratch, "continuo") } };
  mkdirSync(join(path, ".."), { recursive: true });
  const all = Array.from({ length: 250 }, (_, at) => lineOf(at, at % 50 === 0 ? "user" : "assistant", PIECE));
  writeFileSync(path, all.join(""));
  const size = statSync(path).size;
  expect(size).toBeGreaterThan(9_000_000);
  await updateTexts({ places, nowMs: LATER });
  return { path, places, size };
}

function lineOf(at: number, role: "user" | "assistant", text: string, parent = at - 1): string {
  const content = role === "user" ? text : [{ type: "text", text }];
  const parentUuid = at === 0 ? null : `u${parent}`;
  const timestamp = new Date(1_700_000_000_000 + at).toISOString();
  const place = { type: role, uuid: `u${at}`, parentUuid, sessionId: SESSION_ID, cwd: "/", timestamp };
  return `${JSON.stringify({ ...place, message: { role, content } })}\n`;
}

/** Returns the number of bytes that this process has read so far. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/mu.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}
