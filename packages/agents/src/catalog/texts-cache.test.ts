import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { statFile } from "@continuo/files";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { CATALOG_LIMITS } from "./limits.ts";
import { type OpenTexts, openTexts } from "./texts.ts";
import { createKeptTexts, type KeptTexts } from "./texts-cache.ts";

let home: string;
let opened = 0;
let closed = 0;
let kept: KeptTexts;
let nowMs: number;

const OLD = new Date(Date.now() - 60_000);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "continuo-kept-texts-"));
  [opened, closed, nowMs] = [0, 0, Date.now()];
  writeSession("11111111-0000-4000-8000-000000000001", "one");
  writeSession("11111111-0000-4000-8000-000000000002", "two");
  kept = createKeptTexts(
    placesOf(),
    async (options) => {
      opened += 1;
      const texts = await openTexts(options);
      return {
        ...texts,
        [Symbol.asyncDispose]: async () => {
          closed += 1;
          await texts[Symbol.asyncDispose]();
        },
      };
    },
    () => nowMs,
  );
});

afterEach(async () => {
  await kept[Symbol.asyncDispose]();
  expect(closed).toBe(opened);
  rmSync(home, { recursive: true });
});

function placesOf() {
  return { home, cwd: home, env: {} };
}

function folderOf(): string {
  return join(home, ".claude/projects/-work-app");
}

function fileOf(id: string): string {
  return join(folderOf(), `${id}.jsonl`);
}

function lineOf(id: string, text: string): string {
  const uuid = `${id.slice(0, -1)}${text.length}`;
  const shared = { parentUuid: null, isSidechain: false, cwd: "/work/app", sessionId: id, version: "2.1.0" };
  const message = { role: "user", content: text };
  return `${JSON.stringify({ ...shared, type: "user", message, uuid, timestamp: "2026-01-01T00:00:00.000Z" })}\n`;
}

/** The session and its folders look as if nothing had happened for a minute. */
function writeSession(id: string, text: string): void {
  mkdirSync(folderOf(), { recursive: true });
  writeFileSync(fileOf(id), lineOf(id, text));
  utimesSync(fileOf(id), OLD, OLD);
  for (const folder of [folderOf(), dirname(folderOf())]) utimesSync(folder, OLD, OLD);
}

async function idsNow(exclude: readonly string[] = []): Promise<number> {
  await using texts = await kept.open({ places: placesOf(), exclude });
  return texts.sessionIds().length;
}

test("a second search uses the texts that the first one opened", async () => {
  expect(await idsNow()).toBe(2);
  expect(await idsNow()).toBe(2);
  expect(await Promise.all([idsNow(), idsNow()])).toEqual([2, 2]);
  expect(opened).toBe(1);
});

test("a session that begins or disappears is known to the next search", async () => {
  expect(await idsNow()).toBe(2);
  const third = "11111111-0000-4000-8000-000000000003";
  writeFileSync(fileOf(third), lineOf(third, "three"));
  expect(await idsNow()).toBe(3);
  rmSync(fileOf(third));
  expect(await idsNow()).toBe(2);
});

test("the first session of another project is known to the next search", async () => {
  expect(await idsNow()).toBe(2);
  cpSync(folderOf(), join(dirname(folderOf()), "-work-other"), { recursive: true });
  expect(await idsNow()).toBeGreaterThan(2);
});

/** Writes a Codex session of a day, and returns its file. */
function writeCodexSession(n: number, day: string): string {
  const id = `22222222-0000-4000-8000-00000000000${n}`;
  const at = `${day.replaceAll("/", "-")}T00:00:00.000Z`;
  const records = [
    { type: "session_meta", payload: { id, timestamp: at, cwd: "/work/app", cli_version: "0.46.0" } },
    { type: "event_msg", payload: { type: "user_message", message: `day ${n}`, kind: "plain" } },
  ];
  const folder = join(home, ".codex/sessions", day);
  mkdirSync(folder, { recursive: true });
  const lines = records.map((record) => `${JSON.stringify({ timestamp: at, ...record })}\n`);
  const file = join(folder, `rollout-${at.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`);
  writeFileSync(file, lines.join(""));
  return file;
}

/** The path and all folders above it look as if nothing had happened for a minute. */
function age(path: string): void {
  for (let above = path; above !== home; above = dirname(above)) utimesSync(above, OLD, OLD);
}

test("the first Codex session, and the first one of a new day, month or year, are known to the next search", async () => {
  const days = ["2026/10/31", "2026/11/29", "2026/11/30", "2026/12/01", "2027/01/01"];
  for (const [n, day] of days.entries()) {
    expect(await idsNow()).toBe(2 + n);
    const file = writeCodexSession(n, day);
    expect(await idsNow()).toBe(3 + n);
    age(file);
    kept.forget();
  }
});

test("the first session is known to the next search if the agent's folder of sessions was empty", async () => {
  mkdirSync(join(home, ".codex/sessions"), { recursive: true });
  age(join(home, ".codex/sessions"));
  expect(await idsNow()).toBe(2);
  expect(await idsNow()).toBe(2);
  expect(opened).toBe(1);
  writeCodexSession(0, "2026/12/01");
  expect(await idsNow()).toBe(3);
});

test.each([
  [".claude/projects/-work-new", ""],
  [".gemini/tmp/new", "chats"],
])(
  "the first session of the project %s, whose folder is older, is known to the next search",
  async (project, below) => {
    mkdirSync(join(home, project), { recursive: true });
    age(join(home, project));
    expect(await idsNow()).toBe(2);
    expect(await idsNow()).toBe(2);
    expect(opened).toBe(1);
    const id = "33333333-0000-4000-8000-000000000001";
    mkdirSync(join(home, project, below), { recursive: true });
    const name = below === "" ? `${id}.jsonl` : `session-2026-05-06T07-00-33333333.jsonl`;
    writeFileSync(join(home, project, below, name), below === "" ? lineOf(id, "new") : geminiText(id));
    expect(await idsNow()).toBe(3);
  },
);

/** The content of a Gemini session with one message. */
function geminiText(sessionId: string): string {
  const at = "2026-05-06T07:00:00.000Z";
  const head = { sessionId, projectHash: "0", startTime: at, lastUpdated: at, kind: "main" };
  const message = { id: "1", timestamp: at, type: "user", content: "new" };
  return `${JSON.stringify(head)}\n${JSON.stringify(message)}\n`;
}

test("a session that grew is read again by the next search", async () => {
  const id = "11111111-0000-4000-8000-000000000001";
  expect(await idsNow()).toBe(2);
  appendFileSync(fileOf(id), lineOf(id, "and more"));
  expect(await idsNow()).toBe(2);
  expect(opened).toBe(2);
});

test("texts are opened again for other patterns, after `forget`, and after ten seconds", async () => {
  expect(await idsNow()).toBe(2);
  expect(await idsNow(["/work/app"])).toBe(2);
  expect(opened).toBe(2);
  kept.forget();
  await idsNow(["/work/app"]);
  expect(opened).toBe(3);
  nowMs += 11_000;
  await idsNow(["/work/app"]);
  expect(opened).toBe(4);
});

test("texts that are forgotten stay open for the search that uses them", async () => {
  const texts = await kept.open({ places: placesOf() });
  kept.forget();
  await Promise.resolve();
  expect(closed).toBe(0);
  await texts[Symbol.asyncDispose]();
  expect(closed).toBe(1);
});

test("texts are opened again a moment after a search if they are some seconds old", async () => {
  await idsNow();
  nowMs += 4_000;
  await idsNow();
  await expect.poll(() => opened, { timeout: 30_000 }).toBe(2);
  await expect.poll(() => closed, { timeout: 30_000 }).toBe(1);
  await idsNow();
  expect(opened).toBe(2);
});

test("after a search whose texts could not be opened, the next search opens them again", async () => {
  let fails = true;
  const failing = createKeptTexts(placesOf(), async (options) => {
    if (fails) throw new Error("no");
    return await openTexts(options);
  });
  await expect(failing.open({ places: placesOf() })).rejects.toThrow("no");
  fails = false;
  await using texts = await failing.open({ places: placesOf() });
  expect(texts.sessionIds()).toHaveLength(2);
  await failing[Symbol.asyncDispose]();
});

/** Texts of no session, whose opening and filling the test follows. */
function fakeTexts(fill: OpenTexts["fill"] = async () => undefined): OpenTexts {
  const none = { missing: () => [], all: () => [], sources: () => [], sessionIds: () => [] };
  const dispose = async (): Promise<void> => undefined;
  return { ...none, fill, texts: () => ({}) as never, [Symbol.asyncDispose]: dispose };
}

test("a change of the store of Continuo's own sessions is known to the next search", async () => {
  let times = 0;
  await using texts = createKeptTexts(placesOf(), async () => {
    times += 1;
    return fakeTexts();
  });
  const search = async (): Promise<number> => {
    await using _ = await texts.open({ places: placesOf() });
    return times;
  };
  mkdirSync(join(home, ".continuo"));
  writeFileSync(join(home, ".continuo/continuo.db"), "one");
  expect([await search(), await search()]).toEqual([1, 1]);
  appendFileSync(join(home, ".continuo/continuo.db"), "two");
  expect(await search()).toBe(2);
});

test("a database that is named instead of a folder of sessions does not stop a search", async () => {
  const database = join(home, "named.db");
  writeFileSync(database, "");
  const places = { ...placesOf(), env: { OPENCODE_DB: database } };
  await using texts = createKeptTexts(places, async () => fakeTexts());
  await using opened = await texts.open({ places });
  expect(opened.all()).toEqual([]);
});

test("a new folder anywhere between a session and the agent's folder of sessions is known to the next search", async () => {
  const month = join(home, ".codex/sessions/team/2026/12");
  const path = join(month, "01/rollout.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  age(path);
  let times = 0;
  await using texts = createKeptTexts(placesOf(), async () => {
    times += 1;
    return { ...fakeTexts(), all: () => [{ found: { files: [statFile(path)] } }] as never };
  });
  const search = async (): Promise<number> => {
    await using _ = await texts.open({ places: placesOf() });
    return times;
  };
  expect([await search(), await search()]).toEqual([1, 1]);
  mkdirSync(join(dirname(month), "13"));
  expect(await search()).toBe(2);
});

test("texts that several searches share are not opened with the signal or the progress of one of them", async () => {
  const given: object[] = [];
  await using texts = createKeptTexts(placesOf(), async (options) => {
    given.push(options);
    return fakeTexts();
  });
  const { signal } = new AbortController();
  await using _ = await texts.open({ places: placesOf(), signal, onProgress: () => undefined });
  expect(given.map((options) => Object.keys(options))).toEqual([["places"]]);
});

test("two searches fill the index one after the other, also if the first one fails", async () => {
  const fills = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  await using texts = createKeptTexts(placesOf(), async () =>
    fakeTexts(() => fills[begun++]?.promise ?? never()),
  );
  await using one = await texts.open({ places: placesOf() });
  await using two = await texts.open({ places: placesOf() });
  const first = expect(one.fill(() => true)).rejects.toThrow("the disk is full");
  const second = two.fill(() => true);
  await new Promise(setImmediate);
  expect(begun).toBe(1);
  fills[0]?.reject(new Error("the disk is full"));
  await first;
  await expect.poll(() => begun).toBe(2);
  fills[1]?.resolve();
  await second;
});

function never(): never {
  throw new Error("it was filled too often");
}

test("texts that were being renewed when everything was forgotten are not used", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const renewed = Promise.withResolvers<OpenTexts>();
  let times = 0;
  await using texts = createKeptTexts(
    placesOf(),
    () => (++times === 2 ? renewed.promise : Promise.resolve(fakeTexts())),
    () => nowMs,
  );
  const search = async (): Promise<number> => {
    await using _ = await texts.open({ places: placesOf() });
    return times;
  };
  await search();
  nowMs += CATALOG_LIMITS.renewTextsMs + 1;
  expect(await search()).toBe(1);
  await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.renewPauseMs);
  expect(times).toBe(2);
  texts.forget();
  renewed.resolve(fakeTexts());
  await new Promise(setImmediate);
  expect(await search()).toBe(3);
});
