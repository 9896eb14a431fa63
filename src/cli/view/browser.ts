/**
 * Opens an address in the browser of this machine. The address is never on a command line, which every user can read.
 */

import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "@continuo/agents/drivers/process";
import { escapeHtml } from "@continuo/core/transcript/html";
import { isFolder, namesIn, writeDurably } from "@continuo/files";
import { viewerFolderOf } from "../sockets/index.ts";
import type { Shell } from "../terminal/index.ts";

/** After this time, the code in the file has expired. */
const FILE_MS = 30_000;
const ASK_MS = 2_000;

/** True if the person uses another machine. */
function isRemote({ env }: Shell): boolean {
  return env.SSH_CONNECTION !== undefined || env.SSH_TTY !== undefined;
}

/** Returns true if a browser was started: `false` if there is none, or the person is connected through ssh. */
export function openBrowser(url: string, shell: Shell): Promise<boolean> {
  return openPage(redirectTo(url), shell);
}

/** Opens a page of HTML; returns as `openBrowser`. */
export async function openPage(html: string, shell: Shell): Promise<boolean> {
  const { env, cwd } = shell;
  const hasDisplay =
    process.platform === "darwin" || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const found = findProgram(program, env.PATH ?? "", cwd);
  if (isRemote(shell) || !hasDisplay || found === null) return false;
  const file = await writePage(html, shell);
  const child = spawn(found, [file], { env: { ...env }, detached: true, stdio: "ignore" });
  // If it fails, the person opens the printed address.
  child.on("error", () => undefined);
  child.unref();
  return true;
}

/** A page that redirects the browser to the address. */
function redirectTo(url: string): string {
  const address = escapeHtml(url);
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Continuo</title>
<meta http-equiv="refresh" content="0; url=${address}">
<p><a href="${address}">Open the viewer</a></p>
`;
}

/** Writes the page to a file that only this user can read. */
async function writePage(html: string, shell: Shell): Promise<string> {
  const folder = (await folderOfConfinedBrowser(shell)) ?? viewerFolderOf(shell);
  removeOld(folder);
  const file = join(folder, `continuo-${randomUUID()}.html`);
  writeDurably(file, html);
  // If this command ends before it removes the file, the next command removes the file.
  setTimeout(() => rmSync(file, { force: true }), FILE_MS).unref();
  return file;
}

/** Removes the files that earlier commands left; the codes in them have expired. */
function removeOld(folder: string): void {
  for (const name of namesIn(folder)) {
    if (!/^continuo-[\da-f-]{36}\.html$/u.test(name)) continue;
    const path = join(folder, name);
    const writtenMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - writtenMs > FILE_MS) rmSync(path, { force: true });
  }
}

/**
 * A browser that was installed as a snap package cannot read hidden folders. Returns the folder of such a browser;
 * `null` for any other browser.
 */
async function folderOfConfinedBrowser({ env, cwd, home }: Shell): Promise<string | null> {
  const program = findProgram("xdg-settings", env.PATH ?? "", cwd);
  if (program === null) return null;
  try {
    const asked = ["get", "default-web-browser"];
    const { stdout } = await promisify(execFile)(program, asked, { env: { ...env }, timeout: ASK_MS });
    const [, name] = /^([a-z\d-]+)_\1\.desktop\s*$/u.exec(stdout) ?? [];
    const folder = name === undefined ? null : join(home, "snap", name, "common");
    return folder !== null && isFolder(folder) ? folder : null;
  } catch {
    return null;
  }
}
