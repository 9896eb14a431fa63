/** The choices of the person: in the browser, and on a server that keeps preferences, which outlive it. */

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

/** Tells if the server keeps preferences: it writes so into the page. */
export const isKept: boolean = "kept" in document.documentElement.dataset;

/** True for a page that came through the door of phones: the server writes so into it. */
export const IS_PHONE: boolean = "phone" in document.documentElement.dataset;

/** A page that may only read, and a page of a server that keeps nothing, have their choice in the browser. */
export function keepChoice(choice: Choice, value: string): void {
  if (isKept) ask("/v1/machine/preferences", { body: { [choice]: value } }).catch(() => undefined);
  try {
    localStorage.setItem(NAMES[choice], value);
  } catch {
    return;
  }
}
