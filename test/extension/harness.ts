/** Chromium with the extension, a page with a video, and `continuo serve`: everything real, each in a folder of its own. */

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type BrowserContext, chromium, type Page, type Worker } from "playwright-core";
import { expect } from "vitest";
import type { WireEvent } from "../../src/wire/index.ts";
import { FLAGS } from "../cli/browser.ts";
import { builtExtension, bundledCommand } from "../sizes/prepared.ts";

export const EXTENSION_ID = "baclfmndmnhkglifhajioeagailcneed";
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

/** Serves the example with ranges, as a video needs them. */
export async function openSite(): Promise<Site> {
  const pages = new Map<string, string>([["/empty", "<!doctype html><title>Nothing here</title>"]]);
  const types: Readonly<Record<string, string>> = { webm: "video/webm", vtt: "text/vtt" };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    const added = pages.get(path);
    const name = /^\/(harbour\.(?:webm|vtt))$/u.exec(path)?.[1] ?? "index.html";
    const bytes = added === undefined ? readFileSync(join(EXAMPLE, name)) : Buffer.from(added);
    const type = added === undefined ? types[name.split(".").at(-1) ?? ""] : undefined;
    const [, from, to] = /bytes=(\d+)-(\d*)/u.exec(request.headers.range ?? "") ?? [];
    const headers = { "content-type": type ?? "text/html; charset=utf-8", "accept-ranges": "bytes" };
    if (from === undefined) {
      response.writeHead(200, headers).end(bytes);
      return;
    }
    const last = to === undefined || to === "" ? bytes.length - 1 : Number(to);
    response.writeHead(206, { ...headers, "content-range": `bytes ${from}-${last}/${bytes.length}` });
    response.end(bytes.subarray(Number(from), last + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, pages, [Symbol.asyncDispose]: close };
}

export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  kill(): Promise<void>;
  /** The same store at the same address. */
  restart(): Promise<void>;
  /** The evidence of the newest session of a key. */
  events(key: string): Promise<readonly WireEvent[]>;
  get(path: string): Promise<unknown>;
}

export async function serve({ yaml = "" }: { readonly yaml?: string } = {}): Promise<Served> {
  const home = mkdtempSync(join(tmpdir(), "continuo-serve-"));
  const continuoHome = join(home, "continuo");
  mkdirSync(continuoHome);
  writeFileSync(join(continuoHome, "continuo.yaml"), yaml);
  let child = await startServer({ home, continuoHome, port: 0 });
  const url = child.url;
  const token = readFileSync(join(continuoHome, "server-token"), "utf8").trim();
  const get = async (path: string): Promise<unknown> =>
    await (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
  const kill = async (): Promise<void> => {
    child.process.kill("SIGKILL");
    await child.ended;
  };
  return {
    url,
    token,
    get,
    kill,
    restart: async () => {
      child = await startServer({ home, continuoHome, port: Number(new URL(url).port) });
    },
    events: async (key) => {
      const events: WireEvent[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const page = (await get(`/v1/live/${encodeURIComponent(key)}/evidence?after=${after}`)) as {
          readonly events: readonly WireEvent[];
          readonly nextAfter: number | null;
        };
        events.push(...page.events);
        after = page.nextAfter;
      }
      return events;
    },
    [Symbol.asyncDispose]: async () => {
      await kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

interface Started {
  readonly process: ChildProcess;
  readonly url: string;
  readonly ended: Promise<void>;
}

async function startServer(options: {
  readonly home: string;
  readonly continuoHome: string;
  readonly port: number;
}): Promise<Started> {
  const { home, continuoHome, port } = options;
  const args = [await bundledCommand(), "serve", "--listen", `127.0.0.1:${port}`, "--json"];
  const origin = `chrome-extension://${EXTENSION_ID}`;
  const child = spawn(process.execPath, [...args, "--origin", origin], {
    env: { PATH: process.env.PATH, HOME: home, CONTINUO_HOME: continuoHome },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`continuo serve ended with ${code}`)));
  });
  return { process: child, url: (JSON.parse(line) as { readonly url: string }).url, ended };
}

export interface Viewer extends AsyncDisposable {
  readonly context: BrowserContext;
  worker(): Promise<Worker>;
  /** The side panel as a page. */
  panel(): Promise<Page>;
  /** Closes the browser and opens it again with the same profile. */
  restart(): Promise<void>;
}

/** Permissions are granted by people in a dialog; here the copy of the extension has them from the start. */
export async function openViewer(
  site: Site,
  served: Pick<Served, "url" | "token">,
  sources: Readonly<Record<string, unknown>> = {},
): Promise<Viewer> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-viewer-"));
  const extension = join(folder, "extension");
  cpSync(join(await builtExtension(), "chrome-mv3"), extension, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(extension, "manifest.json"), "utf8"));
  const granted = { ...manifest, host_permissions: [`${new URL(site.url).protocol}//127.0.0.1/*`] };
  writeFileSync(join(extension, "manifest.json"), JSON.stringify(granted));
  const speech = join(folder, "speech.wav");
  writeFileSync(speech, spokenWave());
  const start = (): Promise<BrowserContext> =>
    chromium.launchPersistentContext(join(folder, "profile"), {
      executablePath: "/usr/bin/chromium",
      headless: true,
      args: [
        ...FLAGS,
        "--headless=new",
        "--autoplay-policy=no-user-gesture-required",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        `--use-file-for-fake-audio-capture=${speech}`,
        `--disable-extensions-except=${extension}`,
        `--load-extension=${extension}`,
      ],
      ignoreDefaultArgs: ["--disable-extensions"],
    });
  let context = await start();
  const worker = async (): Promise<Worker> =>
    context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  const settings = { serverUrl: served.url, token: served.token, sources };
  await (await worker()).evaluate(
    (stored) =>
      (
        globalThis as unknown as { chrome: { storage: { local: { set(value: unknown): Promise<void> } } } }
      ).chrome.storage.local.set({ settings: stored }),
    settings,
  );
  return {
    get context() {
      return context;
    },
    worker,
    panel: async () => {
      const page = await context.newPage();
      await page.goto(`chrome-extension://${EXTENSION_ID}/sidepanel.html`);
      return page;
    },
    restart: async () => {
      await context.close();
      context = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the microphone hears, again and again: a tone of a second, and two of silence. */
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

/** Plays from a place of the video, at a speed, to another place. */
export async function play(
  page: Page,
  { fromMs, toMs, rate = 4 }: { fromMs: number; toMs: number; rate?: number },
): Promise<void> {
  await page.evaluate(
    `(() => { const video = document.querySelector("video"); video.currentTime = ${fromMs / 1000}; video.playbackRate = ${rate}; return video.play(); })()`,
  );
  await expect
    .poll(() => page.evaluate(`document.querySelector("video").currentTime * 1000`), { interval: 50 })
    .toBeGreaterThanOrEqual(toMs);
  await page.evaluate(`document.querySelector("video").pause()`);
}

/** The keys of all sessions, oldest first. */
export async function keysOf(served: Served): Promise<readonly string[]> {
  const { sessions } = (await served.get("/v1/live")) as {
    readonly sessions: readonly { readonly key: string }[];
  };
  return sessions.map(({ key }) => key);
}

export function textsOf(events: readonly WireEvent[], type = "transcript_added"): readonly string[] {
  return events
    .filter((event) => event.type === type)
    .map(({ data }) => (data as { readonly text: string }).text);
}
