/**
 * The prompt that is not sent yet. It is kept in the tab, for each session, so that it survives a reload and the end of
 * a server.
 */

import { effect, type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

export function useDraft(key: string): Signal<string> {
  const name = `continuo-draft:${key}`;
  const text = useSignal(read(name));
  useLayoutEffect(
    () =>
      effect(() => {
        write(name, text.value);
      }),
    [name, text],
  );
  return text;
}

/** Appends a part to the prompt of a session that is not open on this page. */
export function addToDraft(key: string, part: string): void {
  const name = `continuo-draft:${key}`;
  const before = read(name).trimEnd();
  write(name, before === "" ? part : `${before}\n\n${part}`);
}

let typedOn: string | null = null;

/** Call it when a person began a session in a field that disappears. They continue to type in the session's field. */
export function typeOnIn(key: string): void {
  typedOn = key;
}

export function isTypedOn(key: string): boolean {
  return key === typedOn;
}

function read(name: string): string {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    // A browser may allow no storage.
    return "";
  }
}

function write(name: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    return;
  }
}
