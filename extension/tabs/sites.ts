/** Sites that the person allowed: pages there are watched, others are never touched. */

import { browser } from "wxt/browser";

const SCRIPT = "/watch.js";

/** The patterns of all allowed sites. */
async function allowedSites(): Promise<readonly string[]> {
  return (await browser.permissions.getAll()).origins ?? [];
}

/** Watches pages of the allowed sites from their next load on, and those of `now` at once. */
export async function watchSites(now: readonly string[]): Promise<void> {
  const matches = [...(await allowedSites())];
  const registered = await browser.scripting.getRegisteredContentScripts({ ids: ["watch"] });
  // A video may be in an iframe of an allowed site, whatever the page around it is.
  const script = { id: "watch", matches, js: [SCRIPT], runAt: "document_idle" as const, allFrames: true };
  if (matches.length === 0) {
    if (registered.length > 0) await browser.scripting.unregisterContentScripts({ ids: ["watch"] });
  } else if (registered.length > 0) await browser.scripting.updateContentScripts([script]);
  else await browser.scripting.registerContentScripts([script]);
  if (now.length === 0) return;
  // Every page is examined, because one of its iframes may belong to an allowed site.
  for (const { id } of await browser.tabs.query({})) {
    // A tab of another site, a discarded tab, or one that shows an error is watched from its next load on.
    if (id !== undefined) await watchTab(id).catch(() => undefined);
  }
}

function watchTab(tabId: number): Promise<unknown> {
  return browser.scripting.executeScript({ target: { tabId, allFrames: true }, files: [SCRIPT] });
}
