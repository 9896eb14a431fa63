/** A person's work with notes in the side panel. */

import { expect, test } from "vitest";
import { captionsUntil, play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";
import { NOTE_AGENT, textsOf } from "./served.ts";

test("notes can be accepted, edited, split, merged and undone, and their markers seek", async () => {
  await using watched = await openWatched({ yaml: NOTE_AGENT });
  const { served, panel, page, key } = watched;
  const end = await play(page, { fromMs: 0, toMs: 6_500 });
  const button = (name: string) => panel.getByRole("button", { name, exact: true });
  const note = (text: string) => panel.locator(".note", { hasText: text });

  await note("Noted: The sun rises").waitFor();
  // Accept, Edit and Split at cursor work with only the keyboard.
  await note("Noted: The harbour").getByRole("button", { name: "Accept" }).press("Enter");
  await note("Noted: The harbour").getByText("accepted", { exact: true }).waitFor();
  await note("Noted: The sun").getByRole("button", { name: "Edit" }).press("Enter");
  await panel.getByLabel("Text of the note").fill("The sun rises. It is red.");
  await panel.getByLabel("Text of the note").press("Home");
  for (const _ of "The sun rises.") await panel.keyboard.press("ArrowRight");
  await checkPanel(panel, "editor");
  await button("Split at cursor").press("Enter");
  await note("It is red.").waitFor();
  const split = async (): Promise<readonly string[]> =>
    (await served.notes(key)).map(({ text }) => text).filter((text) => /sun rises\.|is red/u.test(text));
  await expect.poll(split).toEqual(["The sun rises.", "It is red."]);
  await note("The sun rises.").getByText("More").click();
  await note("The sun rises.").getByRole("button", { name: "Merge with next" }).click();
  await expect.poll(async () => (await split()).length).toBe(1);
  await note("Noted: The harbour").getByText("More").click();
  await note("Noted: The harbour").getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => note("Noted: The harbour").getByText("accepted", { exact: true }).count()).toBe(0);

  // Notes have their evidence; a marker in the timeline seeks to its time in the video.
  await note("Noted: The harbour").getByText("of evidence").click();
  await note("Noted: The harbour").getByText("The harbour opens at dawn.", { exact: true }).waitFor();
  await panel.getByRole("button", { name: /^Go to 0:00: Noted: The harbour/u }).click();
  await expect.poll(() => page.evaluate(`document.querySelector("video").currentTime`)).toBe(0);
  expect(textsOf(await served.events(key))).toEqual(captionsUntil(end));
});
