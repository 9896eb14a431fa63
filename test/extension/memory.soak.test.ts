/** An hour of simulated viewing: the memory of the side panel stays bounded. */

import type { Page } from "playwright-core";
import { expect } from "vitest";
import { soakTest } from "../sizes/soak-test.ts";
import { openWatched } from "./open-watched.ts";

const MINUTES = 60;
/** From this minute on the list of notes is full, and the memory may grow by at most a fifth. */
const WARM = 20;
const GROWTH = 1.2;

/** A minute of captions in five parts, each of which becomes a note. */
function minute(n: number): readonly object[] {
  return Array.from({ length: 20 }, (_, at) => ({
    type: "transcript_added",
    text: `Sentence ${n * 20 + at} tells of harbour ${n} and of ship ${at}.`,
    mediaTimeMs: n * 160_000 + at * 2_000 + Math.floor(at / 4) * 20_000,
  }));
}

interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[] } };
  readonly nodes: readonly number[];
}

/** Takes a heap snapshot, which collects garbage first, and returns its size. */
async function heapBytes(panel: Page): Promise<number> {
  const session = await panel.context().newCDPSession(panel);
  const pieces: string[] = [];
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => pieces.push(chunk));
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  const { snapshot, nodes } = JSON.parse(pieces.join("")) as Snapshot;
  const fields = snapshot.meta.node_fields;
  const at = fields.indexOf("self_size");
  return nodes.reduce((sum, value, n) => (n % fields.length === at ? sum + value : sum), 0);
}

soakTest(
  "extension: the memory of the panel is flat over an hour of simulated viewing",
  { count: 1, batchSize: 1 },
  async () => {
    await using watched = await openWatched();
    const { served, panel, key } = watched;
    const path = `/v1/live/${encodeURIComponent(key)}`;
    const bytes: number[] = [];
    for (let n = 0; n < MINUTES; n++) {
      const body = { producerId: "hour", epoch: 0, sequence: n, evidence: minute(n) };
      await served.send("POST", `${path}/evidence`, body);
      await expect.poll(async () => (await served.session(key)).depth).toBe(0);
      const notes = await served.notes(key);
      await panel
        .getByText(notes.at(-1)?.text ?? "")
        .first()
        .waitFor();
      if ([1, WARM, MINUTES].includes(n + 1)) bytes.push(await heapBytes(panel));
    }
    const [first = 0, warm = 0, end = 0] = bytes;
    expect(end).toBeLessThan(warm * GROWTH);
    const mebi = (size: number): string => (size / 1_048_576).toFixed(2);
    return `${MINUTES} minutes, ${(await served.notes(key)).length} notes; ${mebi(first)} MiB after 1, ${mebi(warm)} after ${WARM}, ${mebi(end)} after ${MINUTES}`;
  },
);
