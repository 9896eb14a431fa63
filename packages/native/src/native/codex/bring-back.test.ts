import type { Json } from "@continuo/files";
import { expect, test } from "vitest";
import type { KeptRecord } from "../writing/index.ts";
import { bringBackLines } from "./bring-back.ts";

const timestamp = "2026-11-22T05:00:00.000Z";
const ROOT = "01a20055-4dbe-7070-8571-4194098d75b5";
const FORK = "01a20055-4f5d-75b3-b5b1-1a27daf03d61";
const NEW = "01a20055-5207-7903-974b-ed61bbb3c96d";
const SESSION = { sessionId: NEW, cwd: "/there", title: null, gitBranch: null, createdMs: 0 };
const ROOT_FILE = `/s/rollout-2026-11-22T05-00-00-${ROOT}.jsonl`;

function meta(id: string, ordinal: number, more: Json = {}): Json {
  const known = { timestamp, cwd: "/here", originator: "codex_exec", cli_version: "0.169.0" };
  const payload = { id, session_id: id, ...known, history_mode: "paginated", ...more };
  return { timestamp, ordinal, type: "session_meta", payload };
}

function event(ordinal: number | null, payload: Json): Json {
  return { timestamp, ...(ordinal === null ? {} : { ordinal }), type: "event_msg", payload };
}

function kept(values: readonly unknown[], file?: string): KeptRecord[] {
  return values.map((value, at) => ({ ...(file === undefined ? {} : { file }), line: at + 1, value }));
}

test("a fork has the records of its source after its header, up to the cut, and needs no other file", () => {
  const base = { thread_id: ROOT, end_ordinal_exclusive: 2, end_byte_offset: 900 };
  const links = { history_base: base, forked_from_id: ROOT, forked_from_ordinal_exclusive: 2 };
  const root = [
    meta(ROOT, 0),
    event(1, { type: "x", thread_id: ROOT, id: FORK }),
    event(2, { type: "behind", thread_id: ROOT }),
  ];
  const fork = [meta(FORK, 2, links), event(3, { type: "y", thread_id: FORK, cwd: "/here" })];
  expect(bringBackLines([...kept(root, ROOT_FILE), ...kept(fork)], SESSION)).toEqual([
    meta(NEW, 0, { cwd: "/there", forked_from_id: ROOT }),
    meta(ROOT, 1, { cwd: "/there" }),
    event(2, { type: "x", thread_id: ROOT, id: NEW }),
    event(3, { type: "y", thread_id: NEW, cwd: "/there" }),
  ]);
});

test("lines keep their ordinals, unless the last has none", () => {
  const gaps = [meta(FORK, 4), event(9, { type: "x" }), event(null, { type: "y" }), event(11, { type: "z" })];
  expect(bringBackLines(kept(gaps), SESSION)).toEqual([meta(NEW, 4, { cwd: "/there" }), ...gaps.slice(1)]);
  const old = [meta(FORK, 4), event(9, { type: "x" }), event(null, { type: "y" })];
  expect(bringBackLines(kept(old), SESSION)).toEqual([
    meta(NEW, 0, { cwd: "/there" }),
    event(1, { type: "x" }),
    event(2, { type: "y" }),
  ]);
});

test.each(["id", "timestamp", "cwd", "originator", "cli_version"])(
  "a thread whose header lacks %s cannot be brought back",
  (key) => {
    const { payload, ...rest } = meta(FORK, 0);
    const lacking = Object.fromEntries(Object.entries(payload as Json).filter(([each]) => each !== key));
    expect(bringBackLines(kept([{ ...rest, payload: lacking }]), SESSION)).toBeNull();
  },
);

test("a file without a header cannot be brought back", () => {
  expect(bringBackLines(kept([event(0, { type: "x" })]), SESSION)).toBeNull();
  expect(bringBackLines([], SESSION)).toBeNull();
});
