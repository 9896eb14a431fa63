/**
 * Every thread of the format cases of Codex, handed over and back: legacy and paginated, forked, reverted, with undone
 * turns, damaged. Each effective record has the same bytes of JSON afterwards, except for the fields that
 * docs/formats/codex.md names.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  handOff,
  listNativeSessions,
  openNativeSession,
  openSessionAdapter,
  type Places,
} from "@continuo/agents";
import type { Entry, Message } from "@continuo/core/model";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

const FORMATS = join(import.meta.dirname, "../formats/codex");
const FIXTURES = join(import.meta.dirname, "../fixtures/codex");

let home: string;
let cwd: string;
let places: Places;

beforeEach(() => {
  home = scratchFolder("codex-threads");
  cwd = join(home, "project");
  mkdirSync(cwd);
  places = { home, env: { CONTINUO_HOME: join(home, "continuo"), CODEX_HOME: join(home, "codex") } };
});

interface Thread {
  readonly records: readonly unknown[];
  readonly said: readonly unknown[];
  readonly cwd: string | null;
  readonly problems: readonly string[];
}

async function read(sessionId: string): Promise<Thread> {
  using session = await openNativeSession(`codex:${sessionId}`, { places });
  const before = await Array.fromAsync(session.entriesBefore?.() ?? []);
  const entries = [...before, ...(await Array.fromAsync(session.entries()))];
  return {
    records: recordsThatCount(entries),
    said: (await Array.fromAsync(session.history())).map(saidOf),
    cwd: session.details.cwd,
    problems: session.problems.map(({ code }) => code),
  };
}

/**
 * Returns the records after the header of the newest file, preceded by those of the files that it continues, headers
 * first. A line that is not a JSON object does not count as a record.
 */
function recordsThatCount(entries: readonly Entry[]): unknown[] {
  const readable = entries.filter(({ value }) => isJson(value));
  const [header, ...own] = readable.filter(({ file }) => file === undefined);
  const before = readable.filter(({ file, active }) => file !== undefined && active);
  const headersFirst = before.toSorted((a, b) => Number(isHeader(b)) - Number(isHeader(a)));
  const all = [header, ...headersFirst, ...own].flatMap((entry) => entry?.value ?? []);
  return before.length === 0 ? all : all.map((value, ordinal) => ({ ...(value as object), ordinal }));
}

function saidOf({ role, origin, content }: Message): unknown {
  return { role, origin, content };
}

function isHeader({ type }: Entry): boolean {
  return type === "session_meta";
}

function isJson(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Names {
  readonly id: string;
  readonly cwd: string;
}

/** The records are compared as text, so that no other difference is allowed. */
function lineOf(value: unknown, from: Names, to: Names): string {
  const { ordinal, ...rest } = value as Record<string, unknown>;
  const line = JSON.stringify({ ordinal, ...rest }, (key, each) => (LINKS.has(key) ? undefined : each));
  return line
    .replaceAll(new RegExp(`("(?:id|session_id|thread_id)":)"${from.id}"`, "gu"), `$1"${to.id}"`)
    .replaceAll(`"cwd":"${from.cwd}"`, `"cwd":"${to.cwd}"`)
    .replaceAll(`"runtime_workspace_roots":["${from.cwd}"]`, `"runtime_workspace_roots":["${to.cwd}"]`);
}

/** These fields name a place in another file, or are Continuo's own note. */
const LINKS = new Set(["history_base", "forked_from_ordinal_exclusive", "continuo"]);

async function go(ref: string, to: "codex" | "pi") {
  const made = await handOff(ref, { to, cwd, places, verifyBy: "own" });
  if (made.sessionId === null) throw new Error("nothing was written");
  return { ...made, sessionId: made.sessionId };
}

const cases = readdirSync(FORMATS, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test.each(cases.map(({ name }) => name))("%s", async (name) => {
  cpSync(join(FORMATS, name, "home"), join(home, "codex"), { recursive: true });
  const sessions = await listNativeSessions({ agents: ["codex"], places, archived: "include" });
  for (const { sessionId } of sessions) {
    const before = await read(sessionId);
    const there = await go(`codex:${sessionId}`, "pi");
    const back = await go(`pi:${there.sessionId}`, "codex");
    expect(back.broughtBack).toMatchObject({ agent: "codex", sessionId, as: "records" });
    const after = await read(back.sessionId);
    expect(after.said).toEqual(before.said);
    const [from, to] = [
      { id: sessionId, cwd: before.cwd ?? "" },
      { id: back.sessionId, cwd },
    ];
    expect(after.records.map((value) => lineOf(value, from, to))).toEqual(
      before.records.map((value) => lineOf(value, from, to)),
    );
    // The result needs no other file, so a file that the source lacked is not a problem there.
    expect(after.problems).not.toContain("missing_parent_session");
  }
});

test.each(["fork", "revert"])(
  "messages that are added to a %s follow its records, even if all its files are missing",
  async (name) => {
    cpSync(join(FIXTURES, name, "home"), join(home, "codex"), { recursive: true });
    const { sessionId } = JSON.parse(readFileSync(join(FIXTURES, name, "requests.json"), "utf8"));
    const before = await read(sessionId);
    const there = await go(`codex:${sessionId}`, "pi");
    const more = { format: "pi-agent", sessionFile: there.location ?? "", places } as const;
    await using adapter = openSessionAdapter(more);
    await adapter.appendUserMessage("And now?");
    await adapter.appendAssistantMessage("Now this.");
    rmSync(join(home, "codex"), { recursive: true });
    const back = await go(`pi:${there.sessionId}`, "codex");
    expect(back.broughtBack).toMatchObject({ agent: "codex", sessionId, as: "records" });
    const after = await read(back.sessionId);
    expect(after.said.slice(0, before.said.length)).toEqual(before.said);
    expect(after.said.slice(before.said.length)).toMatchObject([
      { role: "user", content: [{ type: "text", text: "And now?" }] },
      { role: "assistant", content: [{ type: "text", text: "Now this." }] },
    ]);
    expect(after.problems).toEqual([]);
    const ordinals = after.records.map((record) => (record as { readonly ordinal: number }).ordinal);
    expect(ordinals).toEqual(after.records.map((_, at) => at));
  },
);

test("a fork stays the same after its source threads grew", async () => {
  cpSync(join(FIXTURES, "fork", "home"), join(home, "codex"), { recursive: true });
  const { sessionId } = JSON.parse(readFileSync(join(FIXTURES, "fork", "requests.json"), "utf8"));
  const there = await go(`codex:${sessionId}`, "pi");
  // Without the store there is no copy, so the records come from the files.
  rmSync(join(home, "continuo"), { recursive: true });
  const threads = await listNativeSessions({ agents: ["codex"], places });
  for (const { sessionId: id, location: sessionFile } of threads.filter(
    (each) => each.sessionId !== sessionId,
  )) {
    await using adapter = openSessionAdapter({ format: "codex", sessionFile, sessionId: id, places });
    await adapter.appendUserMessage("Somewhere else.");
  }
  const back = await go(`pi:${there.sessionId}`, "codex");
  expect(back.broughtBack).toMatchObject({ sessionId, as: "records" });
  expect(JSON.stringify((await read(back.sessionId)).records)).not.toContain("Somewhere else.");
});
