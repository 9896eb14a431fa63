/** Continuous sessions in a real browser: the timeline, notes with lineage and evidence, and the replay of the log. */

import { readFileSync } from "node:fs";
import type { NewEvent } from "@continuo/core/model";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LiveTest, liveTest, said } from "../live/live-session.ts";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

/** A picture of one red pixel. */
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
  // This is done before a page is opened, because the server searches for expiring pictures only every few minutes.
  await showSlide();
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

  // The session grows while the page is open.
  const ships = await note(HOSTILE, 60_000);
  await page.locator(".note-text", { hasText: "Seven ships" }).waitFor();
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const { hash, sizeBytes } = await live.store.putBlob(PNG, { mediaType: "image/png", expiresAt });
  const picture = { hash, mediaType: "image/png", sizeBytes };
  await live.send(KEY, {
    type: "frame_captured",
    mediaTimeMs: 60_500,
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
  // A merge archives the other note with a second event.
  await expect.poll(() => notes(page)).toEqual(["Ships wait until six"]);
  const image = page.locator(".frame").getByRole("img", { name: "A pier" });
  await expect
    .poll(() => image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
    .toBe(1);

  // The frame within the span of the note is its thumbnail.
  const thumbnail = page.locator(".note-card .thumbnail");
  expect(await thumbnail.getByRole("img", { name: "A pier" }).count()).toBe(1);
  await thumbnail.click();
  await expect.poll(() => page.locator(".moment[aria-current]").innerText()).toContain("A pier");

  // The card shows the note's evidence, and the batch from which it was made.
  await page.locator(".note-card .evidence", { hasText: "1:00" }).click();
  expect(await page.locator(".moment[aria-current]").innerText()).toContain("Seven ships <script>");
  await page.getByRole("button", { name: "Where it comes from" }).click();
  const lineage = page.locator(".lineage");
  expect(await lineage.innerText()).toMatch(/Merged from 2 notes[\s\S]*It opens at six[\s\S]*Seven ships/u);
  expect(await violations(page)).toEqual([]);

  // The log is replayed step by step, and each place shows the notes of that time.
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
  // Playback reaches the end by itself.
  await slider.fill(String(total - 2));
  await page.getByRole("button", { name: "Play" }).click();
  await expect
    .poll(() => page.getByRole("button", { name: "Newest" }).isDisabled(), { timeout: 20_000 })
    .toBe(true);

  expect(await page.evaluate("document.querySelectorAll('main script, main b').length")).toBe(0);
  // Pictures are blobs that the page has fetched from its server.
  const own = new RegExp(`^(?:blob:)?${viewer.machine.url}/|^data:`, "u");
  expect(requests.filter((one) => !own.test(one))).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a link opens a place in the log of an ended session, on a narrow dark screen too", async () => {
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
  // The notes of this place are saved as a file, in which markup in the spoken words is escaped.
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

const TALK =
  "Welcome to the harbour. The lighthouse guides every ship home. A lens of glass turns once a minute. The keeper lights the lamp at dusk. We decided to repair the lens in spring. Who will pay for the glass? The town has no money left this year. Fishing boats leave with the morning tide. Nets are mended on the quay in winter. Herring was salted and sold in barrels.";

test("the summary of a session that ended is shown first, and each of its sentences leads to its moment", async () => {
  const key = "lighthouse";
  await live.service.open(key, { videoId: "talk", title: "The lighthouse" });
  for (const [n, text] of (TALK.match(/[^.?]+[.?]/gu) ?? []).entries())
    await live.send(key, said(text.trim(), n * 20_000, { endMs: n * 20_000 + 9_000 }));
  await live.clock.advance(40_000);
  await live.service.close(key);
  const { page, errors } = await viewer.open(`/live/${key}`, { access: "read" });
  const summary = page.locator(".summary");
  await summary.waitFor();
  expect(await summary.innerText()).toMatch(/Chapters[\s\S]*Decisions[\s\S]*repair the lens in spring/u);
  expect(await violations(page)).toEqual([]);
  await summary.locator("li", { hasText: "repair the lens" }).last().locator(".evidence").click();
  await expect.poll(() => page.locator(".moment[aria-current]").innerText()).toContain("repair the lens");
  await page.getByRole("button", { name: "Notes", exact: true }).click();
  await page.locator(".note-text").first().waitFor();
  expect(await page.locator(".summary").count()).toBe(0);
  await page.context().close();

  const narrow = await viewer.open(`/live/${key}`, { theme: "dark", width: 360 });
  await narrow.page.locator(".summary").waitFor();
  expect(await violations(narrow.page)).toEqual([]);
  await narrow.page.locator(".summary .evidence").first().click();
  await narrow.page.locator(".moment[aria-current]").waitFor();
  expect([...errors, ...narrow.errors]).toEqual([]);
  await narrow.page.context().close();
});

/** Makes an ended session with a picture that will be removed within a day. */
async function showSlide(): Promise<void> {
  await using soon = await liveTest({ store: viewer.machine.store, frameDays: { full: 0.5 } });
  await soon.service.open("slides", { videoId: "slides", title: "Slides" });
  const { hash, sizeBytes } = await soon.store.putBlob(PNG, { mediaType: "image/png" });
  const full = { hash, mediaType: "image/png", sizeBytes };
  await soon.send("slides", { type: "frame_captured", mediaTimeMs: 65_000, full, description: "A slide" });
  await soon.service.close("slides");
}

test("pictures that will be removed within a day are announced, even in an ended session", async () => {
  // The pages of `continuo view` change no continuous session.
  const { page, errors } = await viewer.open("/live/slides", { width: 360 });
  await page.getByText("1 picture (1:05) will be removed within a day. The panel").waitFor();
  expect(await page.getByRole("button", { name: "Keep" }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

const LINES = 3_000;

/** Every hundredth event is a note, and every fourth note is edited by a person. */
function longLog(): readonly NewEvent[] {
  return Array.from({ length: LINES }, (_, n): NewEvent => {
    const mediaTimeMs = n * 1_000;
    const note = (of: number, content: string) => {
      const noteId = `note-${of}`;
      return { noteId, content, mediaTimeMs, status: "written", evidence: [`line-${of - 5}`], lineage: [] };
    };
    if (n % 100 === 50) return { type: "note_written", data: note(n, `Note ${n}`) };
    const of = n - 20;
    if (n % 400 === 70)
      return { type: "note_updated", data: note(of, `Note ${of}, edited`), actor: { kind: "person" } };
    return { id: `line-${n}`, type: "transcript_added", data: { text: `Line ${n}.`, mediaTimeMs } };
  });
}

/**
 * Adds a decision about all events, so that the session's owner makes no notes of them. The owner can be the viewer's
 * server.
 */
function decided(before: number, events: readonly NewEvent[]): readonly NewEvent[] {
  const sequences = events.map((_, n) => before + n + 1);
  return [...events, { type: "decision_made", data: { decisionId: `decided-${before}`, sequences } }];
}

/** The notes after this number of events of that log, in the order of the video. */
function notesAfter(count: number): readonly string[] {
  const notes = new Map<string, { readonly text: string; readonly atMs: number }>();
  for (const { data } of longLog().slice(0, count)) {
    const { noteId, content, mediaTimeMs } = data as {
      noteId?: string;
      content: string;
      mediaTimeMs: number;
    };
    if (noteId !== undefined) notes.set(noteId, { text: content, atMs: mediaTimeMs });
  }
  return [...notes.values()].sort((a, b) => a.atMs - b.atMs).map(({ text }) => text);
}

test("a long session opens at its end with one window, loads others when needed, and is replayed from its first line", async () => {
  const { sessionId } = await live.service.open("long", { videoId: "long", title: "A long viewing" });
  const before = await live.store.latestSequence(sessionId);
  await live.store.append(sessionId, decided(before, longLog()));
  const { page, errors, requests } = await viewer.open("/live", { access: "read" });
  let sent = 0;
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (String(payload).includes('"transcript_added"')) sent++;
    }),
  );
  const windows = (): readonly string[] => requests.filter((one) => one.includes("/history?"));
  const line = (n: number) => page.locator(".moment.of-said", { hasText: `Line ${n}.` });
  const savedNotes = async (): Promise<readonly string[]> => {
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save notes" }).click();
    const text = readFileSync(await (await saved).path(), "utf8");
    return text.split("\n").flatMap((one) => /\bNote \d+(, edited)?$/u.exec(one)?.[0] ?? []);
  };
  await page.locator(".channel-line", { hasText: "A long viewing" }).click();
  await line(LINES - 1).waitFor();
  // The page loads the last window, and perhaps the one before it.
  expect(windows().length).toBeLessThanOrEqual(2);
  expect(await savedNotes()).toEqual(notesAfter(LINES));
  expect(await violations(page)).toEqual([]);

  // The evidence of a note is loaded when it is needed, and the notes remain those of the end.
  await page.locator(".note-card", { hasText: "Note 50" }).getByRole("button", { name: "1 piece" }).click();
  await page.locator(".moment[aria-current]", { hasText: "Line 45." }).waitFor();
  expect(windows().length).toBeLessThanOrEqual(4);
  expect(await savedNotes()).toEqual(notesAfter(LINES));
  await page
    .locator(".note-card", { hasText: "Note 50, edited" })
    .getByRole("button", { name: "Versions" })
    .click();
  await page.locator(".lineage li", { hasText: /Note 50$/u }).waitFor();
  const newest = page.getByRole("button", { name: "Newest" });
  await newest.click();
  await line(LINES - 1).waitFor();

  // The reader scrolls up to the first line. Only a bounded number of lines is kept, so the newest ones are dropped.
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect
    .poll(
      async () => {
        await timeline.evaluate((one) =>
          (one as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 0),
        );
        return await line(0).count();
      },
      { timeout: 50_000 },
    )
    .toBe(1);
  expect(windows().length).toBeGreaterThan(LINES / 200);
  expect(await savedNotes()).toEqual(notesAfter(LINES));

  // An item that is added during this time is shown at the end.
  const more = {
    id: "line-more",
    type: "transcript_added",
    data: { text: "Line more.", mediaTimeMs: 0 },
  } as const;
  await live.store.append(sessionId, decided(await live.store.latestSequence(sessionId), [more]));
  await expect.poll(() => sent).toBe(1);
  await newest.click();
  await page.locator(".moment.of-said", { hasText: "Line more." }).waitFor();

  // A replay from the beginning, beyond the end of a window, and from any place shows the notes of that place.
  const slider = page.getByRole("slider", { name: "Place in the log" });
  await slider.fill("0");
  await page.getByText("You see the session as it was").waitFor();
  expect(await savedNotes()).toEqual([]);
  await page.keyboard.press("j");
  await line(0).waitFor();
  await slider.fill(String(before + 180));
  await line(179).waitFor();
  // The focus moves to the timeline, because the slider uses some keys itself.
  await timeline.focus();
  const shown = async (): Promise<number> => Number(await slider.inputValue()) - before;
  await expect
    .poll(
      async () => {
        await page.keyboard.press("j");
        return await shown();
      },
      { timeout: 50_000, interval: 1 },
    )
    .toBeGreaterThan(230);
  expect(await savedNotes()).toEqual(notesAfter(await shown()));
  await slider.fill(String(before + 1_480));
  await line(1_479).waitFor();
  expect(await savedNotes()).toEqual(notesAfter(1_480));
  await page.getByRole("button", { name: "Step back" }).click();
  await expect.poll(shown).toBe(1_479);
  await newest.click();
  await page.locator(".moment.of-said", { hasText: "Line more." }).waitFor();
  expect(await savedNotes()).toEqual(notesAfter(LINES));
  expect(sent).toBe(1);
  expect(errors).toEqual([]);
  await page.context().close();
});
