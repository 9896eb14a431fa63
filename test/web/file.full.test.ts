/** `continuo view ID --output FILE` in a real browser, from disk and offline. */

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home, writeSessions } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { attacksOn, hostileSession } from "../hostile/hostile-session.ts";
import { builtViewer } from "../sizes/shared-programs.ts";
import { homeWithLongSession, LONG_ID, LONG_TURNS } from "./long-session.ts";

let browser: Browser;
let home: Home;
beforeAll(async () => {
  await builtViewer();
  browser = await openBrowser();
  home = homeWithLongSession();
});
afterAll(async () => {
  await browser?.close();
  home?.[Symbol.dispose]();
});

interface SaveOptions {
  readonly of?: Home;
  readonly to?: string;
  readonly flags?: readonly string[];
  /** The command, if it is not `view`. */
  readonly via?: readonly string[];
}

interface Saved {
  readonly path: string;
  readonly code: number | null;
  readonly stderr: string;
}

async function save(
  id: string,
  { of = home, to = "saved.html", flags = [], via = ["view"] }: SaveOptions = {},
): Promise<Saved> {
  const args = [...via, id, "--output", to, ...flags];
  const { code, stderr } = await runHere(of, args, { now: new Date("2026-11-23T10:00:00Z") });
  return { path: join(of.path, to), code, stderr };
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

test("a session opens from disk at its newest turn, and the page sends no request", async () => {
  const { path, stderr } = await save(LONG_ID, { to: "end.html", flags: ["--turns", "1400-"] });
  expect(stderr).toMatch(/^~\/end\.html, [\d,]+ bytes\n$/u);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { page, errors, requests } = await open(path);
  await page.locator("main").getByText(`Answer ${LONG_TURNS}`, { exact: true }).waitFor();
  await page.waitForSelector(".turn-line");
  await expect.poll(() => page.evaluate("location.hash")).toMatch(/^#\/session\//u);
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
  const { path } = await save(LONG_ID, { to: "part.html", flags: ["--turns", "7-9"] });
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

test("the policy of the file allows its own script and no other", async () => {
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
  // The test of the server's page visits every turn with the same drawing; here it visits some.
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

test("a long text is cut as in a page of a server, and the file contains the rest of it too", async () => {
  using large = createHome();
  const line = { uuid: "u0", parent: null, role: "user" as const, time: "10:00:00" };
  large.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, [{ ...line, content: "x".repeat(1_000_000) }]));
  const { path } = await save(CLAUDE_ID, { of: large });
  const { page } = await open(path);
  const cut = page.locator(".cut").last();
  await cut.getByText("32,768 of 1,000,0").waitFor();
  await cut.getByRole("button").click();
  await cut.getByText("294,912 of 1,000,0").waitFor();
  await page.context().close();
});

test("the file contains every branch, drawn as a tree, and the work of sub-agents", async () => {
  using branched = createHome();
  writeSessions(branched);
  const { path } = await save(CLAUDE_ID, { of: branched, via: ["session", "export"], flags: ["--all"] });
  const { page, errors, requests } = await open(path);
  const main = page.locator("main");
  await main.getByText("Try again").first().waitFor();
  expect(await main.innerText()).not.toContain("Old end.");
  await page.getByRole("button", { name: "2 branches" }).click();
  await page.locator(".branch-tree button", { hasText: "Fix the build" }).click();
  await main.getByText("Old end.").waitFor();
  expect([errors, requests]).toEqual([[], []]);
  await page.context().close();
});

test("a sub-agent opens from its call and links back to it; its secrets are masked, and the page says so", async () => {
  using nested = createHome();
  const secret = writeSubagent(nested);
  const { path, stderr } = await save(CLAUDE_ID, { of: nested, flags: ["--mask-secrets"] });
  expect(stderr).toContain("Masked 2 secrets: 2 × GitHub token.");
  expect(readFileSync(path, "utf8")).not.toContain(secret);
  const { page, errors } = await open(path);
  await page.getByText("Masked 2 secrets").waitFor();
  await page.getByRole("link", { name: "Open the sub-agent" }).click();
  await page.locator("main").getByText("found [masked: GitHub token]").waitFor();
  expect(await page.locator("h1").innerText()).toBe("finder");
  await page.getByRole("link", { name: "Back to" }).click();
  await page.locator("main").getByText("Ask the finder").first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

function writeSubagent(of: Home): string {
  const secret = `ghp_${"a1B2c3".repeat(6)}`;
  const call = { type: "tool_use", id: "toolu_1", name: "Task", input: { prompt: `use ${secret}` } };
  of.write(
    claudeFile(CLAUDE_ID),
    claudeText(CLAUDE_ID, [
      { uuid: "u1", parent: null, role: "user", content: "Ask the finder", time: "10:00:00" },
      { uuid: "u2", parent: "u1", role: "assistant", content: [call], time: "10:00:01" },
    ]),
  );
  const folder = claudeFile(CLAUDE_ID).replace(/\.jsonl$/u, "/subagents");
  const said = [{ type: "text", text: `found ${secret}` }];
  const lines = claudeText(CLAUDE_ID, [
    { uuid: "s1", parent: null, role: "user", content: "look", time: "10:00:02" },
    { uuid: "s2", parent: "s1", role: "assistant", content: said, time: "10:00:03" },
  ]);
  const marked = lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.stringify({ ...JSON.parse(line), agentId: "abc12345", isSidechain: true }));
  of.write(`${folder}/agent-abc12345.jsonl`, `${marked.join("\n")}\n`);
  const meta = { agentType: "finder", toolUseId: "toolu_1" };
  of.write(`${folder}/agent-abc12345.meta.json`, JSON.stringify(meta));
  return secret;
}

test("a file is not replaced without --force and not written into an agent's folder, and a range of turns is checked", async () => {
  const code = async (options: SaveOptions, id = CLAUDE_ID) => (await save(id, options)).code;
  expect(await code({ to: "twice.html" })).toBe(0);
  expect(await code({ to: "twice.html" })).toBe(5);
  expect(await code({ to: "twice.html", flags: ["--force"] })).toBe(0);
  expect(await code({ to: ".claude/page.html" })).toBe(2);
  expect(await code({ to: "a.html", flags: ["--turns", "9-2"] })).toBe(2);
  const outside = await save(LONG_ID, { to: "a.html", flags: ["--turns", "9999-"] });
  expect(outside.stderr).toContain("has no turns 9999");
});
