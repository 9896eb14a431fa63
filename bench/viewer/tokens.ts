/**
 * Measures the time from a token of an agent to the screen. A scripted agent looks every 20 ms for a file, and sends a
 * token as soon as the file exists; the time begins when the file is written.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import type { Browser, Page } from "playwright-core";
import { chunk, DONE, hello1, type ScriptStep } from "../../test/acp/script.ts";
import { withViewer } from "./viewer-process.ts";

const AGENT = join(import.meta.dirname, "../../test/acp/scripted-agent.ts");

/** The median of this number of tokens, in milliseconds. */
export async function measureTokens(browser: Browser, tokens: number): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "continuo-tokens-"));
  try {
    const key = await makeHome(home, tokens);
    return await withViewer(home, (url) => measureIn(browser, { url: `${url}session/${key}`, home, tokens }));
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Adds an agent that sends one token for each file, and a session in which it answers; returns the session's key. */
async function makeHome(home: string, tokens: number): Promise<string> {
  const steps = Array.from({ length: tokens }, (_, at): readonly ScriptStep[] => [
    { untilFile: `go${at}` },
    chunk(`token${at} `),
  ]);
  const prompts = { count: [chunk("begin "), ...steps.flat(), DONE] };
  const hello = hello1({ resume: {} }, { loadSession: true });
  writeFileSync(join(home, "script.json"), JSON.stringify({ hello, prompts }));
  mkdirSync(join(home, ".continuo"));
  const robot = { command: process.execPath, args: [AGENT, join(home, "script.json")] };
  writeFileSync(join(home, ".continuo/continuo.yaml"), JSON.stringify({ agent: "robot", agents: { robot } }));
  await using store = await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
  const { sessionId } = await store.createSession({ agent: "robot", cwd: home, title: "Tokens" });
  return encodeURIComponent(`continuo:${sessionId}`);
}

interface TokenCase {
  readonly url: string;
  readonly home: string;
  readonly tokens: number;
}

async function measureIn(browser: Browser, { url, home, tokens }: TokenCase): Promise<number> {
  const page = await browser.newPage();
  await page.goto(url);
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  await prompt.fill("count");
  await prompt.press("Enter");
  await page.getByText("begin").waitFor();
  const times: number[] = [];
  for (let at = 0; at < tokens; at++) {
    await watch(page, `token${at}`);
    const before = Date.now();
    writeFileSync(join(home, `go${at}`), "");
    const seenAt: number = await page.evaluate("seen");
    times.push(seenAt - before);
  }
  await page.close();
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** `seen` has the time at which a text appears in the page, as `Date.now()`. */
async function watch(page: Page, text: string): Promise<void> {
  await page.evaluate(`window.seen = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (!document.body.textContent.includes("${text}")) return;
      observer.disconnect();
      resolve(Date.now());
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  }); 0`);
}
