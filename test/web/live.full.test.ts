/** Continuous sessions in a real browser: the timeline, notes with their lineage and evidence, and the replay of the log. */

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LiveTest, liveTest, said } from "../live/live-session.ts";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

/** A red pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
  "base64",
);

let viewer: OpenViewer;
let live: LiveTest;
beforeAll(async () => {
  viewer = await openViewer();
  live = await liveTest({ store: viewer.machine.store });
  await live.service.open("tab <1>", { videoId: "harbour", title: "The <b>harbour</b>" });
});
afterAll(async () => {
  await live?.[Symbol.asyncDispose]();
  await viewer?.[Symbol.asyncDispose]();
});

const KEY = "tab <1>";
const PLACE = `/live/${encodeURIComponent(KEY)}`;

async function note(text: string, atMs: number): Promise<string> {
  const before = new Set((await live.service.notes(KEY)).map(({ noteId }) => noteId));
  await live.send(KEY, said(text, atMs, { endMs: atMs + 1_000 }));
  await live.clock.advance(13_000);
  return (await live.service.notes(KEY)).find(({ noteId }) => !before.has(noteId))?.noteId ?? "";
}

const notes = (page: Page): Promise<readonly string[]> => page.locator(".note-text").allInnerTexts();
const HOSTILE = "Seven ships <script>alert(1)</script><img src=x onerror=alert(2)>";

test("a session is shown as it grows, each note leads to its evidence, and the log is replayed step by step", async () => {
  const harbour = await note("The harbour opens at dawn", 10_000);
  const { page, errors, requests } = await viewer.open("/live", { access: "read" });
  await page.locator(".channel-line", { hasText: "The <b>harbour</b>" }).click();
  await page.locator(".note-text", { hasText: "The harbour opens at dawn" }).waitFor();
  expect(await violations(page)).toEqual([]);

  // It grows while somebody looks.
  const ships = await note(HOSTILE, 60_000);
  await page.locator(".note-text", { hasText: "Seven ships" }).waitFor();
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const { hash, sizeBytes } = await live.store.putBlob(PNG, { mediaType: "image/png", expiresAt });
  const picture = { hash, mediaType: "image/png", sizeBytes };
  await live.send(KEY, {
    type: "frame_captured",
    mediaTimeMs: 62_000,
    thumbnail: picture,
    description: "A pier",
  });
  await live.service.operate(KEY, harbour, { operation: "edit", text: "It opens at six" });
  await live.service.operate(KEY, harbour, {
    operation: "merge",
    noteIds: [ships],
    text: "Ships wait until six",
  });
  await page.locator(".note-text", { hasText: "Ships wait until six" }).waitFor();
  expect(await notes(page)).toEqual(["Ships wait until six"]);
  const image = page.getByRole("img", { name: "A pier" });
  await expect
    .poll(() => image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
    .toBe(1);

  // What the note stands on, and what it was made of.
  await page.locator(".note-card .evidence", { hasText: "1:00" }).click();
  expect(await page.locator(".moment[aria-current]").innerText()).toContain("Seven ships <script>");
  await page.getByRole("button", { name: "Where it comes from" }).click();
  const lineage = page.locator(".lineage");
  expect(await lineage.innerText()).toMatch(/Merged from 2 notes[\s\S]*It opens at six[\s\S]*Seven ships/u);
  expect(await violations(page)).toEqual([]);

  // From the beginning, step by step: at each place the notes that were there then.
  const slider = page.getByRole("slider", { name: "Place in the log" });
  await slider.fill("0");
  expect(await notes(page)).toEqual([]);
  const seen: string[] = [];
  const total = Number(await slider.getAttribute("max"));
  for (let count = 0; count < total; count++) {
    await page.getByRole("button", { name: "Next step" }).click();
    const now = (await notes(page)).join(" | ");
    if (now !== seen.at(-1)) seen.push(now);
  }
  expect(seen).toEqual([
    "",
    "The harbour opens at dawn",
    `The harbour opens at dawn | ${HOSTILE}`,
    `It opens at six | ${HOSTILE}`,
    `It opens at six | Ships wait until six | ${HOSTILE}`,
    `Ships wait until six | ${HOSTILE}`,
    "Ships wait until six",
  ]);
  expect(await page.getByRole("button", { name: "Newest" }).isDisabled()).toBe(true);
  // Played, it comes to its end by itself.
  await slider.fill(String(total - 2));
  await page.getByRole("button", { name: "Play" }).click();
  await expect
    .poll(() => page.getByRole("button", { name: "Newest" }).isDisabled(), { timeout: 20_000 })
    .toBe(true);

  expect(await page.evaluate("document.querySelectorAll('main script, main b').length")).toBe(0);
  expect(requests.filter((one) => !one.startsWith(viewer.machine.url) && !one.startsWith("data:"))).toEqual(
    [],
  );
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a link leads to a place of the log, on a narrow dark screen too, and a session that ended is still there", async () => {
  await live.service.close(KEY);
  const { events } = await live.store.read(await live.service.sessionIdOf(KEY), { types: ["note_written"] });
  const { page, errors } = await viewer.open(`${PLACE}/at/${events[0]?.sequence}`, {
    theme: "dark",
    width: 360,
  });
  await page.locator(".note-text", { hasText: "The harbour opens at dawn" }).waitFor();
  await page.locator(".facts .state", { hasText: "closed" }).waitFor();
  expect(await notes(page)).toEqual(["The harbour opens at dawn"]);
  expect(await violations(page)).toEqual([]);
  // The notes of this place as a file, in which what somebody said is no markup.
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save notes" }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe("notes.md");
  expect(readFileSync(await download.path(), "utf8")).toMatch(
    /^# The \\<b\\>harbour\\<\/b\\>\n\n- \*\*0:\d\d[^\n]* The harbour opens at dawn\n$/u,
  );
  await page.getByRole("button", { name: "Timeline" }).click();
  await page.locator(".moment", { hasText: "The harbour opens at dawn" }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});
