/** Whisper in the extension: the person put the library and the model into the extension's folder. */

import { expect, test } from "vitest";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";
import { textsOf } from "./served.ts";
import { requestsTo, TELL_REQUESTS, WHISPER } from "./whisper.ts";

const PLAY = `(() => { const video = document.querySelector("video"); video.loop = true; return video.play(); })()`;

test("Whisper makes transcripts from the microphone on this machine, and no recording reaches the server", async () => {
  const sources = { microphone: "whisper", lang: "en-GB", captions: false, frameEveryMs: 600_000 };
  // The server has no transcriber.
  await using watched = await openWatched({ sources, files: WHISPER, offscreenScript: TELL_REQUESTS });
  const { page, panel, served, key } = watched;
  const requests = await requestsTo(panel);
  await page.bringToFront();
  await page.evaluate(PLAY);
  await expect
    .poll(async () => textsOf(await served.events(key)), { timeout: 60_000 })
    .toContain("whispered 1 en");
  const spoken = (await served.events(key)).find(({ type }) => type === "transcript_added");
  expect(spoken?.data).toMatchObject({ speaker: "viewer", lang: "en-GB" });
  expect(textsOf(await served.events(key))).not.toContain("silence");
  await panel.getByText("Microphone: listening").waitFor();
  await panel.getByRole("button", { name: "Settings" }).click();
  await panel.getByText("Recordings stay on this machine").waitFor();
  await checkPanel(panel, "whisper-settings");
  const sent = await requests();
  expect(sent.some((line) => line.includes("/v1/live/"))).toBe(true);
  expect(sent.filter((line) => line.includes("/audio"))).toEqual([]);
});

test("the panel reports that neither the extension nor the server has files of Whisper", async () => {
  const sources = { microphone: "whisper", tabSound: "always", tabTranscriber: "whisper" };
  await using watched = await openWatched({ sources });
  await watched.page.bringToFront();
  await watched.page.evaluate(PLAY);
  await watched.panel.getByText("Microphone: your server has no files of Whisper").waitFor();
  await watched.panel.getByText("Tab sound: your server has no files of Whisper").waitFor();
});

test("the panel reports that a model does not work", async () => {
  const { "whisper/model/config.json": _, ...files } = WHISPER;
  const sources = { microphone: "whisper", captions: false, frameEveryMs: 600_000 };
  await using watched = await openWatched({ sources, files });
  await watched.page.bringToFront();
  await watched.page.evaluate(PLAY);
  await watched.panel.getByText("Microphone: Whisper does not work").waitFor({ timeout: 60_000 });
});
