/** If a session ends while the browser cannot reach the server, the waiting items go to its successor. */

import { expect, test } from "vitest";
import { LIMITS } from "../../extension/limits.ts";
import { captionsUntil, play, sendFrames, waitingFrames } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";
import { textsOf } from "./served.ts";

test("if a session ends while the server is away, its waiting captions, remarks and frames go to its successor", async () => {
  await using watched = await openWatched({ sources: { frames: false } });
  const { site, served, viewer, panel, page, key } = watched;
  const before = await play(page, { fromMs: 0, toMs: 4_500 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(before));
  const { sessionId } = await served.session(key);
  // First the server only stops answering: the items are not confirmed, and new frames still replace the oldest ones.
  served.freeze();
  const during = await play(page, { fromMs: before, toMs: 12_500 });
  await panel.getByLabel("Remark or question").fill("Said while it was offline.");
  await panel.getByRole("button", { name: "Add remark" }).click();
  const frames = await sendFrames(viewer, site.url, LIMITS.offlineFrames + 10);
  await panel.getByText(/10 frames were left out/u).waitFor();
  expect(await waitingFrames(viewer)).toEqual(frames.slice(-LIMITS.offlineFrames));
  await served.kill();
  await panel.getByText(/; \d+ items wait here/u).waitFor();
  await checkPanel(panel, "offline");
  await served.elsewhere(async (url) => {
    const authorization = `Bearer ${served.token}`;
    await fetch(`${url}/v1/live/${encodeURIComponent(key)}`, {
      method: "DELETE",
      headers: { authorization },
    });
  });
  await served.restart();
  await expect
    .poll(async () => textsOf(await served.events(key)))
    .toEqual(captionsUntil(during).slice(captionsUntil(before).length));
  const next = await served.session(key);
  expect(next).toMatchObject({ parentId: sessionId });
  await expect
    .poll(async () => textsOf(await served.events(key), "remark_added"))
    .toEqual(["Said while it was offline."]);
  // The frames follow, in order.
  await expect.poll(async () => (await served.events(key)).map(({ id }) => id)).toContain(frames[12]);
  const sent = (await served.events(key)).map(({ id }) => id).filter((id) => frames.includes(id));
  expect(sent).toEqual(frames.slice(10, 10 + sent.length));
});
