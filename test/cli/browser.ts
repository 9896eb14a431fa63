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

/** A fresh profile each time: Playwright makes the folder and takes it away. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: "/usr/bin/chromium", headless: true, args: [...FLAGS] });
}
