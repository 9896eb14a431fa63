/**
 * Random threads of the protocol's own client over our handler: pages send, reload, close, stop the answer, and further
 * pages open, while the network loses requests and connections. `CONTINUO_ACTS` is the number of acts.
 */

import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { agUiHandler } from "../../packages/ag-ui/src/index.ts";
import { type Continuo, openContinuo } from "../../packages/server/src/runtime/index.ts";
import { randomFrom } from "../../test/store/harness/random.ts";
import { badNetwork } from "../bad-network.ts";
import { Page, saidIn, saidInChat } from "./client.ts";
import { desk } from "./desk.ts";

const ACTS = Number(process.env.CONTINUO_ACTS ?? 400);
const ACTS_OF_A_THREAD = 20;
const URL = "http://desk.example/ag-ui";

let c: Continuo;
let handle: (request: Request) => Promise<Response>;
beforeEach(async () => {
  // The protocol's client writes each lost connection to the console.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  c = await openContinuo("memory:", {
    agents: [desk(() => pause(15 * Math.random()))],
    parallel: 64,
    pollMs: 20,
    onError: () => undefined,
  });
  handle = agUiHandler(c, {
    authorize: () => ({ sessions: "*", access: "write", approve: true, by: "ann" }),
  });
});
afterEach(async () => {
  await c.close();
  vi.restoreAllMocks();
});

const direct: typeof fetch = async (to, init) => await handle(new Request(to as string, init));

const WORDS = ["parcel", "please", "fail", "again", "the", "blue", "one"];

async function randomThread(seed: number, counts: Record<string, number>): Promise<void> {
  const random = randomFrom(seed);
  const threadId = `thread-${seed}`;
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const work = new Map<Page, Promise<void>>();
  const busy = new Set<Page>();
  const asked: string[] = [];
  const start = (page: Page): void => {
    busy.add(page);
    work.set(
      page,
      (work.get(page) ?? Promise.resolve()).then(() => page.ask()).finally(() => busy.delete(page)),
    );
  };
  const open = (): Page => {
    const page = new Page(URL, threadId, { send: badNetwork(handle, random), approve: random() < 0.5 });
    start(page);
    return page;
  };
  const pages = [open()];
  for (let act = 0; act < ACTS_OF_A_THREAD; act++) {
    const at = Math.floor(pages.length * random());
    const page = pages[at] as Page;
    const choice = random();
    if (choice < 0.4) {
      if (!busy.has(page) && page.agent.pendingInterrupts.length === 0) {
        count("sent");
        const text = Array.from(
          { length: 1 + 3 * random() },
          () => WORDS[Math.floor(WORDS.length * random())],
        ).join(" ");
        asked.push(`${text} ${act}`);
        page.say(`${text} ${act}`);
        start(page);
      }
    } else if (choice < 0.6) {
      count("aborts");
      page.agent.abortRun();
    } else if (choice < 0.75) {
      count("stops");
      if ((await c.store.getSession(threadId)) !== null) await c.session(threadId).stop({ reason: "enough" });
    } else if (choice < 0.85) {
      count("pages");
      pages.push(open());
    }
    await pause(60 * random());
  }
  await Promise.all(work.values());
  const fresh = new Page(URL, threadId, { send: direct });
  await fresh.ask();
  const chat = await c.session(threadId, { create: true }).chat();
  expect(chat.open).toEqual([]);
  expect(saidIn(fresh.agent.messages)).toEqual(saidInChat(chat.messages));
  expect(
    saidIn(fresh.agent.messages)
      .map(({ user }) => user)
      .toSorted(),
  ).toEqual(asked.toSorted());
  for (const page of pages) {
    await page.ask();
    expect(page.agent.messages).toEqual(fresh.agent.messages);
  }
  for (const page of [...pages, fresh]) await page.verify();
}

test("after random acts the messages of every client are the fold of the log, and every stream is verified", async () => {
  const counts: Record<string, number> = {};
  const seeds = Array.from({ length: Math.ceil(ACTS / ACTS_OF_A_THREAD) }, (_, seed) => seed);
  for (let place = 0; place < seeds.length; place += 10) {
    await Promise.all(seeds.slice(place, place + 10).map((seed) => randomThread(seed, counts)));
  }
  for (const what of ["sent", "aborts", "stops", "pages"]) expect(counts[what]).toBeGreaterThan(ACTS / 40);
}, 600_000);
