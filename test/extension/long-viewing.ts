/**
 * A viewing of ten segments in which every part fails once: the worker, the page, the server, the network, the browser.
 * The server's log is compared with the played texts.
 */

import type { Page } from "playwright-core";
import { expect } from "vitest";
import { openEmbedder } from "./embedder.ts";
import { bringToRecord, openSite, openViewer, type Viewer } from "./harness.ts";
import { EXTENSION_ID, keysOf, type ServerProcess, serve } from "./served.ts";

export interface LongViewing {
  /** The rate of the playback; at 0.0625 a clip of 23 s lasts six minutes. */
  readonly rate: number;
  readonly offlineMs: number;
  /** The interval at which the worker is killed, beyond the two times in each viewing. */
  readonly killEveryMs: number;
}

const SEGMENTS = 10;
const CUE_MS = 250;
const LENGTH_MS = 23_000;
const TEXTS: readonly string[] = Array.from(
  { length: LENGTH_MS / CUE_MS },
  (_, n) => `Sentence ${n} tells of harbour ${n} and of ship ${n}.`,
);

const PAGE = `<!doctype html><title>A long day</title><video src="/harbour.webm" width="640" height="360" muted>
  <track kind="captions" srclang="en" src="/long.vtt"></video>`;

/** Returns a summary. Throws at the first difference. */
export async function watchLong({ rate, offlineMs, killEveryMs }: LongViewing): Promise<string> {
  await using site = await openSite();
  site.pages.set("/long", PAGE);
  site.pages.set("/long.vtt", `WEBVTT\n\n${TEXTS.map(cueOf).join("\n")}`);
  await using embedder = await openEmbedder();
  await using served = await serve({ yaml: embedder.yaml });
  await using viewer = await openViewer(site, served);
  let kills = 0;
  let killedAtMs = performance.now();
  const kill = async (): Promise<void> => {
    if (await killWorker(viewer)) kills++;
    killedAtMs = performance.now();
  };
  let page = await viewer.context.newPage();
  await page.goto(`${site.url}/long`);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  let at = 0;
  const playTo = async (toMs: number): Promise<void> => {
    at = await playUntil(page, {
      fromMs: at,
      toMs,
      rate,
      tick: async () => {
        if (performance.now() - killedAtMs >= killEveryMs) await kill();
      },
    });
  };
  /**
   * Only text that a page showed and could not hand over is lost with the page; everything else must survive every
   * failure.
   */
  const shownIsStored = async (): Promise<void> => {
    const shown = TEXTS.slice(0, Math.floor(at / CUE_MS) + 1);
    await expect.poll(async () => (await captionsOf(served, key)).map(({ text }) => text)).toEqual(shown);
  };
  const disturbances: Readonly<Record<number, () => Promise<void>>> = {
    1: kill,
    2: async () => {
      await shownIsStored();
      await page.reload();
    },
    3: served.kill,
    4: served.restart,
    5: async () => {
      await served.kill();
      await playTo(at + 500);
      await new Promise((resolve) => setTimeout(resolve, offlineMs));
      await served.restart();
    },
    6: async () => {
      embedder.hold();
      await flood(served, key);
      await expect.poll(async () => (await served.session(key)).level).toBe("critical");
    },
    7: async () => {
      embedder.release();
      await shownIsStored();
      const second = await viewer.context.newPage();
      await second.goto(`${site.url}/other`);
      await expect.poll(() => keysOf(served)).toHaveLength(2);
      await second.close();
      await bringToRecord(viewer, page, { served, key });
    },
    8: async () => {
      await shownIsStored();
      await viewer.restart();
      const restored = (): Page | undefined =>
        viewer.context.pages().find((one) => one.url() === `${site.url}/long`);
      await expect.poll(restored).toBeDefined();
      page = restored() as Page;
      await bringToRecord(viewer, page, { served, key });
    },
    9: kill,
  };
  for (let n = 0; n < SEGMENTS; n++) {
    await disturbances[n]?.();
    await playTo(((n + 1) * LENGTH_MS) / SEGMENTS - 1);
  }
  await compare(served, key);
  return `${SEGMENTS} segments, ${TEXTS.length} captions, ${kills} workers killed, ${Math.round(offlineMs / 60_000)} min offline`;
}

function cueOf(text: string, n: number): string {
  const time = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
  return `${time(n * CUE_MS)} --> ${time((n + 1) * CUE_MS - 1)}\n${text}\n`;
}

interface Playing {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rate: number;
  readonly tick: () => Promise<void>;
}

async function playUntil(page: Page, { fromMs, toMs, rate, tick }: Playing): Promise<number> {
  const video = `document.querySelector("video")`;
  await page.waitForFunction(`${video}?.readyState >= 2`);
  await page.evaluate(
    `${video}.currentTime = ${fromMs / 1000}; ${video}.playbackRate = ${rate}; ${video}.play()`,
  );
  const ends = `${video}.currentTime * 1000 >= ${toMs} || ${video}.ended`;
  while (!(await page.evaluate(ends))) {
    await tick();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return Number(await page.evaluate(`${video}.pause(), ${video}.currentTime * 1000`));
}

/** Ends the service worker as the browser does. Returns false if it is not running. */
async function killWorker(viewer: Viewer): Promise<boolean> {
  const [page] = viewer.context.pages();
  if (page === undefined) return false;
  const session = await viewer.context.newCDPSession(page);
  try {
    const { targetInfos } = await session.send("Target.getTargets");
    const target = targetInfos.find(
      ({ type, url }) => type === "service_worker" && url.startsWith(`chrome-extension://${EXTENSION_ID}/`),
    );
    if (target === undefined) return false;
    await session.send("Target.closeTarget", { targetId: target.targetId });
    return true;
  } finally {
    await session.detach();
  }
}

async function flood(served: ServerProcess, key: string): Promise<void> {
  const evidence = Array.from({ length: 120 }, (_, n) => ({
    type: "transcript_added",
    text: `flood ${n}`,
    mediaTimeMs: n,
  }));
  const body = { producerId: "flood", epoch: 0, sequence: 0, evidence };
  await served.send("POST", `/v1/live/${encodeURIComponent(key)}/evidence`, body);
}

interface Caption {
  readonly id: string;
  readonly text: string;
}

async function captionsOf(served: ServerProcess, key: string): Promise<readonly Caption[]> {
  return (await served.events(key))
    .filter(({ type }) => type === "transcript_added")
    .map(({ id, data }) => ({ id, text: (data as { readonly text: string }).text }))
    .filter(({ text }) => !text.startsWith("flood"));
}

/**
 * Checks that there is one session, with each caption once and in order, each in exactly one note, and that the notes
 * follow from the log.
 */
async function compare(served: ServerProcess, key: string): Promise<void> {
  const captions = (): Promise<readonly Caption[]> => captionsOf(served, key);
  await expect.poll(async () => (await captions()).map(({ text }) => text)).toEqual(TEXTS);
  const said = await captions();
  const texts = new Map(said.map(({ id, text }) => [id, text]));
  const noted = async (): Promise<readonly string[]> =>
    (await served.notes(key)).flatMap(({ evidence }) => evidence).filter((id) => texts.has(id));
  await expect.poll(async () => (await noted()).toSorted()).toEqual([...texts.keys()].toSorted());
  for (const { text, evidence } of await served.notes(key)) {
    const of = evidence.flatMap((id) => texts.get(id) ?? []);
    if (of.length > 0 && !text.includes("flood")) expect(of.map((one) => `Noted: ${one}`)).toContain(text);
  }
  const path = `/v1/live/${encodeURIComponent(key)}`;
  expect(await served.send("POST", `${path}/replay`)).toMatchObject({ agreement: 1 });
  expect(await served.session(key)).toMatchObject({ parentId: null });
  const others = (await keysOf(served)).filter((one) => one !== key);
  expect(others).toHaveLength(1);
  await expect.poll(async () => (await served.session(others[0] ?? "")).state).toBe("closed");
}
