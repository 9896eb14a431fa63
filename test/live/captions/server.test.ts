/**
 * Rolling captions of a talk, sent to the HTTP API of a real server: the notes of a person, also when another server
 * continues.
 */

import type { Store } from "@continuo/core/model";
import type { Note } from "@continuo/core/wire";
import { extractiveWriter } from "@continuo/live";
import type { ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openServer } from "../../server/harness/open-server.ts";
import { type FakeClock, fakeClock } from "../fake-clock.ts";
import { type DrawnPiece, type Talk, talksIn } from "./draw.ts";
import { measure } from "./measure.ts";

const BEES = talksIn("tune").find(({ name }) => name === "bees") as Talk;

/** A request takes longer on a busy machine. */
const WAIT = { timeout: 30_000 };

interface Viewing {
  readonly clock: FakeClock;
  readonly server: ServerHandle;
}

async function opened(store: Store, startMs?: number): Promise<Viewing> {
  const clock = fakeClock(() => new Promise((resolve) => setTimeout(resolve, 3)), startMs);
  const live = { workspaceIds: [store.workspaceId], clock, noteWriters: [extractiveWriter()] };
  return { clock, server: await openServer(store, { live }) };
}

async function call({ server }: Viewing, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${server.url}/v1/live/tab${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  expect(response.status, `${method} ${path}`).toBeLessThan(300);
  const text = await response.text();
  return text === "" ? null : JSON.parse(text);
}

const notesOf = async (viewing: Viewing): Promise<readonly Note[]> =>
  ((await call(viewing, "GET", "/notes")) as { readonly notes: readonly Note[] }).notes;

/** Sends the drawn captions every few seconds of the video, as the page's outbox does. */
async function play(
  viewing: Viewing,
  pieces: readonly DrawnPiece[],
  { producerId, stepMs = 4_000 }: { readonly producerId: string; readonly stepMs?: number },
): Promise<void> {
  const endMs = pieces.at(-1)?.atMs ?? 0;
  let sequence = 0;
  for (let fromMs = pieces[0]?.atMs ?? 0; fromMs <= endMs; fromMs += stepMs) {
    const due = pieces.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + stepMs);
    const evidence = due.map(({ text, mediaTimeMs, endMs: end }) => ({
      type: "transcript_added",
      text,
      mediaTimeMs,
      endMs: end,
      lang: "",
      speaker: "film",
    }));
    if (evidence.length > 0) {
      await call(viewing, "POST", "/evidence", { producerId, epoch: 0, sequence: sequence++, evidence });
    }
    await viewing.clock.advance(stepMs);
  }
}

test("captions that a page draws word by word give one note for each thought, at the second at which it begins", async () => {
  await using store = await openStore("memory:");
  const viewing = await opened(store);
  try {
    await call(viewing, "PUT", "", { videoId: "bees", title: "Bees" });
    // The pause before the farewell would end the last thought.
    const farewell = BEES.pieces.findIndex(({ text }) => text.startsWith("okay"));
    await play(viewing, BEES.pieces.slice(0, farewell), { producerId: "page" });
    // Three thoughts have ended; the last one is open, and ends when nobody speaks.
    await expect.poll(async () => (await notesOf(viewing)).length, WAIT).toBe(3);
    await viewing.clock.advance(31_000);
    await expect.poll(async () => (await notesOf(viewing)).length, WAIT).toBe(4);
    const notes = await notesOf(viewing);
    expect(measure(BEES, notes)).toMatchObject({ thoughts: 4, covered: 4, halves: [] });
    for (const [n, { startMs, evidence }] of notes.entries()) {
      expect(Math.abs(startMs - (BEES.thoughts[n]?.startMs ?? 0))).toBeLessThanOrEqual(500);
      expect(evidence.length).toBeGreaterThan(10);
    }
    expect(await call(viewing, "POST", "/replay", {})).toMatchObject({ compared: 4, agreed: 4 });
    await call(viewing, "DELETE", "");
    expect(await notesOf(viewing)).toEqual(notes);
  } finally {
    await viewing.server.close();
  }
});

test("another server that continues in the middle of a sentence writes the same notes", async () => {
  await using store = await openStore("memory:");
  const first = await opened(store);
  const middle = Math.floor(BEES.pieces.length / 2);
  await call(first, "PUT", "", { videoId: "bees" });
  await play(first, BEES.pieces.slice(0, middle), { producerId: "page", stepMs: 12_000 });
  const nowMs = first.clock.now();
  await first.server.close();
  const next = await opened(store, nowMs);
  try {
    await play(next, BEES.pieces.slice(middle), { producerId: "page again", stepMs: 12_000 });
    await call(next, "DELETE", "");
    const notes = await notesOf(next);
    expect(notes).toHaveLength(4);
    expect(measure(BEES, notes)).toMatchObject({ covered: 4, halves: [] });
    expect(await call(next, "POST", "/replay", { mode: "model" })).toMatchObject({ compared: 4, agreed: 4 });
  } finally {
    await next.server.close();
  }
});
