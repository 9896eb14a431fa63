/** The viewer as a browser receives it: the bundled page on a server with a scratch home. */

import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../cli/browser.ts";
import type { Home } from "../cli/home.ts";
import { type OpenMachine, openMachine } from "../machine/open-machine.ts";
import { builtViewer } from "../sizes/shared-programs.ts";

export interface OpenViewer extends AsyncDisposable {
  readonly machine: OpenMachine;
  /** The folder of the built page. */
  readonly pages: string;
  readonly browser: Browser;
  /** A page that is signed in; `errors` has the errors of its console. */
  open(hash: string, options?: ViewOptions): Promise<ViewerPage>;
}

interface ViewOptions {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** With `read`, the page cannot change anything. */
  readonly access?: "read";
}

interface OpenViewerOptions {
  /** The browser to use instead of the usual one; the viewer closes it. */
  readonly browser?: Browser;
  readonly store?: { readonly now: () => number };
}

export interface ViewerPage {
  readonly page: Page;
  readonly errors: readonly string[];
  readonly requests: string[];
}

export async function openViewer(home?: Home, options: OpenViewerOptions = {}): Promise<OpenViewer> {
  const folder = await builtViewer();
  const machine = await openMachine(home, { pageFolder: folder, ...options.store });
  const browser = options.browser ?? (await openBrowser());
  return {
    machine,
    pages: folder,
    browser,
    open: async (hash, { theme = "light", width = 1280, height = 800, access } = {}) => {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width, height } });
      const page = await context.newPage();
      const errors: string[] = [];
      const requests: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (said) => {
        if (said.type() === "error") errors.push(said.text());
      });
      page.on("dialog", (dialog) => {
        errors.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("request", (request) => requests.push(request.url()));
      await signIn(page, machine, hash, access);
      return { page, errors, requests };
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await machine[Symbol.asyncDispose]();
    },
  };
}

/** Opens the viewer of a server in a page, which may have shown another server before. */
export async function signIn(page: Page, machine: OpenMachine, hash: string, access?: "read"): Promise<void> {
  const query = access === undefined ? "" : `?access=${access}`;
  const answer = await machine.post(`/v1/pages/code${query}`);
  const { code } = (await answer.json()) as { readonly code: string };
  await page.goto(`${machine.url}/#code=${encodeURIComponent(code)}${hash}`);
  await page.waitForSelector("header.top");
}
