/** The pages of docs/guides/products.md for a desk and for a job, as a reader copies them, in a browser. */

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Approval } from "@continuo/server/runtime";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { openBrowser } from "../cli/browser.ts";
import { fromSource } from "../docs/example-source.ts";
import { startModelServer, text, tool } from "../model-servers/index.ts";

const ROOT = join(import.meta.dirname, "../..");
const GUIDE = readFileSync(join(ROOT, "docs/guides/products.md"), "utf8");
/** The folder is inside of the repository, so that packages are found. */
const FOLDER = mkdtempSync(join(import.meta.dirname, ".pages-"));
const PRODUCTS = ["A support desk", "A coding agent behind HTTP", "A group chat"] as const;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(FOLDER, { recursive: true });
});

function codeOf(title: (typeof PRODUCTS)[number]): { readonly program: string; readonly page: string } {
  const section = GUIDE.split(`\n## ${title}\n`)[1] ?? "";
  const [, program = ""] = /```ts\n([\s\S]*?)```/u.exec(section) ?? [];
  const [, page = ""] = /```html\n([\s\S]*?)```/u.exec(section) ?? [];
  return { program, page };
}

test.each(PRODUCTS)("%s and its page together have fewer than 25 lines", (title) => {
  const { program, page } = codeOf(title);
  const biome = join(ROOT, "node_modules/.bin/biome");
  const format = ["format", "--line-width=120", "--stdin-file-path=program.ts"];
  const formatted = execFileSync(biome, format, { input: program, encoding: "utf8" });
  const lines = `${formatted}\n${page}`.split("\n").filter((line) => !/^\s*(?:import .*)?$/u.test(line));
  expect(page).toContain('from "/v1/client.js"');
  expect(lines.length).toBeGreaterThan(15);
  expect(lines.length).toBeLessThan(25);
  expect(lines.filter((line) => line.length > 120 && !line.startsWith("<!doctype"))).toEqual([]);
});

interface Program extends AsyncDisposable {
  readonly url: string;
  kill(): Promise<void>;
}

interface Started {
  readonly name: string;
  readonly code: { readonly program: string; readonly page: string };
  /** The port of a program that was killed before; 0 for any free port. */
  readonly port?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function start({ name, code, port = "0", env = {} }: Started): Promise<Program> {
  const cwd = join(FOLDER, name);
  mkdirSync(join(cwd, "home"), { recursive: true });
  writeFileSync(join(cwd, "program.ts"), fromSource(code.program));
  writeFileSync(join(cwd, "page.html"), code.page);
  const home = { HOME: join(cwd, "home"), CONTINUO_HOME: join(cwd, "home/.continuo") };
  const child = spawn(process.execPath, ["program.ts"], {
    cwd,
    env: { PATH: process.env.PATH, PORT: port, ...home, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const line = await new Promise<string>((resolve) => createInterface(child.stdout).once("line", resolve));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return { url: `http://127.0.0.1:${line.replace("port ", "")}`, kill, [Symbol.asyncDispose]: kill };
}

const mistakes: string[] = [];

async function openAs(name: string, url: string): Promise<Page> {
  const page = await browser.newPage();
  page.on("dialog", (dialog) => void dialog.accept(name));
  page.on("pageerror", (error) => void mistakes.push(String(error)));
  await page.goto(url);
  await page.waitForSelector("input");
  return page;
}

async function enter(page: Page, words: string): Promise<void> {
  await page.fill("input", words);
  await page.keyboard.press("Enter");
}

const shown = (page: Page): Promise<string> => page.innerText("pre");
/** Each program takes seconds to start on a busy machine. */
const SOON = { timeout: 60_000, interval: 20 };
const STORY = Array.from({ length: 40 }, (_, place) => `word${place}`).join(" ");

test("a customer's page streams, and continues after a reload, a kill and an approval, also in a second tab", async () => {
  await using models = await startModelServer({
    turns: [
      { user: "story", answers: [[text(STORY), { type: "slow", delayMs: 300 }]] },
      { user: "<b>again</b>", answers: [[text(`<i>${STORY}</i>`), { type: "slow", delayMs: 300 }]] },
      {
        user: "refund",
        answers: [[text("One moment."), tool("refund", { order: "7" })], [text("It is paid.")]],
      },
    ],
  });
  const env = { MODEL_URL: `${models.url}/v1` };
  const code = codeOf("A support desk");
  const first = await start({ name: "desk", code, env });
  const [one, two] = [await openAs("ann", first.url), await openAs("ann", first.url)];
  const ben = await openAs("ben", first.url);

  // Both tabs show the answer while it is written, and one of them is loaded again in the middle.
  await enter(one, "Tell me a story.");
  await expect.poll(() => shown(two), SOON).toContain("word3");
  expect(await shown(two)).not.toContain("word39");
  await one.reload();
  await expect.poll(() => shown(one), SOON).toContain("word6");
  expect(await shown(one)).not.toContain("word39");
  await expect.poll(() => shown(one), SOON).toBe(`user: Tell me a story.\nassistant: ${STORY}`);
  await expect.poll(() => shown(two), SOON).toBe(await shown(one));
  expect(await one.inputValue("input")).toBe("");

  // The server is killed in the middle of the next answer; a message is sent while it is away.
  await enter(one, "<b>again</b>");
  await expect.poll(() => shown(two), SOON).toContain("<i>word0 word1 word2 word3");
  await first.kill();
  await enter(two, "Please refund order 7.");
  await expect.poll(() => shown(two), SOON).toContain("user: Please refund order 7.");
  await using next = await start({ name: "desk", code, env, port: new URL(first.url).port });
  const staff = { authorization: "Bearer staff" };
  const open = async (): Promise<readonly Approval[]> =>
    (await (await fetch(`${next.url}/v1/approvals`, { headers: staff })).json()) as readonly Approval[];
  await expect.poll(async () => (await open()).length, SOON).toBe(1);
  await expect.poll(() => shown(one), SOON).toContain("One moment.");
  const body = JSON.stringify({ outcome: "granted" });
  const [approval] = await open();
  await fetch(`${next.url}/v1/approvals/${approval?.id}`, { method: "POST", headers: staff, body });
  const all = [
    `user: Tell me a story.\nassistant: ${STORY}`,
    `user: <b>again</b>\nassistant: <i>${STORY}</i>`,
    "user: Please refund order 7.\nassistant: One moment.\n\nIt is paid.",
  ].join("\n");
  await expect.poll(() => shown(one), SOON).toBe(all);
  await expect.poll(() => shown(two), SOON).toBe(all);
  await two.reload();
  await expect.poll(() => shown(two), SOON).toBe(all);
  expect(await shown(ben)).toBe("");
  expect(await one.locator("pre *").count()).toBe(0);
  await one.screenshot({ path: join(process.env.CONTINUO_SCREENSHOTS ?? FOLDER, "desk.png") });
  expect(mistakes.splice(0)).toEqual([]);
}, 300_000);

test("the page of a job shows the agent's questions as buttons, and the answers of the agent", async () => {
  const ask = {
    toolCall: { toolCallId: "t1", title: "make", kind: "execute", rawInput: { command: "make" } },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  };
  mkdirSync(join(FOLDER, "job"), { recursive: true });
  const script = join(FOLDER, "job/script.json");
  writeFileSync(script, JSON.stringify({ prompts: { "*": [{ ask }, chunk("It is made."), DONE] } }));
  const command = JSON.stringify([process.execPath, SCRIPTED_AGENT, script]);
  const { program, page } = codeOf("A coding agent behind HTTP");
  // A scripted program replaces Claude Code.
  const scripted = program.replace('coding("claude", {', `coding("scripted", { command: ${command},`);
  await using server = await start({ name: "job", code: { program: scripted, page } });
  const ann = await openAs("ann", server.url);
  await enter(ann, "Mend the build.");
  const button = ann.locator("button");
  await expect
    .poll(() => button.allInnerTexts(), SOON)
    .toEqual([expect.stringContaining('{"command":"make"}')]);
  await ann.reload();
  await expect.poll(() => button.count(), SOON).toBe(1);
  await ann.screenshot({ path: join(process.env.CONTINUO_SCREENSHOTS ?? FOLDER, "job.png") });
  await button.click();
  await expect.poll(() => shown(ann), SOON).toContain("It is made.");
  expect(await button.count()).toBe(0);
  expect(mistakes.splice(0)).toEqual([]);
}, 300_000);
