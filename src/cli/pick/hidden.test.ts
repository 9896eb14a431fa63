/** Hidden sessions in the picker: the mark, the plan as a page, and the keys around it. */

import type { LeftOutSession } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { widthOf } from "../terminal/index.ts";
import { drawScreen } from "./draw.ts";
import { toEntries } from "./filter.ts";
import type { Key, KeyName } from "./keys.ts";
import { foldKey, type PickState, startPicking, withHidden } from "./state.ts";

const NOW = new Date("2026-11-22T08:00:00.000Z");

function info(sessionId: string, title: string) {
  return {
    agent: "codex",
    sessionId,
    title,
    cwd: null,
    gitBranch: null,
    createdAt: null,
    updatedAt: "2026-11-22T07:00:00.000Z",
    sizeBytes: 1,
    archived: false,
    live: null,
    location: `/${sessionId}`,
    problems: [],
  } as const;
}

const ENTRIES = toEntries([info("a1", "Fix the build"), info("b2", "Grow tea"), info("c3", "Tea, fixed")]);

/** The agent of the second one does not list it. */
const HIDDEN: readonly LeftOutSession[] = [
  {
    hidden: {
      found: {
        agent: "codex",
        sessionId: "b2",
        location: "/b2",
        files: [],
        archived: false,
        live: null,
        problems: [],
      },
      cause: "gone",
      detail: null,
    },
    facts: {
      means: "It is not in the index.",
      bringsBack: "Its row is written.",
      changes: "One row.",
      by: "continuo",
      list: "every",
      intended: false,
      evidence: "made",
    },
  },
];

const key = (name: KeyName): Key => ({ type: "key", name });
const typed = (text: string): Key => ({ type: "text", text });
const paint = (text: string): string => text;
const plain = (line: string): string => line.replaceAll("\u001b[7m", "").replaceAll("\u001b[27m", "");

function press(keys: readonly Key[], from: PickState = startPicking(ENTRIES)) {
  let step: ReturnType<typeof foldKey> = { state: from, effect: null };
  for (const one of keys) step = foldKey(step.state, one, { page: 2, cwd: "/home/ann" });
  return step;
}

test("b shows the plan for hidden sessions only, and y carries it out", () => {
  const moved = press([key("down")]).state;
  expect(press([typed("b")], moved)).toMatchObject({
    effect: null,
    state: { message: expect.stringContaining("mark !") },
  });
  const hidden = withHidden(moved, HIDDEN);
  expect(press([typed("b")], hidden).effect).toEqual({ type: "plan", entries: [ENTRIES[1]] });
  expect(press([typed("*"), typed("b")], hidden).effect).toEqual({ type: "plan", entries: [ENTRIES[1]] });
  const entries = ENTRIES.slice(1, 2);
  const planned: PickState = { ...hidden, overlay: { type: "plan", plan: { lines: ["one"], entries } } };
  expect(press([typed("y")], planned).effect).toMatchObject({ action: "bring back", entries });
  for (const other of [key("escape"), key("enter"), typed("n")]) {
    expect(press([other], planned)).toMatchObject({ state: { overlay: null }, effect: null });
  }
  const nothing: PickState = {
    ...hidden,
    overlay: { type: "plan", plan: { lines: ["one"], entries: [] } },
  };
  expect(press([typed("y")], nothing)).toMatchObject({ state: { overlay: null }, effect: null });
});

test("a hidden session has a mark, which the star of a selected one covers", () => {
  const state = withHidden(press([key("down"), key("down")]).state, HIDDEN);
  const drawing = { columns: 60, rows: 14, paint, now: NOW, home: "/h", preview: [] };
  const firsts = (one: PickState) =>
    drawScreen(one, drawing)
      .slice(1, 4)
      .map((line) => plain(line)[0]);
  expect(firsts(state)).toEqual([" ", "!", " "]);
  expect(firsts(press([typed("*")], state).state)).toEqual(["*", "*", "*"]);
});

test.each([50, 80, 120])(
  "at %d columns a plan is shown as a page, and its question stays visible",
  (columns) => {
    const lines = Array.from({ length: 40 }, (_, at) => `step ${at} of the \u001b[2Jplan ${"x".repeat(99)}`);
    const planned = { type: "plan", plan: { lines, entries: ENTRIES } } as const;
    const drawing = { columns, rows: 20, paint, now: NOW, home: "/h", preview: [] };
    const drawn = drawScreen({ ...startPicking(ENTRIES), overlay: planned }, drawing);
    expect(drawn).toHaveLength(20);
    expect(drawn.join("\n")).toMatch(/step 0 of.*bring 3 sessions back\?.*y\s+yes.*Esc\s+back$/su);
    for (const line of drawn) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  },
);
