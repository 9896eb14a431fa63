/** The index continues in a session that has grown, and then equals an index after a full read. */

import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/agents";
import { updateTexts } from "@continuo/agents/catalog";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { roundsOfEach } from "../sizes/counts.ts";
import { GROWN_HISTORIES, placeHistory } from "./grown-histories.ts";
import { contentOf, LATER } from "./grown-home.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("grown");
});

interface Edit {
  readonly what: keyof typeof EDITS;
  readonly share: number;
  readonly file: number;
}

const lines = (path: string): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);

/** @param whole the whole text of the session in the case */
type Change = (path: string, share: number, whole: Buffer) => void;

const grow: Change = (path, share, whole) => {
  const size = statSync(path).size;
  appendFileSync(path, whole.subarray(size, size + Math.ceil(share * (whole.length - size))));
};

const EDITS = {
  grow,
  "grow to the end": (path, _, whole) => grow(path, 1, whole),
  "append a line again": (path, share) => {
    const all = lines(path);
    appendFileSync(path, `${all[Math.floor(share * all.length)] ?? ""}\n`);
  },
  "append an answer to another line": (path, share) => {
    const all = lines(path);
    const line = all[Math.floor(share * all.length)] ?? "";
    appendFileSync(path, `${line.replace(/"(uuid|id)":"[^"]*"/gu, '"$1":"branch-1"')}\n`);
  },
  "append half a line": (path) => appendFileSync(path, '{"type":"user","message":{"role":"user","con'),
  "append no JSON": (path) => appendFileSync(path, "}{\n"),
  truncate: (path, share) => truncateSync(path, Math.floor(share * statSync(path).size)),
  "truncate and grow beyond": (path, share, whole) => {
    const size = statSync(path).size;
    truncateSync(path, Math.floor(share * size));
    appendFileSync(path, `\n${"x".repeat(size)}\n`);
    appendFileSync(path, whole);
  },
  "change letters in place, set the time back": (path, share) => {
    const { atime, mtime } = statSync(path);
    changeLetters(path, share);
    utimesSync(path, atime, mtime);
  },
  "change letters in place, and grow": (path, share, whole) => {
    changeLetters(path, share);
    grow(path, share, whole);
    appendFileSync(path, "\n");
  },
  "take a line out, and grow": (path, share) => {
    const all = lines(path);
    const at = Math.floor(share * all.length);
    writeFileSync(path, [...all.filter((_, each) => each !== at), ...all, ""].join("\n"));
  },
  "another file of the same beginning in its place": (path, _, whole) => {
    writeFileSync(`${path}.new`, Buffer.concat([readFileSync(path), Buffer.from("\n"), whole]));
    renameSync(`${path}.new`, path);
  },
  "only touch": (path, share) => utimesSync(path, 1_700_000_000 + share, 1_700_000_000 + share),
} satisfies Readonly<Record<string, Change>>;

/** Changes a letter in a text, as a person does who edits a word. */
function changeLetters(path: string, share: number): void {
  const text = readFileSync(path, "latin1");
  const all = [...text.matchAll(/"(?:text|content|message)":\s?"[A-Za-z]/gu)];
  const at = all[Math.floor(share * all.length)];
  if (at === undefined) return;
  const end = at.index + at[0].length;
  writeFileSync(path, `${text.slice(0, end - 1)}Q${text.slice(end)}`, "latin1");
}

/** A share in percent, evenly distributed: nearly all values of `fc.double` are close to its bounds. */
const share = fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100);

const edit: fc.Arbitrary<Edit> = fc.record({
  what: fc.constantFrom(
    ...(Object.keys(EDITS) as Edit["what"][]),
    ...Array.from({ length: 8 }, () => "grow" as const),
  ),
  share,
  file: fc.nat(),
});

const CASES = FORMAT_CASES.filter(([agent]) => agent !== "opencode");

const AGENTS = ["claude", "codex", "pi", "gemini"] as const;

test.each(AGENTS)(
  "after every change to a session of %s, its index equals one that is built from the whole session",
  async (agent) => {
    const cases = CASES.filter(([one]) => one === agent);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cases),
        share,
        fc.array(edit, { minLength: 2, maxLength: 6, size: "max" }),
        async (one, begin, edits) => await expectSame(one, begin, edits),
      ),
      { numRuns: roundsOfEach(40, AGENTS.length), endOnFailure: true },
    );
  },
  600_000,
);

async function expectSame(one: (typeof CASES)[number], begin: number, edits: readonly Edit[]): Promise<void> {
  rmSync(scratch, { recursive: true });
  mkdirSync(scratch);
  const { places: home, sessions } = await copyHome(scratch, one);
  const places = (name: string): Places => ({
    ...home,
    env: { ...home.env, CONTINUO_HOME: join(scratch, name) },
  });
  const files = sessions.map(({ location }) => location).filter((path) => path.endsWith(".jsonl"));
  if (files.length === 0) return;
  const whole = new Map(files.map((path) => [path, readFileSync(path)]));
  for (const path of files) truncateSync(path, Math.floor(begin * statSync(path).size));
  await updateTexts({ places: places("kept"), nowMs: LATER });
  for (const { what, share, file } of edits) {
    const path = files[file % files.length] ?? "";
    EDITS[what](path, share, whole.get(path) ?? Buffer.alloc(0));
    await updateTexts({ places: places("kept"), nowMs: LATER });
    rmSync(join(scratch, "anew"), { recursive: true, force: true });
    await updateTexts({ places: places("anew"), nowMs: LATER });
    expect(await contentOf(places("kept"))).toEqual(await contentOf(places("anew")));
  }
}

/** An error persists, so not every line needs to be checked. */
const LINES_PER_LOOK = 5;

test.each(GROWN_HISTORIES)(
  "the index of a session of $agent that takes messages back while it grows equals one that is built from the whole session",
  async (history) => {
    const { path, places: home } = placeHistory(scratch, history);
    const places = (name: string): Places => ({
      ...home,
      env: { ...home.env, CONTINUO_HOME: join(scratch, name) },
    });
    for (const [at, line] of history.lines.entries()) {
      appendFileSync(path, line);
      await updateTexts({ places: places("kept"), nowMs: LATER });
      if (at % LINES_PER_LOOK !== 0 && at !== history.lines.length - 1) continue;
      rmSync(join(scratch, "anew"), { recursive: true, force: true });
      await updateTexts({ places: places("anew"), nowMs: LATER });
      const kept = await contentOf(places("kept"));
      expect(kept).toEqual(await contentOf(places("anew")));
      expect(kept).toHaveLength(1);
    }
  },
);
