/** A real server is killed at random moments while a tab asks, reloads and stops answers. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ContinuoChatTransport } from "../../packages/ai-sdk/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";
import { freePorts } from "../../test/free-ports.ts";
import { type KillableProgram, killable } from "../killable.ts";
import { shown, Tab } from "./tab.ts";

/** 200 kills are the proof (`CONTINUO_KILLS=200`); the default of 20 is a quick check for every commit. */
const KILLS = Number(process.env.CONTINUO_KILLS ?? 20);

let folder: string;
let port: number;
let server: KillableProgram;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "continuo-ai-sdk-kills-"));
  [port = 0] = await freePorts(1);
  server = killable([join(import.meta.dirname, "desk-program.ts"), url(), String(port)]);
});

afterEach(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

const url = (): string => `sqlite:${join(folder, "desk.db")}`;

function newTransport(): ContinuoChatTransport {
  return new ContinuoChatTransport({ url: `http://127.0.0.1:${port}`, patienceMs: 300_000 });
}

test(`a chat whose server is killed at ${KILLS} random moments has each question once, with its whole answer`, {
  timeout: 30 * 60_000,
}, async () => {
  await server.start();
  let kills = 0;
  const killing = (async () => {
    while (kills < KILLS) {
      await pause(700 * Math.random());
      await server.kill();
      kills++;
      await server.start();
    }
  })();
  let tab = await Tab.open("orders", newTransport());
  let asked = 0;
  while (kills < KILLS || asked === 0) {
    await tab.sendMessage({ text: `parcel ${++asked}` });
    expect(tab.status).toBe("ready");
    if (asked % 3 !== 0) continue;
    tab = await Tab.open("orders", newTransport());
    await Promise.all(tab.work);
  }
  await killing;
  const words = shown(tab.messages).map(({ role, parts }) => {
    const texts = parts.map((part) => (part.type === "text" ? part.text.trim() : ""));
    return `${role}: ${texts.filter((text) => text !== "").join(" | ")}`;
  });
  const expected = Array.from({ length: asked }, (_, at) => `parcel ${at + 1}`);
  expect(words).toEqual(expected.flatMap((text) => [`user: ${text}`, `assistant: You asked: ${text}`]));
  const fresh = await Tab.open("orders", newTransport());
  expect(shown(fresh.messages)).toEqual(shown(tab.messages));
});

test("an answer that is stopped while its server is down stays stopped, with its text so far", async () => {
  await server.start();
  const transport = newTransport();
  const tab = await Tab.open("orders", transport);
  const sending = tab.sendMessage({ text: "a long story ".repeat(70).trim() });
  await expect.poll(() => JSON.stringify(tab.messages), { timeout: 30_000 }).toContain("You ");
  await server.kill();
  const stopping = transport.stop("orders", { reason: "enough" });
  await server.start();
  await stopping;
  await sending;
  const statuses = await runStatuses();
  expect(statuses.at(-1)).toBe("cancelled");
  expect(statuses.slice(0, -1).filter((status) => status !== "interrupted")).toEqual([]);
  const said = shown(tab.messages);
  expect(said).toEqual(shown((await Tab.open("orders", newTransport())).messages));
  expect(said).toHaveLength(2);
});

async function runStatuses(): Promise<readonly string[]> {
  await using store = await openStore(url());
  return (await store.listRuns({ sessionId: "orders" })).items.map(({ status }) => status);
}
