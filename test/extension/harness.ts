/** Starts the real Chromium with the extension, each time in a new folder, and serves a page with a video. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BrowserContext, chromium, type Frame, type Page, type Worker } from "playwright-core";
import { expect, vi } from "vitest";
import { answerRange } from "../../scripts/ranges.ts";
import { FLAGS } from "../cli/browser.ts";
import { builtExtension } from "../sizes/shared-programs.ts";
import { EXTENSION_ID, type ServerProcess } from "./served.ts";

// The first of these tests waits for the build of the extension, which the others share.
vi.setConfig({ testTimeout: 300_000 });

const EXAMPLE: string = join(import.meta.dirname, "../../extension/example");

/** The captions of the example, in order. */
export const CAPTIONS: readonly string[] = readFileSync(join(EXAMPLE, "harbour.vtt"), "utf8")
  .split("\n\n")
  .slice(1)
  .flatMap((cue) => cue.trim().split("\n")[1] ?? []);

export interface Site extends AsyncDisposable {
  readonly url: string;
  /** Pages that a test adds, by path. */
  readonly pages: Map<string, string>;
}

/** Serves the example with support for ranges, which a video needs. */
export async function openSite(): Promise<Site> {
  const other = readFileSync(join(EXAMPLE, "index.html"), "utf8").replace('"harbour.webm"', '"other.webm"');
  const pages = new Map<string, string>([
    ["/empty", "<!doctype html><title>Nothing here</title>"],
    // The same clip at another address, which counts as another video.
    ["/other", other],
  ]);
  const types: Readonly<Record<string, string>> = { webm: "video/webm", vtt: "text/vtt" };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    const added = pages.get(path);
    const [, ending] = /^\/(?:harbour|other)\.(webm|vtt)$/u.exec(path) ?? [];
    const name = ending === undefined ? "index.html" : `harbour.${ending}`;
    const bytes = added === undefined ? readFileSync(join(EXAMPLE, name)) : Buffer.from(added);
    const type = added === undefined ? types[name.split(".").at(-1) ?? ""] : undefined;
    answerRange(request, response, { type: type ?? "text/html; charset=utf-8", bytes });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, pages, [Symbol.asyncDispose]: close };
}

export interface Viewer extends AsyncDisposable {
  readonly context: BrowserContext;
  worker(): Promise<Worker>;
  /** The side panel as a page. */
  panel(): Promise<Page>;
  /** Evaluates an expression in the service worker, where a test can use `chrome`. */
  ask(expression: string): Promise<unknown>;
  /** Closes the browser and opens it again with the same profile and the same tabs. */
  restart(): Promise<void>;
}

export interface ViewerOptions {
  readonly sources?: Readonly<Record<string, unknown>>;
  /**
   * `asked` means that no site is allowed and nothing is set up, as after an installation; `unconnected` means that
   * only the site is allowed.
   */
  readonly setUp?: "done" | "asked" | "unconnected";
  /** Another host name of the site, which does not have the special protection that browsers give to 127.0.0.1. */
  readonly hostName?: string;
  /** A script that the offscreen document runs first. */
  readonly offscreenScript?: string;
  /** With `allowed`, the sound of tabs can be recorded as after a press of the button, which a test cannot press. */
  readonly tabSound?: "allowed" | "unasked";
  /** A script that runs in pages before the extension's own script. */
  readonly watchScript?: string;
  /** Files that the person put into the folder of the extension, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** A file for the browser's log of its requests, including those of documents and workers without a page. */
  readonly netLog?: string;
}

/** People grant permissions in a dialog; here the copy of the extension has them from the start. */
export async function openViewer(
  site: Site,
  served: Pick<ServerProcess, "url" | "token">,
  {
    sources = {},
    setUp = "done",
    hostName = "127.0.0.1",
    offscreenScript,
    tabSound,
    watchScript = "",
    files = {},
    netLog,
  }: ViewerOptions = {},
): Promise<Viewer> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-viewer-"));
  const extension = join(folder, "extension");
  cpSync(join(await builtExtension(), "chrome-mv3"), extension, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(extension, "manifest.json"), "utf8"));
  const permissions = [...manifest.permissions, ...(tabSound === undefined ? [] : ["tabCapture"])];
  const granted = {
    ...manifest,
    permissions,
    host_permissions: [`${new URL(site.url).protocol}//${hostName}/*`],
  };
  if (setUp !== "asked") writeFileSync(join(extension, "manifest.json"), JSON.stringify(granted));
  if (offscreenScript !== undefined) {
    const html = readFileSync(join(extension, "offscreen.html"), "utf8");
    writeFileSync(join(extension, "first.js"), offscreenScript);
    writeFileSync(
      join(extension, "offscreen.html"),
      html.replace(/<script/u, '<script src="/first.js"></script><script'),
    );
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(extension, path)), { recursive: true });
    writeFileSync(join(extension, path), text);
  }
  const watch = join(extension, "watch.js");
  writeFileSync(watch, `${watchScript}${readFileSync(watch, "utf8")}`);
  const speech = join(folder, "speech.wav");
  writeFileSync(speech, spokenWave());
  const start = (...more: readonly string[]): Promise<BrowserContext> =>
    chromium.launchPersistentContext(join(folder, "profile"), {
      executablePath: "/usr/bin/chromium",
      headless: true,
      args: [
        ...FLAGS,
        "--headless=new",
        `--host-resolver-rules=MAP ${hostName} 127.0.0.1`,
        "--autoplay-policy=no-user-gesture-required",
        ...(tabSound === undefined
          ? [
              "--use-fake-ui-for-media-stream",
              "--use-fake-device-for-media-stream",
              `--use-file-for-fake-audio-capture=${speech}`,
            ]
          : // The browser's fake dialog for permissions cannot choose a tab.
            []),
        ...(tabSound === "allowed" ? [`--allowlisted-extension-id=${EXTENSION_ID}`] : []),
        `--disable-extensions-except=${extension}`,
        `--load-extension=${extension}`,
        ...(netLog === undefined ? [] : [`--log-net-log=${netLog}`]),
        ...more,
      ],
      // A muted browser would record silence as the sound of its tabs.
      ignoreDefaultArgs: ["--disable-extensions", ...(tabSound === undefined ? [] : ["--mute-audio"])],
    });
  let context = await start();
  const worker = async (): Promise<Worker> =>
    context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  const ask = async (expression: string): Promise<unknown> => (await worker()).evaluate(expression);
  const settings = { serverUrl: served.url, token: served.token, sources };
  if (setUp === "done") await ask(`chrome.storage.local.set({ settings: ${JSON.stringify(settings)} })`);
  return {
    get context() {
      return context;
    },
    worker,
    ask,
    panel: async () => {
      const page = await context.newPage();
      await page.goto(`chrome-extension://${EXTENSION_ID}/sidepanel.html`);
      return page;
    },
    restart: async () => {
      await context.close();
      context = await start("--restore-last-session");
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Shows a tab, and waits until the session of this key receives a frame from the present position of the tab's video.
 * Before that, playback may belong to no session. Frames that were already waiting do not count.
 */
export async function bringToRecord(
  viewer: Viewer,
  page: Page,
  { served, key }: { readonly served: ServerProcess; readonly key: string },
): Promise<void> {
  await page.bringToFront();
  await page.waitForFunction(`document.querySelector("video")?.readyState >= 2`);
  await expect.poll(() => waitingFrames(viewer)).toEqual([]);
  const atMs = await page.evaluate(`Math.round(document.querySelector("video").currentTime * 1000)`);
  const frames = async (): Promise<number> =>
    (await served.events(key)).filter(
      ({ type, data }) =>
        type === "frame_captured" && (data as { readonly mediaTimeMs: number }).mediaTimeMs === atMs,
    ).length;
  const before = await frames();
  const capture = `chrome.storage.session.get("live").then(({ live }) =>
    chrome.tabs.sendMessage(live.recording, { to: "page", type: "capture" }).catch(() => null))`;
  await expect
    .poll(async () => {
      await viewer.ask(capture);
      return await frames();
    })
    .toBeGreaterThan(before);
}

/** A tab as the extension stores it in `chrome.storage.session`. */
export interface KeptTab {
  readonly tabId: number;
  readonly index: number;
  readonly windowId: number;
  readonly part: string;
  readonly video: { readonly videoId: string } | null;
  readonly withoutVideoSinceMs: number | null;
}

/** Returns the tabs that the extension has stored, in the order in which the browser shows them. */
export async function keptTabs(viewer: Viewer): Promise<readonly KeptTab[]> {
  const stored = (await viewer.ask(`chrome.storage.session.get("live")`)) as {
    readonly live?: { readonly live: readonly KeptTab[] };
  };
  return (stored.live?.live ?? []).toSorted((a, b) => a.windowId - b.windowId || a.index - b.index);
}

/** Sends frames like the page of a video, one for each millisecond from 0 on, and returns their ids. */
export async function sendFrames(viewer: Viewer, url: string, count: number): Promise<readonly string[]> {
  const send = `async (count, videoId) => {
    const canvas = new OffscreenCanvas(16, 9);
    canvas.getContext("2d").fillRect(0, 0, 8, 9);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg" })).arrayBuffer());
    const picture = { mediaType: "image/jpeg", data: btoa(String.fromCharCode(...bytes)) };
    const items = Array.from({ length: count }, (_, n) => ({
      kind: "frame", id: "frame." + n, mediaTimeMs: n, full: picture, thumbnail: picture, colours: new Array(64).fill(0),
    }));
    for (let n = 0; n < count; n += 50) {
      const answer = await chrome.runtime.sendMessage({ to: "worker", type: "evidence", videoId, items: items.slice(n, n + 50) });
      if (answer !== "stored") throw new Error(String(answer));
    }
    return items.map(({ id }) => id);
  }`;
  const videoId = (await keptTabs(viewer))[0]?.video?.videoId ?? "";
  return (await viewer.ask(`(async () => {
    const [{ id }] = await chrome.tabs.query({ url: "${url}/*" });
    const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: id }, args: [${count}, ${JSON.stringify(videoId)}], func: ${send} });
    return result;
  })()`)) as readonly string[];
}

/** The ids of the frames that wait in the extension, oldest first. */
export async function waitingFrames(viewer: Viewer): Promise<readonly string[]> {
  return (await viewer.ask(`new Promise((resolve, reject) => {
    const opened = indexedDB.open("continuo");
    opened.onerror = () => reject(opened.error);
    opened.onsuccess = () => {
      const read = opened.result.transaction("waiting").objectStore("waiting").getAll();
      read.onerror = () => reject(read.error);
      read.onsuccess = () => {
        opened.result.close();
        resolve(read.result.filter(({ kind }) => kind === "frame").map(({ item }) => item.id));
      };
    };
  })`)) as readonly string[];
}

/** Returns the sound that the microphone repeats: a tone of one second, then two seconds of silence. */
function spokenWave(): Buffer {
  const rate = 48_000;
  const samples = Int16Array.from({ length: 3 * rate }, (_, at) =>
    at < rate ? Math.round(12_000 * Math.sin((2 * Math.PI * 220 * at) / rate)) : 0,
  );
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]);
}

/**
 * Plays the video from `fromMs` until it has reached `toMs`. Returns the position where it stopped, because a slow
 * machine stops late.
 */
export async function play(
  page: Page | Frame,
  { fromMs, toMs, rate = 4 }: { fromMs: number; toMs: number; rate?: number },
): Promise<number> {
  await page.evaluate(
    `(() => { const video = document.querySelector("video"); video.currentTime = ${fromMs / 1000}; video.playbackRate = ${rate}; return video.play(); })()`,
  );
  await expect
    .poll(() => page.evaluate(`document.querySelector("video").currentTime * 1000`), { interval: 50 })
    .toBeGreaterThanOrEqual(toMs);
  return Number(
    await page.evaluate(
      `(() => { const video = document.querySelector("video"); video.pause(); return video.currentTime * 1000; })()`,
    ),
  );
}

/** Returns the captions that began before a time of the video; one begins every 2 s. */
export function captionsUntil(ms: number): readonly string[] {
  return CAPTIONS.slice(0, Math.floor(ms / 2_000) + 1);
}
