/** The note writer asks the person in the side panel, and answers the person's questions; its cost is shown. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { play } from "./harness.ts";
import { openViewerPage, openWatched } from "./open-watched.ts";
import { checkPanel, picture } from "./pictures.ts";
import { NOTE_AGENT } from "./served.ts";

test("questions of both sides are answered, the cost is shown, pictures are kept, and notes are exported", async () => {
  await using watched = await openWatched({ yaml: NOTE_AGENT });
  const { served, panel, page } = watched;
  await play(page, { fromMs: 0, toMs: 6_500 });
  const button = (name: string) => panel.getByRole("button", { name, exact: true });
  const note = (text: string) => panel.locator(".note", { hasText: text });

  // The note writer is unsure about the lighthouse, so the person is asked.
  await panel.getByLabel("Which lighthouse is meant?").waitFor();
  await note("Noted: The sun rises").waitFor();
  await checkPanel(panel, "asked");
  await panel.getByLabel("Which lighthouse is meant?").fill("The one on the pier");
  await button("Answer").click();
  await note("(The one on the pier)").waitFor();
  await expect.poll(() => panel.getByLabel("Which lighthouse is meant?").count()).toBe(0);
  await panel.getByText(/^Notes by notes, \$0\.\d\d, [\d,]+ tokens$/u).waitFor();

  await panel.getByLabel("Remark or question").fill("What did I say about the lighthouse?");
  await button("Ask").click();
  await panel.getByText("You said: A lighthouse stands on the pier.").waitFor();
  expect(await panel.getByText("No model is set up").count()).toBe(0);
  await checkPanel(panel, "answer");
  await page.evaluate(`document.querySelector("video").currentTime = 19`);
  await panel
    .locator(".answer")
    .getByRole("button", { name: /^\d:\d\d$/u })
    .first()
    .click();
  await expect.poll(() => page.evaluate(`document.querySelector("video").currentTime`)).toBeLessThan(7);

  // Every new panel announces the pictures that will be removed, and a person can keep them for ever.
  await served.kill();
  await served.restart();
  await panel.getByText(/will be removed within a\s+day/u).waitFor();
  await checkPanel(panel, "purge");
  await button("Keep").click();
  await expect.poll(() => panel.getByText(/will be removed/u).count()).toBe(0);

  await button("Sessions").click();
  await panel.getByRole("button", { name: "A day at the harbour" }).click();
  const saved = panel.waitForEvent("download");
  await button("Markdown").click();
  expect((await saved).suggestedFilename()).toBe("A day at the harbour.zip");
  // The archive stores its files without compression, so their text can be found in it.
  const text = readFileSync(await (await saved).path(), "latin1");
  expect(text).toContain("# A day at the harbour\n");
  const [, picture = ""] = /!\[Frame at [\d:]+\]\((frames\/[\d-]+\.jpg)\)/u.exec(text) ?? [];
  expect(text.split(picture).length - 1, picture).toBeGreaterThanOrEqual(3);
  expect(text).toContain("JFIF");
  expect(text).toContain("Noted: The harbour opens at dawn");
  await checkPanel(panel, "earlier");
});

test("while nobody speaks, a frame that the person captures answers a question, and another one starts a batch", async () => {
  await using watched = await openWatched({ yaml: NOTE_AGENT, sources: { frames: false } });
  const { served, panel, page, key } = watched;
  await play(page, { fromMs: 0, toMs: 6_500 });
  const question = panel.getByLabel("Which lighthouse is meant?");
  await question.waitFor();
  const asked = async (): Promise<readonly unknown[]> =>
    (await served.events(key)).flatMap(({ type, data }) =>
      type === "frame_captured" ? [(data as { readonly asked?: true }).asked] : [],
    );
  // Frames are switched off, so there are only those that a person captures.
  expect(await asked()).toEqual([]);
  await panel.locator(".request").getByRole("button", { name: "Answer with a frame" }).click();
  await expect.poll(asked).toEqual([true]);
  await panel.locator(".note", { hasText: "(the picture)" }).waitFor();
  await expect.poll(() => question.count()).toBe(0);

  const depth = async (): Promise<number> => (await served.session(key)).depth;
  await expect.poll(depth).toBe(0);
  const calls = async (): Promise<number> => (await served.session(key)).cost.modelCalls;
  const before = await calls();
  await panel.getByRole("button", { name: "Capture a frame" }).click();
  await expect.poll(asked).toEqual([true, true]);
  await expect.poll(calls).toBeGreaterThan(before);
  await expect.poll(depth).toBe(0);
});

test("without a model, the answer to a question says that no model is set up, and quotes the most similar sentence with its time, if there is one", async () => {
  await using watched = await openWatched({ sources: { frames: false } });
  const { served, panel, page, key } = watched;
  await play(page, { fromMs: 0, toMs: 6_500 });
  await expect.poll(async () => (await served.session(key)).depth).toBe(0);
  const writer = panel.locator("summary", { hasText: "Notes without a model" });
  await writer.click();
  await panel.getByText("Notes without a model are the most important sentences.").waitFor();
  await checkPanel(panel, "writer-none");
  await writer.click();
  const answer = panel.locator(".answer");
  const asks = async (question: string): Promise<void> => {
    await panel.getByLabel("Remark or question").fill(question);
    await panel.getByRole("button", { name: "Ask", exact: true }).click();
  };
  await asks("When does the harbour open?");
  await answer.getByText("No model is set up that could answer. This was said or noted").waitFor();
  await answer.locator("blockquote", { hasText: "The harbour opens at dawn." }).waitFor();
  await checkPanel(panel, "answer-without-model");
  await answer.getByRole("button", { name: "0:00" }).click();
  await expect.poll(() => page.evaluate(`document.querySelector("video").currentTime`)).toBe(0);
  await asks("Who painted the ceiling in Rome?");
  await answer.getByText("Nothing that was said or noted is like the question.").waitFor();
  expect(await answer.locator("blockquote").count()).toBe(0);
});

test("pictures of an ended session are announced a day before they are removed, and can be kept", async () => {
  await using watched = await openWatched({ yaml: NOTE_AGENT });
  const { site, served, panel, page, key } = watched;
  await play(page, { fromMs: 0, toMs: 6_500 });
  await panel.locator(".note").first().waitFor();
  await page.goto(`${site.url}/empty`);
  await expect.poll(async () => (await served.session(key)).state).toBe("closed");
  // A server searches for expiring pictures only every few minutes, and a new one does so at the first request.
  await served.kill();
  await served.restart();
  const path = `/v1/live/${encodeURIComponent(key)}/expiring`;
  const expiring = async (): Promise<number> =>
    ((await served.get(path)) as { readonly pictures: readonly unknown[] }).pictures.length;
  await expect.poll(expiring).toBeGreaterThan(0);
  await panel.bringToFront();
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  await panel.getByRole("button", { name: "A day at the harbour" }).click();
  await panel.getByText(/\(\d:\d\d.*\) will be removed within a day\./u).waitFor();
  await checkPanel(panel, "purge-ended");
  // The viewer announces them too.
  const live = await openViewerPage(watched);
  await live.getByText(/\(\d:\d\d.*\) will be removed within a day\./u).waitFor();
  await picture(live, "purge-ended-viewer");
  await panel.bringToFront();
  await panel.getByRole("button", { name: "Keep" }).click();
  await expect.poll(() => panel.getByText(/will be removed/u).count()).toBe(0);
  expect(await expiring()).toBe(0);
});

test("the viewer can keep pictures of an ended session if its page may make changes", async () => {
  await using watched = await openWatched({ yaml: NOTE_AGENT });
  const { site, served, page, key } = watched;
  await play(page, { fromMs: 0, toMs: 4_500 });
  await page.goto(`${site.url}/empty`);
  await expect.poll(async () => (await served.session(key)).state).toBe("closed");
  await served.kill();
  await served.restart();
  const live = await openViewerPage(watched);
  await live.getByRole("button", { name: "Keep" }).click();
  await expect.poll(() => live.getByText(/will be removed/u).count()).toBe(0);
  const path = `/v1/live/${encodeURIComponent(key)}/expiring`;
  expect(await served.get(path)).toEqual({ pictures: [], access: ["read", "write"] });
});
