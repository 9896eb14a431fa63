/**
 * If the log cannot be trusted, the panel is read-only at once, and everything waits in the browser until the repair.
 */

import { expect, test } from "vitest";
import { LIMITS } from "../../extension/limits.ts";
import { captionsUntil, play, sendFrames } from "./harness.ts";
import { HELD_CLOCK, HOLD_AT_DEGRADED, tellEngineClock } from "./held-clock.ts";
import { openWatched } from "./open-watched.ts";
import { badges, checkPanel } from "./pictures.ts";
import { damage, textsOf } from "./served.ts";

test("while a session is degraded, transcripts, remarks and the newest frames wait, and all are sent after the repair", async () => {
  const offscreenScript = `${HELD_CLOCK}${HOLD_AT_DEGRADED}`;
  await using watched = await openWatched({ sources: { frames: false }, offscreenScript });
  const { site, served, viewer, panel, page, key } = watched;
  // The waits include restarts of the server, and other browsers run at the same time.
  panel.setDefaultTimeout(90_000);
  const before = await play(page, { fromMs: 0, toMs: 4_500 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(before));
  await served.kill();
  const mend = damage(served.database, "lighthouse");
  await served.restart();
  await expect.poll(() => tellEngineClock(viewer, { act: "isHeld" })).toBe(true);
  await tellEngineClock(viewer, { act: "advance", ms: 1_000 });
  await panel.getByText("This session is read-only").waitFor();
  await tellEngineClock(viewer, { act: "release" });
  await expect.poll(async () => (await badges(viewer)).map(({ text }) => text)).toContain("!");

  const during = await play(page, { fromMs: before, toMs: 9_000 });
  await panel.getByLabel("Remark or question").fill("Said while it was read-only.");
  await panel.getByRole("button", { name: "Add remark" }).click();
  const frames = await sendFrames(viewer, site.url, LIMITS.degradedFrames + 10);
  await panel.getByText("10 frames were left out").waitFor();
  await panel.getByText(/Read-only; \d+ items wait here/u).waitFor();
  await checkPanel(panel, "degraded");

  await served.kill();
  mend();
  await served.restart();
  await served.live("repair", key);
  await panel.getByText("This session is read-only").waitFor({ state: "detached" });
  const after = await play(page, { fromMs: during, toMs: 11_000 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(after));
  // Only the newest 20 frames are sent.
  const sent = async (): Promise<readonly string[]> =>
    (await served.events(key)).map(({ id }) => id).filter((id) => frames.includes(id));
  await expect.poll(sent).toEqual(frames.slice(-LIMITS.degradedFrames));
  const events = await served.events(key);
  expect(textsOf(events, "remark_added")).toEqual(["Said while it was read-only."]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
});
