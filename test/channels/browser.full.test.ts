/** The client in a page of Chromium does what it does in Node. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { openServer } from "../server/harness/open-server.ts";
import { cuttingProxy } from "./cutting-proxy.ts";

const ROOT = join(import.meta.dirname, "../..");

const HTML = `<!doctype html><script type="module">
  import * as continuo from "/client.js";
  globalThis.continuo = continuo;
</script>`;

async function clientBundle(): Promise<string> {
  const bundle = await rolldown({
    input: join(ROOT, "packages/core/src/client/index.ts"),
    platform: "browser",
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

test("a page sends, streams, survives a lost connection and a reload, and misses nothing", async () => {
  const code = await clientBundle();
  const pages = createServer((request, response) => {
    const isScript = request.url === "/client.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? code : HTML);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  await using store = await openStore("memory:");
  const server = await openServer(store, { origins: [origin] });
  await using proxy = await cuttingProxy(server.url);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    await page.waitForFunction("globalThis.continuo");
    const first = await page.evaluate(talk, { serverUrl: proxy.url, count: 20 });
    expect(first.texts).toEqual(Array.from({ length: 20 }, (_, n) => `m${n}`));
    expect(first.key).toBe("default:team:page");
    const cut = page.evaluate(talk, { serverUrl: proxy.url, count: 40 });
    await page.waitForFunction("globalThis.seen > 5");
    proxy.cutAll();
    expect((await cut).texts).toEqual(Array.from({ length: 40 }, (_, n) => `m${n}`));
    // The tab is reloaded without a goodbye to the server, and continues where it was.
    await page.evaluate(leaveOpen, { serverUrl: proxy.url });
    await page.reload();
    await page.waitForFunction("globalThis.continuo");
    // The server waits 2 s for the connection to come back.
    const lastEvent = async () => (await store.read("channels/team")).events.at(-1)?.type;
    await expect.poll(lastEvent).toBe("message_interrupted");
    const after = await page.evaluate(missed, { serverUrl: proxy.url });
    expect(after.status).toBe("interrupted");
    expect(after.checkpoint).toBe(1);
    const { events } = await store.read("channels/team");
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  } finally {
    await browser.close();
    await server.close();
    pages.close();
    pages.closeAllConnections();
  }
}, 120_000);

interface Page {
  readonly continuo: typeof import("@continuo/core/client");
}

interface PagePlace {
  readonly serverUrl: string;
}

/** These functions run in the page, where the other code of this file does not exist. */
async function talk({ serverUrl, count }: PagePlace & { readonly count: number }) {
  const { connect } = (globalThis as unknown as Page).continuo;
  // The page may have counted events of an earlier conversation.
  Object.assign(globalThis, { seen: 0 });
  const me = { serverUrl, channel: "team", workspaceId: "default" };
  const writer = await connect({ ...me, handle: "writer" });
  const reader = await connect({ ...me, handle: "page", replayMode: "skip" });
  const texts: string[] = [];
  const sending = (async () => {
    for (let n = 0; n < count; n++) {
      await writer.send(`m${n}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  for await (const event of reader.events()) {
    if (event.type === "message") texts.push(event.content);
    Object.assign(globalThis, { seen: texts.length });
    if (texts.length === count) break;
  }
  await sending;
  const key = reader.sessionKey;
  await writer.close();
  await reader.close();
  return { texts, key };
}

async function leaveOpen({ serverUrl }: PagePlace) {
  const { connect } = (globalThis as unknown as Page).continuo;
  const page = await connect({
    serverUrl,
    channel: "team",
    workspaceId: "default",
    handle: "page",
    replayMode: "skip",
  });
  await page.commitCheckpoint(1);
  const { messageId } = await page.send("");
  await page.update(messageId, "half");
}

async function missed({ serverUrl }: PagePlace) {
  const { connect } = (globalThis as unknown as Page).continuo;
  const page = await connect({ serverUrl, channel: "team", workspaceId: "default", handle: "page" });
  const { status, checkpoint } = page;
  await page.close();
  return { status, checkpoint };
}
