/**
 * If the person switched it on, the text of a slide is read on this machine. It can be searched and cited, and is kept
 * after its picture is removed.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReadableEvidence } from "@continuo/core/wire";
import { evidenceOf } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { openSite, openViewer } from "./harness.ts";
import { checkPanel } from "./pictures.ts";
import { EXTENSION_ID, keysOf, type ServerProcess, serve } from "./served.ts";

/** A talk whose video is one slide. */
const SLIDE = `<!doctype html><title>A talk with slides</title>
<video width="640" height="360" muted></video>
<script>
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 640, height: 360 });
  const context = canvas.getContext("2d");
  const draw = () => {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, 640, 360);
    context.fillStyle = "#111";
    context.font = "28px sans-serif";
    context.fillText("The harbour of Port Ellen", 40, 60);
    context.font = "16px sans-serif";
    context.fillText("Built in 1853 by David Stevenson", 60, 110);
    requestAnimationFrame(draw);
  };
  draw();
  const video = document.querySelector("video");
  video.srcObject = canvas.captureStream(10);
  video.play();
</script>`;

const SOURCES = { captions: false, frameEveryMs: 600_000 };

async function framesOf(served: ServerProcess, key: string): Promise<readonly ReadableEvidence[]> {
  return (await served.events(key)).flatMap((event) => {
    const read = evidenceOf(event);
    return read?.type === "frame_captured" ? [read] : [];
  });
}

/** Returns the hosts to which the extension sent requests, from the browser's log. */
function hostsAsked(netLog: string): readonly string[] {
  const { constants, events } = JSON.parse(readFileSync(netLog, "utf8")) as {
    readonly constants: { readonly logEventTypes: Readonly<Record<string, number>> };
    readonly events: readonly {
      readonly type: number;
      readonly params?: Readonly<Record<string, unknown>>;
    }[];
  };
  const started = constants.logEventTypes.URL_REQUEST_START_JOB;
  const asked = events.flatMap(({ type, params }) => {
    const isOurs = type === started && params?.initiator === `chrome-extension://${EXTENSION_ID}`;
    return isOurs ? [new URL(String(params.url)).host] : [];
  });
  return [...new Set(asked)].filter((host) => host !== "");
}

test("the text of a slide is read without a network, found by the search, and given as the answer to a question", async () => {
  await using site = await openSite();
  site.pages.set("/slides", SLIDE);
  await using served = await serve();
  const netLog = join(scratchFolder("net-log"), "log.json");
  await using viewer = await openViewer(site, served, { sources: { ...SOURCES, pictureText: true }, netLog });
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(`${site.url}/slides`);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await expect.poll(async () => (await framesOf(served, key)).length).toBeGreaterThan(0);
  const [frame] = await framesOf(served, key);
  expect(frame?.text).toBe("The harbour of Port Ellen\nBuilt in 1853 by David Stevenson");

  const asked = (await served.send("POST", `/v1/live/${encodeURIComponent(key)}/ask`, {
    question: "Who built the harbour?",
    mediaTimeMs: frame?.startMs,
  })) as { readonly text: string };
  expect(asked.text).toContain("David Stevenson");

  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  await panel.getByRole("searchbox").fill("stevenson 1853");
  await panel.getByText("1 found").waitFor();
  await panel.getByText("Built in 1853 by David Stevenson").waitFor();
  await panel.getByRole("button", { name: "Settings" }).click();
  await panel.getByText("150 MB of memory").waitFor();
  await checkPanel(panel, "picture-text-settings");

  // The log is complete when the browser is closed. It has the requests of the reading document and of its worker.
  await viewer.context.close();
  expect(hostsAsked(netLog)).toEqual([new URL(served.url).host]);
});

test("no text is read while the switch is off", async () => {
  await using site = await openSite();
  site.pages.set("/slides", SLIDE);
  await using served = await serve();
  await using viewer = await openViewer(site, served, { sources: SOURCES });
  const page = await viewer.context.newPage();
  await page.goto(`${site.url}/slides`);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await expect.poll(async () => (await framesOf(served, key)).length).toBeGreaterThan(0);
  expect((await framesOf(served, key)).map(({ text }) => text)).toEqual([""]);
});
