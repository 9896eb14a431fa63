/**
 * `node scripts/pictures.ts` makes the pictures of the README in `docs/pictures/`: what `continuo` prints about the
 * example sessions on a terminal, and the HTML of one of them. It needs Chromium (`CHROMIUM`, else `/usr/bin/chromium`).
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const ROOT = join(import.meta.dirname, "..");
const CONTINUO = join(ROOT, "bin/continuo.js");
const PICTURES = join(ROOT, "docs/pictures");
const HOME = mkdtempSync(join(tmpdir(), "continuo-pictures-"));
const SESSION = "3a1f";

try {
  await drawPictures();
} finally {
  rmSync(HOME, { recursive: true });
}

async function drawPictures(): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  await using browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const page = await browser.newPage({ viewport: { width: 980, height: 620 }, deviceScaleFactor: 1.5 });
  await page.setContent(run(process.execPath, [CONTINUO, "session", "export", SESSION, "--format", "html"]));
  await page.screenshot({ path: join(PICTURES, "export.png") });
  // The page of the export lets nobody write into it.
  await page.goto("about:blank");
  await page.setContent(terminalPage([[], ["handoff", SESSION, "--to", "codex", "--cwd", HOME]]));
  await page.locator("main").screenshot({ path: join(PICTURES, "terminal.png") });
}

/** What the command prints on a terminal of 104 columns, which `script` of util-linux stands in for. */
function show(args: readonly string[]): string {
  const words = [process.execPath, CONTINUO, ...args].map((word) => `'${word}'`);
  return run("script", ["-qec", `stty cols 104 rows 60; exec ${words.join(" ")}`, "/dev/null"]);
}

function run(program: string, args: readonly string[]): string {
  const env = { HOME, PATH: "/usr/bin:/bin", TERM: "xterm", PAGER: "cat" };
  const { stdout, stderr, status } = spawnSync(program, args, { cwd: HOME, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return stdout.replaceAll("\r", "").replaceAll(HOME, "~/trip");
}

function terminalPage(commands: readonly (readonly string[])[]): string {
  const shown = commands.map((args) => {
    const typed = ["continuo", ...args].join(" ").replaceAll(HOME, "~/trip");
    return `<b>$ ${escapeHtml(typed)}</b>\n${toHtml(show(args))}`;
  });
  return `<style>
    body { margin: 0 }
    main { padding: 20px 24px; background: #16181d; color: #d7dae0; font: 13px/1.5 "DejaVu Sans Mono", monospace; white-space: pre }
    .s1 { font-weight: bold } .s2 { opacity: .65 } .s3 { font-style: italic } .s4 { text-decoration: underline }
    .s31 { color: #f0777a } .s32 { color: #8fcf8f } .s33 { color: #e6c06c } .s34 { color: #7fb0f5 } .s35 { color: #d49be0 } .s36 { color: #6fc7cf }
  </style><main>${shown.join("\n")}</main>`;
}

/** The few styles of `src/cli/terminal/paint.ts`: each is switched on by its number and off by another. */
function toHtml(text: string): string {
  const [first = "", ...rest] = escapeHtml(text).split("\u001B[");
  const styled = rest.map((part) => {
    const end = part.indexOf("m");
    const code = part.slice(0, end);
    const tag = ["22", "23", "24", "39"].includes(code) ? "</span>" : `<span class="s${code}">`;
    return `${tag}${part.slice(end + 1)}`;
  });
  return `${first}${styled.join("")}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
