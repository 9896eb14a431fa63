import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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

test("the first Codex session, and the first one of a new day, month or year, are known to the next search", async () => {
  const sessions = join(home, ".codex/sessions");
  const days = ["2026/10/31", "2026/11/29", "2026/11/30", "2026/12/01", "2027/01/01"];
  for (const [n, day] of days.entries()) {
    expect(await idsNow()).toBe(2 + n);
    const id = `22222222-0000-4000-8000-00000000000${n}`;
    const at = `${day.replaceAll("/", "-")}T00:00:00.000Z`;
    const records = [
      { type: "session_meta", payload: { id, timestamp: at, cwd: "/work/app", cli_version: "0.46.0" } },
      { type: "event_msg", payload: { type: "user_message", message: `day ${n}`, kind: "plain" } },
    ];
    const folder = join(sessions, day);
    mkdirSync(folder, { recursive: true });
    const lines = records.map((record) => `${JSON.stringify({ timestamp: at, ...record })}\n`);
    const file = join(folder, `rollout-${at.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`);
    writeFileSync(file, lines.join(""));
    expect(await idsNow()).toBe(3 + n);
    utimesSync(file, OLD, OLD);
    for (let above = folder; above !== home; above = dirname(above)) utimesSync(above, OLD, OLD);
    kept.forget();
  }
});

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
