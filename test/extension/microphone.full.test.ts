/**
 * People can trust the microphone: it listens only while the video plays in the visible tab, with the panel open and
 * nothing paused. Chromium's fake microphone says a word every three seconds.
 */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Viewer } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { badges, checkPanel } from "./pictures.ts";
import { openTranscriber } from "./transcriber.ts";

/** This is longer than two words of the fake microphone and the silence that ends a recording. */
const QUIET_MS = 8_000;

/**
 * Runs first in the offscreen document, and counts the live tracks of the microphone. The browser shows its indicator
 * while there is one.
 */
const COUNT_TRACKS = `
const streams = [];
const devices = navigator.mediaDevices;
const open = devices.getUserMedia.bind(devices);
devices.getUserMedia = async (wanted) => {
  const stream = await open(wanted);
  streams.push(stream);
  return stream;
};
const tests = new BroadcastChannel("tracks");
tests.onmessage = ({ data }) => {
  if (data !== "count") return;
  const tracks = streams.flatMap((stream) => stream.getTracks());
  tests.postMessage(tracks.filter(({ readyState }) => readyState === "live").length);
};
`;

async function liveTracks(viewer: Viewer): Promise<unknown> {
  return await viewer.ask(`new Promise((resolve) => {
    const channel = new BroadcastChannel("tracks");
    channel.onmessage = ({ data }) => resolve((channel.close(), data));
    channel.postMessage("count");
  })`);
}

const playing = (page: Page): Promise<unknown> =>
  page.evaluate(
    `(() => { const video = document.querySelector("video"); video.loop = true; video.playbackRate = 1; return video.play(); })()`,
  );

test("no microphone is open while the video is paused, another tab is visible, the microphone is paused or the panel is closed", async () => {
  await using transcriber = await openTranscriber();
  const sources = { microphone: "record", lang: "en", captions: false, frameEveryMs: 600_000 };
  await using watched = await openWatched({
    sources,
    yaml: transcriber.yaml,
    offscreenScript: COUNT_TRACKS,
  });
  const { page, panel, viewer } = watched;
  const mic = async (): Promise<boolean> => (await badges(viewer)).some(({ text }) => text === "MIC");
  /** Plays the video, and waits until the microphone is on and one more recording arrives. */
  const hears = async (): Promise<void> => {
    await page.bringToFront();
    await playing(page);
    await expect.poll(mic).toBe(true);
    await expect.poll(() => liveTracks(viewer)).toBe(1);
    const before = transcriber.heard();
    await expect.poll(() => transcriber.heard(), { timeout: 120_000 }).toBeGreaterThan(before);
  };
  const heardWithin = async (ms: number): Promise<number> => {
    const before = transcriber.heard();
    await new Promise((resolve) => setTimeout(resolve, ms));
    return transcriber.heard() - before;
  };
  /** Waits until the microphone is off. A busy machine may send the last recordings late; then nothing arrives. */
  const isSilent = async (): Promise<void> => {
    await expect.poll(mic).toBe(false);
    await expect.poll(() => liveTracks(viewer)).toBe(0);
    await expect.poll(() => heardWithin(QUIET_MS)).toBe(0);
  };
  await panel.getByText("Microphone: waits, the video is paused").waitFor();
  await hears();
  const green = panel.locator(".status.good", { hasText: /Microphone: listening, \d+ a minute/u });
  await green.waitFor();
  await checkPanel(panel, "listening");

  await page.evaluate(`document.querySelector("video").pause()`);
  await panel.getByText("Microphone: waits, the video is paused").waitFor();
  await isSilent();
  await hears();

  const other = await viewer.context.newPage();
  await other.bringToFront();
  await panel.getByText("Microphone: waits, the video is not in front").waitFor();
  await isSilent();
  await other.close();
  await hears();

  await panel.getByRole("button", { name: "Pause the microphone" }).click();
  await panel.getByText("Microphone: paused by you").waitFor();
  await isSilent();
  await checkPanel(panel, "microphone-paused");
  await panel.getByRole("button", { name: "Go on listening" }).click();
  await hears();

  await panel.close();
  await isSilent();
});

test("before it listens, the panel says that a voice would leave the machine, and asks for consent", async () => {
  const script = `
    globalThis.webkitSpeechRecognition = class {
      start() { (globalThis.starts ??= []).push(this.processLocally === true); }
      stop() {}
    };
    delete globalThis.SpeechRecognition;
  `;
  const sources = { microphone: "recognise", lang: "en" };
  await using watched = await openWatched({ sources, offscreenScript: script });
  const { page, panel } = watched;
  await playing(page);
  await panel.getByText("Microphone: needs your consent").waitFor();
  await panel.getByRole("region", { name: "Sources" }).getByRole("button", { name: "Settings" }).click();
  await panel.getByText("My voice may leave this machine").waitFor();
  await panel
    .getByText("Recognised by the browser's maker, over the internet")
    .first()
    .waitFor({ state: "attached" });
  await checkPanel(panel, "voice-leaves");
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByRole("heading", { name: "Settings" }).waitFor();
  await panel.getByLabel("My voice may leave this machine").check();
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByText("Microphone: listening").waitFor();
});
