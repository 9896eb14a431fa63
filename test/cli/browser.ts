/** Debian's Chromium, without a network of its own business. */

import { type Browser, chromium } from "playwright-core";

export const FLAGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

interface BrowserOptions {
  /** In addition to the usual ones. */
  readonly flags?: readonly string[];
  /** In addition to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A fresh profile each time: Playwright makes the folder and takes it away. */
export async function openBrowser({ flags = [], env = {} }: BrowserOptions = {}): Promise<Browser> {
  return await chromium.launch({
    executablePath: "/usr/bin/chromium",
    headless: true,
    args: [...FLAGS, ...flags],
    env: { ...process.env, ...env },
  });
}
