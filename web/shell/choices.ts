/** The choices of the person: in the browser, and on a server that keeps preferences, which outlive it. */

import { ask } from "../state/server.ts";

export function choiceInBrowser(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    // A browser may allow no storage, and a page from disk may have none.
    return null;
  }
}

/** A page that may only read, and a page of a server that keeps nothing, have their choice in the browser. */
export function keepChoice(name: string, preference: Readonly<Record<string, string>>): void {
  ask("/v1/machine/preferences", { body: preference }).catch(() => undefined);
  try {
    for (const value of Object.values(preference)) localStorage.setItem(name, value);
  } catch {
    return;
  }
}
