/** The time from the end of a thought to its note, for talks that are played under a fake clock. */

import { extractiveWriter } from "@continuo/live";
import { expect, test } from "vitest";
import { liveTest } from "../live-session.ts";
import { allEvents } from "../servers.ts";
import { type Talk, talksIn } from "./draw.ts";

const TALKS = talksIn("tune");

/**
 * Plays a talk like a page that sends each piece when it is drawn. Resolves to the time from the end of the first
 * thought to its note.
 */
async function firstDelayMs({ pieces, lang }: Talk): Promise<number> {
  await using live = await liveTest({ noteWriters: [extractiveWriter()] });
  const { sessionId } = await live.service.open("k", { videoId: "talk" });
  const beganMs = live.clock.now();
  for (const { atMs, text, mediaTimeMs, endMs } of pieces) {
    await live.clock.advance(Math.max(0, beganMs + atMs - live.clock.now()));
    await live.send("k", { type: "transcript_added", text, mediaTimeMs, endMs, lang });
    if ((await live.service.notes("k")).length > 0) break;
  }
  const [note] = (await allEvents(live.store, sessionId)).filter(({ type }) => type === "note_written");
  const endMs = Number((note?.data as { readonly endMs?: number } | undefined)?.endMs);
  return Date.parse(note?.occurredAt ?? "") - beganMs - endMs;
}

test.each(TALKS.filter(({ name }) => name !== "seeks").map((talk) => [talk.name, talk] as const))(
  "the first note on %s comes within 8 s of the end of its thought",
  async (_, talk) => {
    const delayMs = await firstDelayMs(talk);
    expect(delayMs).toBeGreaterThan(0);
    expect(delayMs).toBeLessThanOrEqual(8_000);
  },
);
