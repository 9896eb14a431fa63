/**
 * `node scripts/pictures.ts` makes the pictures of the documents in `docs/pictures/`: what `continuo` prints about the
 * example sessions on a terminal, and the HTML of one of them. It needs `script` of util-linux and Chromium (`CHROMIUM`,
 * else `/usr/bin/chromium`).
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { movingPicture } from "./moving-picture.ts";

const ROOT = join(import.meta.dirname, "..");
const CONTINUO = join(ROOT, "bin/continuo.js");
const PICTURES = join(ROOT, "docs/pictures");
const HOME = mkdtempSync(join(tmpdir(), "continuo-pictures-"));
const SESSION = "3a1f";
const SIZE = { columns: 100, rows: 22 } as const;
/** Later commands see the files that earlier ones wrote. */
const COMMANDS = [["list"], ["handoff", SESSION, "--to", "codex", "--cwd", "."], ["search", "leap", "year"]];

try {
  await drawPictures();
} finally {
  rmSync(HOME, { recursive: true });
}

async function drawPictures(): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  // The examples are listed until the machine has a session of its own.
  const exported = run(process.execPath, [CONTINUO, "session", "export", SESSION, "--format", "html"]);
  const scenes = COMMANDS.map((args) => ({ command: ["continuo", ...args].join(" "), output: show(args) }));
  writeFileSync(join(PICTURES, "terminal.svg"), movingPicture("A minute with Continuo", scenes, SIZE));
  await using browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const page = await browser.newPage({ viewport: { width: 980, height: 620 }, deviceScaleFactor: 1.5 });
  const file = join(HOME, "export.html");
  writeFileSync(file, exported);
  await page.goto(`file://${file}`);
  await page.locator("main").waitFor();
  await page.screenshot({ path: join(PICTURES, "export.png") });
}

/** Runs the command on a terminal of this width, which `script` of util-linux provides, and returns the output. */
function show(args: readonly string[]): string {
  const words = [process.execPath, CONTINUO, ...args].map((word) => `'${word}'`);
  return run("script", [
    "-qec",
    `stty cols ${SIZE.columns} rows ${SIZE.rows}; exec ${words.join(" ")}`,
    "/dev/null",
  ]);
}

function run(program: string, args: readonly string[]): string {
  const env = { HOME, PATH: "/usr/bin:/bin", TERM: "xterm", PAGER: "cat" };
  const { stdout, stderr, status } = spawnSync(program, args, { cwd: HOME, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return stdout.replaceAll("\r", "").replaceAll(HOME, "~/trip");
}
