/** The page of docs/guides/front-door.md in a browser, below a path of a proxy that adds a strict Content-Security-Policy. */

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import type { Agent } from "@continuo/core/model";
import { toNodeListener } from "@continuo/server";
import { openContinuo } from "@continuo/server/runtime";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guides/front-door.md"), "utf8");
const [, SECTION = ""] = GUIDE.split("#### Behind a proxy, and with a Content-Security-Policy\n");
const [, HTML = ""] = /^```html\n([\s\S]*?)^```$/mu.exec(SECTION) ?? [];
const [, SCRIPT = ""] = /^```js\n([\s\S]*?)^```$/mu.exec(SECTION) ?? [];
const CHANNEL = `import { openChannel } from "./v1/client.js";
const team = await openChannel({ channel: "team", handle: "ann" });
document.querySelector("input").onchange = ({ target }) => team.client.send(target.value);
for await (const messages of team.messages())
  document.querySelector("pre").textContent = messages.map(({ handle, content }) => handle + ": " + content).join("\\n");
`;
const PREFIX = "/desk";
const SOON = { timeout: 30_000, interval: 20 };

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

interface ProxyOptions {
  /** True for a proxy that takes its path away before it passes a request on. */
  readonly isRemoved: boolean;
  /** The `Host` that the program gets; by default that of the request. */
  readonly host?: string;
  /** True for a proxy that collects an answer before it sends it. */
  readonly isBuffering?: boolean;
}

/** A reverse proxy: `/desk/page.js` and `/desk/` are files, and everything else below `/desk/` goes to the program. */
async function openProxy({ isRemoved, host, isBuffering = false }: ProxyOptions) {
  let target = 0;
  const sockets = new Set<Socket>();
  const policy = { "content-security-policy": "default-src 'self'" };
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    [`${PREFIX}/`]: ["text/html", HTML],
    [`${PREFIX}/page.js`]: ["text/javascript", SCRIPT],
    [`${PREFIX}/team`]: ["text/html", HTML.replace("page.js", "team.js")],
    [`${PREFIX}/team.js`]: ["text/javascript", CHANNEL],
  };
  const forward = ({ url = "", method, headers }: IncomingMessage) =>
    request({
      port: target,
      host: "127.0.0.1",
      method,
      path: isRemoved ? url.slice(PREFIX.length) : url,
      headers: { ...headers, ...(host === undefined ? {} : { host }) },
    });
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // Browsers ask for it by themselves, outside of the path.
    if (incoming.url === "/favicon.ico") {
      outgoing.writeHead(204).end();
      return;
    }
    const file = files[incoming.url ?? ""];
    if (file !== undefined) {
      outgoing.writeHead(200, { "content-type": file[0], ...policy }).end(file[1]);
      return;
    }
    const asked = forward(incoming);
    asked.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, { ...response.headers, ...policy });
      // A part that is smaller than the buffer waits in it, unless the answer asks for none, as with nginx.
      const isHeld = isBuffering && response.headers["x-accel-buffering"] !== "no";
      if (isHeld) void response.toArray().then((parts) => outgoing.end(Buffer.concat(parts)));
      else response.pipe(outgoing);
    });
    asked.on("error", () => outgoing.destroy());
    outgoing.on("close", () => asked.destroy());
    incoming.pipe(asked);
  };
  const server = createServer(answer);
  server.on("upgrade", (incoming, socket: Socket) => {
    sockets.add(socket);
    const asked = forward(incoming).end();
    asked.on("upgrade", (response, upstream, head) => {
      const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
      socket.write(head);
      upstream.pipe(socket).pipe(upstream);
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    });
    asked.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${PREFIX}/`,
    origin: `http://127.0.0.1:${port}`,
    leadTo: (program: number) => {
      target = program;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A program behind a proxy, with an agent that writes a word, and the others only when the test says so. */
async function openProduct({ isListed = false, ...options }: ProxyOptions & { readonly isListed?: boolean }) {
  const proxy = await openProxy(options);
  const { promise: wanted, resolve: goOn } = Promise.withResolvers<void>();
  const agent: Agent = {
    name: "slow",
    async execute(_, { onEvent }) {
      await onEvent({ type: "text", delta: "One" });
      await wanted;
      await onEvent({ type: "text", delta: " two three." });
      return {};
    },
  };
  const c = await openContinuo("memory:", { agents: [agent], pollMs: 10 });
  await c.channel("team").post("Welcome.", { from: "host" });
  const rights = { sessions: ["customer-ann"], channels: ["team"], access: "write", by: "ann" } as const;
  const handler = c.handler({ authorize: () => rights, origins: isListed ? [proxy.origin] : [] });
  const http = createServer(toNodeListener(handler)).on("upgrade", handler.upgrade);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  proxy.leadTo((http.address() as AddressInfo).port);
  return {
    ...proxy,
    goOn,
    [Symbol.asyncDispose]: async () => {
      goOn();
      proxy.close();
      await c.close({ graceMs: 0 });
      http.closeAllConnections();
      http.close();
    },
  };
}

interface OpenedPage {
  readonly page: Page;
  /** Mistakes of the page and refusals of its policy. */
  readonly problems: readonly string[];
}

async function open(url: string): Promise<OpenedPage> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => void problems.push(String(error)));
  page.on("console", (line) => {
    if (line.type() === "error") problems.push(line.text());
  });
  await page.goto(url);
  await page.waitForSelector("input");
  return { page, problems };
}

async function say(page: Page, words: string): Promise<void> {
  await page.fill("input", words);
  await page.keyboard.press("Enter");
}

test.each([
  { title: "takes its path away", options: { isRemoved: true } },
  { title: "passes its path on", options: { isRemoved: false } },
  { title: "buffers what may be buffered", options: { isRemoved: true, isBuffering: true } },
])("a page behind a proxy that $title shows an answer while it is written", async ({ options }) => {
  await using product = await openProduct(options);
  const { page, problems } = await open(product.url);
  await say(page, "Count to three.");
  await expect.poll(() => page.innerText("pre"), SOON).toBe("user: Count to three.\nassistant: One");
  product.goOn();
  await expect
    .poll(() => page.innerText("pre"), SOON)
    .toBe("user: Count to three.\nassistant: One two three.");
  await page.reload();
  await expect.poll(() => page.innerText("pre"), SOON).toContain("One two three.");
  expect(problems).toEqual([]);
  await page.close();
});

test("a channel of a page behind a proxy uses a WebSocket, which the strict policy allows", async () => {
  await using product = await openProduct({ isRemoved: true });
  const { page, problems } = await open(`${product.url}team`);
  const sockets: string[] = [];
  page.on("websocket", (socket) => void sockets.push(socket.url()));
  await page.reload();
  await say(page, "Is somebody there?");
  await expect.poll(() => page.innerText("pre"), SOON).toContain("ann: Is somebody there?");
  expect(sockets[0]).toContain(`${PREFIX}/v1/channels/team/ws`);
  expect(problems).toEqual([]);
  await page.close();
});

test("the policy refuses the same script inside of the page", async () => {
  await using product = await openProduct({ isRemoved: true });
  const { page, problems } = await open(product.url);
  await page.evaluate(`{
    const script = document.createElement("script");
    script.textContent = "document.title = 'changed'";
    document.body.append(script);
  }`);
  expect(await page.title()).toBe("Desk");
  expect(problems.join("\n")).toContain("Content Security Policy");
  await page.close();
});

test("a proxy that replaces the header Host needs the origin of the page in `origins`", async () => {
  const statusOf = async (options: Parameters<typeof openProduct>[0]): Promise<number> => {
    await using product = await openProduct(options);
    const { status } = await fetch(`${product.url}v1/sessions/customer-ann/messages`, {
      method: "POST",
      headers: { origin: product.origin, "content-type": "application/json" },
      body: JSON.stringify({ text: "hello" }),
    });
    return status;
  };
  expect(await statusOf({ isRemoved: true })).toBe(202);
  expect(await statusOf({ isRemoved: true, host: "desk.internal" })).toBe(403);
  expect(await statusOf({ isRemoved: true, host: "desk.internal", isListed: true })).toBe(202);
});
