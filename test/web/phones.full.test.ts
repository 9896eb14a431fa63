/**
 * A phone that is paired by its camera, over a tunnel with TLS: what it may do by touch on a small screen, and how it
 * is revoked.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createServer as createTlsServer, type Server } from "node:tls";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { PNG } from "pngjs";
import decodeQR from "qr/decode.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { claudeFile, claudeText, cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "../cli/talk.ts";
import { EDITS, ownSession } from "../machine/open-chat.ts";
import { builtViewer } from "../sizes/shared-programs.ts";
import { violations } from "./axe.ts";

const NATIVE_ID = "4bf3f0f0-0000-4000-8000-00000000000a";
const CERTIFICATE = readFileSync(join(import.meta.dirname, "../server/certificates/127.0.0.1.pem"));

let home: TalkHome;
let key: string;
let browser: Browser;
let tunnel: Server;
let url: string;
let port: number;
let viewing: ChildProcess;
let laptop: Page;
let phone: BrowserContext;
const said: string[] = [];

beforeAll(async () => {
  await builtViewer();
  home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS } });
  home.write(
    claudeFile(NATIVE_ID),
    claudeText(NATIVE_ID, [
      { uuid: "a", parent: null, role: "user", content: "Which port is free?", time: "10:00:00" },
      { uuid: "b", parent: "a", role: "assistant", content: "Port 8080 is free.", time: "10:00:10" },
    ]),
  );
  key = await ownSession(home, "Raise the limit");
  port = await freePort();
  tunnel = createTlsServer({ key: CERTIFICATE, cert: CERTIFICATE }, (outside) => {
    const inside = connect(port, "127.0.0.1");
    outside.pipe(inside).pipe(outside);
    outside.on("error", () => inside.destroy());
    inside.on("error", () => outside.destroy());
  });
  tunnel.listen(0, "127.0.0.1");
  await once(tunnel, "listening");
  url = `https://127.0.0.1:${(tunnel.address() as AddressInfo).port}`;
  browser = await openBrowser();
  viewing = view("--tunnel", url, "--tunnel-port", String(port));
  const [line] = await once(createInterface({ input: viewing.stdout as NodeJS.ReadableStream }), "line");
  laptop = await browser.newPage();
  await laptop.goto((JSON.parse(String(line)) as { readonly url: string }).url);
  phone = await browser.newContext({
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    ignoreHTTPSErrors: true,
  });
});
afterAll(async () => {
  viewing?.kill("SIGKILL");
  await browser?.close();
  tunnel?.close();
  home?.[Symbol.dispose]();
});

function view(...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [MAIN, "view", "--json", "--no-open", "--port", "0", ...args], {
    env: cleanEnv(home.path),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr?.on("data", (data) => said.push(String(data)));
  return child;
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return free;
}

/** Takes a picture of the code on the laptop, and reads it as a camera does. */
async function scan(name: string, rights: "read" | "answer"): Promise<string> {
  await laptop.getByRole("textbox", { name: "Name" }).fill(name);
  const label = rights === "read" ? "read every session" : "read every session, and answer questions";
  await laptop.getByRole("radio", { name: label, exact: true }).check();
  await laptop.getByRole("button", { name: "Show the code" }).click();
  const code = laptop.getByRole("img", { name: "QR code of the link" });
  const { width, height, data } = PNG.sync.read(await code.screenshot());
  return decodeQR({ width, height, data });
}

/** The faults for touch: a page wider than the screen, and targets smaller than WCAG 2.5.8 allows. */
const hardToTouch = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const faults = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) faults.push("the page is " + scrollWidth + " px wide");
    for (const one of document.querySelectorAll("a[href], button, input, summary, select, textarea, [role=button]")) {
      const box = one.getBoundingClientRect();
      if (box.width === 0 || box.height === 0 || getComputedStyle(one).visibility === "hidden") continue;
      if (box.right <= 0 || box.bottom <= 0) continue;
      const inText = one.matches("p a, li p a, input[type=radio], input[type=checkbox], .prose a");
      if (!inText && (box.width < 24 || box.height < 24))
        faults.push((one.textContent || one.ariaLabel || one.tagName).trim().slice(0, 30) + " " + Math.round(box.width) + "x" + Math.round(box.height));
    }
    return faults;
  })()`);

test("a phone is paired by the QR code on the screen, reads by touch at 360 px, and answers one question", async () => {
  const errors: string[] = [];
  await laptop.getByRole("link", { name: "Inbox" }).click();
  await laptop.getByRole("link", { name: "Use on a phone" }).click();
  await laptop.getByRole("heading", { name: "Phones" }).waitFor();
  expect(await violations(laptop)).toEqual([]);
  const link = await scan("Pixel", "answer");
  expect(link.startsWith(`${url}/#code=`)).toBe(true);
  expect(await violations(laptop)).toEqual([]);
  const page = await phone.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(link);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  expect(page.url()).toBe(`${url}/#/inbox`);
  await laptop.getByText("may read every session, and answer questions").waitFor();
  await laptop.getByRole("button", { name: "Show the code" }).waitFor();
  expect(await page.locator(".top-links a").allInnerTexts()).toEqual(["Inbox", "Usage"]);
  expect(await page.getByRole("link", { name: "Use on a phone" }).count()).toBe(0);
  expect.soft(await hardToTouch(page)).toEqual([]);
  // The phone reads a session.
  await page.getByRole("link", { name: "Continuo" }).tap();
  await page.locator(".row", { hasText: "Which port is free?" }).tap();
  await page.getByText("Port 8080 is free.").waitFor();
  expect.soft(await hardToTouch(page)).toEqual([]);
  expect(await page.getByRole("textbox", { name: "Prompt" }).count()).toBe(0);
  await page.goBack();
  await page.waitForSelector(".row");
  expect.soft(await hardToTouch(page)).toEqual([]);
  // The phone answers a question.
  await laptop.evaluate(`location.hash = "#/session/${encodeURIComponent(key)}"`);
  const prompt = laptop.getByRole("textbox", { name: "Prompt" });
  await prompt.fill("edit it");
  await prompt.press("Enter");
  await page.getByRole("link", { name: "Inbox 1 waiting" }).tap();
  const allow = page.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  expect(await page.getByRole("button", { name: /Always/u }).count()).toBe(0);
  expect.soft(await hardToTouch(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
  await allow.tap();
  await laptop.getByText("Done.").first().waitFor();
  await allow.waitFor({ state: "detached" });
  // The cookie belongs to the browser, so the app on its home screen and a new tab are paired too.
  await page.close();
  const app = await phone.newPage();
  await app.goto(url);
  await app.waitForSelector(".row");
  expect(errors).toEqual([]);
});

test("the phone can install the page as an app, and the laptop cannot, because its address is temporary", async () => {
  const page = await phone.newPage();
  await page.goto(`${url}/#/inbox`);
  const cdp = await phone.newCDPSession(page);
  await cdp.send("Page.enable");
  const { data = "", errors, url: at } = await cdp.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data);
  expect(manifest).toMatchObject({
    name: "Continuo",
    start_url: "/#/inbox",
    scope: "/",
    display: "standalone",
  });
  const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
  // The browser contexts of a test are private windows.
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(["in-incognito"]);
  const get = (path: string) => page.request.get(new URL(path, at).href);
  expect((await get(at)).headers()["content-type"]).toBe("application/manifest+json");
  for (const { src, sizes } of manifest.icons) {
    const answer = await get(src);
    expect(answer.headers()["content-type"]).toBe("image/png");
    const { width, height } = PNG.sync.read(await answer.body());
    expect(`${width}x${height}`).toBe(sizes);
  }
  const touchIcon = await page.locator('link[rel="apple-touch-icon"]').getAttribute("href");
  expect((await get(touchIcon ?? "")).headers()["content-type"]).toBe("image/png");
  expect(await laptop.locator('link[rel="manifest"]').count()).toBe(0);
  await page.close();
});

test("a phone that only reads shows a question without answers, and a revoked phone says how to pair it again", async () => {
  await laptop.evaluate('location.hash = "#/phones"');
  const link = await scan("Tablet", "read");
  const tablet = await browser.newContext({
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    ignoreHTTPSErrors: true,
  });
  const page = await tablet.newPage();
  await page.goto(link);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  const row = laptop.locator(".phone-list li", { hasText: "Tablet" });
  await row.getByText("last used").waitFor();
  await laptop.evaluate(`location.hash = "#/session/${encodeURIComponent(key)}"`);
  const prompt = laptop.getByRole("textbox", { name: "Prompt" });
  await prompt.fill("edit it");
  await prompt.press("Enter");
  await page.getByRole("heading", { name: "Allow Edit?" }).waitFor();
  expect(await page.getByRole("button", { name: "Allow once" }).count()).toBe(0);
  await page.getByText("This page may only read.").waitFor();
  await laptop.getByRole("button", { name: "Allow once" }).click();
  await laptop.evaluate('location.hash = "#/phones"');
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("heading", { name: "Pair this phone" }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect.soft(await hardToTouch(page)).toEqual([]);
  expect(await laptop.locator(".phone-list li").count()).toBe(1);
  // In an app that shares nothing with the browser, the person enters the link by hand.
  const next = await scan("Tablet", "read");
  await page.getByRole("textbox", { name: "Or paste the link" }).fill(next);
  await page.getByRole("button", { name: "Pair" }).tap();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await tablet.close();
});

test("continuo view --pair prints a link of the running viewer, and no output of the viewer has a secret", async () => {
  const child = view("--pair", "answer");
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  const { link } = JSON.parse(String(line)) as { readonly link: string };
  const another = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await another.newPage();
  await page.goto(link);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  const cookies = await another.cookies();
  expect(cookies).toMatchObject([{ httpOnly: true, secure: true, sameSite: "Strict" }]);
  expect(said.join("")).toContain("a phone was paired");
  expect(said.join("")).not.toMatch(/continuo_[\da-f]{32}_/u);
  await another.close();
});
