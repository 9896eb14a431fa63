/** Settings for the panel, which shows and changes them; they stay in this browser. */

import { signal } from "@preact/signals";
import { browser } from "wxt/browser";
import { parseSettings, type Settings } from "../messages/messages.ts";

/** `null` until they were read. */
export const settings = signal<Settings | null>(null);

export async function readSettings(): Promise<void> {
  const stored = await browser.storage.local.get("settings");
  settings.value = parseSettings(stored.settings);
  // Another panel, or the page that asks for the microphone, can change them too.
  browser.storage.local.onChanged.addListener((changes) => {
    if (changes.settings !== undefined) settings.value = parseSettings(changes.settings.newValue);
  });
}

export async function saveSettings(next: Settings): Promise<void> {
  settings.value = next;
  await browser.storage.local.set({ settings: next });
}
