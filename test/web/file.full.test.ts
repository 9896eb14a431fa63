/** `continuo view ID --output FILE` in a real browser, from disk and offline. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleWeb } from "../../scripts/web.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import { runSave } from "../../src/cli/view/save.ts";
import { openBrowser } from "../cli/browser.ts";
import { CLAUDE_ID, claudeFile, claudeText, cleanEnv, createHome, type Home } from "../cli/home.ts";
import { attacksOn, hostileSession } from "../hostile/hostile-session.ts";
import { homeWithLongSession, LONG_ID, LONG_TURNS } from "./long-session.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "continuo-web-"));
let browser: Browser;
let home: Home;
beforeAll(async () => {
  await bundleWeb(ROOT, folder);
  browser = await openBrowser();
  home = homeWithLongSession();
});
afterAll(async () => {
  await browser?.close();
  home?.[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

interface Saved {
  readonly path: string;
  readonly stderr: string;
}

interface SaveOptions extends Partial<Parameters<typeof runSave>[2]> {
  readonly of?: Home;
  readonly to?: string;
}

async function save(
  id: string,
  { of = home, to = "saved.html", ...flags }: SaveOptions = {},
): Promise<Saved> {
  let stderr = "";
  const shell = {
    home: of.path,
    cwd: of.path,
    env: cleanEnv(of.path),
    now: new Date("2026-11-23T10:00:00Z"),
    stderr: {
      write: (text: string) => {
        stderr += text;
      },
    },
    onExit: () => ({ [Symbol.dispose]: () => undefined }),
  } as unknown as Shell;
  await runSave(id, to, { open: true, ...flags }, shell, folder);
  return { path: join(of.path, to), stderr };
}

interface Opened {
  readonly page: Page;
  readonly errors: readonly string[];
  readonly requests: readonly string[];
}

async function open(path: string, { scripts = true, hash = "" } = {}): Promise<Opened> {
  const context = await browser.newContext({ javaScriptEnabled: scripts, offline: true });
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (said) => {
    if (said.type() === "error") errors.push(said.text());
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`${pathToFileURL(path)}${hash}`);
  return { page, errors, requests: requests.slice(1).filter((url) => !url.startsWith("data:")) };
}

test("a session opens from disk at its newest turn, and nothing is asked of anybody", async () => {
  const { path, stderr } = await save(LONG_ID, { turns: "1400-", to: "end.html" });
  expect(stderr).toMatch(new RegExp(`^~/end.html, 101 turns of ${LONG_TURNS}, [\\d.]+ KB\\n$`, "u"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { page, errors, requests } = await open(path);
  await page.locator("main").getByText(`Answer ${LONG_TURNS}`, { exact: true }).waitFor();
  await page.waitForSelector(".turn-line");
  expect(await page.locator("header.top").innerText()).toContain(
    `turns 1400 to ${LONG_TURNS} of ${LONG_TURNS}`,
  );
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await page.waitForSelector(".file-changes .diff");
  await expect.poll(() => page.evaluate("CSS.highlights.get('code-keyword')?.size > 0")).toBe(true);
  expect(await page.locator(".actions").count()).toBe(0);
  await page.evaluate(`location.hash = "#/session/any/turn/1450"`);
  await page.locator("main").getByText("Question 1450", { exact: true }).waitFor();
  expect([errors, requests]).toEqual([[], []]);
  await page.context().close();
});

test("every message can be read without scripts", async () => {
  const { path } = await save(LONG_ID, { turns: "7-9", to: "part.html" });
  const { page, errors } = await open(path, { scripts: false });
  const text = await page.locator("main").innerText();
  for (const turn of [7, 8, 9]) {
    expect(text).toContain(`Question ${turn}`);
    expect(text).toContain(`Answer ${turn}`);
  }
  expect(text).not.toContain("Question 10");
  expect(await page.locator("h1").isVisible()).toBe(true);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("its policy allows its own script and no other", async () => {
  const { path } = await save(CLAUDE_ID, { to: "policy.html" });
  const text = readFileSync(path, "utf8");
  const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/u.exec(text) ?? [];
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-/u);
  expect(policy).not.toMatch(/unsafe|https?:|\*/u);
  writeFileSync(path, text.replace("</body>", "<script>globalThis.owned = 1</script></body>"));
  const { page, errors } = await open(path);
  await page.waitForSelector(".row-text");
  expect(await page.evaluate("globalThis.owned")).toBe(undefined);
  expect(errors.join()).toContain("Content Security Policy");
  await page.context().close();
});

test("a hostile session runs nothing and requests nothing, with scripts and without", async () => {
  using hostile = createHome();
  const address = "http://127.0.0.1:9";
  hostile.write(claudeFile(CLAUDE_ID), hostileSession(CLAUDE_ID, address));
  const { path } = await save(CLAUDE_ID, { of: hostile });
  const words = [...new Set(attacksOn(address).map((attack) => /after-[\w-]+/u.exec(attack)?.[0] ?? ""))];
  const plain = await open(path, { scripts: false });
  const text = (await plain.page.locator("main").textContent()) ?? "";
  expect(words.filter((word) => !text.includes(word))).toEqual([]);
  expect(plain.requests).toEqual([]);
  await plain.page.context().close();
  const { page, errors, requests } = await open(path);
  await page.waitForSelector(".turn-line");
  // The page of a server visits every turn with the same drawing; here some do.
  for (let turn = 0; turn < 10; turn++) {
    await page.evaluate(
      `for (const fold of document.querySelectorAll('.fold[aria-expanded="false"]')) fold.click()`,
    );
    await page.keyboard.press("k");
  }
  expect(await page.evaluate("globalThis.owned ?? null")).toBe(null);
  expect(await page.title()).not.toBe("owned");
  expect([errors, requests]).toEqual([[], []]);
  await page.context().close();
});

test("a session that is too large names the turns that fit, and these can be saved", async () => {
  using large = createHome();
  const lines = Array.from({ length: 12 }, (_, at) => ({
    uuid: `u${at}`,
    parent: at === 0 ? null : `u${at - 1}`,
    role: "user" as const,
    time: "10:00:00",
    content: `Question ${at + 1} ${"x".repeat(1_000_000)}`,
  }));
  large.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, lines));
  const error = await save(CLAUDE_ID, { of: large }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "too_large", details: { fits: { from: 4, to: 12 } } });
  expect((error as { hint: string }).hint).toContain("--turns 4-12");
  const { path } = await save(CLAUDE_ID, { turns: "4-12", of: large });
  expect(statSync(path).size).toBeLessThan(21_000_000);
  const { page } = await open(path);
  // A text is cut as in a page of a server, and the rest of it is inside too.
  const cut = page.locator(".cut").last();
  await cut.getByText("32,768 of 1,000,0").waitFor();
  await cut.getByRole("button").click();
  await cut.getByText("294,912 of 1,000,0").waitFor();
  await page.context().close();
});

test("no file is replaced without --force, none is written into an agent's folder, and a range is checked", async () => {
  await save(CLAUDE_ID);
  await expect(save(CLAUDE_ID)).rejects.toMatchObject({ code: "conflict" });
  await save(CLAUDE_ID, { force: true });
  await expect(save(CLAUDE_ID, { to: ".claude/page.html" })).rejects.toMatchObject({ code: "invalid" });
  await expect(save(CLAUDE_ID, { to: "a.html", turns: "9-2" })).rejects.toMatchObject({ code: "usage" });
  await expect(save(LONG_ID, { to: "a.html", turns: "9999-" })).rejects.toMatchObject({
    code: "out_of_range",
  });
});
