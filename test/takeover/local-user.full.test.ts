/**
 * Another user of the machine tries to get into the viewer: they read command lines and files, send a stolen code, take
 * the port before the viewer, after it and at the other loopback address, and leave programs in the person's browser.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { EXTENSION_PROTOCOL, type ExtensionRequested } from "@continuo/core/wire";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { cleanEnv, createHome, type Home, MAIN, writeSessions } from "../cli/home.ts";
import { newNonce } from "../server/harness/open-page.ts";
import { send } from "./send.ts";

const STRANGER = 54_321;
/** The attack as one program without imports of files. */
const SOURCE = ["send.ts", "stranger.ts"]
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8").replace(/^import .*"\.\/.*$/mu, ""))
  .join("\n");
const isRoot = process.getuid?.() === 0 && process.platform === "linux";

let home: Home;
let browser: Browser;
const children: ChildProcess[] = [];
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  home[Symbol.dispose]();
});

interface Told {
  readonly [name: string]: unknown;
}

interface Stranger {
  readonly told: Told[];
  next(isIt: (one: Told) => boolean): Promise<Told>;
  end(): Promise<void>;
}

/** Starts the program of another user. */
function stranger(args: readonly string[], env: Readonly<Record<string, string>> = {}): Stranger {
  const user = ["--reuid", String(STRANGER), "--regid", String(STRANGER), "--clear-groups"];
  const program = [process.execPath, "--input-type=module-typescript", "-e", SOURCE, ...args];
  const child = spawn("setpriv", [...user, "--no-new-privs", ...program], {
    cwd: "/",
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const told: Told[] = [];
  const arrived = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    told.push(JSON.parse(line) as Told);
    for (const look of arrived) look();
  });
  return {
    told,
    next: (isIt) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = told.find(isIt);
          if (found !== undefined) resolve(found);
        };
        arrived.add(look);
        look();
      }),
    end: async () => {
      const gone = child.exitCode !== null || child.signalCode !== null ? null : once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** Starts a stranger who listens, and reports each request. */
async function listening(
  port: number,
  collector: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Stranger> {
  const one = stranger(["listen", String(port), String(collector)], env);
  await one.next(({ listening: at }) => at !== undefined);
  return one;
}

/** Resolves with the single report of a stranger who does not listen. */
async function answerOf(args: readonly string[]): Promise<Told> {
  return await stranger(args).next(() => true);
}

interface Viewing {
  readonly url: URL;
  readonly code: string;
  kill(): Promise<void>;
}

/**
 * Runs `continuo view` for the person, and returns its address or its error. The stand-in for `xdg-open` records the
 * name of the file, and keeps running like a browser.
 */
async function view(...args: readonly string[]): Promise<Viewing | string> {
  home.write("bin/xdg-open", `#!/bin/sh\nprintf %s "$1" > '${opened()}'\nexec sleep 60\n`);
  chmodSync(join(home.path, "bin/xdg-open"), 0o755);
  const env = { ...cleanEnv(home.path), DISPLAY: ":99", PATH: `${home.path}/bin:${process.env.PATH}` };
  const child = spawn(process.execPath, [MAIN, "view", "--json", ...args], { env });
  children.push(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([text]) => String(text)),
    once(child, "exit").then(() => null),
  ]);
  if (line === null) return stderr;
  const url = new URL((JSON.parse(line) as { readonly url: string }).url);
  const code = decodeURIComponent(/^#code=([^/]+)/u.exec(url.hash)?.[1] ?? "");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { url, code, kill };
}

const opened = (): string => join(home.path, "opened");

async function viewing(port: number, ...args: readonly string[]): Promise<Viewing> {
  const result = await view("--port", String(port), ...args);
  if (typeof result === "string") throw new Error(result);
  return result;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Returns the file with which the browser is started. */
async function fileOfBrowser(): Promise<string> {
  await expect.poll(() => existsSync(opened()) && readFileSync(opened(), "utf8") !== "").toBe(true);
  return readFileSync(opened(), "utf8");
}

const PAGE_NAME = /^continuo-[\da-f]{32}\.localhost$/u;

/** The address at which Node requests a page, because only browsers can resolve its name. */
const serverOf = ({ port }: URL): string => `http://127.0.0.1:${port}`;
/** The exchange of a code, as the page at its address sends it. */
function exchangeOf({ host, origin }: URL, code: string): readonly [init: string, body: string] {
  const headers = { host, origin, "content-type": "application/json" };
  const init = { method: "POST", path: "/v1/pages/cookie", headers };
  return [JSON.stringify(init), JSON.stringify({ code, nonce: newNonce() })];
}

const LATE_PARTS_ARE_LOADED = `document.querySelector("[data-later]").dataset.later.split(" ")
  .every((name) => performance.getEntriesByName(location.origin + "/assets/" + name).length > 0)`;

const list = (page: Page): Promise<void> => page.locator(".row", { hasText: "Fix the build" }).waitFor();

/** The data that a browser keeps for the origin of a page. */
const KEPT = `(async () => ({
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  controller: navigator.serviceWorker.controller,
  databases: await indexedDB.databases(),
  caches: await caches.keys(),
  cookie: document.cookie,
  isDark: localStorage.getItem("continuo-theme") === "dark",
}))()`;
const NOTHING = { workers: 0, controller: null, databases: [], caches: [], cookie: "", isDark: false };

/** Opens old addresses as the person, while the stranger has the port, and leaves the tabs open. */
async function openOld(context: BrowserContext, origins: readonly string[]): Promise<void> {
  for (const origin of origins) {
    const tab = await context.newPage();
    await tab.goto(`${origin}/#/health`);
    await tab.waitForFunction("document.title === 'planted'");
  }
}

function assetsOfPage(): string {
  const manifest = readFileSync(join(import.meta.dirname, "../../dist/web/manifest.json"), "utf8");
  return JSON.stringify(JSON.parse(manifest).files.map((name: string) => `/assets/${name}`));
}

describe.runIf(isRoot)("another user of the machine", () => {
  test("learns no code from command lines and files, and a code that was stolen opens no page", async () => {
    const { url, code } = await viewing(await freePort());
    const file = await fileOfBrowser();
    const [, first = ""] = /#code=([^/]+)\//u.exec(readFileSync(file, "utf8")) ?? [];
    expect(first).toMatch(/^continuo_/u);
    const { words, files, user } = await answerOf(["read", file, join(home.path, ".continuo/viewer")]);
    expect(user).toBe(STRANGER);
    const lines = (words as readonly string[]).join("\n");
    expect(lines).toContain(file);
    for (const secret of [first, code, url.hostname]) expect(lines.includes(secret)).toBe(false);
    expect(files).toEqual(["EACCES", "EACCES"]);
    expect(await answerOf(["send", serverOf(url), ...exchangeOf(url, code)])).toMatchObject({
      status: 403,
      body: expect.stringContaining("another user"),
    });
    // The code is still valid for the person.
    expect(await send(serverOf(url), ...exchangeOf(url, code))).toMatchObject({ status: 200 });
  });

  test.each(["127.0.0.1", "0.0.0.0", "::1"])(
    "a program that has the port at %s first is named, and the viewer does not start beside it",
    async (HOST) => {
      const port = await freePort();
      const first = await listening(port, await freePort(), { HOST });
      const said = await view("--port", String(port));
      expect(said).toContain(`another user (uid ${STRANGER})`);
      expect(said).toContain("is not your viewer");
      expect(existsSync(opened())).toBe(false);
      expect(first.told.filter(({ port: at }) => at === "viewer")).toEqual([]);
    },
  );

  test("a program that takes the port of a viewer that ended gets no secret that opens anything, and the page notices it", async () => {
    const port = await freePort();
    const { url, kill } = await viewing(port, "--no-open");
    const page = await browser.newPage();
    await page.goto(url.href);
    await list(page);
    // The parts that a page without its server needs are loaded soon after the list.
    await page.waitForFunction(LATE_PARTS_ARE_LOADED);
    await kill();
    const later = await listening(port, await freePort());
    await page.evaluate("location.hash = '#/health'");
    await page.getByRole("heading", { name: "Another program answers at this address" }).waitFor();
    await page.getByText(`continuo view '${url.origin}/#/health'`).waitFor();
    expect(await page.getByText("Run my command").count()).toBe(0);
    const stolen = later.told.map(({ authorization }) => authorization).find((one) => one !== undefined);
    expect(stolen).toMatch(/^Bearer continuo_/u);
    // The page sends nothing more, and the secret is removed from the tab.
    expect(await page.evaluate("sessionStorage.getItem('continuo-pass')")).toBe("null");
    await later.end();
    const again = await viewing(port, "--no-open");
    const init = JSON.stringify({ path: "/v1/machine/sessions", headers: { authorization: stolen } });
    expect(await answerOf(["send", serverOf(again.url), init])).toMatchObject({ status: 401 });
    await page.close();
  });

  test("a program that was planted in the browser at the port gets no code and no secret of the next viewer", async () => {
    const [port, collector] = [await freePort(), await freePort()];
    const before = await viewing(port, "--no-open");
    await before.kill();
    const squatter = await listening(port, collector, { ASSETS: assetsOfPage() });
    const context = await browser.newContext();
    const fixed = `http://127.0.0.1:${port}`;
    await openOld(context, [fixed, `http://localhost:${port}`, before.url.origin]);
    await squatter.end();
    const thief = await listening(await freePort(), collector);
    const stolen = (): Told[] => thief.told.filter(({ port: at }) => at === "collector");
    const { url } = await viewing(port);
    const page = await context.newPage();
    await page.goto(`file://${await fileOfBrowser()}`);
    await list(page);
    expect(page.url()).toBe(`${url.origin}/#/`);
    expect(await page.evaluate(KEPT)).toEqual(NOTHING);
    await page.reload();
    await list(page);
    // A further tab at the printed address opens the viewer too.
    const printed = await context.newPage();
    await printed.goto(url.href);
    await list(printed);
    expect(await printed.evaluate(KEPT)).toEqual(NOTHING);
    expect(stolen()).toEqual([]);
    // The attack is real: at the address without the name, the same browser gives the code to the stranger.
    const second = await view("#/health", "--no-open");
    if (typeof second === "string") throw new Error(second);
    const careless = await context.newPage();
    await careless.goto(second.url.href.replace(url.origin, fixed));
    await careless.getByText("Stranger").waitFor();
    await thief.next(({ body }) => String(body).includes(`#code=${encodeURIComponent(second.code)}`));
    // The stolen code is refused at the viewer, and has been invalidated.
    const tried = await thief.next(({ body }) => String(body).startsWith("exchanged"));
    expect(tried.body).toMatch(/^exchanged 403 .*another address/u);
    expect(await send(serverOf(url), ...exchangeOf(url, second.code))).toMatchObject({ status: 401 });
    await context.close();
  });

  test("cannot ask for the access of an extension, see the page that grants it, answer on it, or collect the token", async () => {
    const port = await freePort();
    const args = [MAIN, "serve", "--json", "--listen", `127.0.0.1:${port}`];
    const child = spawn(process.execPath, args, { env: cleanEnv(home.path) });
    children.push(child);
    await once(createInterface({ input: child.stdout }), "line");
    const server = `http://127.0.0.1:${port}`;
    const origin = `chrome-extension://${"b".repeat(32)}`;
    type Call = readonly [init: string, body: string];
    const call = (method: string, path: string, from: string, body: object = {}): Call => {
      const headers = { origin: from, "content-type": "application/json" };
      return [JSON.stringify({ method, path, headers }), method === "GET" ? "" : JSON.stringify(body)];
    };
    const tried = (sent: Call): Promise<Told> => answerOf(["send", server, ...sent]);
    const refused = { status: 403, body: expect.stringContaining("another user") };
    const requests = "/v1/extension/requests";
    const hello = { protocol: EXTENSION_PROTOCOL, version: "1.2.3", site: null };
    expect(await tried(call("POST", requests, origin, hello))).toMatchObject(refused);

    const asked = await send(server, ...call("POST", requests, origin, hello));
    const { requestId, secret, page } = JSON.parse(asked.body) as ExtensionRequested;
    expect(await tried(call("GET", page, server))).toMatchObject(refused);
    const shown = await send(server, ...call("GET", page, server));
    const nonce = /data-nonce="([^"]+)"/u.exec(shown.body)?.[1];
    // The stranger knows every value of the request, but is another user.
    const answer = call("POST", `${requests}/${requestId}/answer`, server, {
      nonce,
      isGranted: true,
      code: "",
    });
    expect(await tried(answer)).toMatchObject(refused);
    const collect = call("POST", `${requests}/${requestId}/token`, origin, { secret });
    expect(JSON.parse((await send(server, ...collect)).body)).toEqual({ state: "waiting" });
    expect(await send(server, ...answer)).toMatchObject({ status: 204 });
    expect(await tried(call("POST", `${requests}/${requestId}/token`, origin, { secret: "" }))).toMatchObject(
      {
        status: 403,
      },
    );
  });

  test("the page of `continuo serve` has a name of its own, too", async () => {
    const [port, collector] = [await freePort(), await freePort()];
    const squatter = await listening(port, collector, { ASSETS: assetsOfPage() });
    const context = await browser.newContext();
    await openOld(context, [`http://127.0.0.1:${port}`]);
    await squatter.end();
    const args = [MAIN, "serve", "--json", "--listen", `127.0.0.1:${port}`];
    const child = spawn(process.execPath, args, { env: cleanEnv(home.path) });
    children.push(child);
    await once(createInterface({ input: child.stdout }), "line");
    const opening = await view(`http://127.0.0.1:${port}/#/health`, "--no-open");
    if (typeof opening === "string") throw new Error(opening);
    expect(opening.url.hostname).toMatch(PAGE_NAME);
    const page = await context.newPage();
    await page.goto(opening.url.href);
    await page.getByRole("heading", { name: "Health" }).waitFor();
    expect(await page.evaluate(KEPT)).toEqual(NOTHING);
    await context.close();
  });

  test("each start of the viewer has another name, which all addresses of that start have", async () => {
    const port = await freePort();
    const first = await viewing(port, "--no-open");
    expect(first.url.hostname).toMatch(PAGE_NAME);
    const further = await view(`${first.url.origin}/#/health`, "--no-open");
    expect(further).toMatchObject({ url: { origin: first.url.origin } });
    await first.kill();
    // An address of the earlier start opens its page under the name of the present one.
    const second = await view(`${first.url.origin}/#/health`, "--no-open");
    if (typeof second === "string") throw new Error(second);
    expect(second.url.port).toBe(String(port));
    expect(second.url.hostname).toMatch(PAGE_NAME);
    expect(second.url.hostname).not.toBe(first.url.hostname);
    expect(second.url.hash).toMatch(/^#code=[^/]+\/health$/u);
  });
});
