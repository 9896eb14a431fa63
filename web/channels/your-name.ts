/** The name under which this person writes in channels, kept by the browser. */

import { isName } from "@continuo/core/wire";

const KEY = "continuo-name";

export function storedName(): string | null {
  try {
    const name = localStorage.getItem(KEY);
    return isName(name) ? name : null;
  } catch {
    // A browser may allow no storage: then the name is asked for on each visit.
    return null;
  }
}

export function storeName(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    return;
  }
}
