import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { beforeResume } from "./before-resume.ts";
import { afterEnd } from "./clean-up.ts";
import { geminiFormat } from "./index.ts";
import { millisecondsToWait } from "./names.ts";
import { geminiWriter } from "./writer.ts";

const NOW = Date.parse("2026-05-04T10:20:30Z");

test.each([
  ["the minute that it is named after is waited for", "session-2026-05-04T10-20-1234abcd.jsonl", 30_500],
  ["another minute is not", "session-2026-05-04T10-19-1234abcd.jsonl", 0],
  ["nor one of the future", "session-2026-05-04T10-22-1234abcd.jsonl", 0],
  ["nor a name without one", "session-1234abcd.jsonl", 0],
  ["nor a name with all of the id", "session-2026-05-04T10-20-1234abcd-0000-4000-8000-000000000000.jsonl", 0],
])("a Gemini session that is resumed: %s", (_, name, waitMs) => {
  expect(millisecondsToWait({ location: `/chats/${name}` }, NOW)).toBe(waitMs);
});

test("a resumption does not wait for a session that Continuo wrote", () => {
  const createdMs = Date.parse("2026-05-04T10:20:01.000Z");
  const session = {
    sessionId: "1234abcd-0000-4000-8000-000000000000",
    cwd: "/work/project",
    title: null,
    gitBranch: null,
    createdMs,
  };
  const location = geminiWriter.placeOf(session, { home: "/nowhere", env: {} });
  expect(millisecondsToWait({ location }, createdMs)).toBe(0);
});

const ID = "1234abcd-0000-4000-8000-000000000001";
const OWN = "5678abcd-0000-4000-8000-000000000002";

interface Chats {
  readonly places: { readonly home: string; readonly env: Readonly<Record<string, string>> };
  readonly cwd: string;
  readonly names: () => readonly string[];
  write(name: string, ...records: readonly unknown[]): string;
}

/** The sessions of one project in a home of their own. */
function chatsIn(): Chats {
  const home = scratchFolder("gemini");
  const cwd = join(home, "project");
  const chats = join(home, ".gemini/tmp/project/chats");
  mkdirSync(cwd);
  mkdirSync(chats, { recursive: true });
  writeFileSync(join(chats, "../.project_root"), cwd);
  return {
    places: { home, env: {} },
    cwd,
    names: () => readdirSync(chats).sort(),
    write(name, ...records) {
      const path = join(chats, name);
      writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      return path;
    },
  };
}

afterEach(() => void vi.useRealTimers());

const head = (sessionId: string, startTime = new Date().toISOString()) => ({
  sessionId,
  projectHash: "x",
  startTime,
  lastUpdated: startTime,
  kind: "main",
});
const context = { id: "c", type: "user", content: [{ text: "<session_context>\nx\n</session_context>" }] };
const start = { $set: { messages: [context] } };
const said = { id: "u", type: "user", content: [{ text: "hello" }] };

test("a session of this minute can be resumed at once, because its file gets a name to which Gemini CLI writes nothing else", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  const { places, cwd, names, write } = chatsIn();
  const minute = "2026-05-04T10-20";
  const path = write(`session-${minute}-1234abcd.jsonl`, head(ID), start, said);
  const text = readFileSync(path, "utf8");
  const [found] = await Array.fromAsync(geminiFormat.find(places, { cwd }));
  if (found === undefined) throw new Error("the session is not found");
  const waited: number[] = [];
  const ready = await beforeResume(found, places, { onWait: (ms) => waited.push(ms) });
  expect([waited, names()]).toEqual([[], [`session-${minute}-${ID}.jsonl`]]);
  expect(readFileSync(ready.location, "utf8")).toBe(text);
  const [again] = await Array.fromAsync(geminiFormat.find(places, { cwd }));
  expect(again).toEqual(ready);
});

test("a session of another minute keeps its name", async () => {
  const { places, cwd, names, write } = chatsIn();
  write("session-2026-05-04T10-20-1234abcd.jsonl", head(ID), start, said);
  const [found] = await Array.fromAsync(geminiFormat.find(places, { cwd }));
  if (found === undefined) throw new Error("the session is not found");
  expect(await beforeResume(found, places, {})).toBe(found);
  expect(names()).toEqual(["session-2026-05-04T10-20-1234abcd.jsonl"]);
});

test("only the empty files that an ended program left are removed", async () => {
  const { places, cwd, names, write } = chatsIn();
  const startedAtMs = Date.now();
  const before = new Date(startedAtMs - 60_000).toISOString();
  const other = "9999abcd-0000-4000-8000-000000000003";
  const kept = [
    write("session-2026-05-04T10-20-1234abcd.jsonl", head(ID, before), start, said),
    write("session-2026-05-04T10-22-1234abcd.jsonl", head(ID), start, said),
    // The file of another program's session, an older file, one with a damaged record, and one with a message.
    write("session-2026-05-04T10-20-9999abcd.jsonl", head(other), start),
    write("session-2026-05-04T10-21-5678abcd.jsonl", head(OWN, before), start),
    write("session-2026-05-04T10-23-5678abcd.jsonl", head(OWN), start, { type: "user" }),
    write("session-2026-05-04T10-24-5678abcd.jsonl", head(OWN), start, {
      id: "i",
      type: "info",
      content: "x",
    }),
  ];
  write("session-2026-05-04T10-25-1234abcd.jsonl", head(ID), start);
  write("session-2026-05-04T10-25-5678abcd.jsonl", head(OWN), start, { $set: { lastUpdated: before } });
  await afterEnd(places, { cwd, sessionIds: [ID, OWN], startedAtMs });
  expect(names()).toEqual(kept.map((path) => path.split("/").at(-1)).sort());
});
