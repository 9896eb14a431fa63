/**
 * The tabs in the worker's storage: on disk if they survive the browser, otherwise in the session's storage. Changes
 * are made one after another, each stored before the next, because the worker may end between any two.
 */

import { browser } from "wxt/browser";
import { parseSettings, type Settings } from "../messages/messages.ts";
import { type EndingSession, NO_TABS, restarted, type SavedTab, savedOf, type Tabs } from "./tabs.ts";

let tabs: Tabs | null = null;
let last: Promise<unknown> = Promise.resolve();

/** Applies a change; resolves when it is stored. */
export function change(act: (tabs: Tabs) => Tabs): Promise<Tabs> {
  const changed = last.then(async () => {
    const before = tabs ?? (await load());
    const after = act(before);
    if (after !== before || tabs === null) await store(after);
    tabs = after;
    return after;
  });
  last = changed.catch(() => {
    // The change may not be stored, so the next change begins with the stored value.
    tabs = null;
  });
  return changed;
}

export function currentTabs(): Promise<Tabs> {
  return change((now) => now);
}

export async function readSettings(): Promise<Settings> {
  const { settings } = await browser.storage.local.get("settings");
  return parseSettings(settings);
}

async function load(): Promise<Tabs> {
  const { live } = (await browser.storage.session.get("live")) as {
    live?: Pick<Tabs, "live" | "saved" | "recording">;
  };
  const kept = (await browser.storage.local.get(["tabs", "ending"])) as {
    tabs?: SavedTab[];
    ending?: EndingSession[];
  };
  const ending = kept.ending ?? [];
  return live === undefined ? restarted(kept.tabs ?? [], ending) : { ...NO_TABS, ...live, ending };
}

async function store(after: Tabs): Promise<void> {
  const { live, saved, recording, ending } = after;
  await browser.storage.local.set({ tabs: savedOf(after, Date.now()), ending });
  await browser.storage.session.set({ live: { live, saved, recording } });
}
