/**
 * Speech that the browser recognises. A stand-in does this, because Debian's Chromium has no service for its own
 * recognition.
 */

import { expect, test } from "vitest";
import { openSite, openViewer } from "./harness.ts";
import { keysOf, serve, textsOf } from "./served.ts";

/** Recognises two sentences, first with a preliminary result, and ends after each like the browser's recognition. */
const STAND_IN = `
  const said = ["The lighthouse is white.", "The ship is brown."];
  globalThis.webkitSpeechRecognition = class {
    start() {
      const text = said.shift();
      if (text === undefined) return;
      this.onspeechstart();
      const result = (isFinal, transcript) => Object.assign([{ transcript }], { isFinal });
      this.onresult({ resultIndex: 0, results: [result(false, "The")] });
      this.onresult({ resultIndex: 0, results: [result(true, text)] });
      queueMicrotask(() => this.onend());
    }
    stop() {}
  };
  delete globalThis.SpeechRecognition;
`;

/**
 * The answer to the first `hello` of a page comes late, so the page reads captions before it knows which sources the
 * person wants.
 */
const LATE_ANSWER = `
  const send = chrome.runtime.sendMessage.bind(chrome.runtime);
  chrome.runtime.sendMessage = async (message) => {
    if (message.type === "hello") await new Promise((resolve) => setTimeout(resolve, 1_000));
    return send(message);
  };
`;

test("each sentence that the browser recognises becomes one transcript of the person, and a frame is captured", async () => {
  await using site = await openSite();
  await using served = await serve();
  const sources = {
    microphone: "recognise",
    voiceMayLeave: true,
    lang: "en",
    captions: false,
    frameEveryMs: 600_000,
  };
  await using viewer = await openViewer(site, served, {
    sources,
    offscreenScript: STAND_IN,
    watchScript: LATE_ANSWER,
  });
  await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await page.evaluate(`document.querySelector("video").play()`);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await expect
    .poll(async () => textsOf(await served.events(key)))
    .toEqual(["The lighthouse is white.", "The ship is brown."]);
  const events = await served.events(key);
  const spoken = events.find(({ type }) => type === "transcript_added");
  expect(spoken?.data).toMatchObject({ speaker: "viewer", lang: "en" });
  await expect
    .poll(async () => (await served.events(key)).map(({ type }) => type))
    .toEqual(expect.arrayContaining(["voice_activity", "frame_captured"]));
});
