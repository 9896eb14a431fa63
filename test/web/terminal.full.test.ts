/** "Open in a terminal" in the viewer of a server that runs in tmux: the command runs in a new window. */

import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { CLAUDE_ID, claudeFile, createHome, type Home, writeSessions } from "../cli/home.ts";
import { openTerminal, type Terminal } from "../cli/tmux.ts";
import { builtViewer, bundledProgram } from "../sizes/shared-programs.ts";
import { sessionAddress } from "./long-session.ts";

let home: Home;
let terminal: Terminal;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  home = createHome();
  writeSessions(home);
  const file = join(home.path, claudeFile(CLAUDE_ID));
  home.write(claudeFile(CLAUDE_ID), readFileSync(file, "utf8").replaceAll("/home/ann/app", home.path));
  // This program stands in for the agent, and runs until Enter is pressed.
  home.write(
    "bin/claude",
    '#!/bin/sh\necho "The agent runs: $* in $PWD, $SECRET"\n[ "$TMUX" = "" ] || echo "in tmux"\nread line\n',
  );
  chmodSync(join(home.path, "bin/claude"), 0o755);
  const [pages, server] = await Promise.all([builtViewer(), bundledProgram("test/web/viewer-process.ts")]);
  terminal = openTerminal(home, 400, 40);
  // tmux does not know these variables: the window gets them only from the server.
  terminal.type(
    `PATH=${home.path}/bin:$PATH SECRET='from the server' '${process.execPath}' ${server} ${home.path} ${pages} 0`,
  );
  const screen = await terminal.until((seen) => /\{"url":.*\}/u.test(seen));
  const { url, code } = JSON.parse(/\{"url":.*\}/u.exec(screen)?.[0] ?? "") as Record<string, string>;
  browser = await openBrowser();
  page = await browser.newPage();
  await page.goto(`${url}/#code=${encodeURIComponent(code ?? "")}${sessionAddress(CLAUDE_ID)}`);
  await page.waitForSelector(".menu");
});
afterAll(async () => {
  await browser?.close();
  terminal?.close();
  home?.[Symbol.dispose]();
});

test.each(["keyboard", "mouse"])("a session is resumed in a new window of tmux by %s", async (by) => {
  const button = page.getByRole("button", { name: "Open in a terminal" });
  if (by === "keyboard") {
    await page.keyboard.press("c");
    await button.waitFor();
    const isFocused = (): Promise<boolean> => button.evaluate((one) => one.matches(":focus"));
    for (let tries = 0; !(await isFocused()); tries++) {
      expect(tries).toBeLessThan(10);
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
  } else {
    await page.getByRole("button", { name: "Resume" }).click();
    await button.click();
  }
  await page.getByText("It runs in a new window of tmux.").waitFor();
  const screen = await terminal.until((seen) => seen.includes("in tmux"));
  expect(screen).toContain(`The agent runs: --resume ${CLAUDE_ID} in ${home.path}, from the server`);

  // The window closes when the agent ends, and the server is on the screen again.
  terminal.send("Enter");
  await terminal.until((seen) => seen.includes('{"url":'));
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator("dialog[open]").count()).toBe(0);
});

test("after a hand-over, the dialog links to a comparison with the source, and opens the new session in a new window of tmux", async () => {
  await page.keyboard.press("a");
  await page.getByRole("button", { name: "Hand over to another agent…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox").selectOption("codex");
  await dialog.getByRole("button", { name: "Hand over", exact: true }).click();
  await dialog.getByRole("link", { name: "Compare with the source" }).waitFor();
  // Codex is installed only now, because the hand-over would have asked it to read the new session back.
  home.write("bin/codex", '#!/bin/sh\necho "The new agent runs: $*"\nread line\n');
  chmodSync(join(home.path, "bin/codex"), 0o755);
  await dialog.getByRole("button", { name: "Open in a terminal" }).click();
  await page.getByText("It runs in a new window of tmux.").waitFor();
  await terminal.until((seen) => /The new agent runs: resume [\da-f-]{36}/u.test(seen));
  terminal.send("Enter");
  await terminal.until((seen) => seen.includes('{"url":'));
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator("dialog[open]").count()).toBe(0);
});

test("if the agent's program no longer exists, the dialog shows an error and no window opens", async () => {
  chmodSync(join(home.path, "bin/claude"), 0o644);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Open in a terminal" }).click();
  await page
    .locator("dialog [role=alert]")
    .getByText(/claude is not on the search path/u)
    .waitFor();
  expect(terminal.screen()).toContain('{"url":');
});
