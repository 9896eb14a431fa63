/** Long sessions are read in a separate thread, with the same answers. */

import diagnostics from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import type { ChangesAnswer, HistoryWindow, Outline, SessionHead } from "@continuo/core/wire/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText } from "../cli/home.ts";
import { eventsOf, type OpenMachine, openMachine } from "./open-machine.ts";

const ID = "4bf3eeee-0000-4000-8000-0000000000ff";
const KEY = `/v1/machine/sessions/claude:${ID}`;
const TURNS = 40;
/** One text is longer than a window shows; all of them together are longer than the part that is read at once. */
const WORDS = "word ".repeat(7_000);

const threads: Worker[] = [];
const note = (message: unknown): void => void threads.push((message as { readonly worker: Worker }).worker);
let machine: OpenMachine;
beforeAll(async () => {
  diagnostics.subscribe("worker_threads", note);
  machine = await openMachine();
  const lines = Array.from({ length: TURNS }, (_, at) => question(at + 1));
  machine.home.write(claudeFile(ID), claudeText(ID, lines));
});
afterAll(async () => {
  diagnostics.unsubscribe("worker_threads", note);
  await machine[Symbol.asyncDispose]();
});

function question(turn: number): Parameters<typeof claudeText>[1][number] {
  const parent = turn === 1 ? null : `q${turn - 1}`;
  return { uuid: `q${turn}`, parent, role: "user", content: `Number ${turn}. ${WORDS}END`, time: "10:00:00" };
}

const json = async <T>(path: string): Promise<T> => await machine.json(path);

test("a short session starts no thread", async () => {
  const { session } = await json<SessionHead>(`/v1/machine/sessions/claude:${CLAUDE_ID}`);
  expect([session.turns, threads.length]).toEqual([2, 0]);
});

test("every question about a long session is answered by one thread, also errors and what was added", async () => {
  const { session, messages } = await json<SessionHead>(KEY);
  expect([session.turns, messages.total]).toEqual([TURNS, TURNS]);
  const outline = await json<Outline>(`${KEY}/outline?limit=2`);
  expect(outline.turns.map(({ id }) => id)).toEqual([`q${TURNS - 1}`, `q${TURNS}`]);
  const window = await json<HistoryWindow>(`${KEY}/history?around=turn:7&limit=4`);
  expect(window.messages.map(({ message, turn }) => [message.id, turn])).toContainEqual(["q7", 7]);
  const newest = await json<HistoryWindow>(`${KEY}/history?limit=1`);
  expect(newest.messages.map(({ message, index }) => [message.id, index])).toEqual([
    [`q${TURNS}`, TURNS - 1],
  ]);
  expect(await json(`${KEY}/messages/q3/text?path=content/0/text&from=35010`)).toMatchObject({ text: "END" });
  expect((await json<ChangesAnswer>(`${KEY}/changes`)).files).toEqual([]);
  const none = await machine.get(`${KEY}/history?around=nobody`);
  expect([none.status, await none.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
  expect(threads.length).toBe(1);

  const events = eventsOf(await machine.get(`${KEY}/events?after=${newest.position}`));
  appendFileSync(join(machine.home.path, claudeFile(ID)), claudeText(ID, [question(TURNS + 1)]));
  let told = await events.next();
  while (told.value?.event === "session") told = await events.next();
  expect(told.value?.data).toMatchObject({ messages: [{ message: { id: `q${TURNS + 1}` } }] });
});

test("when the thread ends, waiting callers get an error, and the next question starts another thread", async () => {
  const [first] = threads;
  await first?.terminate();
  const { session } = await json<SessionHead>(KEY);
  expect([session.turns, threads.length]).toEqual([TURNS + 1, 2]);
});
