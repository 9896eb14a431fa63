/** A slow or busy server: which items wait, which are sent, and what the panel shows. */

import { expect, test } from "vitest";
import { openEmbedder } from "./embedder.ts";
import { captionsUntil, play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { badges, checkPanel } from "./pictures.ts";
import { type ServerProcess, textsOf } from "./served.ts";

/** Sends this number of transcripts from another source, which then wait for notes. */
async function flood(
  served: ServerProcess,
  key: string,
  { producerId, count }: { producerId: string; count: number },
): Promise<void> {
  const evidence = Array.from({ length: count }, (_, n) => ({
    type: "transcript_added",
    text: `flood ${producerId} ${n}`,
    mediaTimeMs: n,
  }));
  const path = `/v1/live/${encodeURIComponent(key)}/evidence`;
  await served.send("POST", path, { producerId, epoch: 0, sequence: 0, evidence });
}

async function captionsIn(served: ServerProcess, key: string): Promise<readonly string[]> {
  return textsOf(await served.events(key)).filter((text) => !text.startsWith("flood"));
}

test("while the server is busy, only remarks and questions are sent, and after that the waiting items in order", async () => {
  await using embedder = await openEmbedder();
  await using watched = await openWatched({ yaml: embedder.yaml, sources: { frameEveryMs: 1_000 } });
  const { served, viewer, panel, page, key } = watched;
  embedder.hold();
  const before = await play(page, { fromMs: 0, toMs: 4_500 });
  await expect.poll(() => captionsIn(served, key)).toEqual(captionsUntil(before));
  await flood(served, key, { producerId: "a", count: 60 });
  await panel.getByText("The server is slow; fewer frames are taken").waitFor();
  await checkPanel(panel, "slow");
  await flood(served, key, { producerId: "b", count: 60 });
  await panel.getByText(/The server is busy; .* here/u).waitFor();
  await expect.poll(() => badges(viewer)).toContainEqual({ text: "⏸", colour: [255, 165, 0, 255] });

  // This plays at least two captions, no matter where the video stopped before.
  const during = await play(page, { fromMs: before, toMs: before + 4_500 });
  await panel.getByText(/The server is busy; \d+ items wait here/u).waitFor();
  await panel.getByLabel("Remark or question").fill("Said while the server was busy.");
  await panel.getByRole("button", { name: "Add remark" }).click();
  await expect
    .poll(async () => textsOf(await served.events(key), "remark_added"))
    .toEqual(["Said while the server was busy."]);
  await panel.getByLabel("Remark or question").fill("What about the lighthouse?");
  await panel.getByRole("button", { name: "Ask" }).click();
  await panel.getByText("Close answer").waitFor();
  await checkPanel(panel, "busy");
  expect(await captionsIn(served, key)).toEqual(captionsUntil(before));

  embedder.release();
  await expect.poll(async () => (await badges(viewer)).map(({ text }) => text)).not.toContain("⏸");
  await expect.poll(() => captionsIn(served, key)).toEqual(captionsUntil(during));
  // Frames stopped, so none comes from the time of this playback.
  const frames = (await served.events(key))
    .filter(({ type }) => type === "frame_captured")
    .map(({ data }) => (data as { readonly mediaTimeMs: number }).mediaTimeMs);
  expect(frames.filter((ms) => ms > before + 1)).toEqual([]);
  expect(frames.length).toBeGreaterThan(0);
});
