/** A list that is kept between two requests. */

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type CatalogList, listCatalog, renewRows, shippedPrices } from "@continuo/agents/catalog";
import type { PlacesAt } from "@continuo/files";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { scratchFolder } from "../../test/scratch-folder.ts";
import { createKeptList } from "./kept-list.ts";
import { GATEWAY_LIMITS } from "./limits.ts";
import { createLists } from "./list.ts";

const DAY = "2026/03/01";
/**
 * A file that was written shortly before a list began can change without a new stamp. The lists begin a day after the
 * files, which is longer than the clock advances while a machine is paused during a test.
 */
const LATER_MS = 86_400_000;

let home: string;
let places: PlacesAt;
let reads: number;
let wroteMs: number;
const prices = async () => ({ own: {}, list: shippedPrices() });

const count: typeof listCatalog = async (...args) => {
  reads += 1;
  return await listCatalog(...args);
};

function idOf(at: number): string {
  return `4bf3c2a1-0000-4000-8000-${String(at).padStart(12, "0")}`;
}

function claudeFile(at: number): string {
  return join(home, `.claude/projects/-app-${at % 5}/${idOf(at)}.jsonl`);
}

function codexFile(day: string): string {
  return join(home, `.codex/sessions/${day}/rollout-2026-03-01T10-00-00-${idOf(900)}.jsonl`);
}

function write(path: string, ...records: readonly object[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
}

function grow(path: string, record: object): void {
  appendFileSync(path, `${JSON.stringify(record)}\n`);
}

function said(at: number, text: string): object {
  const message = { role: "user", content: text };
  const place = { sessionId: idOf(at), cwd: "/app", timestamp: `2026-03-01T10:00:00.${100 + (at % 800)}Z` };
  return { type: "user", uuid: idOf(at + 1_000), parentUuid: null, message, ...place };
}

function titles({ sessions }: CatalogList): readonly (string | null)[] {
  return sessions.map(({ title }) => title);
}

/** Tells what a list goes by: the clock, and the files and folders that have changed since they were written. */
function tellTimes(): void {
  const changed = readdirSync(home, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const { mtimeMs, ctimeMs } = statSync(join(home, name));
    const times = [mtimeMs - wroteMs, ctimeMs - wroteMs];
    return Math.max(...times) > 0 ? [{ name, times }] : [];
  });
  // biome-ignore lint/suspicious/noConsole: a person reads it when the test fails
  console.log(JSON.stringify({ clockMs: Date.now() - wroteMs, realMs: performance.now(), changed }));
}

beforeEach(() => {
  home = scratchFolder("kept-list");
  reads = 0;
  places = { home, cwd: home, env: { CONTINUO_HOME: join(home, ".continuo") } };
  for (let at = 0; at < 40; at += 1) write(claudeFile(at), said(at, `question ${at}`));
  write(claudeFile(50), { type: "file-history-snapshot", messageId: idOf(1), snapshot: {} });
  const payload = { id: idOf(900), timestamp: "2026-03-01T10:00:00.000Z", cwd: "/app" };
  write(codexFile(DAY), { timestamp: payload.timestamp, type: "session_meta", payload });
  wroteMs = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: wroteMs + LATER_MS });
});
afterEach(({ task }) => {
  if (task.result?.state === "fail") tellTimes();
  vi.useRealTimers();
});

test("nothing is read again while nothing changes", async () => {
  const kept = createKeptList(places, count);
  expect(await kept.atHand()).toBeNull();
  const first = await kept.whole();
  expect(first.sessions).toHaveLength(42);
  for (let at = 0; at < 20; at += 1) expect(await kept.whole()).toBe(first);
  expect(await kept.atHand()).toBe(first);
  expect(reads).toBe(1);
});

test("a list of some time ago is answered at once, and read again for the next request", async () => {
  const kept = createKeptList(places, count);
  onTestFinished(kept.end);
  const first = await kept.whole();
  vi.setSystemTime(Date.now() + GATEWAY_LIMITS.listMs + 1);
  expect(await kept.whole()).toBe(first);
  await expect.poll(() => reads).toBe(2);
});

test("after the first page of a connection, the pages of every folder are parts of one read", async () => {
  const wanted: unknown[] = [];
  const list: typeof listCatalog = async (query, sources) => {
    wanted.push(query.limit ?? "all");
    return await count(query, sources);
  };
  const lists = createLists({ places, report: () => undefined, prices, list });
  onTestFinished(lists.end);
  expect((await lists.page({})).sessions).toHaveLength(41);
  for (const folder of ["project", "exactly"] as const) {
    expect((await lists.page({ cwd: "/app" }, folder)).sessions).toHaveLength(41);
    expect((await lists.page({ cwd: "/ap" }, folder)).sessions).toEqual([]);
    expect((await lists.page({ cwd: "/" }, folder)).sessions).toHaveLength(folder === "exactly" ? 0 : 41);
    expect((await lists.page({ archived: "only" }, folder)).sessions).toEqual([]);
    expect((await lists.page({}, folder)).sessions).toHaveLength(41);
  }
  expect(wanted).toEqual([250, "all"]);
});

test("no first or second page waits while all sessions are read, and the later pages have the others", async () => {
  for (let at = 100; at < 400; at += 1) write(claudeFile(at), said(at, `question ${at}`));
  const read = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const list: typeof listCatalog = async (query, sources) => {
    if (query.limit === undefined) {
      begun.resolve();
      await read.promise;
    }
    return await count(query, sources);
  };
  const lists = createLists({ places, report: () => undefined, prices, list });
  onTestFinished(lists.end);
  const ids: string[] = [];
  let cursor = await take(lists.page({}));
  async function take(page: ReturnType<typeof lists.page>): Promise<string | null | undefined> {
    const { sessions, nextCursor } = await page;
    ids.push(...sessions.map(({ sessionId }) => sessionId));
    return nextCursor;
  }
  await begun.promise;
  cursor = await take(lists.page({ cursor: cursor ?? null }));
  expect([ids.length, reads]).toEqual([200, 1]);
  expect((await lists.page({})).sessions).toHaveLength(100);
  expect(reads).toBe(2);
  read.resolve();
  while (typeof cursor === "string") cursor = await take(lists.page({ cursor: cursor ?? null }));
  expect([ids.length, new Set(ids).size]).toEqual([341, 341]);
});

test("a session that begins after the first page is on no later page of its list", async () => {
  for (let at = 100; at < 400; at += 1) write(claudeFile(at), said(at, `question ${at}`));
  const lists = createLists({ places, report: () => undefined, prices, list: count });
  onTestFinished(lists.end);
  const ids: string[] = [];
  for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
    const page: Awaited<ReturnType<typeof lists.page>> = await lists.page({ cursor });
    if (cursor === null) write(claudeFile(700), said(700, "a new question"));
    ids.push(...page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.nextCursor;
  }
  expect([ids.length, new Set(ids).size]).toEqual([341, 341]);
  expect(ids).not.toContain(`claude:${idOf(700)}`);
});

test("what other programs write in the person's own folder, and beside it, changes no list", async () => {
  const kept = createKeptList(places, count);
  await kept.whole();
  write(join(home, "notes.txt"));
  mkdirSync(join(home, ".cache"));
  write(join(home, ".local/share/recently-used.xbel"));
  const beside = join(dirname(home), `${basename(home)}-beside`);
  onTestFinished(() => rmSync(beside));
  write(beside);
  await kept.whole();
  expect(reads).toBe(1);
});

test("a list that was to be read after a pause is not read a second time if a request needs it before", async () => {
  const kept = createKeptList(places, count);
  onTestFinished(kept.end);
  kept.readSoon();
  await kept.whole();
  await pause(GATEWAY_LIMITS.readPauseMs + 50);
  expect(reads).toBe(1);
});

test("two requests at the same time share one read", async () => {
  const kept = createKeptList(places, count);
  const [one, other] = await Promise.all([kept.whole(), kept.whole()]);
  expect([reads, one === other]).toEqual([1, true]);
});

test("a file that was written just before the list is read again, because its next change may show no other time", async () => {
  vi.setSystemTime(Date.now() - LATER_MS);
  const kept = createKeptList(places, count);
  await kept.whole();
  await kept.whole();
  expect(reads).toBe(2);
});

test("while one session grows, only its row is read again, and the list is as if all were", async () => {
  const renewed: (string | null)[] = [];
  const kept = createKeptList(places, count, async (list, rows, ...sources) => {
    renewed.push(...rows.map(({ title }) => title));
    return await renewRows(list, rows, ...sources);
  });
  await kept.whole();
  for (let answer = 0; answer < 5; answer += 1) {
    const timestamp = `2027-03-02T10:00:0${answer}.000Z`;
    grow(claudeFile(7), { ...said(7, "more"), timestamp });
    if (answer > 2) grow(claudeFile(50), { ...said(50, `first ${answer}`), timestamp });
    const list = await kept.whole();
    expect(await listCatalog({ empty: "include", archived: "include" }, { places })).toEqual(list);
    expect(list.sessions.slice(0, answer > 2 ? 2 : 1)).toContainEqual(
      expect.objectContaining({ title: "question 7", updatedAt: timestamp }),
    );
  }
  expect(await kept.atHand()).toBe(await kept.whole());
  expect(reads).toBe(1);
  expect(renewed).toEqual([
    ...["question 7", "question 7", "question 7"],
    ...["question 7", null, "question 7", "first 3"],
  ]);
});

test.each<[what: string, change: () => void]>([
  ["a session begins in a known folder", () => write(claudeFile(60), said(60, "new"))],
  [
    "the first session of a folder begins",
    () => write(claudeFile(61).replace("-app-1", "-b"), said(61, "b")),
  ],
  [
    "more sessions get messages than are renewed",
    () => {
      for (let at = 0; at <= GATEWAY_LIMITS.renewedRows; at += 1) grow(claudeFile(at), said(at, "more"));
    },
  ],
  ["nothing of a session's messages is left", () => write(claudeFile(9), { type: "mode", mode: "default" })],
  ["a session goes", () => rmSync(claudeFile(3))],
  ["a file is replaced", () => renameSync(claudeFile(8), claudeFile(13))],
  ["a day begins", () => write(codexFile("2026/03/02"), {})],
  ["a month begins", () => write(codexFile("2026/04/01"), {})],
  ["a year begins", () => write(codexFile("2027/01/01"), {})],
  ["an agent notes a title", () => write(join(home, ".codex/session_index.jsonl"), {})],
  ["an agent is used for the first time", () => write(join(home, ".pi/agent/sessions/a/b.jsonl"), {})],
  ["a person marks a session", () => write(join(home, ".continuo/marks.json"), { version: 1, sessions: {} })],
  ["the store begins", () => write(join(home, ".continuo/continuo.db"))],
])("the list is read again when %s", async (_, change) => {
  const kept = createKeptList(places, count);
  await kept.whole();
  const before = await kept.whole();
  expect(reads).toBe(1);
  change();
  expect(await kept.atHand()).toBeNull();
  expect(await kept.whole()).not.toBe(before);
  expect(reads).toBe(2);
});

test("a request that comes while the list is read gets what has changed since", async () => {
  const slow: typeof listCatalog = async (...args) => {
    const list = await count(...args);
    if (reads > 1) return list;
    write(claudeFile(70), said(70, "later"));
    // The list has no row for the file: only the time of its folder shows the change.
    utimesSync(dirname(claudeFile(70)), new Date(), new Date());
    return list;
  };
  const kept = createKeptList(places, slow);
  const first = kept.whole();
  await vi.waitFor(() => expect(reads).toBe(1));
  const second = await kept.whole();
  expect(titles(await first)).not.toContain("later");
  expect(titles(second)).toContain("later");
});

test("a list is read again some time after its last whole read, however often its rows are renewed", async () => {
  const kept = createKeptList(places, count);
  onTestFinished(kept.end);
  await kept.whole();
  for (let at = 0; at < 2; at += 1) {
    grow(claudeFile(at), said(at + 200, "more"));
    vi.setSystemTime(Date.now() + GATEWAY_LIMITS.listMs / 2 + 1);
    await kept.whole();
  }
  await expect.poll(() => reads).toBe(2);
});

test("the newest sessions are followed by the others, even if those that are shown just fill a page", async () => {
  const row = { agent: "pi", title: "T", cwd: null, updatedAt: null, createdAt: null, gitBranch: null };
  const facts = { sizeBytes: null, live: null, problems: [], forkedFrom: null };
  const all = Array.from({ length: 400 }, (_, at) => {
    return { ...row, ...facts, sessionId: `s${at}`, location: `pi:${at}`, archived: at < 150 };
  });
  const metIds = all.map(({ sessionId }) => sessionId);
  const others = { own: [], error: null, failures: [], unfinished: [], metIds };
  const list = (async ({ limit }: { readonly limit?: number }) => {
    return { sessions: all.slice(0, limit), ...others };
  }) as unknown as typeof listCatalog;
  const lists = createLists({ places, report: () => undefined, prices, list });
  onTestFinished(lists.end);
  const ids: string[] = [];
  let cursor: string | null | undefined = null;
  do {
    const page: Awaited<ReturnType<typeof lists.page>> = await lists.page({ cursor });
    ids.push(...page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.nextCursor;
  } while (typeof cursor === "string");
  expect(ids).toEqual(all.filter(({ archived }) => !archived).map(({ sessionId }) => `pi:${sessionId}`));
});
