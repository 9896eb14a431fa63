/**
 * The work of the first page of the viewer's list on homes of two sizes, over HTTP and with the requests of the page.
 * The limits apply to the work that the additional sessions cause.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PageEntry } from "@continuo/core/wire";
import { type SessionsPage, sessionsPath } from "@continuo/core/wire/machine";
import { beforeAll, expect, test } from "vitest";
import { makeHomes, SIZES } from "../counting/homes.ts";
import type { WorkCounts } from "../counting/preload.ts";
import { addedWork, countWork, expectWithin, MAIN, SETTLING_MS } from "../counting/work.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { fetchNamed } from "../server/harness/localhost-fetch.ts";
import { exchange } from "../server/harness/open-page.ts";
import { compiledCode } from "../sizes/shared-programs.ts";

const TEST_MS = 240_000;
/** The server finds figures in the background: a busy machine needs longer than this. */
const MAX_WAIT_MS = 8 * SETTLING_MS;
/** The rows of one page in `web/list/`. */
const PAGE_ROWS = 200;

interface OpenedPage {
  readonly counts: WorkCounts;
  readonly page: SessionsPage;
}

const scratch = scratchFolder("counted-pages");
const opened = new Map<number, OpenedPage>();

beforeAll(async () => {
  for (const [sessions, home] of await makeHomes(scratch)) {
    const continuoHome = join(scratch, `indexed-${sessions}`);
    countWork({ program: MAIN, args: ["index", "rebuild", "--json"], home, continuoHome });
    // The first viewer stores its results for each file.
    await openWholePage(home, continuoHome);
    opened.set(sessions, await openWholePage(home, continuoHome));
  }
}, TEST_MS);

/**
 * The page is asked for three times: its newest rows, all rows, and all rows with their figures.
 * - `stats`, `folders`: each answer looks at every session, and into every folder with sessions
 * - `opened`: one file in each folder of Gemini CLI, for each answer
 * - `databaseRead`: the rows and the figures of the sessions, which are in the index
 */
const ADDED: Omit<WorkCounts, "youngCollections"> = {
  stats: 1_069,
  folders: 287,
  opened: 37,
  bytesRead: 1_083,
  bytesWritten: 0,
  parsedTexts: 786,
  parsedChars: 946_000,
  rows: 1_160,
  statements: 261,
  databaseRead: 3_219_000,
  databaseWritten: 0,
  modules: 0,
};

/**
 * Opens the page in one viewer after the other until a page has the figures of all its rows. A further request to the same
 * viewer would count as work. Each viewer has twice the time of the one before.
 */
async function openWholePage(home: string, continuoHome: string): Promise<OpenedPage> {
  for (let waitMs = SETTLING_MS; ; waitMs *= 2) {
    const one = await openPage(home, continuoHome, waitMs);
    if (waitMs >= MAX_WAIT_MS || one.page.sessions.every(({ turns }) => turns !== null)) return one;
  }
}

/** Starts the viewer, asks for the first page as the list does, and ends the viewer. */
async function openPage(home: string, continuoHome: string, waitMs: number): Promise<OpenedPage> {
  const counts = join(scratch, "page-counts.json");
  const preload = join(import.meta.dirname, "../counting/preload.ts");
  const viewer = spawn(process.execPath, ["--import", preload, MAIN, "view", "--no-open", "--json"], {
    env: { HOME: home, CONTINUO_HOME: continuoHome, CI: "1", CONTINUO_COUNTS: counts, ...compiledCode() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(viewer, "exit");
  try {
    let said = "";
    for await (const chunk of viewer.stdout) {
      said += String(chunk);
      if (said.trimEnd().endsWith("}")) break;
    }
    const { origin, hash } = new URL((JSON.parse(said) as { readonly url: string }).url);
    const [, code = ""] = /^#code=([^/]+)/u.exec(hash) ?? [];
    const { secret } = (await (await exchange(origin, decodeURIComponent(code))).json()) as PageEntry;
    const ask = async (partial?: "allow"): Promise<SessionsPage> => {
      const path = sessionsPath({ limit: PAGE_ROWS, ...(partial && { partial }) });
      const answer = await fetchNamed(`${origin}${path}`, { headers: { authorization: `Bearer ${secret}` } });
      expect(answer.status).toBe(200);
      return (await answer.json()) as SessionsPage;
    };
    const first = await ask("allow");
    if (first.partial) await ask();
    // The figures of the rows follow.
    await sleep(waitMs);
    const page = await ask();
    viewer.kill("SIGTERM");
    await exited;
    return { page, counts: JSON.parse(readFileSync(counts, "utf8")) as WorkCounts };
  } finally {
    viewer.kill("SIGKILL");
  }
}

test("150 more sessions do not add more than their limits of work to the first page of the viewer", () => {
  const [few, many] = SIZES.map((sessions) => opened.get(sessions));
  if (few === undefined || many === undefined) throw new Error("a page was not opened");
  expect([few.page.total, many.page.total]).toEqual(SIZES);
  expect(many.page.sessions).toHaveLength(SIZES[1]);
  const added = addedWork(few.counts, many.counts);
  expect(many.page.sessions.filter(({ turns }) => turns === null)).toEqual([]);
  expectWithin(added, ADDED);
  // A page that checked no additional session would be wrong.
  expect(added.stats).toBeGreaterThanOrEqual(SIZES[1] - SIZES[0]);
});
