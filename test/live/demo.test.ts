/** The recorded viewing of `continuo live demo`, played under a fake clock. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EvidenceInput } from "@continuo/core/wire";
import { extractiveWriter } from "@continuo/live";
import { expect, test } from "vitest";
import { liveTest } from "./live-session.ts";
import { allEvents } from "./servers.ts";

const RECORDING = join(import.meta.dirname, "../../examples/live/harbour.jsonl");

test.each([1, 2])(
  "the demonstration gives one note for each thought at %i times its speed, without a model, and a remark corrects one of them",
  async (speed) => {
    await using live = await liveTest({ noteWriters: [extractiveWriter()] });
    const { sessionId } = await live.service.open("k", { videoId: "harbour" });
    let playedMs = 0;
    for (const line of readFileSync(RECORDING, "utf8").trim().split("\n")) {
      const { atMs, ...evidence } = JSON.parse(line) as EvidenceInput & { readonly atMs: number };
      await live.clock.advance((atMs - playedMs) / speed);
      playedMs = atMs;
      await live.send("k", evidence as EvidenceInput);
    }
    await live.service.close("k");
    const types = (await allEvents(live.store, sessionId)).map(({ type }) => type);
    expect(types).toContain("note_updated");
    const notes = await live.service.notes("k");
    expect(notes.map(({ startMs }) => startMs)).toEqual([500, 13_000, 17_200, 36_200, 47_500, 58_200]);
    expect(notes.at(-1)).toMatchObject({ endMs: 73_000, text: expect.stringContaining("sixteen times") });
    expect(await live.service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
  },
);
