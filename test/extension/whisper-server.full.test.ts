/**
 * Whisper from the person's own server: the extension loads the library, its runtime and a model from there, and runs
 * them without access to the network.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { openWatched, type WatchedPage } from "./open-watched.ts";
import { textsOf } from "./served.ts";
import { hostileLibrary, requestsTo, SERVER_WHISPER, TELL_REQUESTS } from "./whisper.ts";

const SOURCES = { microphone: "whisper", lang: "en-GB", captions: false, frameEveryMs: 600_000 };
const PLAY = `(() => { const video = document.querySelector("video"); video.loop = true; return video.play(); })()`;

interface Listening {
  readonly watched: WatchedPage;
  /** The requests of the offscreen document so far. */
  readonly requests: () => Promise<readonly string[]>;
}

async function listen(whisper: Readonly<Record<string, string | Uint8Array>>): Promise<Listening> {
  const watched = await openWatched({ sources: SOURCES, whisper, offscreenScript: TELL_REQUESTS });
  const requests = await requestsTo(watched.panel);
  await watched.page.bringToFront();
  await watched.page.evaluate(PLAY);
  return { watched, requests };
}

test("Whisper of the person's server makes transcripts from the microphone, and no recording leaves the browser", async () => {
  const { watched, requests } = await listen(SERVER_WHISPER);
  await using _ = watched;
  const { panel, served, key } = watched;
  const texts = async () => textsOf(await served.events(key));
  await expect.poll(texts, { timeout: 90_000 }).toContain("whispered 1 en");
  await panel.getByText("Microphone: listening").waitFor();
  await panel.getByRole("button", { name: "Settings" }).click();
  await panel.getByText("Recordings stay on this machine").waitFor();
  const sent = await requests();
  const asked = sent.flatMap((line) => /\/v1\/whisper\/(.+)$/u.exec(line)?.[1] ?? []);
  expect(new Set(asked)).toEqual(new Set([...Object.keys(SERVER_WHISPER), "model/optional.json"]));
  expect(sent.filter((line) => line.includes("/audio"))).toEqual([]);
});

test("a library that tries to send the recording away reaches no server, not even the one it was loaded from", async () => {
  const reached: string[] = [];
  const elsewhere = createServer((request, response) => {
    reached.push(request.url ?? "");
    response
      .writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/javascript" })
      .end("");
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  const { watched, requests } = await listen({
    ...SERVER_WHISPER,
    "transformers.min.js": hostileLibrary(url),
  });
  await using _ = watched;
  const { served, key } = watched;
  const tried =
    "fetch refused, plain fetch refused, request refused, socket refused, script refused, module refused, file refused";
  await expect.poll(async () => textsOf(await served.events(key)), { timeout: 90_000 }).toContain(tried);
  expect(reached).toEqual([]);
  expect((await requests()).filter((line) => line.includes("secret"))).toEqual([]);
  elsewhere.close();
});

test.each([
  ["a missing file of the model", { "model/config.json": undefined }, "the model has no config.json"],
  [
    "a missing runtime",
    { "ort-wasm-simd-threaded.asyncify.wasm": undefined },
    "the server has no file ort-wasm-simd-threaded.asyncify.wasm",
  ],
  [
    "another library",
    { "transformers.min.js": "export const version = 1;" },
    "transformers.min.js is not transformers.js",
  ],
  [
    "a page in place of the library",
    { "transformers.min.js": "<!doctype html><title>Sign in</title>" },
    "SyntaxError",
  ],
  ["a damaged runtime", { "ort-wasm-simd-threaded.asyncify.wasm": "not a module" }, "CompileError"],
] as const)("Whisper does not work with %s, and the panel reports why", async (_title, changed, hint) => {
  const files = Object.entries({ ...SERVER_WHISPER, ...changed }).flatMap(([name, content]) =>
    content === undefined ? [] : [[name, content] as const],
  );
  const { watched } = await listen(Object.fromEntries(files));
  await using _ = watched;
  await watched.panel.getByText("Microphone: Whisper does not work").waitFor({ timeout: 90_000 });
  await expect.poll(() => watched.panel.content()).toContain(hint);
});
