/** A log that cannot be trusted: the panel is read-only at once, everything waits in the browser, and is sent after the repair. */

import { expect, test } from "vitest";
import { LIMITS } from "../../extension/limits.ts";
import { captionsUntil, openSite, openViewer, play } from "./harness.ts";
import { badges, checkPanel } from "./pictures.ts";
import { damage, keysOf, serve, textsOf } from "./served.ts";

test("while a session is degraded, transcripts, remarks and the newest frames wait, and all go out after the repair", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  const before = await play(page, { fromMs: 0, toMs: 4_500 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(before));
  await served.kill();
  const mend = damage(served.database, "lighthouse");
  await served.restart();
  await panel.getByText("This session is read-only").waitFor();
  await expect.poll(async () => (await badges(viewer)).map(({ text }) => text)).toContain("!");

  // Frames are asked for while the video shows others, each with a colour of its own.
  const during = await play(page, { fromMs: before, toMs: 9_000 });
  await panel.getByLabel("Remark or question").fill("Said while it was read-only.");
  await panel.getByRole("button", { name: "Add remark" }).click();
  const captured = `(async () => { const [{ id }] = await chrome.tabs.query({ url: "${site.url}/*" });
    return chrome.tabs.sendMessage(id, { to: "page", type: "capture" }).catch(() => null); })()`;
  await expect
    .poll(
      async () => {
        await viewer.ask(captured);
        return await panel.getByText("frames were left out").count();
      },
      { interval: 100 },
    )
    .toBe(1);
  await panel.getByText(/Read-only; \d+ items wait here/u).waitFor();
  await checkPanel(panel, "degraded");

  await served.kill();
  mend();
  await served.restart();
  await served.live("repair", key);
  await panel.getByText("This session is read-only").waitFor({ state: "detached" });
  const after = await play(page, { fromMs: during, toMs: 11_000 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(after));
  const events = await served.events(key);
  expect(textsOf(events, "remark_added")).toEqual(["Said while it was read-only."]);
  const repaired = events.findIndex(({ type }) => type === "remark_added");
  const frames = events.filter(({ type }) => type === "frame_captured");
  expect(repaired).toBeGreaterThan(0);
  expect(frames.length).toBeGreaterThanOrEqual(LIMITS.degradedFrames);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
});
