/** The site of the tab that the person looks at, as a pattern that the browser's permissions use. */

import { type Browser, browser } from "wxt/browser";

export interface TabSite {
  readonly tabId: number | undefined;
  /** The pattern of the site; `null` for a page of the browser, or if the address is not known. */
  readonly pattern: string | null;
}

export async function siteNow(): Promise<TabSite> {
  const [tab] = await browser.tabs.query({ active: true, currentWindow: true });
  return { tabId: tab?.id, pattern: patternOf(await addressOf(tab)) };
}

/** For a site that is not allowed, the browser reports the address only of the tab in which the button was pressed. */
async function addressOf(tab: Browser.tabs.Tab | undefined): Promise<string> {
  if (tab?.url !== undefined && tab.url !== "") return tab.url;
  const { asked } = (await browser.storage.session.get("asked")) as {
    asked?: { tabId: number; url: string };
  };
  return asked?.tabId === tab?.id ? (asked?.url ?? "") : "";
}

export function patternOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host } = new URL(url);
  if (protocol === "file:") return "file:///*";
  // A pattern has no port.
  return protocol === "http:" || protocol === "https:"
    ? `${protocol}//${host.replace(/:\d+$/u, "")}/*`
    : null;
}

export function nameOfSite(pattern: string): string {
  return pattern.replace(/\/\*$/u, "");
}

export function isAllowedOn(pattern: string): Promise<boolean> {
  return browser.permissions.contains({ origins: [pattern] });
}
