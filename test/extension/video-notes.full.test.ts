/**
 * The notes of a video in the panel: they continue when the video is opened again, and failures of edits, writers and
 * logs are reported.
 */

import { shellWord } from "@continuo/core/model";
import { expect, test } from "vitest";
import { captionsUntil, play, type Viewer } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";
import { damage, keysOf, NOTE_AGENT, textsOf } from "./served.ts";

/** Runs first in the offscreen document: while a test holds the notes, the panel does not receive changes to them. */
const HOLD_NOTES = `
const isHeldBy = { current: false };
const heldBack = [];
const tests = new BroadcastChannel("notes");
tests.onmessage = ({ data }) => {
  isHeldBy.current = data === "hold";
  if (!isHeldBy.current) for (const go of heldBack.splice(0)) go();
  tests.postMessage("done");
};
const realFetch = fetch;
globalThis.fetch = async (url, options) => {
  if (isHeldBy.current && String(url).endsWith("/notes")) await new Promise((go) => heldBack.push(go));
  return await realFetch(url, options);
};
`;

async function tellNotes(viewer: Viewer, what: "hold" | "release"): Promise<void> {
  await viewer.ask(`new Promise((resolve) => {
    const channel = new BroadcastChannel("notes");
    channel.onmessage = () => resolve(channel.close());
    channel.postMessage("${what}");
  })`);
}

test("a video that is opened again shows the notes of its last session and continues, and an edit that conflicts with another person's edit stays in the editor", async () => {
  await using watched = await openWatched({ yaml: NOTE_AGENT, offscreenScript: HOLD_NOTES });
  const { site, served, viewer, panel, page, key } = watched;
  const note = (text: string) => panel.locator(".note", { hasText: text });
  const end = await play(page, { fromMs: 0, toMs: 4_500 });
  await note("Noted: The harbour").getByRole("button", { name: "Accept" }).press("Enter");
  await note("Noted: The harbour").getByText("accepted", { exact: true }).waitFor();
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(end));
  await page.close();
  await expect.poll(async () => (await served.session(key)).state).toBe("closed");
  const before = await served.notes(key);

  // The video is opened again in another tab.
  const again = await viewer.context.newPage();
  await again.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(2);
  const next = (await keysOf(served)).find((one) => one !== key) ?? "";
  const { sessionId } = await served.session(key);
  expect(await served.session(next)).toMatchObject({ parentId: sessionId });
  await panel.getByText(`${before.length} notes were carried over`).waitFor();
  await expect.poll(() => panel.locator(".note").count()).toBe(before.length);
  await note("Noted: The harbour").getByText("carried over", { exact: true }).waitFor();
  await note("Noted: The harbour").getByText("accepted", { exact: true }).waitFor();
  await again.bringToFront();
  await play(again, { fromMs: end, toMs: end + 6_500 });
  await expect.poll(() => panel.locator(".note").count()).toBeGreaterThan(before.length);
  expect(await panel.getByText("carried over", { exact: true }).count()).toBe(before.length);
  await panel.bringToFront();
  await panel.evaluate(`document.querySelector(".scroll").scrollTop = 0`);
  await checkPanel(panel, "reopened");

  // Another person edits the note, and this panel does not know it yet.
  const harbour = (await served.notes(next)).find(({ text }) => text.startsWith("Noted: The harbour"));
  const path = `/v1/live/${encodeURIComponent(next)}/notes/${encodeURIComponent(harbour?.noteId ?? "")}`;
  const texts = async (): Promise<readonly string[]> => (await served.notes(next)).map(({ text }) => text);
  await note("Noted: The harbour").getByRole("button", { name: "Edit" }).press("Enter");
  await panel.getByLabel("Text of the note").fill("Mine: the harbour.");
  await tellNotes(viewer, "hold");
  await served.send("POST", path, { operation: "edit", text: "Theirs: the harbour." });
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByText("Somebody else changed this note meanwhile.").waitFor();
  expect(await panel.getByLabel("Text of the note").inputValue()).toBe("Mine: the harbour.");
  expect(await texts()).toContain("Theirs: the harbour.");
  await tellNotes(viewer, "release");
  await panel.getByText("This note was changed meanwhile: Theirs: the harbour.").waitFor();
  await checkPanel(panel, "changed-meanwhile");
  await panel.getByRole("button", { name: "Replace it" }).click();
  await expect.poll(texts).toContain("Mine: the harbour.");
  await panel.getByLabel("Text of the note").waitFor({ state: "detached" });
});

test("a note writer that does not work is named in one sentence", async () => {
  const broken = `agents: { notes: { command: ${process.execPath}, args: [-e, process.exit(1)], transport: acp } }
live: { note_writer: notes }
`;
  await using watched = await openWatched({ yaml: broken });
  const { panel, page } = watched;
  await play(page, { fromMs: 0, toMs: 8_500 });
  await panel
    .getByText(
      /^The note writer notes does not work .* Until it works again, notes are made without a model\.$/u,
    )
    .waitFor();
  await checkPanel(panel, "without-model");
});

test("only a note from a damaged transcript is marked, and one button repairs the session", async () => {
  await using watched = await openWatched({ yaml: NOTE_AGENT });
  const { served, panel, page, key } = watched;
  const note = (text: string) => panel.locator(".note", { hasText: text });
  await play(page, { fromMs: 0, toMs: 6_500 });
  await note("Noted: The harbour").waitFor();
  await note("Noted: The sun").waitFor();
  await served.kill();
  damage(served.database, "harbour");
  await served.restart();
  await note("Noted: The harbour").getByText("damaged", { exact: true }).waitFor();
  expect(await note("Noted: The sun").getByText("damaged", { exact: true }).count()).toBe(0);
  expect(await panel.locator(".banner code").innerText()).toBe(`continuo live repair ${shellWord(key)}`);
  await checkPanel(panel, "damaged-note");
  await panel.getByRole("button", { name: "Repair" }).click();
  await panel.getByText("This session is read-only").waitFor({ state: "detached" });
  expect(["active", "checkpointed", "idle"]).toContain((await served.session(key)).state);
  await note("Noted: The harbour").getByText("damaged", { exact: true }).waitFor();
});
