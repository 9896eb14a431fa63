/** A real server is killed again and again, and the protocol's own client asks until it has its answers. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openContinuo } from "../../packages/server/src/runtime/index.ts";
import { freePorts } from "../../test/free-ports.ts";
import { type KillableProgram, killable } from "../killable.ts";
import { Page, saidIn, saidInChat } from "./client.ts";

/** 200 kills are the proof (`CONTINUO_KILLS=200`); the default of 10 is a quick check for every commit. */
const KILLS = Number(process.env.CONTINUO_KILLS ?? 10);

let folder: string;
let port: number;
let server: KillableProgram;

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  folder = mkdtempSync(join(tmpdir(), "continuo-ag-ui-kills-"));
  [port = 0] = await freePorts(1);
  server = killable([
    join(import.meta.dirname, "desk-program.ts"),
    `sqlite:${join(folder, "desk.db")}`,
    String(port),
  ]);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

const newPage = (): Page => new Page(`http://127.0.0.1:${port}/`, "orders");

test(`a thread whose server is killed at ${KILLS} random moments has each question once, with its whole answer`, {
  timeout: 30 * 60_000,
}, async () => {
  await server.start();
  let kills = 0;
  const killing = (async () => {
    while (kills < KILLS) {
      await pause(900 * Math.random());
      await server.kill();
      kills++;
      await server.start();
    }
  })();
  const pages = [newPage()];
  let asked = 0;
  while (kills < KILLS || asked < 3) {
    if (asked % 3 === 0) pages.push(newPage());
    const page = pages.at(-1) as Page;
    page.say(asked % 2 === 0 ? `parcel ${++asked}` : `please parcel ${++asked}`);
    await page.ask();
    const second = newPage();
    pages.unshift(second);
    await second.ask();
    expect(second.agent.messages).toEqual(page.agent.messages);
  }
  await killing;
  const fresh = newPage();
  await fresh.ask();
  await server.kill();
  const words = (at: number): string[] =>
    at % 2 === 0 ? ["parcel", `${at + 1}`] : ["please", "parcel", `${at + 1}`];
  const expected = Array.from({ length: asked }, (_, at) => ({
    user: words(at).join(" "),
    texts: expect.arrayContaining([`You asked: ${words(at).join(" ")} `, "That is all."]),
    calls: [["look", { words: words(at) }, `${words(at).length} parcels`]],
  }));
  expect(saidIn(fresh.agent.messages)).toEqual(expected);
  await using c = await openContinuo(`sqlite:${join(folder, "desk.db")}`, { work: false });
  expect(saidIn(fresh.agent.messages)).toEqual(saidInChat((await c.session("orders").chat()).messages));
  for (const page of pages) {
    await page.verify();
    const shown = page.agent.messages;
    const ids = new Set(shown.map(({ id }) => id));
    expect(ids.size).toBe(shown.length);
    expect(shown).toEqual(fresh.agent.messages.filter(({ id }) => ids.has(id)));
  }
});
