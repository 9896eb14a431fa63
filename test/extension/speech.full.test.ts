/**
 * The person's speech: Chromium's fake microphone beeps, and a scripted endpoint transcribes the beeps for the server.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { openSite, openViewer } from "./harness.ts";
import { keysOf, serve, textsOf } from "./served.ts";

test("each piece of speech becomes one recording and one transcript, and a frame is captured", async () => {
  const files: Buffer[] = [];
  const endpoint = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    files.push(Buffer.concat(parts));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ text: `spoken ${files.length}` }));
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  const port = (endpoint.address() as AddressInfo).port;
  try {
    await using site = await openSite();
    await using served = await serve({
      yaml: `live: { transcriber: { url: "http://127.0.0.1:${port}/v1", model: whisper } }\n`,
    });
    const sources = { microphone: "record", lang: "en", captions: false, frameEveryMs: 600_000 };
    await using viewer = await openViewer(site, served, { sources });
    // The microphone listens only while the panel is open.
    await viewer.panel();
    const page = await viewer.context.newPage();
    await page.goto(site.url);
    await expect.poll(() => keysOf(served)).toHaveLength(1);
    const [key = ""] = await keysOf(served);
    // The microphone listens only while the video plays.
    await page.evaluate(
      `(() => { const video = document.querySelector("video"); video.loop = true; return video.play(); })()`,
    );
    await expect.poll(async () => textsOf(await served.events(key)).length).toBeGreaterThanOrEqual(2);
    const events = await served.events(key);
    expect(new Set(textsOf(events)).size).toBe(textsOf(events).length);
    expect(textsOf(events)[0]).toBe("spoken 1");
    const spoken = events.filter(({ type }) => type === "transcript_added");
    expect(new Set(spoken.map(({ data }) => (data as { readonly speaker?: string }).speaker))).toEqual(
      new Set(["viewer"]),
    );
    expect(files[0]?.includes(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]))).toBe(true);
    expect(events.map(({ type }) => type)).toContain("frame_captured");
  } finally {
    endpoint.closeAllConnections();
    endpoint.close();
  }
});
