/** Debian's Chromium, without the requests that a browser makes by itself. */

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
  /** These are added to `FLAGS`. */
  readonly flags?: readonly string[];
  /** These are added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Each call has a fresh profile: Playwright makes its folder and removes it. */
export async function openBrowser({ flags = [], env = {} }: BrowserOptions = {}): Promise<Browser> {
  return await chromium.launch({
    executablePath: "/usr/bin/chromium",
    headless: true,
    args: [...FLAGS, ...flags],
    env: { ...process.env, ...env },
  });
}
