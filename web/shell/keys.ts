/** Keys of a page. A key that a field or a dialog needs is left to it. */

import { useLayoutEffect, useRef } from "preact/hooks";

/** Handlers by `event.key`. A handler that returns `false` leaves the key to others. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => unknown>>;

/** The only keys that can be commands while a person types text. */
const WHILE_TYPING: readonly string[] = ["Enter", "Escape", "ArrowDown"];

/** Announces the key of a button, both in its title and for screen readers. */
export function keyHint(
  key: string,
  what = "",
): { readonly "aria-keyshortcuts": string; readonly title: string } {
  const name = key === "Escape" ? "Esc" : key;
  return { "aria-keyshortcuts": key, title: what === "" ? `Key: ${name}` : `${what} (${name})` };
}

export function useKeys(keys: Keys): void {
  const newest = useRef(keys);
  newest.current = keys;
  // Runs before the next paint, because a person presses a key as soon as they see the page.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]") !== null) return;
      if (isTyped(event.target) && !WHILE_TYPING.includes(event.key)) return;
      const handle = newest.current[event.key];
      if (handle !== undefined && handle(event) !== false) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

const FIELDS = "textarea, select, input:not([type=checkbox], [type=range])";

export function isTyped(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(FIELDS));
}
