/** The series of `/metrics` about the load of a server: levels, dropped input, merges, and the nightly replay. */

import { openLive } from "@continuo/core/client/live";
import type { NoteWriter } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect, onTestFinished, test } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { fakeClock } from "./fake-clock.ts";
import { said } from "./live-session.ts";

const DAY_MS = 86_400_000;

/** One draft for each batch, with the words and the whole span of its first piece. */
const spanWriter: NoteWriter = {
  name: "span",
  write: async ({ batchId, evidence }) => {
    const first = evidence.find(({ type }) => type === "transcript_added");
    if (first === undefined) return { drafts: [] };
    const { text, startMs, endMs, id } = first;
    return { drafts: [{ draftId: `${batchId}/1`, text, startMs, endMs, confidence: 0.9, evidence: [id] }] };
  },
};

test("/metrics has series for levels, dropped input, merges and the agreement of the nightly replay", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  // The nightly replay is due at noon.
  const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;
  const clock = fakeClock(() => new Promise((resolve) => setTimeout(resolve, 5)), noon);
  const live = { workspaceIds: [store.workspaceId], clock, noteWriters: [spanWriter] };
  const server = await openServer(store, { live });
  onTestFinished(() => server.close());
  const series = async (): Promise<readonly string[]> =>
    (await (await fetch(`${server.url}/metrics`)).text()).split("\n");
  const client = await openLive({ serverUrl: server.url, key: "k", videoId: "v" });
  const passed = async (ms: number): Promise<void> => {
    await expect.poll(() => clock.isDue(ms)).toBe(true);
    await clock.advance(ms);
  };

  for (const [text, at, endMs] of [
    ["The owner lit the lamp", 0, 4_000],
    ["The owner lit the lamp once more", 5_000, 8_000],
    // It overlaps both notes, and has the content of both.
    ["The owner lit the lamp every dusk", 0, 8_000],
  ] as const) {
    await client.add(said(text, at, { endMs }));
    await passed(7_000);
  }
  await expect.poll(series).toContain('continuo_live_notes_total{action="merge"} 1');
  expect(await series()).toContain('continuo_live_levels{level="normal"} 1');
  expect(await series()).toContain('continuo_live_levels{level="critical"} 0');

  const words = Array.from({ length: 30 }, (_, n) => said(`word ${n}`, 60_000 + n));
  const frames = Array.from({ length: 25 }, (_, n) => ({
    type: "frame_captured" as const,
    mediaTimeMs: 60_100 + n,
  }));
  await client.add(...words, ...frames);
  await expect.poll(series).toContain('continuo_live_levels{level="warning"} 1');
  expect(await series()).toContain('continuo_live_levels{level="normal"} 0');
  await passed(13_000);
  await expect.poll(series).toContain('continuo_live_levels{level="normal"} 1');
  expect(await series()).toContain('continuo_live_dropped_total{type="frame_captured"} 5');

  expect((await series()).filter((line) => line.includes("replay_agreement"))).toEqual([]);
  client.close();
  await clock.advance(16 * 60_000);
  await expect.poll(series).toContain("continuo_live_replay_agreement_sum 1");
  expect(await series()).toContain("continuo_live_replay_agreement_count 1");
  expect(await series()).toContain('continuo_live_success_ratio{measure="replay"} 1');
});
