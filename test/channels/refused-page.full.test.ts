/** A page of Chromium that the server does not accept reports this, with the flag that permits it. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import type { Page } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { openServer } from "../server/harness/open-server.ts";
import { plainProxy } from "./plain-proxy.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Both clients as a page loads them. */
async function bundle(name: string): Promise<string> {
  const built = await rolldown({ input: join(ROOT, "packages/core/src/client", name), platform: "browser" });
  const { output } = await built.generate({ format: "esm", codeSplitting: false });
  await built.close();
  return output[0].code;
}

interface Loaded {
  readonly continuo: typeof import("@continuo/core/client");
  readonly live: typeof import("@continuo/core/client/live");
}

let store: Store;
const closing: (() => unknown)[] = [];
let page: Page;
let origin: string;
beforeAll(async () => {
  store = await openStore("memory:");
  const scripts: Record<string, string> = {
    "/client.js": await bundle("index.ts"),
    "/live.js": await bundle("live/index.ts"),
  };
  const html = `<!doctype html><script type="module">
    globalThis.continuo = await import("/client.js");
    globalThis.live = await import("/live.js");
  </script>`;
  const pages = createServer(({ url = "" }, response) => {
    response.setHeader("content-type", url in scripts ? "text/javascript" : "text/html");
    response.end(scripts[url] ?? html);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const browser = await openBrowser();
  closing.push(
    () => browser.close(),
    () => pages.close(),
    () => pages.closeAllConnections(),
  );
  page = await browser.newPage();
  await page.goto(origin);
  await page.waitForFunction("globalThis.live");
});
afterAll(async () => {
  for (const close of closing) await close();
  await store.close();
});

/** Returns how each of the clients fails, and after what time. It runs in the page. */
async function failures(serverUrl: string) {
  const { continuo, live } = globalThis as unknown as Loaded;
  const timed = async (work: Promise<unknown>) => {
    const start = performance.now();
    const error = await work.then(
      () => ({ code: "none", message: "", hint: "" }),
      (reason: { code: string; message: string; hint: string }) => reason,
    );
    return { code: error.code, says: `${error.message}. ${error.hint}`, ms: performance.now() - start };
  };
  const following = new Promise((_, reject) => {
    live.watchLive({ serverUrl, key: "a", onFrame: () => undefined, onRefused: reject });
  });
  return await Promise.all([
    timed(continuo.connect({ serverUrl, channel: "team", handle: "ann", onWarning: () => undefined })),
    timed(live.openLive({ serverUrl, key: "a", videoId: "v" })),
    timed(following),
  ]);
}

test("a page whose origin is not allowed names the server's flag with its own origin", async () => {
  const server = await openServer(store, {});
  const found = await page.evaluate(failures, server.url);
  for (const { code, says, ms } of found) {
    expect([code, says]).toEqual([
      "forbidden",
      `the server does not accept pages of ${origin}. Start the server with \`--origin ${origin}\`, or add it to the \`origins\` of its handler.`,
    ]);
    // The promise is two seconds; a busy machine gets more.
    expect(ms).toBeLessThan(8_000);
  }
  await server.close();
});

test("a page that is allowed, behind a proxy without WebSockets, names the proxy", async () => {
  const server = await openServer(store, { origins: [origin] });
  await using proxy = await plainProxy(server.url, "refused");
  const [joined, , followed] = await page.evaluate(failures, proxy.url);
  for (const one of [joined, followed]) {
    expect(one).toMatchObject({
      code: "unsupported",
      says: expect.stringContaining("not over a WebSocket. Let the proxy"),
    });
  }
  await server.close();
});

test("a page that is allowed joins", async () => {
  const server = await openServer(store, { origins: [origin] });
  const roster = await page.evaluate(async (serverUrl) => {
    const { connect } = (globalThis as unknown as Loaded).continuo;
    const client = await connect({ serverUrl, channel: "team", handle: "ann" });
    const handles = client.roster().map(({ handle }) => handle);
    await client.close();
    return handles;
  }, server.url);
  expect(roster).toEqual(["ann"]);
  await server.close();
});
