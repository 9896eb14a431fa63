/** What a person does in the side panel, with a note writer that asks, costs, and answers. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { captionsUntil, openSite, openViewer, play } from "./harness.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, serve, textsOf } from "./served.ts";

const AGENT = join(import.meta.dirname, "note-agent.ts");
const YAML = `agents: { notes: { command: ${process.execPath}, args: [${AGENT}], transport: acp } }
live: { note_writer: notes, frames: { full_days: 1 }, budget: { max_cost_usd: 100 } }
`;

test("notes are accepted, edited, split, merged and undone; questions are answered; the cost is shown", async () => {
  await using site = await openSite();
  await using served = await serve({ yaml: YAML });
  await using viewer = await openViewer(site, served);
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  const end = await play(page, { fromMs: 0, toMs: 6_500 });
  const button = (name: string) => panel.getByRole("button", { name, exact: true });
  const note = (text: string) => panel.locator(".note", { hasText: text });

  // The draft about the lighthouse is not sure: the person is asked.
  await panel.getByLabel("Which lighthouse is meant?").waitFor();
  await note("Noted: The sun rises").waitFor();
  await checkPanel(panel, "asked");
  const frames = async (): Promise<number> =>
    (await served.events(key)).filter(({ type }) => type === "frame_captured").length;
  const framesBefore = await frames();
  await panel.locator(".request").getByRole("button", { name: "Capture a frame" }).click();
  await expect.poll(frames).toBeGreaterThan(framesBefore);
  await panel.getByLabel("Which lighthouse is meant?").fill("The one on the pier");
  await button("Answer").click();
  await note("(The one on the pier)").waitFor();
  await expect.poll(() => panel.getByLabel("Which lighthouse is meant?").count()).toBe(0);
  await panel.getByText(/^\$0\.\d\d, [\d,]+ tokens$/u).waitFor();

  // By keyboard alone.
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
  await note("The sun rises.").getByRole("button", { name: "Merge with next" }).click();
  await expect.poll(async () => (await split()).length).toBe(1);
  await note("Noted: The harbour").getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => note("Noted: The harbour").getByText("accepted", { exact: true }).count()).toBe(0);

  // Notes have their evidence; a marker of the timeline goes there in the video.
  await note("Noted: The harbour").locator("summary").click();
  await note("Noted: The harbour").getByText("The harbour opens at dawn.", { exact: true }).waitFor();
  await panel.getByRole("button", { name: /^Go to 0:00: Noted: The harbour/u }).click();
  await expect.poll(() => page.evaluate(`document.querySelector("video").currentTime`)).toBe(0);

  await panel.getByLabel("Remark or question").fill("What did I say about the lighthouse?");
  await button("Ask").click();
  await panel.getByText("You said: A lighthouse stands on the pier.").waitFor();
  await checkPanel(panel, "answer");
  expect(textsOf(await served.events(key))).toEqual(captionsUntil(end));

  // Pictures that will be removed are announced to whoever joins, and kept for good.
  await served.kill();
  await served.restart();
  await panel.getByText(/will be removed within a\s+day/u).waitFor();
  await checkPanel(panel, "purge");
  await button("Keep").click();
  await expect.poll(() => panel.getByText(/will be removed/u).count()).toBe(0);

  await button("Sessions").click();
  await panel.getByRole("button", { name: "A day at the harbour" }).click();
  const saved = panel.waitForEvent("download");
  await button("Export Markdown").click();
  const text = readFileSync(await (await saved).path(), "utf8");
  expect(text).toContain("# A day at the harbour\n");
  expect(text).toContain("Noted: The harbour opens at dawn");
  await checkPanel(panel, "earlier");
});
