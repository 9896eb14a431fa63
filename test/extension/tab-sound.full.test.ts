/**
 * The sound of the tab is recorded only if the person switched it on, the browser allows it and the video has no
 * captions. The page speaks for one second, and is silent for two.
 */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openSite, openViewer, type Viewer } from "./harness.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, type ServerProcess, serve, textsOf } from "./served.ts";
import { openTranscriber } from "./transcriber.ts";
import { WHISPER } from "./whisper.ts";

/** This is longer than two words of the page and the silence that ends a recording. */
const QUIET_MS = 8_000;

const SPEAKING = `<!doctype html><title>A talk</title>
<video src="harbour.webm" width="640" height="360" muted loop></video>
<script>
  const video = document.querySelector("video");
  const context = new AudioContext();
  const gain = new GainNode(context, { gain: 0 });
  const tone = new OscillatorNode(context, { frequency: 220 });
  tone.connect(gain).connect(context.destination);
  tone.start();
  let ticks = 0;
  setInterval(() => {
    const isSpeaking = !video.paused && ticks++ % 3 === 0;
    gain.gain.value = isSpeaking ? 0.5 : 0;
  }, 1_000);
</script>`;

/** Lets a test ask the extension how loud the loudspeaker would be. */
const LOUDSPEAKER = `
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (target, ...rest) {
    if (target instanceof AudioDestinationNode) {
      globalThis.loudspeaker = this.context.createAnalyser();
      connect.call(this, globalThis.loudspeaker);
    }
    return connect.call(this, target, ...rest);
  };
  chrome.runtime.onMessage.addListener((message, sender, respond) => {
    if (message.type !== "loudness") return;
    const samples = new Float32Array(2_048);
    globalThis.loudspeaker?.getFloatTimeDomainData(samples);
    respond(Math.max(...samples));
  });
`;

const SOURCES = { tabSound: "without-captions", frameEveryMs: 600_000 };

interface Talk extends AsyncDisposable {
  readonly viewer: Viewer;
  readonly served: ServerProcess;
  readonly panel: Page;
  readonly page: Page;
}

async function openTalk(
  tabSound: "allowed" | "unasked",
  {
    yaml = "",
    html = SPEAKING,
    sources = {},
    script = "",
    files = {},
  }: {
    readonly yaml?: string;
    readonly html?: string;
    readonly sources?: Readonly<Record<string, unknown>>;
    /** A script that runs in every page of the extension. */
    readonly script?: string;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<Talk> {
  await using stack = new AsyncDisposableStack();
  const site = stack.use(await openSite());
  site.pages.set("/talk", html);
  const served = stack.use(await serve({ yaml }));
  const offscreenScript = `${LOUDSPEAKER}${script}`;
  const options = { sources: { ...SOURCES, ...sources }, tabSound, offscreenScript, files };
  const viewer = stack.use(await openViewer(site, served, options));
  await viewer.context.addInitScript(script);
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(`${site.url}/talk`);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  await playing(page);
  const open = stack.move();
  return { viewer, served, panel, page, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

const playing = (page: Page): Promise<unknown> => page.evaluate(`document.querySelector("video").play()`);

test("speech in the sound of the tab becomes a transcript of the film while the video plays in the visible tab, and a person still hears it", async () => {
  await using transcriber = await openTranscriber();
  await using talk = await openTalk("allowed", transcriber);
  const { viewer, served, panel, page } = talk;
  const hears = async (): Promise<void> => {
    const before = transcriber.heard();
    await expect.poll(() => transcriber.heard(), { timeout: 60_000 }).toBeGreaterThan(before);
  };
  const heardWithin = async (ms: number): Promise<number> => {
    const before = transcriber.heard();
    await new Promise((resolve) => setTimeout(resolve, ms));
    return transcriber.heard() - before;
  };
  /** A busy machine may send the last recordings late, but after these nothing arrives. */
  const isSilent = async (): Promise<void> => {
    await expect.poll(() => heardWithin(QUIET_MS)).toBe(0);
  };
  await hears();
  const loudness = (): Promise<unknown> => viewer.ask(`chrome.runtime.sendMessage({ type: "loudness" })`);
  await expect.poll(loudness).toBeGreaterThan(0.1);
  await panel.getByText(/^Tab sound: \d+ a minute$/u).waitFor();
  await checkPanel(panel, "tab-sound");
  // The recording is a complete WebM file.
  expect(transcriber.newest().includes(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]))).toBe(true);
  const [key = ""] = await keysOf(served);
  await expect.poll(async () => textsOf(await served.events(key))).toContain("private words 1");
  const spoken = (await served.events(key)).filter(({ type }) => type === "transcript_added");
  expect(new Set(spoken.map(({ data }) => (data as { readonly speaker?: string }).speaker))).toEqual(
    new Set(["film"]),
  );

  await page.evaluate(`document.querySelector("video").pause()`);
  await panel.getByText("Tab sound: waits, the video is paused").waitFor();
  await isSilent();
  await playing(page);
  await hears();

  const other = await viewer.context.newPage();
  await other.bringToFront();
  await panel.getByText("Tab sound: waits, the video is not in front").waitFor();
  await isSilent();
  await other.close();
  await page.bringToFront();
  await hears();
});

test("the sound of a video with captions is not recorded", async () => {
  await using transcriber = await openTranscriber();
  const html = SPEAKING.replace(
    "</video>",
    `<track kind="captions" srclang="en" label="English" src="harbour.vtt"></video>`,
  );
  await using talk = await openTalk("allowed", { ...transcriber, html });
  await talk.panel.getByText("Tab sound: not needed, the video has captions").waitFor();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  expect(transcriber.heard()).toBe(0);
});

test("if the browser waits for a press of the extension's button, the panel reports this, and nothing is recorded", async () => {
  await using transcriber = await openTranscriber();
  await using talk = await openTalk("unasked", transcriber);
  await talk.panel.getByText("Tab sound: the browser waits for you").waitFor();
  await talk.panel.getByText("Press Continuo's button in the video's tab").waitFor();
  await checkPanel(talk.panel, "tab-sound-unasked");
  expect(transcriber.heard()).toBe(0);
});

test("without a transcriber on the server, the recording of a tab's sound stops, and the panel reports what is missing", async () => {
  await using talk = await openTalk("allowed");
  await talk.panel.getByText("Tab sound: no transcriber is set up").waitFor({ timeout: 60_000 });
  await talk.panel.getByText("live.transcriber in continuo.yaml").waitFor();
});

/**
 * A stand-in for the browser's recognition, for which Debian's Chromium has no service. It returns a word for each
 * sound in the track. It has a language only after the person downloaded it.
 */
const RECOGNITION = `
  globalThis.SpeechRecognition = class {
    static async available({ langs, processLocally }) {
      if (!processLocally || langs[0] !== "en") return "unavailable";
      return localStorage.getItem("language") === "there" ? "available" : "downloadable";
    }
    static async install() {
      localStorage.setItem("language", "there");
      return true;
    }
    start(track) {
      const context = new AudioContext();
      const analyser = context.createAnalyser();
      context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
      const samples = new Float32Array(2_048);
      let wasLoud = false;
      let count = 0;
      this.timer = setInterval(() => {
        analyser.getFloatTimeDomainData(samples);
        const isLoud = Math.max(...samples) > 0.1;
        if (isLoud && !wasLoud) this.onspeechstart?.();
        if (!isLoud && wasLoud) {
          const transcript = (this.processLocally ? "local words " : "words for the maker ") + ++count;
          const result = Object.assign([{ transcript }], { isFinal: true });
          this.onresult?.({ resultIndex: 0, results: [result] });
        }
        wasLoud = isLoud;
      }, 50);
    }
    stop() {
      clearInterval(this.timer);
      queueMicrotask(() => this.onend?.());
    }
    abort() {
      this.stop();
    }
  };
`;

test("the browser recognises the sound of the tab on this machine after the person downloaded the language, and a person still hears it", async () => {
  const sources = { tabTranscriber: "browser", filmLang: "en" };
  await using talk = await openTalk("allowed", { sources, script: RECOGNITION });
  const { panel, page, served, viewer } = talk;
  await panel.getByText("does not recognise this language on this machine").waitFor();
  const region = panel.getByRole("region", { name: "Sources" });
  await region.getByRole("button", { name: "Settings" }).click();
  await panel.getByText("After that, speech stays on this machine").waitFor();
  await panel.getByRole("button", { name: "Get the language" }).click();
  await panel.getByText("nothing leaves it").waitFor();
  await checkPanel(panel, "tab-sound-language");
  await panel.getByRole("button", { name: "Notes", exact: true }).click();
  await page.bringToFront();
  const [key = ""] = await keysOf(served);
  // The server has no transcriber, so every word comes from the browser.
  await expect
    .poll(async () => textsOf(await served.events(key)), { timeout: 60_000 })
    .toContain("local words 1");
  const spoken = (await served.events(key)).filter(({ type }) => type === "transcript_added");
  expect(spoken[0]?.data).toMatchObject({ speaker: "film", lang: "en" });
  expect(textsOf(await served.events(key)).join(" ")).not.toContain("maker");
  const loudness = (): Promise<unknown> => viewer.ask(`chrome.runtime.sendMessage({ type: "loudness" })`);
  await expect.poll(loudness).toBeGreaterThan(0.1);
  await panel.getByText(/^Tab sound: \d+ a minute$/u).waitFor();
});

test("Whisper makes a transcript of the film from the sound of the tab, and the server gets no recording", async () => {
  const sources = { tabTranscriber: "whisper", filmLang: "en" };
  await using transcriber = await openTranscriber();
  await using talk = await openTalk("allowed", { ...transcriber, sources, files: WHISPER });
  const { panel, served } = talk;
  const [key = ""] = await keysOf(served);
  await expect
    .poll(async () => textsOf(await served.events(key)), { timeout: 60_000 })
    .toContain("whispered 1 en");
  const spoken = (await served.events(key)).find(({ type }) => type === "transcript_added");
  expect(spoken?.data).toMatchObject({ speaker: "film", lang: "en" });
  expect(transcriber.heard()).toBe(0);
  await panel.getByText(/^Tab sound: \d+ a minute$/u).waitFor();
});
