/** The group chat of docs/guides/products.md, with its page in a browser, as a reader copies both. */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { fromSource } from "../docs/example-source.ts";

const ROOT = join(import.meta.dirname, "../..");
const GUIDE =
  readFileSync(join(ROOT, "docs/guides/products.md"), "utf8").split("\n## A group chat\n")[1] ?? "";
const [, PROGRAM = ""] = /```ts\n([\s\S]*?)```/u.exec(GUIDE) ?? [];
const [, PAGE = ""] = /```html\n([\s\S]*?)```/u.exec(GUIDE) ?? [];
/** The folder is inside of the repository, so that packages are found. */
const FOLDER = mkdtempSync(join(import.meta.dirname, ".group-chat-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));

interface Program extends AsyncDisposable {
  readonly url: string;
}

async function startProgram(port: string): Promise<Program> {
  const home = { HOME: join(FOLDER, "home"), CONTINUO_HOME: join(FOLDER, "home/.continuo") };
  const child = spawn(process.execPath, ["chat.ts"], {
    cwd: FOLDER,
    env: { PATH: process.env.PATH, PORT: port, ...home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const line = await new Promise<string>((resolve) => createInterface(child.stdout).once("line", resolve));
  return {
    url: `http://127.0.0.1:${line.replace("port ", "")}`,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function enter(page: Page, text: string): Promise<void> {
  await page.fill("input", text);
  await page.keyboard.press("Enter");
}

test("people in two pages and a bot read each other, after a kill and a reload too", async () => {
  mkdirSync(join(FOLDER, "home"));
  writeFileSync(join(FOLDER, "page.html"), PAGE);
  writeFileSync(join(FOLDER, "chat.ts"), fromSource(PROGRAM));
  const browser = await openBrowser();
  const openAs = async (name: string, url: string): Promise<Page> => {
    const page = await browser.newPage();
    page.on("dialog", (dialog) => void dialog.accept(name));
    await page.goto(url);
    await page.waitForSelector("input");
    return page;
  };
  const shown = (page: Page): Promise<string> => page.innerText("pre");
  try {
    let url = "";
    let ann: Page;
    let ben: Page;
    {
      await using first = await startProgram("0");
      url = first.url;
      [ann, ben] = [await openAs("ann", url), await openAs("ben", url)];
      await enter(ann, "@bot are you there?");
      await expect.poll(() => shown(ben)).toContain("bot: ann in the channel team");
      await enter(ben, "<b>hello</b>");
      await expect.poll(() => shown(ann)).toContain("ben: <b>hello</b>");
    }
    await using _next = await startProgram(new URL(url).port);
    await enter(ann, "again");
    await expect.poll(() => shown(ben)).toContain("ann: again");
    const before = await shown(ben);
    await ben.reload();
    await expect.poll(() => shown(ben)).toBe(before);
  } finally {
    await browser.close();
  }
}, 300_000);
