/** The real VS Code on an agent host: its server, and windows of it in Chromium. `node scripts/editors.ts` installs it. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { isVscodeInstalled, VSCODE } from "../../scripts/editors.ts";
import { openBrowser } from "../cli/browser.ts";
import { scratchFolder } from "../scratch-folder.ts";

const SETTINGS = {
  // VS Code shows Codex through an agent host only with this setting.
  "chat.editor.codex.preferAgentHost": true,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
};

/** The package that has the server of VS Code. */
export const CODE_SERVER: string = join(VSCODE, "../..");

export interface Vscode extends AsyncDisposable {
  window(): Promise<VscodeWindow>;
}

export interface VscodeWindow {
  readonly page: Page;
  /** The rows in VS Code's list of sessions. */
  readonly sessions: Locator;
  readonly conversation: Locator;
  open(title: string): Promise<void>;
  say(text: string): Promise<void>;
  /** Finds a visible button: VS Code also has hidden buttons of the same name. */
  button(name: string): Locator;
}

/** @param socket of the agent host */
export async function openVscode(socket: string, folder: string): Promise<Vscode> {
  if (!isVscodeInstalled()) throw new Error("VS Code is not installed: run `node scripts/editors.ts`");
  const data = scratchFolder("vscode");
  for (const part of ["Machine", "User"]) {
    mkdirSync(join(data, "data", part), { recursive: true });
    writeFileSync(join(data, "data", part, "settings.json"), JSON.stringify(SETTINGS));
  }
  const server = spawn(
    process.execPath,
    [
      ...["out/server-main.js", "--host", "127.0.0.1", "--port", "0", "--server-data-dir", data],
      ...["--without-connection-token", "--accept-server-license-terms", "--agent-host-bridge-path", socket],
    ],
    { cwd: VSCODE, env: { PATH: process.env.PATH, HOME: data }, stdio: ["ignore", "pipe", "ignore"] },
  );
  const address = await addressOf(server);
  let browser: Browser | null = null;
  return {
    async window() {
      browser ??= await openBrowser();
      const context = await browser.newContext({ viewport: { width: 1_400, height: 900 } });
      const page = await context.newPage();
      page.setDefaultTimeout(90_000);
      await page.goto(`${address}/?folder=${encodeURIComponent(folder)}`);
      return await showSessions(page);
    },
    async [Symbol.asyncDispose]() {
      await browser?.close();
      const closed = new Promise((resolve) => server.once("close", resolve));
      server.kill("SIGKILL");
      await closed;
    },
  };
}

/** The server chooses a free port and prints it. */
function addressOf(server: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let printed = "";
  server.stdout?.setEncoding("utf8").on("data", (part: string) => {
    printed += part;
    const port = /Extension host agent listening on (\d+)/u.exec(printed)?.[1];
    if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
  });
  server.once("exit", () => reject(new Error(`VS Code did not start: ${printed}`)));
  return promise;
}

async function showSessions(page: Page): Promise<VscodeWindow> {
  await page.locator(".interactive-input-part").first().waitFor();
  await page.keyboard.press("F1");
  const commands = page.locator(".quick-input-widget input").first();
  await commands.fill(">Show Agent Sessions Sidebar");
  await page
    .locator(".quick-input-list .monaco-list-row", { hasText: "Show Agent Sessions" })
    .first()
    .click();
  const list = page.locator(".agent-sessions-viewer").first();
  await list.waitFor();
  const sessions = list.locator(".monaco-list-row");
  const conversation = page.locator(".interactive-list").first();
  return {
    page,
    sessions,
    conversation,
    async open(title) {
      const shown = page.locator(".chat-view-title-container", { hasText: title });
      // Clicking a row has no effect while VS Code draws the row again.
      for (let tries = 0; (await shown.count()) === 0; tries++) {
        if (tries === 5) throw new Error(`VS Code does not open ${title}`);
        await sessions.filter({ hasText: title }).first().click();
        await shown.waitFor({ timeout: 20_000 }).catch(() => undefined);
      }
    },
    async say(text) {
      await page.locator(".interactive-input-part .monaco-editor").last().click();
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    },
    button: (name) =>
      page.locator("a.monaco-button:visible", { hasText: new RegExp(`^${name}$`, "u") }).first(),
  };
}
