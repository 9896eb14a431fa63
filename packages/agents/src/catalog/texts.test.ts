/** The texts that a search may read: those of excluded folders are not among them, and what is missing is reported. */

import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { findNativeSessions } from "@continuo/native";
import { type Mirror, mirrorFile, writeMirror } from "@continuo/native/editing/mirrors";
import { createSourceReader, indexPathOf, storedSessions, useIndex } from "@continuo/native/index-file";
import { openStore } from "@continuo/store";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { openTexts, updateTexts } from "./texts.ts";
import { scanText } from "./texts-scan.ts";

const ID = "11111111-0000-4000-8000-000000000001";
const FILE = `.claude/projects/-elsewhere/${ID}.jsonl`;
const DAY_MS = 86_400_000;

let home: string;
beforeEach(() => {
  home = scratchFolder("texts");
});

const placesOf = () => ({ home, cwd: home, env: {} });

function write(path: string, records: readonly object[]): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
}

/** The name of its folder says nothing: only the record names `/work/secret`. */
function writeClaude(to = ""): void {
  const shared = {
    parentUuid: null,
    isSidechain: false,
    cwd: "/work/secret",
    sessionId: ID,
    version: "2.1.0",
  };
  const message = { role: "user", content: "where is the lighthouse?" };
  const at = { uuid: "u1", timestamp: "2026-01-01T00:00:00.000Z" };
  write(`${to}${FILE}`, [{ ...shared, ...at, type: "user", message }]);
}

async function turnsOf(exclude: readonly string[]): Promise<number> {
  let turns = 0;
  for await (const found of findNativeSessions({ places: placesOf() }))
    for await (const text of scanText(found, { places: placesOf(), exclude }))
      for await (const _ of text.turns) turns += 1;
  return turns;
}

test("a session has no text if only its records name the excluded folder", async () => {
  writeClaude();
  expect(await turnsOf([])).toBe(1);
  expect(await turnsOf(["/work/secret"])).toBe(0);
  expect(await turnsOf(["/work/other"])).toBe(1);
});

test("an own session of an excluded folder has no text, and that of another folder has", async () => {
  mkdirSync(join(home, ".continuo"));
  const store = await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
  await store.createSession({ sessionId: "hidden", cwd: "/work/secret" });
  await store.createSession({ sessionId: "shown", cwd: "/work/open" });
  await store.createSession({ sessionId: "nowhere" });
  await store.close();
  const idsOf = async (exclude: readonly string[]): Promise<readonly string[]> => {
    await using texts = await openTexts({ places: placesOf(), exclude });
    return texts.sessionIds().toSorted();
  };
  expect(await idsOf([])).toEqual(["hidden", "nowhere", "shown"]);
  expect(await idsOf(["/work/secret"])).toEqual(["nowhere", "shown"]);
});

test("a store that cannot be read is reported, and native sessions are searched nonetheless", async () => {
  writeClaude();
  write(".continuo/continuo.db", [{ not: "a database" }]);
  const { ready, unreadable } = await updateTexts({ places: placesOf() });
  expect(ready.size).toBe(1);
  expect(unreadable.map(({ location }) => location)).toEqual([
    `sqlite:${join(home, ".continuo/continuo.db")}`,
  ]);
});

test("a title that an agent writes beside a session is indexed without a change of the session's file", async () => {
  const meta = {
    id: ID,
    timestamp: "2026-01-01T00:00:00.000Z",
    cwd: "/work",
    originator: "codex",
    cli_version: "0.169.0",
  };
  const said = { type: "message", role: "user", content: [{ type: "input_text", text: "where?" }] };
  write(`.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${ID}.jsonl`, [
    { timestamp: meta.timestamp, type: "session_meta", payload: meta },
    { timestamp: meta.timestamp, type: "response_item", payload: said },
  ]);
  const titles = async (): Promise<readonly unknown[]> => {
    // A day later, so that files count as unchanged.
    const { ready } = await updateTexts({ places: placesOf(), nowMs: Date.now() + DAY_MS });
    const used = await useIndex(indexPathOf(placesOf()), "read", (database) =>
      [...ready.values()].map((one) => one.session(createSourceReader(database)).title),
    );
    return used.state === "ready" ? used.value : [];
  };
  const before = await titles();
  write(".codex/session_index.jsonl", [{ id: ID, thread_name: "The lighthouse" }]);
  expect([before.length, await titles()]).toEqual([1, ["The lighthouse"]]);
});

test("the text of a session that was removed leaves the index", async () => {
  writeClaude();
  const stored = async (): Promise<number> => {
    await updateTexts({ places: placesOf() });
    return (await storedSessions(indexPathOf(placesOf()))).length;
  };
  expect(await stored()).toBe(1);
  rmSync(join(home, FILE));
  expect(await stored()).toBe(0);
});

test("the sessions whose texts are searched come newest first, whatever their names", async () => {
  for (const [id, day] of [
    ["b", 2],
    ["a", 1],
    ["c", 3],
  ] as const) {
    write(`.claude/projects/-work/${id}.jsonl`, [{ type: "user", sessionId: id }]);
    const at = new Date(Date.UTC(2026, 0, day));
    utimesSync(join(home, `.claude/projects/-work/${id}.jsonl`), at, at);
  }
  await using texts = await openTexts({ places: placesOf() });
  expect(texts.all().map(({ sessionId }) => sessionId)).toEqual(["c", "b", "a"]);
});

function writeMirrored(folder: string, takenOver: Mirror["takenOver"] = null): void {
  const key = { agent: "claude", sessionId: ID } as const;
  const other = { main: FILE, machine: "laptop", home: "", folder };
  writeMirror({ ...key, ...other, takenOver, workTree: null }, placesOf());
  writeClaude(`${relative(home, mirrorFile(key, "", placesOf()))}/`);
}

test("the mirror of a session has no text if its folder on the other machine is excluded", async () => {
  writeMirrored("/work/mirrored");
  const idsOf = async (exclude: readonly string[]): Promise<readonly string[]> => {
    await using texts = await openTexts({ places: placesOf(), exclude });
    return texts.sessionIds();
  };
  expect([await idsOf(["/work/other"]), await idsOf(["/work/mirrored"])]).toEqual([[ID], []]);
});

test("the mirror of a session is searched only while the session itself is not on this machine", async () => {
  writeMirrored("/work");
  const idsNow = async (): Promise<readonly string[]> => {
    await using texts = await openTexts({ places: placesOf() });
    return texts.sessionIds();
  };
  expect(await idsNow()).toEqual([ID]);
  writeClaude();
  expect(await idsNow()).toEqual([ID]);
});

test("a mirror that was taken over is not searched, also if the session that it became is gone", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const idsOf = async (session: NonNullable<Mirror["takenOver"]>["session"]): Promise<readonly string[]> => {
    writeMirrored("/work", { at, session, begun: null });
    await using texts = await openTexts({ places: placesOf() });
    return texts.sessionIds();
  };
  expect(await idsOf(null)).toEqual([ID]);
  expect(await idsOf({ agent: "claude", sessionId: "gone", cwd: "/work" })).toEqual([]);
});

test("a store on a server that cannot be reached is reported without its password", async () => {
  const env = { CONTINUO_STORE: "postgres://ann:pass-phrase@127.0.0.1:1/sessions?application_name=x" };
  const { unreadable } = await updateTexts({ places: { home, cwd: home, env } });
  expect(unreadable).toMatchObject([{ location: "postgres://127.0.0.1:1/sessions" }]);
  expect(JSON.stringify(unreadable)).not.toContain("pass-phrase");
});

/** The ids of the sessions whose text a search would read, on the day after they were written. */
async function missingIds(exclude: readonly string[]): Promise<readonly string[]> {
  await using texts = await openTexts({ places: placesOf(), exclude, nowMs: Date.now() + DAY_MS });
  return texts.missing().map(({ sessionId }) => sessionId);
}

test("a session whose own file is excluded is not searched, whether the index knows it or not", async () => {
  writeClaude();
  const idsOf = async (exclude: readonly string[]): Promise<readonly string[]> => {
    await using texts = await openTexts({ places: placesOf(), exclude, nowMs: Date.now() + DAY_MS });
    return texts.sessionIds();
  };
  const file = join(home, FILE);
  expect([await idsOf([file]), await idsOf([])]).toEqual([[], [ID]]);
  await updateTexts({ places: placesOf(), nowMs: Date.now() + DAY_MS });
  expect([await idsOf([file]), await idsOf([])]).toEqual([[], [ID]]);
});

test("sessions are read again after the excluded places changed, because their texts may be excluded now", async () => {
  writeClaude();
  await updateTexts({ places: placesOf(), nowMs: Date.now() + DAY_MS });
  expect(await missingIds([])).toEqual([]);
  expect(await missingIds(["/work/secret"])).toEqual([ID]);
  await updateTexts({ places: placesOf(), exclude: ["/work/secret"], nowMs: Date.now() + DAY_MS });
  expect(await missingIds(["/work/secret"])).toEqual([]);
  expect(await missingIds([])).toEqual([ID]);
});

test("a session that changed a moment ago counts as indexed only for the search that read it", async () => {
  writeClaude();
  await using texts = await openTexts({ places: placesOf() });
  await texts.fill(() => true);
  expect(texts.texts()).toMatchObject({ left: 0 });
  await using later = await openTexts({ places: placesOf() });
  expect(later.texts()).toMatchObject({ left: 1 });
});
