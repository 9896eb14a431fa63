/** The page of a session that two tabs with different videos share: each tab can seek only in its own video. */

import { expect, test } from "vitest";
import { talksIn } from "../live/captions/draw.ts";
import { openWatched, type WatchedPage } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf } from "./served.ts";

/** Sends the transcript of a talk like the page of a video. */
async function tell({ served, key }: WatchedPage, name: string, videoId?: string): Promise<void> {
  const talk = talksIn("tune").find((one) => one.name === name);
  const evidence = (talk?.pieces ?? []).map(({ text, mediaTimeMs, endMs, lang = "en" }) => {
    return { type: "transcript_added", text, lang, mediaTimeMs, endMs, ...(videoId && { videoId }) };
  });
  for (let n = 0; n < evidence.length; n += 400) {
    const batch = { producerId: name, epoch: 0, sequence: n / 400, evidence: evidence.slice(n, n + 400) };
    await served.send("POST", `/v1/live/${encodeURIComponent(key)}/evidence`, batch);
  }
}

test("after a related video in another tab is joined, the page has the chapters of both, and a tab seeks only in its own", async () => {
  await using watched = await openWatched({ sources: { frames: false, captions: false } });
  const { site, served, viewer, panel, page, key } = watched;
  const second = await viewer.context.newPage();
  await second.goto(`${site.url}/other`);
  await expect.poll(() => keysOf(served)).toHaveLength(2);
  const other = (await keysOf(served)).find((one) => one !== key) ?? "";
  await second.bringToFront();
  await panel.getByText("is open in another tab").waitFor();
  await checkPanel(panel, "related");
  await panel.getByRole("button", { name: "Join this tab to that session" }).click();
  const { sessionId } = await served.session(key);
  await expect.poll(async () => (await served.session(other)).sessionId).toBe(sessionId);
  await tell(watched, "bees");
  await tell(watched, "lighthouse", other.slice(other.indexOf("/") + 1));

  const chapters = panel.locator(".page").getByRole("region", { name: "Chapters" }).getByRole("listitem");
  // The page is written two minutes after the last word.
  await panel.locator(".page").waitFor({ timeout: 240_000 });
  await panel.locator(".page summary").click();
  const ofBees = chapters.filter({ hasText: /\b(?:queen|bees?|hive|dance)\b/iu });
  const ofLight = chapters.filter({ hasText: /\b(?:lamp|lighthouse|keeper|lens)\b/iu });
  /** A chapter of the visible tab's video has a button to seek; one of the other video has the mark `another video`. */
  const isShown = async (own: typeof chapters, others: typeof chapters): Promise<void> => {
    await expect.poll(() => own.first().getByRole("button").count()).toBeGreaterThan(0);
    expect(await own.getByText("another video").count()).toBe(0);
    expect(await others.getByText("another video").count()).toBe(await others.count());
    expect(await others.getByRole("button").count()).toBe(0);
    expect(await others.count()).toBeGreaterThan(0);
  };
  await isShown(ofLight, ofBees);
  await checkPanel(panel, "joined-page");
  await second.evaluate(`document.querySelector("video").currentTime = 19`);
  await ofLight.first().getByRole("button").first().click();
  await expect.poll(() => second.evaluate(`document.querySelector("video").currentTime`)).toBeLessThan(19);

  await page.bringToFront();
  await isShown(ofBees, ofLight);

  // Both tabs are in the list as one session, which has the keys of both.
  await panel.bringToFront();
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  const rows = panel.getByRole("region", { name: "Today" }).locator(".row");
  await rows.getByText("2 joined tabs").click();
  expect(await rows.count()).toBe(1);
  const listed = await rows
    .getByRole("list", { name: /^Keys of / })
    .getByRole("listitem")
    .allInnerTexts();
  expect(listed.toSorted()).toEqual([key, other].toSorted());
  await checkPanel(panel, "joined-row");
});
