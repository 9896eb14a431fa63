/** The choices of the person: in the browser, and on a server that stores preferences, which keeps them longer. */

import { ask } from "../state/server.ts";

/** The name of each choice in the browser. */
const NAMES = { theme: "continuo-theme", channelName: "continuo-name" } as const;

type Choice = keyof typeof NAMES;

export function choiceInBrowser(choice: Choice): string | null {
  try {
    return localStorage.getItem(NAMES[choice]);
  } catch {
    // A browser may allow no storage, and a page from disk may have none.
    return null;
  }
}

/** True if the server stores preferences: it writes that into the page. */
export const isKept: boolean = "kept" in document.documentElement.dataset;

/** True for a page at the address for phones: the server writes that into it. */
export const IS_PHONE: boolean = "phone" in document.documentElement.dataset;

/** A page that may only read, and a page of a server that stores nothing, keep their choices in the browser. */
export function keepChoice(choice: Choice, value: string): void {
  if (isKept) ask("/v1/machine/preferences", { body: { [choice]: value } }).catch(() => undefined);
  try {
    localStorage.setItem(NAMES[choice], value);
  } catch {
    return;
  }
}
