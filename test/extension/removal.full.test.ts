/** A person deletes and restores a note, a session and a video in the panel. The list of sessions has pictures. */

import { expect, test } from "vitest";
import { play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, NOTE_AGENT } from "./served.ts";

test("a note, a session and a video are deleted in the panel, and each can be restored", async () => {
  await using watched = await openWatched({ yaml: NOTE_AGENT, sources: { frameEveryMs: 1_000 } });
  const { viewer, served, site, panel, page, key } = watched;
  await play(page, { fromMs: 0, toMs: 4_500, rate: 1 });
  const note = panel.locator(".note", { hasText: "Noted:" }).first();
  await note.waitFor();
  const text = (await note.locator(".note-text").textContent()) ?? "";
  const notes = async (): Promise<readonly string[]> => (await served.notes(key)).map((one) => one.text);
  expect(await notes()).toContain(text);
  // The note has the frame that was visible.
  await note.locator(".note-body img").waitFor();

  // The keyboard opens the menu and deletes the note; the focus moves to the button that restores it.
  await panel.bringToFront();
  await note.locator(".menu summary").focus();
  await panel.keyboard.press("Enter");
  await note.getByRole("button", { name: "Delete" }).focus();
  await panel.keyboard.press("Enter");
  await panel.getByText("The note was deleted.").waitFor();
  await expect.poll(notes).not.toContain(text);
  await expect.poll(() => panel.evaluate(`document.activeElement.textContent`)).toBe("Undo");
  await checkPanel(panel, "note-deleted");
  await panel.keyboard.press("Enter");
  await expect.poll(notes).toContain(text);
  await panel.getByText(text, { exact: true }).waitFor();

  // The tab leaves the page with the video, so that the session ends and does not change any more.
  await page.goto(`${site.url}/empty`);
  await expect.poll(async () => (await served.session(key)).state).toBe("closed");
  const ended = await notes();
  expect(ended.length).toBeGreaterThan(0);
  await panel.bringToFront();
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  const row = panel.locator(".row", { hasText: "A day at the harbour" });
  await row.first().locator("img").waitFor();
  const width = (): Promise<unknown> => panel.evaluate(`document.querySelector(".row img").naturalWidth`);
  await expect.poll(width).toBeGreaterThan(100);
  await checkPanel(panel, "sessions-pictures");
  await row.getByText("More").click();
  await checkPanel(panel, "session-menu");
  await row.getByRole("button", { name: "Delete session" }).click();
  await panel.getByText("The session of “A day at the harbour” was deleted.").waitFor();
  await expect.poll(() => keysOf(served)).toEqual([]);
  await panel.getByText("Deleted (1)").click();
  await checkPanel(panel, "session-deleted");
  await panel.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => keysOf(served)).toEqual([key]);
  expect(await notes()).toEqual(ended);

  // A second session of the same video begins and ends in another tab.
  const again = await viewer.context.newPage();
  await again.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(2);
  await again.goto(`${site.url}/empty`);
  const states = async (): Promise<readonly string[]> =>
    await Promise.all((await keysOf(served)).map(async (one) => (await served.session(one)).state));
  await expect.poll(states).toEqual(["closed", "closed"]);
  await panel.bringToFront();
  await panel.getByRole("button", { name: "Notes" }).click();
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  await expect.poll(() => row.count()).toBe(2);
  await row.first().getByText("More").click();
  await row.first().getByRole("button", { name: "Delete all sessions of this video" }).click();
  await expect.poll(() => keysOf(served)).toEqual([]);
  // One session is restored from the list of deleted ones, and the other with the video.
  await panel.getByText("Deleted (2)").click();
  await panel.getByRole("button", { name: "Bring back A day at the harbour" }).first().click();
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  await panel.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => keysOf(served)).toHaveLength(2);
});
