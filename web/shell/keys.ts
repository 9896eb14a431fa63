/** Keys of a page. A key that a field or a dialog needs stays theirs. */

import { useEffect, useRef } from "preact/hooks";

/** Handlers by `event.key`. A handler that returns `false` leaves the key to others. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => unknown>>;

/** Letters are commands only while nobody types. */
const WHILE_TYPING: readonly string[] = ["Enter", "Escape"];

export function useKeys(keys: Keys): void {
  const newest = useRef(keys);
  newest.current = keys;
  useEffect(() => {
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

function isTyped(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName);
}
